"""Cards must not wait for each other in a circle: asked before an edge is drawn."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.card import Card
from schemas.errors import RefusedError
from store.graph import Graph
from store.snapshot import Snapshot


def new_circles(snapshot: Snapshot, after: Card) -> Iterator[RefusedError]:
    """An error for each circle of waiting that is there with the card as it is to be, and was not there before."""
    before = set(snapshot.graph.cycles)
    for cycle in Graph.of([after if card.id == after.id else card for card in snapshot.cards]).cycles:
        if cycle not in before:
            yield RefusedError(
                "edge-closes-cycle",
                f"then {' waits for '.join((*cycle, cycle[0]))}: none of them could ever start",
                fix=f"isopod why {after.id}",
            )
