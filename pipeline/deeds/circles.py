"""Cards must not wait for each other in a circle: asked before an edge is drawn."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.card import Card
from schemas.errors import RefusedError
from store.graph import Graph
from store.snapshot import Snapshot


def new_circles(snapshot: Snapshot, *after: Card) -> Iterator[RefusedError]:
    """An error for each circle of waiting that is there with the cards as they are to be, and was not there before."""
    before = set(snapshot.graph.cycles)
    cards = {card.id: card for card in snapshot.cards} | {card.id: card for card in after}
    for cycle in Graph.of(cards.values()).cycles:
        if cycle not in before:
            yield RefusedError(
                "edge-closes-cycle",
                f"then {' waits for '.join((*cycle, cycle[0]))}: none of them could ever start",
                fix=f"isopod why {cycle[0]}",
            )
