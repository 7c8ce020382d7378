"""What people read of a spec's raw text, and the line unit that a claim stands in (DRAFTING.md D1)."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

from text.blocks import Block
from text.coordinates import SpanT, SpecText
from text.marks import (
    COMMENT,
    INLINE_TAG,
    CodeSpan,
    any_tags,
    code_spans,
    old_quotes_as_plain,
    quote_marks,
    strong_marks,
    unescape_entities,
)
from text.sentences import trim
from text.structure import Structure

LineKind = Literal["row", "item", "line", "sentence"]

_BARS = re.compile(r"\\?\|+")
_VARIABLE = re.compile(r"\|([A-Za-z][\w ]*)\|")  # `|name|` marks a variable in Bikeshed
_BACKTICKS = re.compile(r"\\?`+")
_TASK_MARK = re.compile(r"\[[ xX]\]\s+")


@dataclass(frozen=True, slots=True)
class LineUnit:
    """What one acceptance line is made of; `span` of an item is the smallest that holds all of its own text."""

    span: SpanT
    kind: LineKind
    block: int | None


def line_unit(structure: Structure, offset: int) -> LineUnit:
    """The line unit at `offset`: its table row; its list item; the line of a code fence; else its sentence.

    At an offset between two units of a block it is the one behind (at the end: before); outside all blocks the line.
    """
    block = structure.block_at(offset)
    if block is None:
        start, end = structure.spec.line_span(structure.spec.line_of(offset))
        return LineUnit(trim(structure.spec.text, (start, end)), "line", None)
    if block.kind in ("row", "table_head"):
        return LineUnit(block.span, "row", block.index)
    if block.kind == "item":
        return LineUnit(block.span, "item", block.index)
    kind: LineKind = "line" if block.kind in ("fence", "front_matter") else "sentence"
    unit = structure.unit_at(offset)
    if unit is None:
        units = structure.units_of(block.index)
        place = bisect_right(units, offset, key=lambda one: one.span[0])
        unit = units[min(place, len(units) - 1)] if units else None
    return LineUnit(unit.span if unit is not None else block.span, kind, block.index)


def display(spec: SpecText, structure: Structure, span: SpanT) -> str:
    """The display text of `span`: one line, list marks and strong marks dropped, code marks kept and balanced.

    A span that is a whole list item shows the item's own text only. A table row reads
    `first cell — header: cell; header: cell`. There is never a bar in the result: one that is text becomes `/`.
    """
    blocks = structure.blocks_in(span)
    if not blocks:
        return _one_line(spec.quoted(span))
    if blocks[0].kind == "item" and blocks[0].span == span:
        blocks = blocks[:1]
    shown = [_show_block(spec, structure, block, span) for block in blocks]
    return " ".join(text for text in shown if text) or _one_line(spec.quoted(span))  # markup alone is shown as it is


def _show_block(spec: SpecText, structure: Structure, block: Block, span: SpanT) -> str:
    if block.cells:
        return _show_row(spec, structure, block, span)
    return " ".join(_show(spec, block, segment, span) for segment in block.segments if _shared(segment, span))


def _show_row(spec: SpecText, structure: Structure, row: Block, span: SpanT) -> str:
    head = structure.blocks[row.head] if row.head is not None else None
    shown: list[tuple[int, str]] = []
    for column, cell in enumerate(row.cells):
        text = _show(spec, row, cell, span) if _shared(cell, span) else ""
        if text:
            shown.append((column, text))
    if len(shown) < 2:
        return shown[0][1] if shown else ""
    first = shown.pop(0)[1] if shown[0][0] == 0 or head is None else ""
    named = []
    for column, text in shown:
        title = head.cells[column] if head is not None and column < len(head.cells) else None
        name = _show(spec, row, title, title) if title is not None and title[0] < title[1] else ""
        named.append(f"{name}: {text}" if name else text)
    return " — ".join(part for part in (first, "; ".join(named)) if part)


def _show(spec: SpecText, block: Block, segment: SpanT, span: SpanT) -> str:
    """The display text of the part of `segment` (a segment or a cell) that lies in `span`."""
    start, end = max(segment[0], span[0]), min(segment[1], span[1])
    text = spec.text
    if block.hypertext:
        shown = unescape_entities(_without(text, (start, end), any_tags(text, segment)))
        return _one_line(_VARIABLE.sub(r"\1", shown))
    if spec.media == "plain" and not spec.path.lower().endswith(".rst"):
        return _one_line(old_quotes_as_plain(text[start:end]))
    if block.kind in ("fence", "front_matter"):
        return _one_line(text[start:end])
    code = code_spans(text, segment)
    dropped = strong_marks(text, segment, code)
    if spec.media == "markdown":
        dropped += quote_marks(text, segment)
        dropped += _outside(code, [match.span() for match in INLINE_TAG.finditer(text, *segment)])
        dropped += _outside(code, [match.span() for match in COMMENT.finditer(text, *segment)])
    if block.kind == "item" and start == block.span[0]:
        task = _TASK_MARK.match(text, start, end)
        dropped += [task.span()] if task else []
    return _one_line(_balanced(text, (start, end), code, sorted(dropped)))


def _balanced(text: str, span: SpanT, code: list[CodeSpan], dropped: list[SpanT]) -> str:
    """The text of `span` without `dropped`; a code span that is cut gets its other mark, or loses both when empty."""
    kept: list[str] = []
    position = span[0]
    for one in code:
        if one.end <= span[0] or one.start >= span[1]:
            continue
        kept.append(_without(text, (position, max(position, one.start)), dropped))
        inside = text[max(one.content_start, span[0]) : min(one.content_end, span[1])]
        if inside.strip():
            kept += [text[one.start : one.content_start], inside, text[one.content_end : one.end]]
        position = min(one.end, span[1])
    kept.append(_without(text, (position, span[1]), dropped))
    return "".join(kept)


def _without(text: str, span: SpanT, dropped: list[SpanT]) -> str:
    kept: list[str] = []
    position = span[0]
    for start, end in dropped:
        if end <= position:
            continue
        if start >= span[1]:
            break
        # A line break between two words is a tag too.
        kept += [text[position : max(start, position)], " " if text[start : start + 3].lower() == "<br" else ""]
        position = min(end, span[1])
    return "".join([*kept, text[position : span[1]]])


def _outside(code: list[CodeSpan], spans: list[SpanT]) -> list[SpanT]:
    return [span for span in spans if not any(one.start < span[1] and span[0] < one.end for one in code)]


def _shared(one: SpanT, other: SpanT) -> bool:
    return max(one[0], other[0]) < min(one[1], other[1])


def _one_line(raw: str) -> str:
    """Whitespace folded, bars as `/`, and backticks that mark no code as plain quotes."""
    shown = " ".join(_BARS.sub("/", raw).split())
    if "`" not in shown:
        return shown
    kept: list[str] = []
    position = 0
    for one in code_spans(shown, (0, len(shown))):
        kept += [_BACKTICKS.sub("'", shown[position : one.start]), shown[one.start : one.end]]
        position = one.end
    return "".join([*kept, _BACKTICKS.sub("'", shown[position:])])
