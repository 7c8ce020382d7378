"""The join: two grounded readings of one text meet on spans (DESIGN.md section 5).

Overlap means the same claim; there is no threshold. The result is zero difference or a list of disputes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from pipeline.pairing import STRICT, TWO_STAGE, by_class, by_kind, equal_of_one_kind, pair
from schemas.ids import tail
from schemas.kinds import LABEL_ORDER, OBLIGATIONS, ORDERING_EDGES, UNORDERED_EDGES, AnchorKind, DisputeType, EdgeKind
from schemas.reading import (
    Dispute,
    GroundedAnchor,
    Verdict,
)
from store.records import without_gc
from text.balance import Balancer
from text.coordinates import SpanT, SpecText
from text.cores import core
from text.counts import Counts
from text.folding import fold
from text.grounding import GroundedEdge, Reading
from text.intervals import crossing, holds, hull, overlapping
from text.structure import Structure


class Pair(NamedTuple):
    """An agreed claim: A's and B's anchors, the label that stands, both labels where they differ, the adopted span."""

    a: GroundedAnchor
    b: GroundedAnchor
    kind: AnchorKind
    labels: tuple[AnchorKind, AnchorKind] | None
    span: SpanT


class JoinedEdge(NamedTuple):
    """An edge between agreed claims (indexes into `pairs`) with the place of the words that show it."""

    kind: EdgeKind
    from_: int
    to: int
    cue_span: SpanT


@dataclass(frozen=True, slots=True)
class LooseEdge:
    """An edge of one reader with an end that is not agreed; it goes with that end's dispute."""

    kind: EdgeKind
    from_: str
    to: str
    cue_span: SpanT


@dataclass(frozen=True, slots=True)
class SideEdges:
    """What one reader alone drew."""

    settled_ends: tuple[JoinedEdge, ...]
    loose: tuple[LooseEdge, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """What two readings agree and differ on, by one of the two joins."""

    pairs: tuple[Pair, ...]
    parts_a: tuple[tuple[GroundedAnchor, int], ...]
    parts_b: tuple[tuple[GroundedAnchor, int], ...]
    disputes: tuple[Dispute, ...]
    agreed_edges: tuple[JoinedEdge, ...]
    only_a: SideEdges
    only_b: SideEdges
    anchors: int
    edges: int

    @property
    def verdict(self) -> Verdict:
        """`agree` at zero difference, `no-claims` on nothing."""
        if self.disputes or self.anchors or self.edges:
            return "dispute"
        return "agree" if self.pairs else "no-claims"


@dataclass(frozen=True, slots=True)
class TwoJoins:
    """The standard and the strict join of the same two readings."""

    standard: Joined
    strict: Joined

    def shown(self, *, strict: bool) -> Joined:
        """The one that is shown and that is the gate."""
        return self.strict if strict else self.standard


def join(spec: SpecText, structure: Structure, a: Reading, b: Reading) -> TwoJoins:
    """Join two readings of the same text, both ways."""
    with without_gc():  # a join makes many small things and keeps nearly all of them
        desk = _Desk(spec, Balancer(spec, structure), a, b)
        return TwoJoins(standard=_Joining(desk, strict=False).joined(), strict=_Joining(desk, strict=True).joined())


Candidate = tuple[tuple[int, int, str], Pair, SpanT]
"""A pair with its place in text order (start, then longer first) and the core of its adopted span."""

_ORDER = itemgetter(0)


class _Desk:
    """What the standard and the strict join of two readings have in common, each made once."""

    def __init__(self, spec: SpecText, balancer: Balancer, a: Reading, b: Reading) -> None:
        self.spec = spec
        self.a = a
        self.b = b
        self.equal = equal_of_one_kind(a.anchors, b.anchors)
        self._balancer = balancer
        self._counts = Counts(spec.text)
        self._words: dict[SpanT, tuple[str, int]] = {}
        self._names: dict[Hashable, str] = {}
        self._placed = sorted((self._candidate(i, j) for i, j in self.equal.items()), key=_ORDER)

    def candidates(self, matched: Mapping[int, int]) -> list[Candidate]:
        """The pairs of A's and B's anchors with these indexes, those of `equal` among them, in text order."""
        more = [self._candidate(i, j) for i, j in matched.items() if i not in self.equal]
        return sorted([*self._placed, *more], key=_ORDER)

    def _candidate(self, i: int, j: int) -> Candidate:
        a, b = self.a.anchors[i], self.b.anchors[j]
        same = a.kind == b.kind
        kind = a.kind if same else next(label for label in LABEL_ORDER if label in (a.kind, b.kind))
        span = self._balancer.balanced(a.span if a.span == b.span else hull((a.span, b.span)))
        inner = a.core if span == a.span else core(self.spec.text, span)
        return (span[0], -span[1], a.ref), Pair(a, b, kind, None if same else (a.kind, b.kind), span), inner

    def words(self, span: SpanT) -> tuple[str, int]:
        """The folded text of a span, and which of the equal texts of the spec it is, from 0: places may move and the
        number stays."""
        known = self._words.get(span)
        if known is None:
            known = self._words[span] = (fold(self.spec.quoted(span)), self._counts.before(span))
        return known

    def name(self, parts: list[Any], key: Hashable) -> str:
        """The id of a dispute over `parts`; most are in dispute in both joins, `key` says which are the same."""
        known = self._names.get(key)
        if known is None:
            known = self._names[key] = "D-" + tail(parts)
        return known


class _Joining:
    """One join in progress; each method is a step of section 5, called in its order by `joined`."""

    def __init__(self, desk: _Desk, *, strict: bool) -> None:
        self._desk = desk
        self._spec = desk.spec
        self._strict = strict
        self._label = by_kind if strict else by_class

    def joined(self) -> Joined:
        a, b = self._desk.a.anchors, self._desk.b.anchors
        matched = pair(a, b, STRICT if self._strict else TWO_STAGE, equal=self._desk.equal)
        placed = self._desk.candidates(matched)
        candidates = [one for _, one, _ in placed]
        pairs, cut_disputes = self._without_cuts(candidates, [inner for _, _, inner in placed])
        paired_b = set(matched.values())
        left_a = [anchor for index, anchor in enumerate(a) if index not in matched]
        left_b = [anchor for index, anchor in enumerate(b) if index not in paired_b]
        parts_a = {} if self._strict else _parts(pairs, left_a)
        parts_b = {} if self._strict else _parts(pairs, left_b)
        left_a = [anchor for anchor in left_a if anchor.ref not in parts_a]
        left_b = [anchor for anchor in left_b if anchor.ref not in parts_b]
        across = self._across_kinds(pairs, left_a, left_b)
        place_a = {one.a.ref: index for index, one in enumerate(pairs)} | {
            ref: whole for ref, (_, whole) in parts_a.items()
        }
        place_b = {one.b.ref: index for index, one in enumerate(pairs)} | {
            ref: whole for ref, (_, whole) in parts_b.items()
        }
        agreed_edges, only_a, only_b = _compare_edges(self._desk.a.edges, place_a, self._desk.b.edges, place_b)
        edge_disputes = self._edge_disputes(pairs, only_a, only_b)
        disputes = _distinct([*cut_disputes, *across, *edge_disputes])
        counted = [
            edge.kind for side in (only_a, only_b) for edges in (side.settled_ends, side.loose) for edge in edges
        ]
        return Joined(
            pairs=tuple(pairs),
            parts_a=tuple(parts_a.values()),
            parts_b=tuple(parts_b.values()),
            disputes=tuple(disputes),
            agreed_edges=agreed_edges,
            only_a=only_a,
            only_b=only_b,
            anchors=2 * (len(candidates) - len(pairs)) + len(left_a) + len(left_b),
            edges=sum(self._is_gating(kind) for kind in counted),
        )

    def _is_gating(self, kind: EdgeKind) -> bool:
        return self._strict or kind in ORDERING_EDGES

    def _without_cuts(self, candidates: list[Pair], cores: list[SpanT]) -> tuple[list[Pair], list[Dispute]]:
        """Step 3: pairs whose adopted spans cross, or coincide within a class, are not agreed."""
        clashes = crossing(cores)
        first: dict[tuple[str, SpanT], int] = {}
        for index, one in enumerate(candidates):
            other = first.setdefault((self._label(one.a), cores[index]), index)
            if other != index:
                clashes.append((other, index))
        if not clashes:
            return candidates, []
        cut = {index for clash in clashes for index in clash}
        disputes = [
            self._dispute("cut", [candidates[index].a for index in group], [candidates[index].b for index in group])
            for group in _components(cut, clashes)
        ]
        return [one for index, one in enumerate(candidates) if index not in cut], disputes

    def _across_kinds(
        self, pairs: list[Pair], left_a: list[GroundedAnchor], left_b: list[GroundedAnchor]
    ) -> list[Dispute]:
        """Step 5: what is left, across kinds."""
        size = len(left_a)
        near = overlapping([anchor.core for anchor in left_a], [anchor.core for anchor in left_b])
        covers: dict[int, list[str]] = {}
        left = [*left_a, *left_b]
        for index, whole in overlapping([anchor.core for anchor in left], [one.span for one in pairs]):
            covers.setdefault(index, []).append(pairs[whole].a.ref)
        disputes = []
        for group in _components(range(len(left)), [(i, size + j) for i, j in near]):
            of_a = [left[index] for index in group if index < size]
            of_b = [left[index] for index in group if index >= size]
            if not of_a or not of_b:
                disputes.append(self._dispute("missing", of_a, of_b, covered_by=covers.get(group[0], [])))
            elif len(of_a) == len(of_b) == 1 and self._label(of_a[0]) != self._label(of_b[0]):
                disputes.append(self._dispute("kind", of_a, of_b))
            else:
                disputes.append(self._dispute("granularity", of_a, of_b))
        return disputes

    def _edge_disputes(self, pairs: list[Pair], only_a: SideEdges, only_b: SideEdges) -> list[Dispute]:
        """Step 6: an edge of one reader only whose ends are both agreed."""
        disputes = []
        for side, edges in (("a", only_a), ("b", only_b)):
            for edge in edges.settled_ends:
                if self._is_gating(edge.kind):
                    ends = pairs[edge.from_], pairs[edge.to]
                    own = [(one.a if side == "a" else one.b).ref for one in ends]
                    words = f"{own[0]} {edge.kind} {own[1]}"
                    words_of = [self._desk.words(one.span) for one in ends]
                    texts, numbers = [text for text, _ in words_of], [nth for _, nth in words_of]
                    disputes.append(
                        Dispute(
                            id=self._desk.name(["edge", edge.kind, *texts, *numbers], (edge.kind, *words_of)),
                            type="edge",
                            a=(words,) if side == "a" else (),
                            b=(words,) if side == "b" else (),
                            span=edge.cue_span,
                            lines=self._spec.lines_of(edge.cue_span),
                        )
                    )
        return disputes

    def _dispute(
        self,
        type_: DisputeType,
        a: Sequence[GroundedAnchor],
        b: Sequence[GroundedAnchor],
        covered_by: Iterable[str] = (),
    ) -> Dispute:
        span = hull([anchor.span for anchor in (*a, *b)])
        sides = sorted(sorted([anchor.kind, *self._desk.words(anchor.span)] for anchor in side) for side in (a, b))
        return Dispute(
            id=self._desk.name([type_, sides], (type_, *(tuple(map(tuple, side)) for side in sides))),
            type=type_,
            a=tuple(sorted(anchor.ref for anchor in a)),
            b=tuple(sorted(anchor.ref for anchor in b)),
            covered_by=tuple(sorted(set(covered_by))),
            span=span,
            lines=self._spec.lines_of(span),
        )


def _parts(pairs: list[Pair], left: list[GroundedAnchor]) -> dict[str, tuple[GroundedAnchor, int]]:
    """Step 4: unpaired obligations and terms inside an agreed obligation, each with the index of the smallest such pair."""
    inner = [anchor for anchor in left if anchor.kind in OBLIGATIONS or anchor.kind == "term"]
    wholes = [index for index, one in enumerate(pairs) if one.kind in OBLIGATIONS]
    found: dict[str, tuple[int, int]] = {}
    for i, position in overlapping([anchor.core for anchor in inner], [pairs[index].span for index in wholes]):
        whole = wholes[position]
        span = pairs[whole].span
        ref = inner[i].ref
        if holds(span, inner[i].core) and (ref not in found or (span[1] - span[0], whole) < found[ref]):
            found[ref] = (span[1] - span[0], whole)
    return {anchor.ref: (anchor, found[anchor.ref][1]) for anchor in inner if anchor.ref in found}


EdgeKey = tuple[EdgeKind, int, int]


def _compare_edges(
    a: Sequence[GroundedEdge], place_a: dict[str, int], b: Sequence[GroundedEdge], place_b: dict[str, int]
) -> tuple[tuple[JoinedEdge, ...], SideEdges, SideEdges]:
    of_a, loose_a = _placed_edges(a, place_a)
    of_b, loose_b = _placed_edges(b, place_b)
    agreed = tuple(of_a[key] for key in sorted(of_a.keys() & of_b.keys(), key=_edge_order))
    only_a = tuple(of_a[key] for key in sorted(of_a.keys() - of_b.keys(), key=_edge_order))
    only_b = tuple(of_b[key] for key in sorted(of_b.keys() - of_a.keys(), key=_edge_order))
    return agreed, SideEdges(only_a, loose_a), SideEdges(only_b, loose_b)


def _edge_order(key: EdgeKey) -> tuple[int, int, str]:
    return key[1], key[2], key[0]


def _placed_edges(
    edges: Sequence[GroundedEdge], place: dict[str, int]
) -> tuple[dict[EdgeKey, JoinedEdge], tuple[LooseEdge, ...]]:
    """One reader's edges between agreed claims, one a key (the earliest cue stands), and those with an end that is not agreed."""
    placed: dict[EdgeKey, JoinedEdge] = {}
    loose: dict[tuple[EdgeKind, str, str], LooseEdge] = {}
    for edge in edges:
        from_, to = place.get(edge.from_), place.get(edge.to)
        if from_ is None or to is None:
            ends = (edge.from_, edge.to)
            if edge.kind in UNORDERED_EDGES:
                ends = (min(ends), max(ends))
            known = loose.get((edge.kind, *ends))
            if known is None or edge.cue_span < known.cue_span:
                loose[edge.kind, *ends] = LooseEdge(edge.kind, edge.from_, edge.to, edge.cue_span)
            continue
        if from_ == to:
            continue  # between a part and its own whole
        if edge.kind in UNORDERED_EDGES and from_ > to:
            from_, to = to, from_
        seen = placed.get((edge.kind, from_, to))
        if seen is None or edge.cue_span < seen.cue_span:
            placed[edge.kind, from_, to] = JoinedEdge(edge.kind, from_, to, edge.cue_span)
    return placed, tuple(loose[key] for key in sorted(loose))


def _components(nodes: Iterable[int], links: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Connected components, each sorted, in the order of their first node."""
    root = {node: node for node in nodes}

    def find(node: int) -> int:
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    for left, right in links:
        first, second = sorted((find(left), find(right)))
        root[second] = first
    groups: dict[int, list[int]] = {}
    for node in sorted(root):
        groups.setdefault(find(node), []).append(node)
    return list(groups.values())


def _distinct(disputes: list[Dispute]) -> list[Dispute]:
    """Disputes by place; the same words in dispute twice get a number so that every id names one dispute."""
    disputes.sort(key=lambda one: (one.span[0], one.span[1], one.type, one.a, one.b))
    taken: dict[str, int] = {}
    result = []
    for one in disputes:
        again = taken.get(one.id, 0)
        taken[one.id] = again + 1
        result.append(one.model_copy(update={"id": "D-" + tail([one.id, again])}) if again else one)
    return result
