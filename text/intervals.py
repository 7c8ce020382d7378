"""What overlaps, what nests, which of Allen's 13 relations holds: the one module that answers (DESIGN.md section 5).

Spans are half-open and not empty. intervaltree answers up to `SWEEP_ABOVE` spans a side; above that, where it is 10 to 30 times
slower, a sort and sweep gives the same answers.

Source of the relations: J. F. Allen, Maintaining knowledge about temporal intervals, CACM 26(11), 1983.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from schemas.reading import Relation
from text.coordinates import SpanT

SWEEP_ABOVE: Final = 20_000
Method = Literal["auto", "tree", "sweep"]


def relation(x: SpanT, y: SpanT) -> Relation:
    """Allen's relation of x to y."""
    (xs, xe), (ys, ye) = x, y
    if xe < ys:
        return "precedes"
    if xe == ys:
        return "meets"
    if ye < xs:
        return "preceded-by"
    if ye == xs:
        return "met-by"
    if xs == ys:
        return "equals" if xe == ye else "starts" if xe < ye else "started-by"
    if xe == ye:
        return "finished-by" if xs < ys else "finishes"
    if xs < ys:
        return "contains" if xe > ye else "overlaps"
    return "during" if xe < ye else "overlapped-by"


def overlap(x: SpanT, y: SpanT) -> bool:
    """Whether the spans share at least one code point."""
    return x[0] < y[1] and y[0] < x[1]


def holds(outer: SpanT, inner: SpanT) -> bool:
    """Whether `inner` lies inside `outer` (equal spans hold each other)."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def nest(x: SpanT, y: SpanT) -> bool:
    """Whether one of the spans holds the other."""
    return holds(x, y) or holds(y, x)


def cross(x: SpanT, y: SpanT) -> bool:
    """Whether the spans overlap and neither holds the other: Allen's overlaps and overlapped-by."""
    return overlap(x, y) and not nest(x, y)


def hull(spans: Sequence[SpanT]) -> SpanT:
    """The smallest span that holds all of them."""
    return min(span[0] for span in spans), max(span[1] for span in spans)


def overlapping(left: Sequence[SpanT], right: Sequence[SpanT], *, method: Method = "auto") -> list[tuple[int, int]]:
    """Every pair of indexes (i, j) for which left[i] and right[j] overlap, sorted."""
    if not left or not right:
        return []
    if method == "tree" or (method == "auto" and max(len(left), len(right)) <= SWEEP_ABOVE):
        return _by_tree(left, right)
    return _by_sweep(left, right)


def crossing(spans: Sequence[SpanT]) -> list[tuple[int, int]]:
    """Every pair of indexes i < j whose spans cross, sorted.

    A sweep over starts with the open spans on a list: a span crosses exactly those open ones that end inside it.
    """
    order = sorted(range(len(spans)), key=lambda index: (spans[index][0], -spans[index][1], index))
    pairs = []
    opened: list[int] = []
    for index in order:
        start, end = spans[index]
        opened = [other for other in opened if spans[other][1] > start]
        pairs += [
            (min(index, other), max(index, other))
            for other in opened
            if spans[other][0] < start and spans[other][1] < end
        ]
        opened.append(index)
    return sorted(pairs)


def _by_tree(left: Sequence[SpanT], right: Sequence[SpanT]) -> list[tuple[int, int]]:
    from intervaltree import Interval, IntervalTree

    tree = IntervalTree(Interval(start, end, index) for index, (start, end) in enumerate(right))
    return sorted((i, found.data) for i, (start, end) in enumerate(left) for found in tree.overlap(start, end))


def _by_sweep(left: Sequence[SpanT], right: Sequence[SpanT]) -> list[tuple[int, int]]:
    events = sorted(
        [(start, end, 0, index) for index, (start, end) in enumerate(left)]
        + [(start, end, 1, index) for index, (start, end) in enumerate(right)]
    )
    opened: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    pairs: list[tuple[int, int]] = []
    for start, end, side, index in events:
        others = opened[1 - side]
        if others:
            others[:] = [entry for entry in others if entry[0] > start]
            pairs += [(index, other) if side == 0 else (other, index) for _, other in others]
        own = opened[side]
        if own and own[-1][0] <= start:
            own[:] = [entry for entry in own if entry[0] > start]
        own.append((end, index))
    pairs.sort()
    return pairs
