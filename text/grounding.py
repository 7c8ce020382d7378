"""Each quote -> exactly one character span, or a violation that goes back to its reader (DESIGN.md sections 3 and 4).

No word similarity anywhere: a quote stands in the text as it is, folded, or folded without emphasis and code marks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from schemas.kinds import LABEL_ORDER, OBLIGATIONS, AnchorKind, EdgeKind, GroundStep, kind_class
from schemas.reading import Grounded, GroundedAnchor
from schemas.run import Cue, RunAnchor, RunEdge, Violation
from text.coordinates import SpanT, SpecText
from text.cores import core
from text.folding import Folded, folded, occurrences
from text.intervals import crossing
from text.structure import Structure

_UNCROSSABLE = frozenset({"item", "row", "table_head", "heading", "fence"})


@dataclass(frozen=True, slots=True)
class GroundedEdge:
    """An edge whose ends are grounded anchors of the run and whose cue stands at `cue_span`."""

    kind: EdgeKind
    from_: str
    to: str
    cue_span: SpanT


@dataclass(frozen=True, slots=True)
class Reading:
    """One grounded run: what stands in the text, and what was left out and why."""

    anchors: tuple[GroundedAnchor, ...]
    edges: tuple[GroundedEdge, ...]
    violations: tuple[Violation, ...]

    def to_record(self) -> Grounded:
        """isopod.ground/1."""
        return Grounded(anchors=self.anchors, violations=self.violations)


class Grounder:
    """Finds quotes in one spec; folds its text once."""

    def __init__(self, spec: SpecText, structure: Structure) -> None:
        self.spec = spec
        self.structure = structure

    @cached_property
    def _folded(self) -> Folded:
        return folded(self.spec.text)

    @cached_property
    def _stripped(self) -> Folded:
        return folded(self.spec.text, markup=True)

    def find(self, quote: str, window: SpanT) -> tuple[GroundStep, list[SpanT]] | None:
        """The first of the three ways that finds the quote inside the window, with all its hits in text order."""
        hits = occurrences(self.spec.text, quote, window)
        if hits:
            return "exact", hits
        hits = self._find_folded(self._folded, folded(quote).text.strip(), window)
        if hits:
            return "folded", hits
        hits = self._find_folded(self._stripped, folded(quote, markup=True).text.strip(), window)
        return ("markup", hits) if hits else None

    def crosses_block(self, span: SpanT) -> bool:
        """Whether the span runs across table rows, list items, a heading or a code fence."""
        blocks = self.structure.blocks_in(span)
        return len(blocks) > 1 and any(block.kind in _UNCROSSABLE for block in blocks)

    @staticmethod
    def _find_folded(text: Folded, quote: str, window: SpanT) -> list[SpanT]:
        if not quote:
            return []
        return [text.raw_span(hit) for hit in occurrences(text.text, quote, text.folded_window(window))]


def ground(
    grounder: Grounder, anchors: Iterable[tuple[int, RunAnchor]], edges: Iterable[tuple[int, RunEdge]]
) -> Reading:
    """Ground the anchors and edges of one run, each with its index in the run (for the JSON path of a violation)."""
    anchors = list(anchors)
    violations: list[Violation] = []
    placed: list[tuple[int, GroundedAnchor]] = []
    for index, anchor in anchors:
        found = _ground_anchor(grounder, index, anchor)
        if isinstance(found, Violation):
            violations.append(found)
        else:
            placed.append((index, found))
    placed = _without_duplicates(placed, violations)
    placed = _without_crossing(grounder.spec, placed, violations)
    standing = {anchor.ref for _, anchor in placed}
    kept = []
    for index, edge in edges:
        if edge.from_ not in standing or edge.to not in standing:
            continue  # its anchor was left out and reported
        cue = _ground_cue(grounder, index, edge.cue)
        if isinstance(cue, Violation):
            violations.append(cue)
        else:
            kept.append(GroundedEdge(edge.kind, edge.from_, edge.to, cue))
    placed.sort(key=lambda entry: (entry[1].span[0], -entry[1].span[1], entry[1].ref))
    return Reading(tuple(anchor for _, anchor in placed), tuple(kept), tuple(violations))


def _ground_anchor(grounder: Grounder, index: int, anchor: RunAnchor) -> GroundedAnchor | Violation:
    spec = grounder.spec
    path = f"anchors[{index}]"

    def wrong(code: str, key: str, message: str) -> Violation:
        return Violation(code=code, path=f"{path}.{key}", ref=anchor.ref, message=message)

    if not anchor.quote.strip():
        return wrong("blank-quote", "quote", "the quote is blank: quote the exact words of the claim")
    if not spec.has_lines(anchor.lines):
        return wrong(
            "lines-outside",
            "lines",
            f"the text has lines 1 to {spec.line_count}: give the lines where the quote stands",
        )
    relocated = False
    found = grounder.find(anchor.quote, spec.whole_lines(anchor.lines))
    if found is None:
        found = grounder.find(anchor.quote, (0, len(spec.text)))
        relocated = True
        if found is None:
            return wrong(
                "quote-not-found",
                "quote",
                "these words stand nowhere in the text: quote it exactly, character for character",
            )
    step, hits = found
    span = hits[0]
    if len(hits) > 1:
        nth = anchor.nth if not relocated else None
        if nth is not None and nth <= len(hits):
            span = hits[nth - 1]
        elif relocated or anchor.kind != "term" or nth is not None:
            return wrong("quote-ambiguous", "quote", _ambiguous(spec, hits, anchor, relocated))
    if grounder.crosses_block(span):
        return wrong(
            "quote-crosses-block",
            "quote",
            "the quote runs across table rows, list items, a heading or a code fence: quote inside one of them",
        )
    return GroundedAnchor(
        ref=anchor.ref,
        kind=anchor.kind,
        span=span,
        core=core(spec.text, span),
        step=step,
        lines=spec.lines_of(span),
        relocated=relocated,
    )


def _ambiguous(spec: SpecText, hits: Sequence[SpanT], anchor: RunAnchor, relocated: bool) -> str:
    lines = ", ".join(str(spec.line_of(hit[0])) for hit in hits[:8]) + (", ..." if len(hits) > 8 else "")
    if relocated:
        return f"not in lines {anchor.lines[0]} to {anchor.lines[1]}, but {len(hits)} times elsewhere (lines {lines}): give its lines"
    if anchor.nth is not None:
        return f"nth is {anchor.nth}, but the words stand {len(hits)} times there (lines {lines})"
    return (
        f"the words stand {len(hits)} times in those lines (lines {lines}): quote more of them, or say which with nth"
    )


def _ground_cue(grounder: Grounder, index: int, cue: Cue) -> SpanT | Violation:
    spec = grounder.spec

    def wrong(code: str, key: str, message: str) -> Violation:
        return Violation(code=code, path=f"edges[{index}].cue.{key}", ref=None, message=message)

    if not cue.quote.strip():
        return wrong("blank-quote", "quote", "the cue is blank: quote the words that show the relation")
    if not spec.has_lines(cue.lines):
        return wrong(
            "lines-outside", "lines", f"the text has lines 1 to {spec.line_count}: give the lines where the cue stands"
        )
    found = grounder.find(cue.quote, spec.whole_lines(cue.lines))
    if found is None:
        found = grounder.find(cue.quote, (0, len(spec.text)))
        if found is None:
            return wrong("quote-not-found", "quote", "the words of the cue stand nowhere in the text: quote it exactly")
        if len(found[1]) > 1:
            return wrong(
                "quote-ambiguous",
                "quote",
                "the cue is not in its lines and stands several times elsewhere: give its lines",
            )
    return found[1][0]


Placed = list[tuple[int, GroundedAnchor]]


def _without_duplicates(placed: Placed, violations: list[Violation]) -> Placed:
    """Of the anchors of one class with one core the first of constraint, interface, requirement stays."""
    groups: dict[tuple[str, SpanT], Placed] = {}
    for entry in placed:
        groups.setdefault((kind_class(entry[1].kind), entry[1].core), []).append(entry)
    kept = []
    for group in groups.values():
        group.sort(key=lambda entry: (_rank(entry[1].kind), entry[1].span[0] - entry[1].span[1], entry[0]))
        first = group[0][1]
        kept.append(group[0])
        for index, anchor in group[1:]:
            message = f"says the same words as {first.ref} ({first.kind}): one claim is one anchor"
            violations.append(
                Violation(code="duplicate-anchor", path=f"anchors[{index}]", ref=anchor.ref, message=message)
            )
    return sorted(kept, key=lambda entry: entry[0])


def _rank(kind: AnchorKind) -> int:
    return LABEL_ORDER.index(kind) if kind in OBLIGATIONS else 0


def _without_crossing(spec: SpecText, placed: Placed, violations: list[Violation]) -> Placed:
    pairs = crossing([anchor.core for _, anchor in placed])
    if not pairs:
        return placed
    first_other: dict[int, int] = {}
    for left, right in pairs:
        first_other.setdefault(left, right)
        first_other.setdefault(right, left)
    for position in sorted(first_other):
        index, anchor = placed[position]
        other = placed[first_other[position]][1]
        message = (
            f"crosses {other.ref} in line {spec.line_of(other.span[0])}: anchors may nest or stand apart, never cross"
        )
        violations.append(Violation(code="crossing", path=f"anchors[{index}]", ref=anchor.ref, message=message))
    return [entry for position, entry in enumerate(placed) if position not in first_other]


def nth_of(spec: SpecText, span: SpanT) -> int | None:
    """Which occurrence of its words in its own lines a span is, from 1 (overlapping ones count); None when it is the only one."""
    quote, lines = spec.quoted(span), spec.lines_of(span)
    first, last = spec.lines_span(lines)
    starts: list[int] = []
    place = spec.text.find(quote, first, last)
    while place != -1 and (place <= span[0] or len(starts) < 2):
        starts.append(place)
        place = spec.text.find(quote, place + 1, last)
    return starts.index(span[0]) + 1 if len(starts) > 1 else None
