"""Which lines of a spec one call shows: whole sections together, up to a size; a section that is longer is cut between its blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from text.blocks import Section
from text.coordinates import SpanT, SpecText
from text.structure import Structure


@dataclass(frozen=True, slots=True)
class Passage:
    """Whole lines of one section that are shown together; `span` holds exactly these lines, with their line ends."""

    lines: tuple[int, int]
    span: SpanT
    section: str

    def holds(self, span: SpanT) -> bool:
        """Whether `span` stands in these lines."""
        return self.span[0] <= span[0] and span[1] <= self.span[1]


Chunk = tuple[Passage, ...]
"""What one call shows, in text order."""


def chunks_of(spec: SpecText, structure: Structure, sections: Collection[int], size: int) -> tuple[Chunk, ...]:
    """The chunks of the sections with these indexes, each of about `size` code points; sections without a word are left out.

    Sections that do not stand next to each other may share a chunk: each passage says where it stands.
    """
    chunks: list[Chunk] = []
    open_: list[Passage] = []
    for section in structure.sections:
        if section.index not in sections or not any(unit.claim_bearing for unit in structure.units_in(section.span)):
            continue
        for passage in _passages(spec, structure, section, size):
            if open_ and sum(_size(one) for one in (*open_, passage)) > size:
                chunks.append(tuple(open_))
                open_ = []
            open_.append(passage)
    return (*chunks, tuple(open_)) if open_ else tuple(chunks)


def passages_of(spec: SpecText, structure: Structure, spans: Sequence[SpanT]) -> tuple[Passage, ...]:
    """The whole lines of these spans, in text order, those that touch joined, cut where a section ends."""
    wanted: set[int] = set()
    for span in spans:
        first, last = spec.lines_of(span)
        wanted.update(range(first, last + 1))
    found = []
    for _, run in groupby(enumerate(sorted(wanted)), key=lambda entry: entry[1] - entry[0]):
        numbers = [line for _, line in run]
        for _, part in groupby(numbers, key=lambda line: structure.section_at(spec.line_span(line)[0]).index):
            own = list(part)
            found.append(_passage(spec, structure, (own[0], own[-1])))
    return tuple(found)


def together(passages: Sequence[Passage], size: int) -> tuple[Chunk, ...]:
    """Passages packed into chunks of about `size` code points, in order."""
    chunks: list[list[Passage]] = []
    for passage in passages:
        if not chunks or sum(_size(one) for one in (*chunks[-1], passage)) > size:
            chunks.append([])
        chunks[-1].append(passage)
    return tuple(tuple(chunk) for chunk in chunks)


def named(spec: SpecText, chunk: Chunk) -> str:
    """What people read of a chunk: the file and its lines."""
    parts = [f"{one.lines[0]}-{one.lines[1]}" if one.lines[0] < one.lines[1] else str(one.lines[0]) for one in chunk]
    merged = [parts[0]] if len(chunk) == 1 else _merged(chunk)
    shown = ", ".join(merged[:4]) + (f" and {len(merged) - 4} more" if len(merged) > 4 else "")
    return f"{spec.path} {'line' if shown.isdecimal() else 'lines'} {shown}"


def _merged(chunk: Chunk) -> list[str]:
    runs: list[list[int]] = []
    for passage in chunk:
        if runs and passage.lines[0] == runs[-1][1] + 1:
            runs[-1][1] = passage.lines[1]
        else:
            runs.append([*passage.lines])
    return [f"{first}-{last}" if first < last else str(first) for first, last in runs]


def _size(passage: Passage) -> int:
    return passage.span[1] - passage.span[0]


def _passages(spec: SpecText, structure: Structure, section: Section, size: int) -> Iterator[Passage]:
    start, end = section.span
    first, last = spec.lines_of(section.span)
    if end - start <= size:
        yield _passage(spec, structure, (first, last))
        return
    begin = first
    for cut in _cuts(spec, structure, section, size, (first, last)):
        if spec.line_starts[cut - 1] - spec.line_starts[begin - 1] >= size:
            yield _passage(spec, structure, (begin, cut - 1))
            begin = cut
    yield _passage(spec, structure, (begin, last))


def _cuts(spec: SpecText, structure: Structure, section: Section, size: int, lines: tuple[int, int]) -> list[int]:
    """The lines of a section before which it may be cut: where an outermost block begins; inside one that is too long every line."""
    cuts: set[int] = set()
    for block in structure.blocks_in(section.span):
        if block.parent is None:
            cuts.add(block.lines[0])
        if block.span[1] - block.span[0] > size:
            cuts.update(range(block.lines[0], block.lines[1] + 1))
    return sorted(line for line in cuts if lines[0] < line <= lines[1])


def _passage(spec: SpecText, structure: Structure, lines: tuple[int, int]) -> Passage:
    span = spec.whole_lines(lines)
    return Passage(lines, span, structure.section_at(spec.line_span(lines[0])[0]).name)
