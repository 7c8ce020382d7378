"""Which new claim stands where one stood that the spec says no more: a suggestion, which only a person can take (DESIGN.md section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemas.anchors import Anchor, AnchorStore
from schemas.card import Card
from schemas.kinds import OPEN_EDIT_STATES, kind_class


def offered_successors(store: AnchorStore, holders: Mapping[str, Sequence[Card]]) -> dict[str, str]:
    """By claim that is gone under a card which may not be rewritten: the claim that stands in its place, on a drafted or planned card.

    `holders` are the cards of each claim. The place is that of the file, which is the text's: of one class, in one section, with no
    claim between the two that stood there before; several in a row are taken in order. No word is compared.
    """
    # Of words that changed twice the later ones wait: what takes their place answers for both.
    answered = {anchor.id for anchor in store.anchors if anchor.status != "retired"}
    found: dict[str, str] = {}
    waiting: list[Anchor] = []
    for anchor in store.anchors:
        held = [card for card in holders.get(anchor.id, ()) if card.state != "deleted"]
        if anchor.status in ("edited", "lost"):
            if held and anchor.successor not in answered:
                waiting.append(anchor)
        elif anchor.status == "live" and waiting:
            first = next((one for one in waiting if _is_of_one_place(one, anchor)), None)
            if first is not None and held and all(card.state in OPEN_EDIT_STATES for card in held):
                waiting.remove(first)
                found[first.id] = anchor.id
            else:
                waiting.clear()
    return found


def _is_of_one_place(one: Anchor, other: Anchor) -> bool:
    return one.section == other.section and kind_class(one.kind) == kind_class(other.kind)
