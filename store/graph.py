"""The graph of cards that wait for each other, on integers: cycles, redundant edges, readiness.

`Graph.of(cards)` is a pure value. networkx is the exchange type only (`to_networkx`): its transitive reduction and
simple cycles take minutes where these take a fraction of a second (DESIGN.md section 10).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from schemas.card import Card
from schemas.kinds import FINAL_STATES, WORK_KINDS, CardKind
from store.digraph import components, reach_counts, redundant_edges, shortest_cycle

if TYPE_CHECKING:
    import networkx

Why = Literal["missing", "deleted", "superseded", "cycle", "never-ready"]

_FROM_OUTSIDE: Final[frozenset[CardKind]] = frozenset({"gate", "request", "external"})
"""What a person or another team can bring about at any time, whatever the card itself waits for."""


@dataclass(frozen=True, slots=True)
class Wait:
    """One step of the chain that a card waits for: `by` waits for `card`; at `depth` 1 `by` is the asked card itself.

    `again` marks a card whose own waits stand earlier in the chain (or above it, in a cycle) and are not repeated.
    """

    card: str
    by: str
    depth: int
    again: bool


@dataclass(frozen=True, slots=True)
class Blocker:
    """A dependency that no order of work ever satisfies, and why."""

    card: str
    why: Why


@dataclass(frozen=True)
class Graph:
    """Cards by index, sorted by id. Edges of deleted cards are left out: nothing waits through a card that was cut.

    `out[i]` holds the indexes that card i depends on, in the order of its file, once each; `into[i]` those that depend
    on it; `unknown[i]` the ids that card i depends on and no card has.
    """

    cards: tuple[Card, ...]
    index: dict[str, int] = field(repr=False)
    out: tuple[tuple[int, ...], ...] = field(repr=False)
    into: tuple[tuple[int, ...], ...] = field(repr=False)
    unknown: dict[int, tuple[str, ...]] = field(repr=False)

    @classmethod
    def of(cls, cards: Iterable[Card]) -> Graph:
        """The graph of these cards; of two cards with one id the first in order stands (C201 reports the other)."""
        by_id: dict[str, Card] = {}
        for card in cards:
            by_id.setdefault(card.id, card)
        ordered = tuple(by_id[card_id] for card_id in sorted(by_id))
        index = {card.id: number for number, card in enumerate(ordered)}
        out: list[tuple[int, ...]] = []
        into: list[list[int]] = [[] for _ in ordered]
        unknown: dict[int, tuple[str, ...]] = {}
        for number, card in enumerate(ordered):
            if not card.depends_on or card.state == "deleted":
                out.append(())
                continue
            names = dict.fromkeys(entry.card for entry in card.depends_on)
            found = tuple(index[name] for name in names if name in index)
            if len(found) < len(names):
                unknown[number] = tuple(name for name in names if name not in index)
            out.append(found)
            for target in found:
                into[target].append(number)
        return cls(ordered, index, tuple(out), tuple(tuple(sources) for sources in into), unknown)

    # --- neighbours -----------------------------------------------------------------------------------------------

    def dependencies(self, card_id: str) -> tuple[str, ...]:
        """The cards that this card depends on, in the order of its file; unknown ids are in `missing`."""
        return tuple(self.cards[number].id for number in self.out[self.index[card_id]])

    def dependents(self, card_id: str) -> tuple[str, ...]:
        """The cards that depend on this one, sorted by id."""
        return tuple(self.cards[number].id for number in self.into[self.index[card_id]])

    def missing(self, card_id: str) -> tuple[str, ...]:
        """The ids that this card depends on and that no card has."""
        return self.unknown.get(self.index[card_id], ())

    # --- cycles and redundant edges -------------------------------------------------------------------------------

    @cached_property
    def components(self) -> tuple[tuple[int, ...], ...]:
        """Strongly connected components, dependencies before dependents."""
        return tuple(components(self.out))

    @cached_property
    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """One shortest cycle for each component that has one: each card depends on the next, the last on the first."""
        found = [
            shortest_cycle(component, self.out)
            for component in self.components
            if len(component) > 1 or component[0] in self.out[component[0]]
        ]
        return tuple(sorted(tuple(self.cards[number].id for number in cycle) for cycle in found))

    @cached_property
    def redundant(self) -> tuple[tuple[str, str], ...]:
        """Edges (card, dependency) that a longer path of waiting says already, sorted; those at cycles are left out.

        Nobody waits through a card that is satisfied: a path over one says nothing.
        """
        edges = redundant_edges(self.waiting_order, self.waiting)
        return tuple(sorted((self.cards[source].id, self.cards[target].id) for source, target in edges))

    # --- waiting --------------------------------------------------------------------------------------------------

    @cached_property
    def waiting(self) -> tuple[tuple[int, ...], ...]:
        """By card: the indexes of those that it waits for now; none for a card that is satisfied itself."""
        satisfied = self._satisfied
        return tuple(
            () if satisfied[number] else tuple(target for target in targets if not satisfied[target])
            for number, targets in enumerate(self.out)
        )

    @cached_property
    def waiting_order(self) -> list[tuple[int, ...]]:
        """The components of `waiting`: what is waited for comes before those that wait for it."""
        return components(self.waiting)

    def work_behind(self, card_ids: Iterable[str]) -> dict[str, int]:
        """How many stories and migrations, not finished, wait for each of these cards, over any number of others."""
        asked = [self.index[name] for name in card_ids]
        work = [
            number
            for number, card in enumerate(self.cards)
            if card.kind in WORK_KINDS and card.state not in FINAL_STATES
        ]
        counts = reach_counts(self.waiting_order, self.waiting, asked, work)
        return {self.cards[number].id: count for number, count in counts.items()}

    # --- readiness ------------------------------------------------------------------------------------------------

    @cached_property
    def replaced_by(self) -> dict[str, str]:
        """By decision that another one replaced, as either of the two cards says: the last in the line of those that replaced it.

        Of decisions that replaced each other in a circle it is one that the circle ends at.
        """
        newer: dict[str, str] = {}
        for card in self.cards:
            if card.decision is not None and card.state != "deleted":
                if card.decision.superseded_by is not None:
                    newer[card.id] = card.decision.superseded_by
                for old in card.decision.supersedes:
                    newer.setdefault(old, card.id)
        return {old: _last(old, newer) for old in newer}

    def is_superseded(self, card_id: str) -> bool:
        """Whether a decision that is not deleted replaces this one; either of the two cards may say so."""
        return card_id in self.replaced_by

    @cached_property
    def _satisfied(self) -> tuple[bool, ...]:
        return tuple(self._satisfies(card) for card in self.cards)

    def _satisfies(self, card: Card) -> bool:
        if card.state == "deleted":
            return False
        if card.kind == "decision":
            return card.id not in self.replaced_by
        if card.state == "done":
            return True
        return card.gate is not None and (card.gate.answer is not None or card.gate.opened is not None)

    def satisfied(self, card_id: str) -> bool:
        """Whether this card holds nobody up (DESIGN.md section 7, Ready); never for an id that no card has."""
        number = self.index.get(card_id)
        return number is not None and self._satisfied[number]

    def is_ready(self, card_id: str) -> bool:
        """The one predicate of readiness: a live story or migration all of whose dependencies are satisfied."""
        number = self.index[card_id]
        card = self.cards[number]
        if card.kind not in WORK_KINDS or card.state in FINAL_STATES or number in self.unknown:
            return False
        satisfied = self._satisfied
        return all(satisfied[target] for target in self.out[number])

    def ready(self) -> tuple[str, ...]:
        """The ids of all ready cards, sorted."""
        return tuple(card.id for card in self.cards if self.is_ready(card.id))

    def unsatisfied(self, card_id: str) -> tuple[str, ...]:
        """What this card itself waits for, in the order of its file; ids that no card has come last."""
        number = self.index[card_id]
        waiting = [self.cards[target].id for target in self.out[number] if not self._satisfied[target]]
        return (*waiting, *self.unknown.get(number, ()))

    def waits_for(self, card_id: str) -> tuple[Wait, ...]:
        """The whole chain that this card waits for, depth first; each card's own waits are shown once."""
        chain: list[Wait] = []
        shown = {card_id}
        stack = [(card_id, iter(self.unsatisfied(card_id)))]
        while stack:
            by, rest = stack[-1]
            name = next(rest, None)
            if name is None:
                stack.pop()
                continue
            again = name in shown
            chain.append(Wait(name, by, len(stack), again))
            if not again:
                shown.add(name)
                stack.append((name, iter(self.unsatisfied(name) if name in self.index else ())))
        return tuple(chain)

    @cached_property
    def never_ready(self) -> dict[str, tuple[Blocker, ...]]:
        """Live stories and migrations that no order of work makes ready, with the dependencies that stand in the way.

        A gate can always be answered and another team can always finish; a card that does not exist, that was deleted
        or replaced, or that waits for itself cannot be waited for.
        """
        return {
            self.cards[number].id: blockers
            for number, blockers in sorted(self._blocked.items())
            if self.cards[number].kind in WORK_KINDS and self.cards[number].state not in FINAL_STATES
        }

    @cached_property
    def never_because(self) -> dict[str, tuple[str, Blocker]]:
        """By card that can never be satisfied: a card at the end of its chain, and what stands in the way of that one.

        A deleted card and a replaced decision are such an end themselves and are not among the keys.
        """
        found: dict[int, tuple[str, Blocker]] = {}
        for number, blockers in self._blocked.items():
            end = next((blocker for blocker in blockers if blocker.why != "never-ready"), None)
            if end is not None:
                found[number] = (self.cards[number].id, end)
            elif blockers:
                found[number] = found[self.index[blockers[0].card]]
        return {self.cards[number].id: end for number, end in found.items()}

    @cached_property
    def _blocked(self) -> dict[int, tuple[Blocker, ...]]:
        """The cards that can never be satisfied, each with what stands in its way, dependencies before dependents."""
        never = self._never()
        inside = [
            [target for target in targets if target in never] if number in never else []
            for number, targets in enumerate(self.out)
        ]
        rings = components(inside)
        ring_of = {number: ring for ring, members in enumerate(rings) for number in members}
        return {
            number: tuple(self._blockers(number, never, ring_of))
            for members in rings
            for number in members
            if number in never
        }

    def _never(self) -> frozenset[int]:
        """The cards that can never be satisfied, found by taking away, dependencies first, all that can be."""
        waits = [len(targets) + len(self.unknown.get(number, ())) for number, targets in enumerate(self.out)]
        can = [number for number, card in enumerate(self.cards) if self._can_alone(number, card, waits[number])]
        left = set(range(len(self.cards))).difference(can)
        while can:
            for source in self.into[can.pop()]:
                waits[source] -= 1
                if not waits[source] and source in left and self._is_work(self.cards[source]):
                    left.discard(source)
                    can.append(source)
        return frozenset(left)

    def _can_alone(self, number: int, card: Card, waits: int) -> bool:
        if self._satisfied[number] or (card.kind in _FROM_OUTSIDE and card.state != "deleted"):
            return True
        return not waits and self._is_work(card)

    @staticmethod
    def _is_work(card: Card) -> bool:
        """Work that ends when its dependencies allow it; an unsatisfied decision was replaced and stays so."""
        return card.kind != "decision" and card.state != "deleted"

    def _blockers(self, number: int, never: frozenset[int], ring_of: dict[int, int]) -> Iterator[Blocker]:
        for target in self.out[number]:
            if target not in never:
                continue
            card = self.cards[target]
            if card.state == "deleted":
                yield Blocker(card.id, "deleted")
            elif card.kind == "decision":
                yield Blocker(card.id, "superseded")
            else:
                yield Blocker(card.id, "cycle" if ring_of[target] == ring_of[number] else "never-ready")
        for name in self.unknown.get(number, ()):
            yield Blocker(name, "missing")

    # --- exchange -------------------------------------------------------------------------------------------------

    def to_networkx(self) -> networkx.DiGraph[str]:
        """The same graph for exports: nodes carry kind, state, title; an edge points from a card to its dependency."""
        import networkx

        graph: networkx.DiGraph[str] = networkx.DiGraph()
        for card in self.cards:
            graph.add_node(card.id, kind=card.kind, state=card.state, title=card.title)
        for number, targets in enumerate(self.out):
            graph.add_edges_from((self.cards[number].id, self.cards[target].id) for target in targets)
        return graph


def _last(old: str, newer: dict[str, str]) -> str:
    last, passed = newer[old], {old, newer[old]}
    while last in newer and newer[last] not in passed:
        last = newer[last]
        passed.add(last)
    return last
