"""D13 when cards stand already: a new edge may close a ring with one that was drawn long ago."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from schemas.card import Card, Dependency, EdgeReason, RuleReason
from schemas.kinds import OPEN_EDIT_STATES


def without_rings(cards: Mapping[str, Card], place: Callable[[Card], int]) -> dict[str, Card]:
    """The cards without the loose edges that close a ring among stories, latest in text first; each becomes `related`.

    Loose are `refines`, and the edge of a new story to the card beside which it stands (D15). Only drafted and planned cards are
    changed, and no edge that has another reason, a person's among them. `place` orders cards by text.
    """
    final = dict(cards)
    open_ = [card for card in cards.values() if card.kind == "story" and card.state in OPEN_EDIT_STATES]
    for card in sorted(open_, key=place, reverse=True):
        loose = [entry for entry in card.depends_on if entry.card in final and _is_loose(entry)]
        for entry in sorted(loose, key=lambda one: place(final[one.card]), reverse=True):
            if _reaches(final, entry.card, card.id):
                now = final[card.id]
                final[card.id] = now.model_copy(
                    update={
                        "depends_on": tuple(one for one in now.depends_on if one.card != entry.card),
                        "related": tuple(sorted({*now.related, entry.card})),
                    }
                )
    return final


def _is_loose(entry: Dependency) -> bool:
    return all(
        (isinstance(reason, EdgeReason) and reason.edge == "refines")
        or (isinstance(reason, RuleReason) and reason.rule == "D15")
        for reason in entry.because
    )


def _reaches(cards: Mapping[str, Card], start: str, goal: str) -> bool:
    seen, ahead = {start}, [start]
    while ahead:
        at = ahead.pop()
        if at == goal:
            return True
        for entry in cards[at].depends_on if at in cards else ():
            if entry.card not in seen:
                seen.add(entry.card)
                ahead.append(entry.card)
    return False
