"""The offline reader `structure`: where a text stands. A heuristic; the words of a sentence are not its evidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import ClassVar

from pipeline.readers.offline import Found, FoundEdge, first_cell, is_lead_in, obligation, run_of, tail_of, usage_lines
from pipeline.readers.protocol import ReadRequest
from schemas.kinds import OBLIGATIONS, AnchorKind
from schemas.run import Run
from text.blocks import Block, Unit
from text.claims import Claims
from text.lexicon import SectionClass
from text.lexicon.endings import Ending, available, endings

# A place as evidence: inline code, a figure, a literal in tags.
_LITERAL = re.compile(r"`[^`\n]{1,200}`|<code\b|\d")
_LINK_ONLY = re.compile(
    r"\A[\s|*_]*(?:\[[^\]]{0,200}\](?:\([^)]{0,300}\)|\[[^\]]{0,100}\])?[\s,;·|*_-]{0,20}){1,12}\.?\Z|\A\S{0,20}https?://\S{1,300}\Z"
)
# The lead of a definition: bold, code, quoted or plain words, then a colon or a dash.
_DEFINED = re.compile(
    r"\s*(?:\*\*|__|`|\"|“|「|\*|_)(?P<marked>[^*_`\"”」\n]{1,80}?)(?:\*\*|__|`|\"|”|」|\*|_)?\s*(?:[:：]|\s[-–—]\s|(?:\*\*|__)\s*[:：]?)|"
    r"\s*(?P<plain>[^\s:：](?:[^:：\n]{0,60}?[^\s:：])?)\s*(?:[:：]\s|\s[-–—]\s)"
)
# A bold line alone is a heading in all but name.
_BOLD_ONLY = re.compile(r"\A(?:\*\*|__)[^*_]{1,120}(?:\*\*|__)\s*[:：]?\Z")
_ITEM_TAG = re.compile(r"<(?:li|td|dd)\b[^>]{0,200}>(?:\s|<p\b[^>]{0,200}>){0,4}\Z", re.IGNORECASE)
_TAG_WINDOW = 240
_HANGUL_END = re.compile(r"[\uac00-\ud7a3][.!\s*_`)\]\"'”’]{0,6}\Z")

_LISTED: dict[SectionClass, AnchorKind] = {"decisions": "decision", "questions": "question", "exclusions": "exclusion"}


class StructureReader:
    """Headings, list items, table rows, definition items, literals; Korean endings when an analyser is installed."""

    provider: ClassVar[str] = "structure"
    heuristic: ClassVar[bool] = True
    repairs: ClassVar[bool] = False
    calls_model: ClassVar[bool] = False

    def read(self, request: ReadRequest) -> Run:
        """Read the spec by its structure; deterministic, offline."""
        model = "structure-1+kiwipiepy" if available() else "structure-1"
        return run_of(request, model, self.provider, *_Reading(request).read())


class _Reading:
    def __init__(self, request: ReadRequest) -> None:
        self.spec = request.spec
        self.structure = request.structure
        self.claims = Claims(request.spec, request.structure)
        self._by_class: dict[SectionClass | None, Callable[[Block, tuple[Unit, ...]], Iterator[Found]]] = {
            "background": self._nothing,
            "terms": self._terms,
            "decisions": self._listed,
            "questions": self._listed,
            "exclusions": self._listed,
            "scenario": self._flow,
            "goals": self._only_lists,
            "overview": self._overview,
            "requirements": self._statements,
            None: self._statements,
        }
        self._preamble = self._preamble_section()
        self._parents = {block.parent for block in self.structure.blocks if block.parent is not None}
        self._opened_lists: set[tuple[int, int | None]] = set()
        self._endings = self._korean_endings()

    def read(self) -> tuple[list[Found], list[FoundEdge]]:
        found: list[Found] = []
        edges: list[FoundEdge] = []
        leads: dict[int, Found] = {}
        for block in self.structure.blocks:
            units = tuple(unit for unit in self.structure.units_of(block.index) if self.claims.can_claim(unit))
            if not units or block.section == self._preamble:
                continue
            claims = list(self._by_class[self.claims.section_class(block.section)](block, units))
            found += claims
            obligations = [claim for claim in claims if claim.kind in OBLIGATIONS]
            if not obligations:
                continue
            lead = leads.get(block.parent) if block.parent is not None else None
            if lead is not None:
                edges += [FoundEdge("refines", claim, lead, tail_of(self.spec, lead.span)) for claim in obligations]
            if is_lead_in(self.spec, obligations[-1].span):
                leads[block.index] = obligations[-1]
        found += [Found("interface", line) for line, _ in usage_lines(self.spec, self.structure, self.claims)]
        return found, edges

    def _preamble_section(self) -> int | None:
        """The text under the document's title, when sections follow: it says what the document is and who owns it."""
        headed = [section for section in self.structure.sections if section.heading is not None]
        if len(headed) < 3 or any(section.level <= headed[0].level for section in headed[1:]):
            return None
        return headed[0].index

    def _nothing(self, _block: Block, _units: tuple[Unit, ...]) -> Iterator[Found]:
        yield from ()

    def _terms(self, block: Block, units: tuple[Unit, ...]) -> Iterator[Found]:
        """The word of a definition; what follows the defining sentence bounds the word."""
        if block.kind == "row":
            cell = first_cell(block)
            if cell is not None:
                yield Found("term", cell)
            return
        defined = _DEFINED.match(self.spec.text, *units[0].span) if block.kind in ("item", "paragraph") else None
        if defined is None:
            return
        yield Found("term", defined.span("marked" if defined.group("marked") else "plain"))
        for unit in units[1:]:
            yield Found("constraint", unit.span)

    def _listed(self, block: Block, units: tuple[Unit, ...]) -> Iterator[Found]:
        """An item of a list of decisions, questions or exclusions; what follows a question is a claim of its own."""
        section_class = self.claims.section_class(block.section)
        kind: AnchorKind = _LISTED.get(section_class, "requirement") if section_class else "requirement"
        if kind == "exclusion":
            yield from (Found(kind, unit.span) for unit in units if not is_lead_in(self.spec, unit.span))
        elif block.parent is None and not is_lead_in(self.spec, units[0].span):
            yield Found(kind, units[0].span)
            if kind == "question":
                yield from (self._obligation(unit) for unit in units[1:])

    def _flow(self, block: Block, units: tuple[Unit, ...]) -> Iterator[Found]:
        """Steps of a flow: the first is what the user does to start it."""
        if block.kind == "row":
            yield from self._statements(block, units)
        if block.kind != "item":
            return
        place = (block.section, block.parent)
        if place in self._opened_lists:
            yield from self._statements(block, units)
        self._opened_lists.add(place)

    def _only_lists(self, block: Block, units: tuple[Unit, ...]) -> Iterator[Found]:
        if block.kind in ("item", "row"):
            yield from self._statements(block, units)

    def _overview(self, block: Block, units: tuple[Unit, ...]) -> Iterator[Found]:
        if block.kind in ("item", "row"):
            yield from self._statements(block, units)
        else:
            yield from (self._obligation(unit) for unit in units if _LITERAL.search(self.spec.text, *unit.span))

    def _statements(self, block: Block, units: tuple[Unit, ...]) -> Iterator[Found]:
        if self.claims.step(block.index) == "condition" or self.claims.is_attribute(block):
            return
        for unit in units:
            if self._states(block, unit):
                yield self._obligation(unit)

    def _states(self, block: Block, unit: Unit) -> bool:
        """Whether a statement that binds is expected in this place."""
        text = self.claims.words(unit)
        if _LINK_ONLY.match(text) or _BOLD_ONLY.match(text) or text.rstrip("*_ )\"'").endswith(("?", "？")):
            return False
        if self._endings.get(unit.index) in ("past", "address") or self.claims.lexicon(text).no_claim.search(text):
            return False
        if is_lead_in(self.spec, unit.span):
            return block.index in self._parents
        if block.kind == "html":
            return self._stands_in_item(unit) or _LITERAL.search(text) is not None
        return True

    def _stands_in_item(self, unit: Unit) -> bool:
        start = unit.span[0]
        return _ITEM_TAG.search(self.spec.text, max(0, start - _TAG_WINDOW), start) is not None

    def _obligation(self, unit: Unit) -> Found:
        text = self.claims.words(unit)
        return Found(obligation(text, self.claims.lexicon(text)), unit.span)

    def _korean_endings(self) -> dict[int, Ending]:
        """The endings of Korean sentences by unit, when the analyser is installed."""
        if not available():
            return {}
        sentences = [
            unit
            for unit in self.structure.units
            if self.claims.can_claim(unit)
            and self.structure.blocks[unit.block].kind in ("paragraph", "item")
            and self.claims.section_class(self.structure.blocks[unit.block].section) != "background"
            and _HANGUL_END.search(self.spec.text, max(unit.span[0], unit.span[1] - 12), unit.span[1])
        ]
        found = endings([self.spec.quoted(unit.span) for unit in sentences])
        return {unit.index: ending for unit, ending in zip(sentences, found, strict=True)}
