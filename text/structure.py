"""A spec's structure: blocks, sections and units, and which of them a place touches (DESIGN.md section 3 "Units")."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cached_property
from itertools import pairwise

from text.blocks import Block, ParsedBlock, Section, Unit
from text.coordinates import SpanT, SpecText
from text.html_blocks import HtmlParts, html_parts
from text.marks import blanked, old_quotes_as_plain, quote_marks, says_something
from text.sentences import sentences, trim


class Structure:
    """The blocks, sections and units of one spec, each in text order; look-ups by offset and span (code points)."""

    def __init__(
        self,
        spec: SpecText,
        blocks: Callable[[], tuple[Block, ...]],
        sections: tuple[Section, ...],
        units: tuple[Unit, ...],
    ) -> None:
        self.spec = spec
        self._make_blocks = blocks
        self.sections = sections
        self.units = units

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        return self._make_blocks()

    @cached_property
    def _segments(self) -> tuple[list[SpanT], list[int]]:
        """Every segment of every block, in text order, and beside it the number of its block."""
        places = sorted((segment, block.index) for block in self.blocks for segment in block.segments)
        return [segment for segment, _ in places], [index for _, index in places]

    @cached_property
    def _unit_starts(self) -> list[int]:
        return [unit.span[0] for unit in self.units]

    @cached_property
    def _units_of(self) -> dict[int, list[Unit]]:
        found: dict[int, list[Unit]] = {}
        for unit in self.units:
            found.setdefault(unit.block, []).append(unit)
        return found

    def block_at(self, offset: int) -> Block | None:
        """The block with a segment that holds the code point at `offset`."""
        segments, owners = self._segments
        place = bisect_right(segments, (offset, len(self.spec.text) + 1)) - 1
        if place < 0 or offset >= segments[place][1]:
            return None
        return self.blocks[owners[place]]

    def blocks_in(self, span: SpanT) -> list[Block]:
        """Every block with a segment that shares at least one character with `span`, in text order."""
        if span[0] >= span[1]:
            return []
        segments, owners = self._segments
        found: set[int] = set()
        place = max(bisect_right(segments, (span[0], len(self.spec.text) + 1)) - 1, 0)
        while place < len(segments) and segments[place][0] < span[1]:
            if segments[place][1] > span[0]:
                found.add(owners[place])
            place += 1
        return [self.blocks[index] for index in sorted(found)]

    def unit_at(self, offset: int) -> Unit | None:
        """The unit that holds the code point at `offset`."""
        place = bisect_right(self._unit_starts, offset) - 1
        return self.units[place] if place >= 0 and offset < self.units[place].span[1] else None

    def units_in(self, span: SpanT) -> list[Unit]:
        """Every unit that shares at least one character with `span`, in text order."""
        if span[0] >= span[1]:
            return []
        first = max(bisect_right(self._unit_starts, span[0]) - 1, 0)
        last = bisect_left(self._unit_starts, span[1])
        return [unit for unit in self.units[first:last] if unit.span[1] > span[0]]

    def units_of(self, block_index: int) -> tuple[Unit, ...]:
        """The units of one block, in text order."""
        return tuple(self._units_of.get(block_index, ()))

    def section_at(self, offset: int) -> Section:
        """The section that holds `offset`; blank lines before a first heading count to it."""
        place = bisect_right(self.sections, offset, key=lambda section: section.span[0]) - 1
        return self.sections[max(place, 0)]

    def outermost(self, block_index: int) -> Block:
        """The outermost list item around a block; the block itself when it stands in none."""
        block = self.blocks[block_index]
        while block.parent is not None:
            block = self.blocks[block.parent]
        return block


def structure(spec: SpecText) -> Structure:
    """Parse a spec by its media. Never raises on any text."""
    parsed = _parsed(spec)
    parsed.sort(key=lambda block: block.segments[0])
    sections = _sections(spec, parsed)
    blocks = _blocks(spec, parsed, sections)
    quoted = {index for index, block in enumerate(parsed) if block.quoted}
    return Structure(spec, lambda: blocks, sections, _units(spec, blocks, quoted))


def _parsed(spec: SpecText) -> list[ParsedBlock]:
    if spec.media == "plain":
        from text.plain import parse_plain

        return parse_plain(spec)
    from text.markdown import parse_markdown  # loads markdown-it: not where every structure is known already

    return parse_markdown(spec)


def _sections(spec: SpecText, parsed: list[ParsedBlock]) -> tuple[Section, ...]:
    opening = [(index, block) for index, block in enumerate(parsed) if block.section_start is not None]
    starts = [block.section_start or 0 for _, block in opening]
    bounds = [*starts, len(spec.text)]
    sections: list[Section] = []
    if not opening or spec.text[: starts[0]].strip():
        sections.append(Section(0, (), "", None, 0, (0, bounds[0])))
    path: list[tuple[int, str]] = []
    used: set[str] = set()
    counts: dict[str, int] = {}
    for (index, block), span in zip(opening, pairwise(bounds), strict=True):
        path = [*(step for step in path if step[0] < block.level), (block.level, block.title)]
        titles = tuple(title for _, title in path)
        plain = " > ".join(titles)
        counts[plain] = counts.get(plain, 0) + 1
        name = plain if counts[plain] == 1 else f"{plain} #{counts[plain]}"
        while name in used:  # a heading may itself read `Notes #2`
            counts[plain] += 1
            name = f"{plain} #{counts[plain]}"
        used.add(name)
        sections.append(Section(len(sections), titles, name, index, block.level, span))
    return tuple(sections)


def _blocks(spec: SpecText, parsed: list[ParsedBlock], sections: tuple[Section, ...]) -> tuple[Block, ...]:
    numbers = {id(block): index for index, block in enumerate(parsed)}
    by_heading = {section.heading: section.index for section in sections if section.heading is not None}
    section = 0
    groups = 0
    paragraph_group: int | None = None
    group_of: dict[int, int] = {}
    blocks: list[Block] = []
    for index, block in enumerate(parsed):
        if index in by_heading:
            section = by_heading[index]
            paragraph_group = None
        if block.construct not in group_of or block.opens_group or block.section_start is not None:
            if block.opens_group or paragraph_group is None or block.section_start is not None:
                group_of[block.construct] = groups
                groups += 1
            else:
                group_of[block.construct] = paragraph_group
        if block.opens_group:
            paragraph_group = group_of[block.construct]
        blocks.append(
            Block(
                index=index,
                kind=block.kind,
                segments=tuple(block.segments),
                lines=spec.lines_of((block.segments[0][0], block.segments[-1][1])),
                parent=_parent(block, numbers),
                section=section,
                group=group_of[block.construct],
                cells=tuple(block.cells),
                head=numbers.get(id(block.head)) if block.head is not None else None,
                level=block.level,
                hypertext=block.hypertext,
            )
        )
    return tuple(blocks)


def _parent(block: ParsedBlock, numbers: dict[int, int]) -> int | None:
    """The nearest enclosing item that has text of its own."""
    parent = block.parent
    while parent is not None and id(parent) not in numbers:
        parent = parent.parent
    return None if parent is None else numbers[id(parent)]


def _units(spec: SpecText, blocks: tuple[Block, ...], quoted: set[int]) -> tuple[Unit, ...]:
    found: list[tuple[SpanT, int, bool]] = []
    html = {block.index: html_parts(spec.text, block.span) for block in blocks if block.kind == "html"}
    # Sentences are cut where the `>` of a quote is as good as a space, and an inline tag as good as nothing: it
    # becomes word joiners, which no sentence rule stops at and which stay with the word that they touch.
    text = blanked(spec.text, [tag for parts in html.values() for tag in parts.inline_tags], "\u2060")
    marks = [mark for index in quoted for segment in blocks[index].segments for mark in quote_marks(spec.text, segment)]
    text = blanked(text, sorted(marks), " ")
    if spec.media == "plain":
        text = old_quotes_as_plain(text)  # a backtick that opens a quote is no code mark
    for block in blocks:
        if block.kind in ("paragraph", "item"):
            spans = [(span, says_something(spec.quoted(span))) for span in sentences(text, block.segments)]
        elif block.kind == "html":
            spans = _html_units(spec, html[block.index], text)
        elif block.kind in ("fence", "front_matter"):
            spans = [(line, False) for span in block.segments for line in line_units(spec, span)]
        else:
            spans = [(block.span, block.kind == "row" and says_something(spec.quoted(block.span)))]
        found += [(span, block.index, bears) for span, bears in spans]
    found.sort()
    return tuple(
        Unit(index, span, spec.lines_of(span), block, bears) for index, (span, block, bears) in enumerate(found)
    )


def _html_units(spec: SpecText, parts: HtmlParts, without_tags: str) -> list[tuple[SpanT, bool]]:
    prose = sentences(without_tags, parts.prose)
    verbatim = [line for span in parts.verbatim for line in line_units(spec, span)]
    return [(span, says_something(spec.quoted(span))) for span in prose] + [(line, False) for line in verbatim]


def line_units(spec: SpecText, span: SpanT) -> list[SpanT]:
    """The lines of a span, each trimmed of whitespace; blank ones are left out."""
    first, last = spec.lines_of(span)
    found: list[SpanT] = []
    for line in range(first, last + 1):
        start, end = spec.line_span(line)
        trimmed = trim(spec.text, (max(start, span[0]), min(end, span[1])))
        if trimmed[0] < trimmed[1]:
            found.append(trimmed)
    return found
