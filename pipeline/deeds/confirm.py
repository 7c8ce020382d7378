"""A person looked at an edge: what the card waits for still fits."""

from __future__ import annotations

from pipeline.deeds.hand import Hand
from pipeline.said import Said
from schemas.card import Card, Dependency, PersonReason
from schemas.errors import RefusedError
from store.promises import promise_of
from store.snapshot import Snapshot


def confirm(snapshot: Snapshot, card_id: str, on: str, said: Said) -> Hand:
    """Let the edge `card_id` -> `on` have seen what `on` promises now (C251).

    A reason, when `said` has one, is kept on the edge beside the others: words of the card that changed while the other's promise
    stayed are answered so (C243). Raises RefusedError when there is no such edge, when the other card was cut or replaced, or when
    there is nothing to confirm: the promise is the one that was seen and no reason is given.
    """
    hand = Hand(snapshot, said, f"confirm {card_id} {on}")
    card, other = hand.card(card_id), hand.card(on)
    entry = next((entry for entry in card.depends_on if entry.card == on), None)
    if entry is None:
        raise _no_edge(card, on)
    if other.state == "deleted":
        raise RefusedError(
            "cut-card", f"{on} was cut from the plan: take the edge out", fix=f"isopod edit {card_id} depends_on-={on}"
        )
    if snapshot.graph.is_superseded(on):
        raise RefusedError(
            "replaced",
            f"{on} was replaced by another decision: nothing of it is left to confirm",
            fix=f"isopod supersede {on} --by NEW",
        )
    seen = promise_of(other, snapshot.anchor_by_id)
    because = (said.because or "").strip()
    if entry.seen == seen and not because:
        raise RefusedError(
            "confirmed-already",
            f"{on} promises what it did when this edge was made or last confirmed; "
            f"if {card_id} changed and still waits for it, say why",
            fix=f'isopod confirm {card_id} {on} --by NAME --because "..."',
        )
    after = entry.model_copy(update={"seen": seen})
    if because:
        after = _looked_at(after, PersonReason(person=said.by, text=because, at=said.at))
    hand.change(card_id, {"depends_on": tuple(after if one is entry else one for one in card.depends_on)})
    return hand


def _looked_at(entry: Dependency, reason: PersonReason) -> Dependency:
    """The edge with a person's reason; the same words by the same person are said anew, not twice."""
    others = tuple(
        one
        for one in entry.because
        if not isinstance(one, PersonReason) or (one.person, one.text) != (reason.person, reason.text)
    )
    return entry.model_copy(update={"because": (*others, reason)})


def _no_edge(card: Card, on: str) -> RefusedError:
    there = ", ".join(entry.card for entry in card.depends_on)
    words = f"{card.id} does not wait for {on}; it waits for {there or 'nothing'}"
    return RefusedError("no-edge", words, fix=f'isopod depend {card.id} --on {on} --by NAME --because "..."')
