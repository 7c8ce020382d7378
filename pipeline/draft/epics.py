"""A spec whose epic was cut from the plan: it gets no new one while no claim asks for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from schemas.card import Card

if TYPE_CHECKING:
    from pipeline.draft.redraft import Redrafted


def without_cut_epic(drafted: Redrafted, cards: Iterable[Card]) -> Redrafted:
    """The cards without an epic that would be born only because there is none; what is born with it stands without a parent.

    `cards` are those of the spec before, in any state.
    """
    if not any(card.kind == "epic" and card.state == "deleted" for card in cards):
        return drafted
    births = (change.after for change in drafted.changes if change.before is None)
    bare = {card.id for card in births if card.kind == "epic" and not card.anchors}
    if not bare:
        return drafted

    def alone(card: Card) -> Card:
        return card.model_copy(update={"parent": None}) if card.parent in bare else card

    return replace(
        drafted,
        changes=tuple(
            replace(change, after=alone(change.after)) for change in drafted.changes if change.after.id not in bare
        ),
        cards=tuple(alone(card) for card in drafted.cards if card.id not in bare),
    )
