"""What slips when a card slips: everything that waits for it, however far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from schemas.card import Card
from schemas.kinds import FINAL_STATES
from store.graph import Graph
from store.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Slip:
    """A card that waits for the asked one: over `through`, in `depth` steps.

    `before` is a card that it waits for and that is due later than it; `alone` says that the asked card is all that it waits for.
    """

    card: Card
    through: str
    depth: int
    before: str | None
    alone: bool


def impact(snapshot: Snapshot, card_id: str) -> tuple[Slip, ...]:
    """The cards that are not over and wait for this one.

    First those that are due before something that they wait for, then those with a due, the earliest first, then the rest; nearer
    ones first among equals. Two dues are compared when both are dates, or both are milestones of config.
    """
    graph = snapshot.graph
    reached = _reached(graph, card_id)
    scale = _Scale(snapshot.config.milestones)
    later = _due_later(graph, {card_id, *reached}, scale)
    slips = [
        Slip(
            card=graph.cards[graph.index[other]],
            through=through,
            depth=depth,
            before=later.get(other),
            alone=graph.unsatisfied(other) == (card_id,),
        )
        for other, (through, depth) in reached.items()
    ]
    return tuple(
        sorted(slips, key=lambda slip: (slip.before is None, *scale.order(slip.card.due), slip.depth, slip.card.id))
    )


def _reached(graph: Graph, card_id: str) -> dict[str, tuple[str, int]]:
    """The cards that wait for this one, each with the card through which it does and the steps; a card that is over passes nothing on."""
    found: dict[str, tuple[str, int]] = {}
    ahead = [(card_id, 0)]
    for through, depth in ahead:
        for other in graph.dependents(through):
            over = graph.cards[graph.index[other]].state in FINAL_STATES
            if not over and other != card_id and other not in found:
                found[other] = (through, depth + 1)
                ahead.append((other, depth + 1))
    return found


@dataclass(frozen=True)
class _Scale:
    """Dates and milestones, each on a scale of its own."""

    milestones: Sequence[str]

    def place(self, due: str | None) -> tuple[str, int] | None:
        if due is None:
            return None
        if due in self.milestones:
            return "milestone", self.milestones.index(due)
        try:
            return "date", date.fromisoformat(due).toordinal()
        except ValueError:
            return None

    def order(self, due: str | None) -> tuple[bool, str, int]:
        """A sort key: what has no due, or one that config does not know, comes last."""
        place = self.place(due)
        return place is None, *(place or ("", 0))


def _due_later(graph: Graph, among: set[str], scale: _Scale) -> dict[str, str]:
    """By card: one of `among` that it waits for, directly or over others of them, and that is due later; the latest such."""
    found: dict[str, str] = {}
    latest: dict[str, dict[str, tuple[int, str]]] = {}
    for card in _dependencies_first(graph, among):
        ahead: dict[str, tuple[int, str]] = {}
        for other in graph.dependencies(card.id):
            for kind, entry in latest.get(other, {}).items():
                ahead[kind] = max(entry, ahead.get(kind, entry))
        place = scale.place(card.due)
        if place is not None:
            kind, rank = place
            if kind in ahead and rank < ahead[kind][0]:
                found[card.id] = ahead[kind][1]
            ahead[kind] = max((rank, card.id), ahead.get(kind, (rank, card.id)))
        latest[card.id] = ahead
    return found


def _dependencies_first(graph: Graph, among: set[str]) -> Iterator[Card]:
    for ring in graph.components:
        for number in ring:
            if graph.cards[number].id in among:
                yield graph.cards[number]
