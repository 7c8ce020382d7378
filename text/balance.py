"""What is adopted and shown is the quoted text, balanced: never half a code mark (DESIGN.md section 3)."""

from __future__ import annotations

from text.coordinates import SpanT, SpecText
from text.intervals import hull
from text.marks import CodeSpan, code_spans
from text.structure import Structure


class Balancer:
    """Balances spans of one spec; looks for the code marks of a block once."""

    def __init__(self, spec: SpecText, structure: Structure) -> None:
        self._spec = spec
        self._structure = structure
        self._codes: dict[int, list[CodeSpan]] = {}

    def balanced(self, span: SpanT) -> SpanT:
        """The span, grown over the whole of an inline code of which it holds one mark and not the other."""
        if "`" not in self._spec.quoted(span):
            return span
        for block in self._structure.blocks_in(span):
            if block.kind == "fence":
                continue
            codes = self._codes.get(block.index)
            if codes is None:
                codes = self._codes[block.index] = code_spans(self._spec.text, block.span)
            for code in codes:
                if _halves(span, code):
                    span = hull((span, (code.start, code.end)))
        return span


def _halves(span: SpanT, code: CodeSpan) -> bool:
    """Whether the span takes some of the code's marks but not all of them."""
    opening = span[0] < code.content_start and code.start < span[1]
    closing = span[1] > code.content_end and code.end > span[0]
    whole = span[0] <= code.start and code.end <= span[1]
    return (opening or closing) and not whole
