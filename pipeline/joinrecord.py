"""isopod.join/1: what two readings agree and differ on, as it is printed and stored (FORMATS.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pipeline.join import Joined, JoinedEdge, SideEdges, TwoJoins
from schemas.kinds import ORDERING_EDGES
from schemas.reading import (
    AgreedAnchor,
    Coverage,
    Difference,
    Join,
    JoinEdge,
    JoinEdges,
    JoinHints,
    Part,
    Parts,
    SideViolations,
)
from text.coordinates import SpecText
from text.grounding import Reading
from text.intervals import relation


def to_record(joins: TwoJoins, spec: SpecText, a: Reading, b: Reading, coverage: Coverage, *, strict: bool) -> Join:
    """isopod.join/1."""
    shown = joins.shown(strict=strict)
    name_a: Callable[[int], str] = lambda index: shown.pairs[index].a.ref  # noqa: E731
    return Join(
        verdict=shown.verdict,
        agreed=tuple(
            AgreedAnchor(
                a=one.a.ref,
                b=one.b.ref,
                kind=one.kind,
                labels=one.labels,
                span=one.span,
                lines=spec.lines_of(one.span),
                relation=relation(one.a.core, one.b.core),
            )
            for one in shown.pairs
        ),
        parts=Parts(
            a=tuple(
                sorted(
                    (Part(ref=anchor.ref, of=shown.pairs[whole].b.ref) for anchor, whole in shown.parts_a),
                    key=lambda one: one.ref,
                )
            ),
            b=tuple(
                sorted(
                    (Part(ref=anchor.ref, of=shown.pairs[whole].a.ref) for anchor, whole in shown.parts_b),
                    key=lambda one: one.ref,
                )
            ),
        ),
        disputes=shown.disputes,
        edges=_edges_record(shown, name_a),
        symmetric_difference=Difference(anchors=joins.standard.anchors, edges=joins.standard.edges),
        strict=Difference(anchors=joins.strict.anchors, edges=joins.strict.edges),
        violations=SideViolations(a=a.violations, b=b.violations),
        coverage=coverage,
    )


def _edges_record(shown: Joined, name: Callable[[int], str]) -> JoinEdges:
    def settled(edges: Iterable[JoinedEdge], *, ordering: bool) -> tuple[JoinEdge, ...]:
        chosen = (edge for edge in edges if (edge.kind in ORDERING_EDGES) == ordering)
        return tuple(JoinEdge(kind=edge.kind, from_=name(edge.from_), to=name(edge.to)) for edge in chosen)

    def side(edges: SideEdges, *, ordering: bool) -> tuple[JoinEdge, ...]:
        loose = (edge for edge in edges.loose if (edge.kind in ORDERING_EDGES) == ordering)
        both = (
            *settled(edges.settled_ends, ordering=ordering),
            *(JoinEdge(kind=edge.kind, from_=edge.from_, to=edge.to) for edge in loose),
        )
        return tuple(sorted(both, key=_by_code_point))

    return JoinEdges(
        agreed=tuple(sorted(settled(shown.agreed_edges, ordering=True), key=_by_code_point)),
        only_a=side(shown.only_a, ordering=True),
        only_b=side(shown.only_b, ordering=True),
        hints=JoinHints(
            agreed=tuple(sorted(settled(shown.agreed_edges, ordering=False), key=_by_code_point)),
            only_a=side(shown.only_a, ordering=False),
            only_b=side(shown.only_b, ordering=False),
        ),
    )


def _by_code_point(edge: JoinEdge) -> tuple[str, str, str]:
    return edge.from_, edge.to, edge.kind
