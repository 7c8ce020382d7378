"""The cards that a spec has already, as the drafter meets them: which claim is on which, and under whose name each is found again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from pipeline.draft.build import conflict_tails
from pipeline.draft.judge import lead
from pipeline.draft.sheet import DraftClaim, JudgedKind, Judgement, Sheet
from schemas.card import Card
from schemas.ids import conflict_name
from schemas.kinds import CardKind

CARD_KINDS = frozenset({"story", "gate", "request", "decision"})


@dataclass(frozen=True, slots=True)
class Homes:
    """Kind of card and leader of each carried claim; `named` are the ids of the cards by what `build` names them after."""

    of: dict[str, tuple[JudgedKind, str]] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)


class StandingCards:
    """`cards` are those of the spec that are not deleted, `issued` all ids ever given.

    Of the `dissolved` ones the claims are placed anew; each gives its id to the card that its leading claim leads again, else to the
    one that gets most of its claims.
    """

    def __init__(
        self,
        sheet: Sheet,
        cards: Sequence[Card],
        judgements: Sequence[Judgement],
        issued: Collection[str],
        dissolved: Collection[str] = (),
    ) -> None:
        self.sheet = sheet
        self.cards = cards
        self.dissolved = dissolved
        self.by_id = {card.id: card for card in cards}
        self.carrier = {
            anchor: card
            for card in cards
            if card.id not in dissolved
            for anchor in card.anchors
            if anchor in sheet.by_id
        }
        self._judged = {one.anchor: one for one in judgements}
        self._tails = {tail_of(identity) for identity in issued}

    def homes(self) -> Homes:
        """Every carried claim on its own card."""
        found = Homes()
        for card in self.cards:
            own = [self.sheet.by_id[anchor] for anchor in card.anchors if self.carrier.get(anchor) is card]
            if card.kind == "epic":
                found.named[self.sheet.key] = card.id
                found.of.update({claim.id: ("epic", claim.id) for claim in own})
            elif card.kind in CARD_KINDS and own:
                leader = self.leader(card.kind, own)
                found.named[leader.id] = card.id
                found.of.update({claim.id: (card.kind, leader.id) for claim in own})  # type: ignore[misc]
        self._name_dissolved(found.named)
        self._name_conflicts(found.named)
        return found

    def leader(self, kind: CardKind | JudgedKind, own: Sequence[DraftClaim]) -> DraftClaim:
        """Who leads these claims on a card of this kind: whom the judge chose for them, where it chose one of them."""
        chosen = {self._judged[claim.id].leader for claim in own} & {claim.id for claim in own}
        return leader_of(self.sheet, kind, own, chosen)

    def gate_of(self, ends: tuple[str, str]) -> Card | None:
        """The standing gate of a contradiction. Its tail is one of a series, of which the deleted ones are passed by."""
        gates = {tail_of(card.id): card for card in self.cards if card.kind == "gate" and not card.anchors}
        return next((gates[one] for one in conflict_tails(ends, self._tails) if one in gates), None)

    def _name_dissolved(self, named: dict[str, str]) -> None:
        dissolved = [card for card in self.cards if card.id in self.dissolved and card.kind != "epic"]
        for card in dissolved:
            named.update({anchor: card.id for anchor in card.anchors if tail_of(anchor) == tail_of(card.id)})
        led = {one.leader for one in self._judged.values() if one.kind in CARD_KINDS}
        given = {identity for leader, identity in named.items() if leader in led}
        for card in dissolved:
            leader = self._most_of(card)
            if leader is not None and card.id not in given and leader not in named:
                named[leader] = card.id

    def _most_of(self, card: Card) -> str | None:
        """Who is judged to lead most of a card's claims on a card of its kind, the first in text order among equals."""
        judged = (self._judged[anchor] for anchor in card.anchors if anchor in self._judged)
        leaders = [one.leader for one in judged if one.kind == card.kind]
        return max(leaders, key=lambda leader: (leaders.count(leader), -self.sheet.order[leader]), default=None)

    def _name_conflicts(self, named: dict[str, str]) -> None:
        """The gates of contradictions that stand already: by their ids, so that one that was answered is not made again."""
        for ends in contradictions(self.sheet):
            gate = self.gate_of(ends)
            if gate is not None:
                named[conflict_name(ends)] = gate.id


def leader_of(sheet: Sheet, kind: CardKind | JudgedKind, own: Sequence[DraftClaim], chosen: Collection[str] = ()) -> DraftClaim:
    """Who leads these claims on a card of this kind (D4 to D6, D11); of obligations on a story the one that was `chosen`, if one was."""
    leading = {"gate": "question", "decision": "decision"}.get(kind)
    if leading is not None:
        return next((claim for claim in own if claim.kind == leading), own[0])
    if kind == "request":
        return next((claim for claim in own if claim.id in sheet.linked), own[0])
    return sheet.by_id[next(iter(chosen))] if len(chosen) == 1 else lead(sheet, list(own))


def contradictions(sheet: Sheet) -> Iterator[tuple[str, str]]:
    """Both ends of every `conflicts_with`."""
    return ((edge.from_, edge.to) for edge in sheet.edges if edge.kind == "conflicts_with")


def tail_of(identity: str) -> str:
    """What an id has after its prefix."""
    return identity.rpartition("-")[2]
