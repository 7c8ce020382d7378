"""The claims that stand on one text, and what lies near a place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pipeline.bench import Key, StandingClaim, in_text_order
from text.coordinates import SpanT
from text.intervals import cross

_CELL: Final = 512


class StandingClaims:
    """The claims that stand, by key, with a grid over their cores so that what is near is found without looking at all."""

    def __init__(self, claims: Iterable[StandingClaim] = ()) -> None:
        self._by_key: dict[Key, StandingClaim] = {}
        self._cells: dict[int, set[Key]] = {}
        for claim in claims:
            self.put(claim)

    def __contains__(self, key: object) -> bool:
        return key in self._by_key

    def __getitem__(self, key: Key) -> StandingClaim:
        return self._by_key[key]

    def __iter__(self) -> Iterator[StandingClaim]:
        return iter(sorted(self._by_key.values(), key=in_text_order))

    def __len__(self) -> int:
        return len(self._by_key)

    def put(self, claim: StandingClaim) -> None:
        self._by_key[claim.key] = claim
        for cell in _cells(claim.core):
            self._cells.setdefault(cell, set()).add(claim.key)

    def drop(self, key: Key) -> None:
        claim = self._by_key.pop(key)
        for cell in _cells(claim.core):
            self._cells[cell].discard(key)

    def near(self, span: SpanT) -> list[StandingClaim]:
        """The claims in the cells of `span`: all that overlap it, and some that do not."""
        keys = {key for cell in _cells(span) for key in self._cells.get(cell, ())}
        return sorted((self._by_key[key] for key in keys), key=in_text_order)

    def clash(self, claim: StandingClaim) -> StandingClaim | None:
        """A standing claim that this one would cross, or coincide with in class; None when it fits."""
        for other in self.near(claim.core):
            if cross(other.core, claim.core) or other.key == claim.key:
                return other
        return None


def _cells(span: SpanT) -> range:
    return range(span[0] // _CELL, max(span[0], span[1] - 1) // _CELL + 1)
