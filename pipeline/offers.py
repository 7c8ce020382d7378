"""What a compile offers over what stands (DRAFTING.md D15, A143): each is a command that a person may type, nothing of it is done."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from pipeline.draft.redraft import Offer
from pipeline.draft.sheet import Sheet
from pipeline.draft.suggest import literals
from pipeline.settle import shortened
from schemas.anchors import AnchorStore
from schemas.card import Card
from schemas.compiled import Suggestion
from schemas.kinds import FINAL_STATES
from store.succession import offered_successors
from text.folding import fold


def offers(
    sheet: Sheet, store: AnchorStore, cards: Sequence[Card], beside: Sequence[Offer], fresh: Collection[str]
) -> Iterator[Suggestion]:
    """New stories beside published cards, claims that stand where others stood, decisions that may replace others.

    `store` and `cards` are as the compile would leave them, `fresh` the claims born in it.
    """
    yield from _beside(beside)
    yield from _instead(store, cards)
    yield from _replacing(sheet, cards, fresh)


def _beside(beside: Sequence[Offer]) -> Iterator[Suggestion]:
    for offer in beside:
        yield Suggestion(
            rule="D15",
            text=f"{offer.story} says more of what {offer.beside} is about; add its lines to {offer.beside} instead",
            do=f"isopod merge {offer.beside} {offer.story} --by NAME",
        )


def _instead(store: AnchorStore, cards: Sequence[Card]) -> Iterator[Suggestion]:
    """What the spec says now where a card keeps other words."""
    holders: dict[str, list[Card]] = {}
    for card in cards:
        for anchor in card.anchors:
            holders.setdefault(anchor, []).append(card)
    by_id = {anchor.id: anchor for anchor in store.anchors}
    for old, new in offered_successors(store, holders).items():
        card = next(card for card in holders[old] if card.state != "deleted")
        words = [shortened(fold(by_id[one].exact)) for one in (old, new)]
        yield Suggestion(
            rule="D15",
            text=f'{card.id} keeps "{words[0]}"; "{words[1]}" ({holders[new][0].id}) stands in its place now',
            do=f"isopod move {new} --instead-of {old} --by NAME",
        )


def _replacing(sheet: Sheet, cards: Sequence[Card], fresh: Collection[str]) -> Iterator[Suggestion]:
    """A decision in whose sentence another one stands, and a new one that speaks of the same literal as one in force (A143)."""
    replaced = {card.id for card in cards if card.decision is not None and card.decision.superseded_by is not None}
    replaced |= {old for card in cards if card.decision is not None for old in card.decision.supersedes}
    led: Mapping[str, Card] = {
        anchor: card
        for card in cards
        if card.decision is not None and card.state not in FINAL_STATES and card.id not in replaced
        for anchor in card.anchors
        if anchor in sheet.by_id and sheet.by_id[anchor].kind == "decision"
    }
    asked: set[frozenset[str]] = set()
    for new, old, why in (*_in_one_sentence(sheet, led), *_of_one_literal(sheet, led, fresh)):
        pair = frozenset((led[new].id, led[old].id))
        if pair not in asked:
            asked.add(pair)
            yield Suggestion(
                rule="A143",
                text=f"{led[new].id} ({led[new].title}) {why} {led[old].id} ({led[old].title}): does it replace that?",
                do=f"isopod supersede {led[old].id} --by {led[new].id}",
            )


def _in_one_sentence(sheet: Sheet, led: Mapping[str, Card]) -> Iterator[tuple[str, str, str]]:
    units: dict[int, list[str]] = {}
    for anchor in sorted(led, key=lambda one: sheet.order[one]):
        for unit in sheet.structure.units_in(sheet.by_id[anchor].span):
            units.setdefault(unit.index, []).append(anchor)
    for anchors in units.values():
        for number, first in enumerate(anchors):
            for second in anchors[number + 1 :]:
                yield first, second, "names the decision"


def _of_one_literal(sheet: Sheet, led: Mapping[str, Card], fresh: Collection[str]) -> Iterator[tuple[str, str, str]]:
    spoken = {anchor: literals(sheet.spec.quoted(sheet.sentence(sheet.by_id[anchor]))) for anchor in led}
    for new in sorted(set(led) & set(fresh), key=lambda one: sheet.order[one]):
        for old in sorted(set(led) - set(fresh), key=lambda one: sheet.order[one]):
            shared = spoken[new] & spoken[old]
            if shared:
                yield new, old, f"speaks of {', '.join(sorted(shared))} like"
