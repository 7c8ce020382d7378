"""A person draws an edge between two cards, with a reason: what the suggestions of DRAFTING.md D16 offer."""

from __future__ import annotations

from pipeline.deeds.circles import new_circles
from pipeline.deeds.hand import Hand
from pipeline.said import Said
from schemas.card import Card, Dependency, PersonReason
from schemas.errors import ManyErrors, RefusedError
from store.promises import promise_of
from store.snapshot import Snapshot


def depend(snapshot: Snapshot, card_id: str, on: str, said: Said) -> Hand:
    """Let `card_id` wait for `on`; a reason of a person's beside those that there are.

    Raises RefusedError when a card is unknown, the other was cut or replaced, the reason is missing or the edge would close a circle;
    ImmutableCardError or OwnershipError when the card may not be edited so.
    """
    if not said.because or not said.because.strip():
        raise RefusedError("reason-missing", "an edge by a person needs a reason", fix='--because "..."')
    hand = Hand(snapshot, said, f"depend {card_id} --on {on}")
    card, target = hand.card(card_id), hand.card(on)
    if card_id == on:
        raise RefusedError("self-edge", f"{card_id} cannot wait for itself")
    if target.state == "deleted":
        raise RefusedError("cut-card", f"{on} was cut from the plan: nothing can wait for it", fix=f"isopod show {on}")
    if snapshot.graph.is_superseded(on):
        raise RefusedError(
            "replaced", f"{on} was replaced by another decision: lean on that one", fix=f"isopod show {on}"
        )
    reason = PersonReason(person=said.by, text=said.because.strip(), at=said.at)
    entries = {entry.card: entry for entry in card.depends_on}
    entries[on] = _with(entries[on], reason) if on in entries else _entry(snapshot, target, reason)
    depends_on = tuple(entries[identity] for identity in sorted(entries))
    circles = list(new_circles(snapshot, card.model_copy(update={"depends_on": depends_on})))
    if circles:
        raise ManyErrors(circles)
    hand.change(card_id, {"depends_on": depends_on})
    return hand


def _entry(snapshot: Snapshot, target: Card, reason: PersonReason) -> Dependency:
    return Dependency(
        card=target.id,
        because=(reason,),
        seen=promise_of(target, snapshot.anchor_by_id),
        scope="all" if target.kind == "gate" else None,
    )


def _with(known: Dependency, reason: PersonReason) -> Dependency:
    """The edge with the reason, unless that person gave it already."""
    said = {(one.person, one.text) for one in known.because if isinstance(one, PersonReason)}
    return (
        known
        if (reason.person, reason.text) in said
        else known.model_copy(update={"because": (*known.because, reason)})
    )
