"""What a person says of a card's state: approve, start, review, done; and that an observation was made: open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pipeline.deeds.hand import Hand
from pipeline.said import Said
from schemas.card import Card, Opened
from schemas.errors import ManyErrors, RefusedError
from schemas.kinds import FINAL_STATES, PUBLISHED_STATES, SEALED_KINDS
from schemas.ledger import ExemptionBody
from schemas.lifecycle import ways
from store import ledger
from store.snapshot import Snapshot

Underway = Literal["in_progress", "in_review"]

EVIDENCE: Final = "evidence"
"""What an attested card is excepted from: a card becomes done by evidence, and a person's word is none (DESIGN.md section 1)."""


@dataclass(frozen=True)
class Approved:
    """The cards of a spec that were drafted are planned; `left` are those that were not drafted, or that another decision replaced."""

    hand: Hand
    left: tuple[Card, ...]


def approve(snapshot: Snapshot, ids: Sequence[str], said: Said) -> Hand:
    """A person looked at these cards: drafted -> planned.

    Raises ManyErrors naming each card that is unknown or not drafted.
    """
    hand = Hand(snapshot, said, f"approve {' '.join(ids)}")
    errors = []
    for card_id in dict.fromkeys(ids):
        try:
            _refuse_unless_drafted(snapshot, hand.card(card_id))
            hand.change(card_id, {"state": "planned"})
        except RefusedError as error:
            errors.append(error)
    if errors:
        raise ManyErrors(errors)
    return hand


def approve_spec(snapshot: Snapshot, key: str, said: Said) -> Approved:
    """A person looked at all cards of a spec: those that are drafted become planned. What is not drafted is no error here."""
    hand = Hand(snapshot, said, f"approve --spec {key}")
    left = []
    for card in snapshot.cards:
        if card.spec != key or card.state == "deleted":
            continue
        if card.state == "drafted" and not snapshot.graph.is_superseded(card.id):
            hand.change(card.id, {"state": "planned"})
        else:
            left.append(card)
    return Approved(hand, tuple(left))


def _refuse_unless_drafted(snapshot: Snapshot, card: Card) -> None:
    if card.state != "drafted":
        raise RefusedError(
            "not-drafted",
            f"{card.id} is {_words(card)}: only a drafted card waits for somebody to look at it",
            fix=f"isopod show {card.id}",
        )
    if snapshot.graph.is_superseded(card.id):
        raise _replaced(card)


def _replaced(card: Card) -> RefusedError:
    words = f"{card.id} was replaced by another decision and is history"
    return RefusedError("replaced", words, fix=f"isopod show {card.id}")


def take_up(snapshot: Snapshot, ids: Sequence[str], state: Underway, said: Said) -> Hand:
    """Published cards are worked on, or looked over: any of published, in progress, in review -> `state`.

    Raises ManyErrors naming each card that is unknown or not published.
    """
    hand = Hand(snapshot, said, f"{'start' if state == 'in_progress' else 'review'} {' '.join(ids)}")
    errors = []
    for card_id in dict.fromkeys(ids):
        try:
            _refuse_unless_published(hand.card(card_id), "work on it starts")
            hand.change(card_id, {"state": state})
        except RefusedError as error:
            errors.append(error)
    if errors:
        raise ManyErrors(errors)
    return hand


def done(snapshot: Snapshot, card_id: str, said: Said) -> Hand:
    """A person attests that a card is done: published, in progress, in review -> done; a decision from planned on.

    The card is sealed: the exemption from evidence, the attestation and the seal are entries of the ledger, in one transaction with
    the card. Raises RefusedError without a reason, when the card waits for something, or when it is of a kind or in a state from
    which nobody attests; ConflictError when the ledger does not hold.
    """
    because = _reason(said, "a card is attested to be done with a reason: what shows it")
    hand = Hand(snapshot, said, f"done {card_id}")
    card = hand.card(card_id)
    if card.kind not in SEALED_KINDS:
        raise _other_way(card)
    if card.kind != "decision":
        _refuse_unless_published(card, "it becomes done")
    if snapshot.graph.is_superseded(card_id):
        raise _replaced(card)
    waiting = [] if card.state in FINAL_STATES else snapshot.graph.unsatisfied(card_id)
    if waiting:
        raise RefusedError(
            "still-waits",
            f"{card_id} waits for {', '.join(waiting)}: a card is not done before what it waits for",
            fix=f"isopod why {card_id}",
        )
    after = hand.change(card_id, {"state": "done"})
    body = ExemptionBody(rule=EVIDENCE, surface="lifecycle", reason_kind="attested", because=because)
    by, at = said.by, said.at
    ledger.exempt(hand.transaction, hand.instance, subject=card_id, body=body, by=by, at=at)
    attested = {"because": because, "lines": [line.id for line in after.acceptance]}
    ledger.append(hand.transaction, hand.instance, kind="attestation", subject=card_id, body=attested, by=by, at=at)
    ledger.seal(hand.transaction, hand.instance, card=after, by=by, at=at)
    return hand


def _other_way(card: Card) -> RefusedError:
    """A gate is done by an answer, a request by the issue that takes it over, another team's card by what their tracker says."""
    found = ways(card.kind, card.state, "done")
    fix = found[0].command.replace("ID", card.id) if found else f"isopod show {card.id}"
    return RefusedError("no-transition", f"{card.id} is a {card.kind}: nobody attests that it is done", fix=fix)


def open_gate(snapshot: Snapshot, card_id: str, said: Said) -> Hand:
    """A person made the observation that a gate waits for: whatever waits for it may go on.

    Raises RefusedError without a reason, when the card is no gate, waits for an answer, is open already or is over.
    """
    because = _reason(said, "a gate is opened with a reason: what was observed")
    hand = Hand(snapshot, said, f"open {card_id}")
    card = hand.card(card_id)
    gate = card.gate
    if gate is None:
        raise RefusedError(
            "no-gate", f"{card_id} is a {card.kind}, and only a gate is opened", fix="isopod cards --kind gate"
        )
    if gate.waits_for == "answer":
        raise RefusedError(
            "waits-for-answer",
            f"{card_id} is a question: it waits for an answer, not for an observation",
            fix=f"isopod answer {card_id} --with TEXT --by NAME",
        )
    if gate.opened is not None:
        when = f"{gate.opened.by} at {gate.opened.at}: {gate.opened.because}"
        raise RefusedError("opened-already", f"{card_id} was opened by {when}", fix=f"isopod show {card_id}")
    opened = Opened(by=said.by, at=said.at, because=because)
    hand.change(card_id, {"gate": gate.model_copy(update={"opened": opened})})
    return hand


def _refuse_unless_published(card: Card, what: str) -> None:
    if card.state in PUBLISHED_STATES:
        return
    if card.state in FINAL_STATES:
        raise RefusedError(
            "final-state", f"{card.id} is {_words(card)}, and that is final", fix=f"isopod show {card.id}"
        )
    raise RefusedError(
        "not-published",
        f"{card.id} is {_words(card)}: {what} once it is published",
        fix=f"isopod approve {card.id}" if card.state == "drafted" else f"isopod show {card.id}",
    )


def _reason(said: Said, missing: str) -> str:
    if said.because is None or not said.because.strip():
        raise RefusedError("reason-missing", missing, fix='--because "..."')
    return said.because.strip()


def _words(card: Card) -> str:
    return card.state.replace("_", " ")
