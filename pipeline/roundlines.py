"""How far two readings agreed, kind by kind, as the run record keeps it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pipeline.join import TwoJoins
from schemas.bookline import KindFigures, RoundLine
from schemas.kinds import ANCHOR_KINDS, ORDERING_EDGES
from schemas.reading import Difference, GroundedAnchor
from text.grounding import Reading


def round_line(number: int, joins: TwoJoins, a: Reading, b: Reading, *, strict: bool) -> RoundLine:
    """The figures of one round by the join that is the gate.

    A claim in no agreed pair, that is also no part of one, counts for the kind that its reader gave it.
    """
    shown = joins.shown(strict=strict)
    agreed = Counter(pair.kind for pair in shown.pairs)
    only_a = _left(a.anchors, [*(pair.a for pair in shown.pairs), *(part for part, _ in shown.parts_a)])
    only_b = _left(b.anchors, [*(pair.b for pair in shown.pairs), *(part for part, _ in shown.parts_b)])
    return RoundLine(
        round=number,
        difference=Difference(anchors=joins.standard.anchors, edges=joins.standard.edges),
        strict=Difference(anchors=joins.strict.anchors, edges=joins.strict.edges),
        disputes=len(shown.disputes),
        edges_agreed=sum(edge.kind in ORDERING_EDGES for edge in shown.agreed_edges),
        kinds={
            kind: KindFigures(agreed=agreed[kind], only_a=only_a[kind], only_b=only_b[kind])
            for kind in ANCHOR_KINDS
            if agreed[kind] or only_a[kind] or only_b[kind]
        },
    )


def _left(anchors: Iterable[GroundedAnchor], placed: Iterable[GroundedAnchor]) -> Counter[str]:
    """How many claims of each kind have no place in an agreed pair."""
    refs = {one.ref for one in placed}
    return Counter(one.kind for one in anchors if one.ref not in refs)
