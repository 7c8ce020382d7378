"""What two readings agree and differ on, in the words of the spec."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from isopod.escape import escape
from isopod.face import Face
from isopod.render.columns import wrap
from isopod.render.quotes import quote_lines
from isopod.render.status import AGREEMENT
from isopod.words import one_line
from schemas.kinds import EDGE_KINDS, DisputeType, EdgeKind
from schemas.reading import Coverage, Dispute, GroundedAnchor, Join
from schemas.run import Violation
from text.coordinates import SpecText

Placed = Mapping[str, GroundedAnchor]
"""The claims of one reading by its own labels."""

RELATION_WORDS: Final[dict[EdgeKind, str]] = {
    "requires": "needs",
    "blocked_by": "waits for",
    "supersedes": "replaces",
    "conflicts_with": "contradicts",
    "refines": "details",
}
_MOST: Final = 10
"""Violations of one reading that are shown: a model that errs often errs thousands of times."""

_WHAT: Final[dict[DisputeType, str]] = {
    "missing": "only one reader made this a claim",
    "kind": "the readers see different kinds of claim here",
    "granularity": "the readers cut this into different claims",
    "cut": "the readers' cuts do not fit together here",
    "edge": "only one reader saw this relation",
    "gate": "a rule objects to this claim",
}


def figures(join: Join) -> str:
    """`39 and 40 claims, 36 agreed; difference 6 and 2 (strictly 9 and 12)`: claims and relations that order work."""
    difference, strict = join.symmetric_difference, join.strict
    return (
        f"{claims_of(join, 'a')} and {claims_of(join, 'b')} claims, {len(join.agreed)} agreed; "
        f"difference {difference.anchors} claims and {difference.edges} relations "
        f"(strictly {strict.anchors} and {strict.edges})"
    )


def claims_of(join: Join, side: str) -> int:
    """How many claims of one reader the join is about: each is agreed, part of an agreed one, or in dispute."""
    disputed = {ref for dispute in join.disputes if dispute.type != "edge" for ref in getattr(dispute, side)}
    return len(join.agreed) + len(getattr(join.parts, side)) + len(disputed)


def join_lines(join: Join, spec: SpecText, a: Placed, b: Placed, face: Face) -> Iterator[str]:
    """The whole report of a join."""
    yield from wrap(f"{figures(join)}.", face.width)
    yield f"{_edges(join)}."
    yield AGREEMENT
    for side, violations in (("a", join.violations.a), ("b", join.violations.b)):
        yield from violation_lines(violations, f"Reader {side}: left out of the join", face)
    for dispute in join.disputes:
        yield ""
        yield from dispute_lines(dispute, spec, a, b, face)
    yield from coverage_lines(join.coverage, face)
    if join.verdict == "no-claims":
        yield ""
        yield "No claim stands in both readings: there is nothing to agree on."


def _edges(join: Join) -> str:
    edges = join.edges
    return f"{len(edges.agreed)} relations that order work and {len(edges.hints.agreed)} hints agreed"


def dispute_lines(dispute: Dispute, spec: SpecText, a: Placed, b: Placed, face: Face) -> Iterator[str]:
    """One place where the readers differ: the lines of the spec, and both cuts in them."""
    first, last = dispute.lines
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    yield f"{face.paint(dispute.id, 'bold')}  {escape(spec.path)}, {lines}: {_WHAT[dispute.type]}"
    yield from quote_lines(spec, dispute.span, face.width)
    for side, refs, placed in (("a", dispute.a, a), ("b", dispute.b, b)):
        if not refs:
            yield f"  {side}: nothing here"
        for ref in refs:
            yield from wrap(_said(ref, spec, placed), face.width, indent="     ", first=f"  {side}: ")
    if dispute.covered_by:
        yield f"  (an agreed claim overlaps it: {', '.join(map(escape, dispute.covered_by))})"


def _said(ref: str, spec: SpecText, placed: Placed) -> str:
    """What a reader said: a claim by its label, or for a relation both of its ends."""
    anchor = placed.get(ref)
    if anchor is not None:
        return f"{anchor.kind}  {one_line(spec.quoted(anchor.span))}"
    for kind in EDGE_KINDS:
        from_, found, to = ref.partition(f" {kind} ")
        if found and from_ in placed and to in placed:
            ends = (one_line(spec.quoted(placed[end].span), 120) for end in (from_, to))
            return f'"{next(ends)}" {RELATION_WORDS[kind]} "{next(ends)}"'
    return ref


def violation_lines(
    violations: tuple[Violation, ...], title: str, face: Face, *, all_of_them: str = "--format json"
) -> Iterator[str]:
    """What was wrong in a reading, each with its code and its place in the run; of many the counts, some of each kind,
    and the way to `all_of_them`."""
    if not violations:
        return
    yield ""
    yield face.paint(f"{title} ({len(violations)})", "bold")
    counts = Counter(violation.code for violation in violations)
    if len(violations) > _MOST:
        kinds = ", ".join(
            f"{code} {count}" for code, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))
        )
        yield from wrap(kinds, face.width, indent="    ", first="  ")
    for violation in _shown(violations):
        ref = f" {violation.ref}" if violation.ref else ""
        yield from wrap(
            f"{violation.path}{ref}: {violation.message} ({violation.code})", face.width, indent="    ", first="  "
        )
    if len(violations) > _MOST:
        yield f"  and {len(violations) - _MOST} more ({all_of_them} lists all)"


def _shown(violations: Iterable[Violation]) -> list[Violation]:
    """As many as are shown, in the order of the run, `anchors[2]` before `anchors[10]`; no kind's second before each kind's first."""
    seen: Counter[str] = Counter()
    ranked = []
    for violation in sorted(violations, key=lambda one: _natural(one.path)):
        seen[violation.code] += 1
        ranked.append((seen[violation.code], violation))
    chosen = sorted(range(len(ranked)), key=lambda index: ranked[index][0])[:_MOST]
    return [ranked[index][1] for index in sorted(chosen)]


def _natural(path: str) -> list[tuple[int, str]]:
    """A key that sorts numbers in a path as numbers."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", path)]


def coverage_lines(coverage: Coverage, face: Face, most: int = 20) -> Iterator[str]:
    """What looks like a claim although no agreed claim is there: the answer to "both missed it"."""
    if not coverage.unclaimed:
        return
    yield ""
    counts = f"{len(coverage.unclaimed)} of {coverage.units} sentences"
    yield face.paint(f"Looks like a claim, but no agreed claim is there ({counts})", "bold")
    for unit in coverage.unclaimed[:most]:
        words = f"{one_line(unit.text, 160)} ({unit.why})"
        yield from wrap(words, face.width, indent="        ", first=f"  {unit.lines[0]:4}  ")
    if len(coverage.unclaimed) > most:
        yield f"  and {len(coverage.unclaimed) - most} more (--format json lists all)"
