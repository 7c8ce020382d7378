"""What overlaps, what nests, which of Allen's 13 relations holds: the one module that answers (DESIGN.md section 5).

Spans are half-open and not empty. intervaltree answers up to `SWEEP_ABOVE` spans a side; above that, where it is 10 to 30 times
slower, a sort and sweep gives the same answers.

Source of the relations: J. F. Allen, Maintaining knowledge about temporal intervals, CACM 26(11), 1983.
"""

from __future__ import annotations

from bisect import bisect_left
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
    if method == "tree":
        return _by_tree(left, right)
    if method == "sweep":
        return _by_sweep(left, right)
    # Most questions are about a few spans of one side: what touches nothing of the other side costs no tree.
    from_right = _touching(right, left)
    from_left = _touching(left, [right[j] for j in from_right])
    near_left, near_right = [left[i] for i in from_left], [right[j] for j in from_right]
    by = _by_tree if max(len(near_left), len(near_right)) <= SWEEP_ABOVE else _by_sweep
    return [(from_left[i], from_right[j]) for i, j in by(near_left, near_right)]


def crossing(spans: Sequence[SpanT]) -> list[tuple[int, int]]:
    """Every pair of indexes i < j whose spans cross, sorted.

    A sweep over starts with the open spans on a list: a span crosses exactly those open ones that end inside it.
    """
    pairs = []
    opened: list[tuple[int, int, int]] = []
    reach = -1  # the largest end of those that are open
    for start, minus_end, index in sorted([(start, -end, index) for index, (start, end) in enumerate(spans)]):
        end = -minus_end
        if reach <= start:
            opened, reach = [(end, start, index)], end
            continue
        opened = [entry for entry in opened if entry[0] > start]
        pairs += [
            (min(index, other), max(index, other))
            for other_end, other_start, other in opened
            if other_start < start and other_end < end
        ]
        opened.append((end, start, index))
        reach = max(reach, end)
    return sorted(pairs)


def _touching(spans: Sequence[SpanT], others: Sequence[SpanT]) -> list[int]:
    """The indexes of the spans that overlap at least one of the others, ascending."""
    starts: list[int] = []
    ends: list[int] = []
    for start, end in sorted(others):
        if ends and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start)
            ends.append(end)
    found = []
    for index, (start, end) in enumerate(spans):
        place = bisect_left(starts, end) - 1  # the last island that begins before the span ends
        if place >= 0 and ends[place] > start:
            found.append(index)
    return found


def _by_tree(left: Sequence[SpanT], right: Sequence[SpanT]) -> list[tuple[int, int]]:
    if not left or not right:
        return []
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
