"""Step 1 of the join: which claim of A is which claim of B (DESIGN.md section 5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from schemas.kinds import kind_class
from schemas.reading import GroundedAnchor
from text.intervals import hull, nest, overlapping

Label = Callable[[GroundedAnchor], str]


def by_kind(anchor: GroundedAnchor) -> str:
    return anchor.kind


def by_class(anchor: GroundedAnchor) -> str:
    return kind_class(anchor.kind)


TWO_STAGE: tuple[Label, ...] = (by_kind, by_class)
STRICT: tuple[Label, ...] = (by_kind,)


def pair(
    a: Sequence[GroundedAnchor],
    b: Sequence[GroundedAnchor],
    labels: Sequence[Label],
    *,
    equal: Mapping[int, int] | None = None,
) -> dict[int, int]:
    """Pairs as {index in a: index in b}: equal cores label by label, then overlaps label by label, each over what is left.

    `equal` are the pairs with equal cores of the first label, where they are known already.
    """
    pairs: dict[int, int] = {}
    free_a, free_b = set(range(len(a))), set(range(len(b)))

    def take(found: Mapping[int, int]) -> None:
        pairs.update(found)
        free_a.difference_update(found)
        free_b.difference_update(found.values())

    for step, label in enumerate(labels):
        take(equal if equal is not None and step == 0 else _equal_cores(a, b, free_a, free_b, label))
    for label in labels:
        take(_overlaps(a, b, free_a, free_b, label))
    return pairs


def equal_of_one_kind(a: Sequence[GroundedAnchor], b: Sequence[GroundedAnchor]) -> dict[int, int]:
    """The first step of both joins: pairs of one kind whose cores are equal."""
    return _equal_cores(a, b, range(len(a)), range(len(b)), by_kind)


def _equal_cores(
    a: Sequence[GroundedAnchor],
    b: Sequence[GroundedAnchor],
    free_a: Iterable[int],
    free_b: Iterable[int],
    label: Label,
) -> dict[int, int]:
    standing = {(label(b[index]), b[index].core): index for index in free_b}
    found = {}
    for index in free_a:
        other = standing.get((label(a[index]), a[index].core))
        if other is not None:
            found[index] = other
    return found


def _overlaps(
    a: Sequence[GroundedAnchor], b: Sequence[GroundedAnchor], free_a: set[int], free_b: set[int], label: Label
) -> dict[int, int]:
    """Repeatedly: each the other's only best, and every other one in the way nests with its own run's member of the pair.

    The order of pairing does not matter: a pair that may be made stays makeable until it is made.
    """
    found: dict[int, int] = {}
    groups_a = _grouped(a, free_a, label)
    groups_b = _grouped(b, free_b, label)
    for name in sorted(groups_a.keys() & groups_b.keys()):
        found.update(_Field(a, b, groups_a[name], groups_b[name]).pairs())
    return found


def _grouped(anchors: Sequence[GroundedAnchor], free: set[int], label: Label) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for index in sorted(free):
        groups.setdefault(label(anchors[index]), []).append(index)
    return groups


class _Field:
    """The unpaired claims of one label, and which of them overlap across the readings."""

    def __init__(
        self, a: Sequence[GroundedAnchor], b: Sequence[GroundedAnchor], of_a: list[int], of_b: list[int]
    ) -> None:
        self._a = a
        self._b = b
        self._near_a: dict[int, set[int]] = {}
        self._near_b: dict[int, set[int]] = {}
        for i, j in overlapping([a[index].core for index in of_a], [b[index].core for index in of_b]):
            self._near_a.setdefault(of_a[i], set()).add(of_b[j])
            self._near_b.setdefault(of_b[j], set()).add(of_a[i])

    def pairs(self) -> dict[int, int]:
        found: dict[int, int] = {}
        queue = deque(sorted(self._near_a))
        waiting = set(queue)
        while queue:
            index = queue.popleft()
            waiting.discard(index)
            if index in found:
                continue
            other = self._partner(index)
            if other is None:
                continue
            found[index] = other
            again = self._take(index, other)
            for neighbour in sorted(again - waiting):
                queue.append(neighbour)
                waiting.add(neighbour)
        return found

    def _partner(self, index: int) -> int | None:
        other = self._only_best(self._near_a.get(index, set()), lambda near: self._share(index, near))
        if other is None or self._only_best(self._near_b[other], lambda near: self._share(near, other)) != index:
            return None
        b_core, a_core = self._b[other].core, self._a[index].core
        in_the_way = all(nest(self._b[near].core, b_core) for near in self._near_a[index] if near != other)
        return (
            other
            if in_the_way and all(nest(self._a[near].core, a_core) for near in self._near_b[other] if near != index)
            else None
        )

    @staticmethod
    def _only_best(near: set[int], share: Callable[[int], float]) -> int | None:
        best, second = None, -1.0
        best_share = -1.0
        for candidate in near:
            value = share(candidate)
            if value > best_share:
                best, best_share, second = candidate, value, best_share
            else:
                second = max(second, value)
        return best if best_share > second else None

    def _share(self, i: int, j: int) -> float:
        """Shared by joined length. Equal fractions give equal floats, so ties are seen exactly."""
        x, y = self._a[i].core, self._b[j].core
        start, end = hull((x, y))
        return (min(x[1], y[1]) - max(x[0], y[0])) / (end - start)

    def _take(self, index: int, other: int) -> set[int]:
        """Take a pair out; the claims of A whose chances it may have changed."""
        again = set(self._near_b.pop(other))
        for near in self._near_a.pop(index):
            if near != other:
                again |= self._near_b[near]
                self._near_b[near].discard(index)
        for near in again - {index}:
            self._near_a[near].discard(other)
        return again - {index}
