"""A person draws an edge between two cards, with a reason: what the suggestions of DRAFTING.md D16 offer."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.settle import Said
from schemas.card import Card, Dependency, PersonReason
from schemas.errors import RefusedError
from store import cards as card_files
from store.cards import Actor
from store.graph import Graph
from store.promises import promise_of
from store.snapshot import Snapshot
from store.transaction import Transaction


@dataclass(frozen=True)
class Drawn:
    """The card with its new edge; the transaction is uncommitted."""

    card: Card
    transaction: Transaction


def depend(snapshot: Snapshot, card_id: str, on: str, said: Said) -> Drawn:
    """Let `card_id` wait for `on`; a reason of a person's beside those that there are.

    Raises RefusedError when a card is unknown, the reason is missing or the edge would close a cycle; ImmutableCardError or
    OwnershipError when the card may not be edited so.
    """
    if not said.because:
        raise RefusedError("reason-missing", "an edge by a person needs a reason", fix='--because "..."')
    files = {file.card.id: file for file in snapshot.card_files}
    for identity in (card_id, on):
        if identity not in files:
            raise RefusedError("unknown-card", f"no card is called {identity}", fix="isopod cards")
    if card_id == on:
        raise RefusedError("self-edge", f"{card_id} cannot wait for itself")
    file = files[card_id]
    reason = PersonReason(person=said.by, text=said.because, at=said.at)
    target = files[on].card
    entries = {entry.card: entry for entry in file.card.depends_on}
    known = entries.get(on)
    entries[on] = (
        known.model_copy(update={"because": (*known.because, *_new(reason, known))})
        if known is not None
        else Dependency(
            card=on,
            because=(reason,),
            seen=promise_of(target, snapshot.anchor_by_id),
            scope="all" if target.kind == "gate" else None,
        )
    )
    depends_on = tuple(entries[identity] for identity in sorted(entries))
    after = file.card.model_copy(update={"depends_on": depends_on})
    _refuse_cycle(snapshot, after)
    instance = snapshot.instance
    transaction = Transaction(instance.root, instance.state_dir, command=f"depend {card_id} --on {on}")
    actor = Actor(name=said.by, by="person")
    edited = card_files.edit(
        transaction, instance, file.card, {"depends_on": depends_on}, actor=actor, expected=file.sha256
    )
    return Drawn(edited, transaction)


def _new(reason: PersonReason, known: Dependency) -> tuple[PersonReason, ...]:
    """The reason, unless that person gave it already."""
    said = {(one.person, one.text) for one in known.because if isinstance(one, PersonReason)}
    return () if (reason.person, reason.text) in said else (reason,)


def _refuse_cycle(snapshot: Snapshot, after: Card) -> None:
    before = set(Graph.of(snapshot.cards).cycles)
    cycles = [
        cycle
        for cycle in Graph.of([after if card.id == after.id else card for card in snapshot.cards]).cycles
        if cycle not in before
    ]
    if cycles:
        raise RefusedError(
            "edge-closes-cycle",
            f"then {' waits for '.join((*cycles[0], cycles[0][0]))}: none of them could ever start",
            fix=f"isopod why {after.id}",
        )
