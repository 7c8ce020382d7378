"""Edges between cards that follow their claims (DRAFTING.md D13): what two drafts draw otherwise, put over what people made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from schemas.card import Card, Dependency, EdgeReason, PersonReason, Reason, RuleReason

ReasonKey = tuple[str, ...]
Drawn = Mapping[tuple[str, str], Mapping[ReasonKey, Reason]]
"""By card and the card that it waits for: the reasons that the rules give."""


@dataclass(frozen=True)
class MovingEdges:
    """`before` and `after` are what the rules draw for the two ways of grouping; `heir` names the card that took over an emptied one.

    An edge of the spec that a person took off every card is not drawn again.
    """

    before: Drawn
    after: Drawn
    heir: Mapping[str, str]
    cards: Sequence[Card]
    seen: Callable[[str], str]
    is_gate: Callable[[str], bool]

    @classmethod
    def of(
        cls,
        built: tuple[Iterable[Card], Iterable[Card]],
        heir: Mapping[str, str],
        cards: Sequence[Card],
        seen: Callable[[str], str],
        is_gate: Callable[[str], bool],
    ) -> MovingEdges:
        """`built` are the cards of both drafts, `seen` gives the digest of what a card promises now."""
        return cls(_drawn(built[0]), _drawn(built[1]), heir, cards, seen, is_gate)

    def depends_on(self, card: Card) -> tuple[Dependency, ...]:
        """What a card waits for: reasons whose edge moved away leave, those that moved here come, emptied cards give way to their heirs."""
        standing = {entry.card: entry for entry in card.depends_on}
        reasons = {target: {_key(one): one for one in entry.because} for target, entry in standing.items()}
        for (owner, target), drawn in self.before.items():
            if owner == card.id and target in reasons:
                kept = self.after.get((owner, target), {})
                for key in drawn.keys() - kept.keys():
                    reasons[target].pop(key, None)
        for (owner, target), drawn in self.after.items():
            if owner == card.id:
                known = self.before.get((owner, target), {})
                new = {key: one for key, one in drawn.items() if key not in known and not self._was_taken_off(key)}
                reasons.setdefault(target, {}).update(new)
        for entry in self._left_behind(card.id):
            reasons.setdefault(entry.card, {}).update(
                {_key(one): one for one in entry.because if isinstance(one, PersonReason)}
            )
        merged: dict[str, dict[ReasonKey, Reason]] = {}
        for target, found in reasons.items():
            there = self.heir.get(target, target)
            if there != card.id and found:
                merged.setdefault(there, {}).update(found)
        return tuple(self._entry(target, standing.get(target), merged[target]) for target in sorted(merged))

    def related(self, card: Card, built: tuple[Card | None, Card | None]) -> tuple[str, ...]:
        """The related cards, by the same rule; nothing is related that the card waits for."""
        before, after = (set(one.related) if one is not None else set() for one in built)
        found = (set(card.related) - (before - after)) | (after - before)
        return tuple(sorted({self.heir.get(other, other) for other in found} - {card.id}))

    def _left_behind(self, heir: str) -> Iterator[Dependency]:
        """What the cards that this one takes over waited for; of that only a person's reasons stay, the rules draw theirs anew."""
        for card in self.cards:
            if self.heir.get(card.id) == heir:
                yield from card.depends_on

    def _was_taken_off(self, key: ReasonKey) -> bool:
        if key[0] != "edge":
            return False
        drawn = any(key in found for found in self.before.values())
        return drawn and key not in self._actual

    @cached_property
    def _actual(self) -> set[ReasonKey]:
        return {_key(one) for card in self.cards for entry in card.depends_on for one in entry.because}

    def _entry(self, target: str, known: Dependency | None, reasons: Mapping[ReasonKey, Reason]) -> Dependency:
        because = tuple(reasons.values())
        if known is not None:
            return known if known.because == because else known.model_copy(update={"because": because})
        return Dependency(
            card=target, because=because, seen=self.seen(target), scope="all" if self.is_gate(target) else None
        )


def _drawn(cards: Iterable[Card]) -> Drawn:
    return {
        (card.id, entry.card): {_key(one): one for one in entry.because} for card in cards for entry in card.depends_on
    }


def _key(reason: Reason) -> ReasonKey:
    if isinstance(reason, EdgeReason):
        return "edge", reason.edge, reason.from_, reason.to
    if isinstance(reason, RuleReason):
        return "rule", reason.rule
    return "person", reason.person, reason.text, reason.at
