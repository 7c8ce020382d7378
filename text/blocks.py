"""The parts of a spec: blocks, sections, units (DESIGN.md section 3 "Units").

Every span is half-open, in code points of the spec's text; every line is 1-based.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from text.coordinates import SpanT

BlockKind = Literal["heading", "paragraph", "item", "row", "table_head", "fence", "html", "front_matter"]


@dataclass(frozen=True, slots=True)
class Block:
    """One block with its own text: nested lists, quoted paragraphs and tables inside an item are blocks of their own.

    `segments` are raw: the marks that open the block (list mark, `#`, the first line's `>`, outer table bars, fence
    lines) and surrounding whitespace are left out; what stands at the start of continuation lines is left in.
    `group` is the structural group of DRAFTING.md D8, `level` 1 to 6 for headings and else 0. `cells` are the trimmed
    contents of a row (escapes stay; an empty cell is an empty span), `head` is the block of its table head.
    `hypertext` says that the text is HTML: tags, no Markdown marks.
    """

    index: int
    kind: BlockKind
    segments: tuple[SpanT, ...]
    lines: tuple[int, int]
    parent: int | None
    section: int
    group: int
    cells: tuple[SpanT, ...] = ()
    head: int | None = None
    level: int = 0
    hypertext: bool = False

    @property
    def span(self) -> SpanT:
        """The smallest span that holds all segments (it may hold nested blocks too)."""
        return self.segments[0][0], self.segments[-1][1]


@dataclass(frozen=True, slots=True)
class Section:
    """The text under one heading up to the next heading of any level; the text before the first heading has no titles.

    `name` is unique within a spec: the titles joined by ` > `, with ` #2` and so on for equal paths.
    """

    index: int
    titles: tuple[str, ...]
    name: str
    heading: int | None
    level: int
    span: SpanT


@dataclass(frozen=True, slots=True)
class Unit:
    """What can hold one claim: a sentence, a table row; also a heading or a fence line, which bear none."""

    index: int
    span: SpanT
    lines: tuple[int, int]
    block: int
    claim_bearing: bool


@dataclass(slots=True, eq=False)
class ParsedBlock:
    """A block as a parser leaves it, before sections, groups and numbers are known.

    `construct` numbers the top-level thing it stands in (a paragraph, a list, a table, a fence); `opens_group` is true
    for a top-level paragraph. `section_start` is set on a heading that opens a section (its line's start), with its
    display `title`. `quoted` says that continuation lines may begin with `>`.
    """

    kind: BlockKind
    segments: list[SpanT]
    construct: int
    parent: ParsedBlock | None = None
    opens_group: bool = False
    cells: list[SpanT] = field(default_factory=list)
    head: ParsedBlock | None = None
    level: int = 0
    section_start: int | None = None
    title: str = ""
    quoted: bool = False
    hypertext: bool = False
