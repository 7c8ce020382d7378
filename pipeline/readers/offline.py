"""What the two offline readers share: literals that make an interface, usage texts, how found claims become a run.

This module defines no reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pipeline.readers.protocol import ReadRequest
from schemas.kinds import LABEL_ORDER, OBLIGATIONS, AnchorKind, EdgeKind, kind_class
from schemas.run import Cue, Run, RunAnchor, RunEdge, RunReader, RunSpec
from text.blocks import Block
from text.claims import Claims
from text.coordinates import SpanT, SpecText
from text.cores import core
from text.grounding import nth_of
from text.lexicon import Lexicon
from text.structure import Structure

# A literal that a program outside must match: an endpoint, an option, an environment variable, a header, a dotted name.
_INTERFACE = re.compile(
    r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD)\s+/|`-{1,2}[a-zA-Z][\w-]*|(?<![\w-])--[a-z][\w-]+|`\$?[A-Z][A-Z0-9]*_[A-Z0-9_]+[=`]|"
    r"`[A-Z][a-z]+(?:-[A-Z][a-z]+)+`|`[a-z]\w*(?:\.[a-z]\w*)+`|`[1-5]\d\d(?:\s[A-Z][\w ]{1,30})?`"
)

_COLONS = (":", "：")
_COLUMNS = re.compile(r"(?:-{1,2}\w|\w)\S{0,60}(?: \S{1,60}){0,8}(?: {2,60}|\t+)(?P<description>[^\s#/=].{1,300})")
_FEWEST_USAGES = 2
_LONGEST_CUE = 60
_CLAUSE = re.compile(r"[,;，、]\s*(\w[^,;，、]*)(?![^,;，、])")
# GIVEN, WHEN, THEN in bold before a step.
_STEP_MARK = re.compile(r"(?:\*\*|__)\w{1,12}(?:\*\*|__)\s+")


@dataclass(frozen=True, slots=True)
class Found:
    """A claim that a reader found: its kind and its raw span."""

    kind: AnchorKind
    span: SpanT


@dataclass(frozen=True, slots=True)
class FoundEdge:
    """A relation between two found claims, and the span of the words that show it."""

    kind: EdgeKind
    from_: Found
    to: Found
    cue: SpanT


def obligation(text: str, lexicon: Lexicon) -> AnchorKind:
    """Which obligation: an external literal makes an interface, a bound without an order a constraint."""
    if _INTERFACE.search(text):
        return "interface"
    if lexicon.bound.search(text) and not (lexicon.imperative is not None and lexicon.imperative.search(text)):
        return "constraint"
    return "requirement"


def run_of(request: ReadRequest, model: str, provider: str, found: Iterable[Found], edges: Iterable[FoundEdge]) -> Run:
    """The run of what was found: quotes exactly as they stand, refs a1, a2... in text order.

    Claims of one class with one core are one: the first of constraint, interface, requirement stays (DESIGN.md
    section 4).
    """
    spec = request.spec
    standing: dict[tuple[str, SpanT], Found] = {}
    for claim in found:
        place = (kind_class(claim.kind), core(spec.text, claim.span))
        if place not in standing or _rank(claim.kind) < _rank(standing[place].kind):
            standing[place] = claim
    ordered = sorted(standing.values(), key=lambda claim: (claim.span[0], -claim.span[1], claim.kind))
    refs = {claim: f"a{number}" for number, claim in enumerate(ordered, 1)}
    by_place = {place: refs[claim] for place, claim in standing.items()}

    def ref(claim: Found) -> str:
        return by_place[kind_class(claim.kind), core(spec.text, claim.span)]

    drawn = {(edge.kind, ref(edge.from_), ref(edge.to)): edge.cue for edge in edges if ref(edge.from_) != ref(edge.to)}
    return Run(
        spec=RunSpec(path=spec.path, sha256=spec.digest),
        reader=RunReader(name=request.name, provider=provider, model=model, round=request.round),
        anchors=tuple(_anchor(spec, refs[claim], claim) for claim in ordered),
        edges=tuple(
            RunEdge(from_=start, to=end, kind=kind, cue=Cue(quote=spec.quoted(cue), lines=spec.lines_of(cue)))
            for (kind, start, end), cue in drawn.items()
        ),
    )


def _rank(kind: AnchorKind) -> int:
    return LABEL_ORDER.index(kind) if kind in OBLIGATIONS else 0


def _anchor(spec: SpecText, ref: str, claim: Found) -> RunAnchor:
    quote, lines = spec.quoted(claim.span), spec.lines_of(claim.span)
    return RunAnchor(ref=ref, kind=claim.kind, quote=quote, lines=lines, nth=nth_of(spec, claim.span))


def is_lead_in(spec: SpecText, span: SpanT) -> bool:
    """Whether these words lead into what stands below them: they end in a colon."""
    return spec.quoted(span).rstrip("*_ ").endswith(_COLONS)


def tail_of(spec: SpecText, span: SpanT) -> SpanT:
    """The last clause of a lead-in: the words that show that what stands below belongs to it."""
    start, end = span
    step = _STEP_MARK.match(spec.text, start, end)
    start = step.end() if step is not None else start
    if end - start > _LONGEST_CUE:
        space = spec.text.find(" ", end - _LONGEST_CUE, end)
        start = space + 1 if space != -1 else end - _LONGEST_CUE
    clause = _CLAUSE.search(spec.text, start, end)
    return (clause.start(1), end) if clause is not None and clause.end() == end else (start, end)


def first_cell(block: Block) -> SpanT | None:
    """The first cell of a row, None when it is empty."""
    if not block.cells or block.cells[0][0] == block.cells[0][1]:
        return None
    return block.cells[0]


def usage_lines(spec: SpecText, structure: Structure, claims: Claims) -> Iterator[tuple[SpanT, SpanT]]:
    """Lines of usage texts, each with the span of its description.

    A usage text is a code fence in a section of requirements in which most lines are two columns, a literal and, two
    spaces or more apart, a description (`prog list  Shows all`).
    """
    for block in structure.blocks:
        if block.kind != "fence" or claims.section_class(block.section) != "requirements":
            continue
        units = structure.units_of(block.index)
        columns = [(unit.span, _COLUMNS.match(spec.text, *unit.span)) for unit in units]
        lines = [(span, match.span("description")) for span, match in columns if match is not None]
        if len(lines) >= _FEWEST_USAGES and 2 * len(lines) > len(units):
            yield from lines
