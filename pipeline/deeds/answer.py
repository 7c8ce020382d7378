"""A person answers a question: the answer is a decision, and what waited for the question leans on it from then on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.deeds.hand import Hand
from pipeline.draft.build import free_id
from pipeline.draft.wording import capped, plain
from pipeline.said import Said
from pipeline.workspace import Workspace
from schemas.card import AcceptanceLine, Card, DecisionPart, Dependency, PersonReason
from schemas.errors import RefusedError
from schemas.ids import tail
from schemas.kinds import FINAL_STATES
from schemas.promise import promise
from store.snapshot import Snapshot


@dataclass(frozen=True)
class Answered:
    """The decision that the answer made, and what waited for the question."""

    hand: Hand
    decision: Card
    waited: tuple[str, ...]


def answer(snapshot: Snapshot, gate_id: str, text: str, said: Said) -> Answered:
    """Answer a question of the spec, or a contradiction in it.

    A decision card is made, the gate is done, and every edge of a live card to the gate becomes one to the decision; its reasons stay
    and the answer joins them. Raises RefusedError when the card is no question, was answered before, or the answer has no words.
    """
    words = " ".join(text.split())
    if not plain(words):
        raise RefusedError("answer-missing", "an answer has words", fix='--with "..."')
    hand = Hand(snapshot, said, f"answer {gate_id}")
    card = hand.card(gate_id)
    gate = card.gate
    if gate is None:
        raise RefusedError(
            "no-question",
            f"{gate_id} is a {card.kind}, and only a question is answered",
            fix="isopod cards --kind gate",
        )
    if gate.waits_for == "observation":
        raise RefusedError(
            "waits-for-observation",
            f"{gate_id} waits for an observation, and no answer takes its place",
            fix=f'isopod open {gate_id} --by NAME --because "..."',
        )
    if gate.answer is not None:
        raise RefusedError("answered-already", f"{gate_id} was answered: {gate.answer}", fix=f"isopod show {gate_id}")
    decision = hand.make(_decision(snapshot, card, words, said))
    waited = tuple(_waiting(snapshot, gate_id))
    for one in waited:
        hand.change(one.id, {"depends_on": _turned(one, gate_id, decision, said)})
    hand.change(gate_id, {"gate": gate.model_copy(update={"answer": words}), "state": "done"})
    return Answered(hand, decision, tuple(one.id for one in waited))


def answer_tail(gate_id: str, words: str) -> str:
    """What the id of the decision has after its prefix, which an answer in these words makes."""
    return tail([f"answer {gate_id}", words])


def _decision(snapshot: Snapshot, gate: Card, words: str, said: Said) -> Card:
    """The answer as a card of the question's spec. What a title cannot hold is its line."""
    title = capped(plain(words))
    born, first = f"answer {gate.id}", answer_tail(gate.id, words)
    return Card(
        id=free_id(snapshot.config.prefix_of("decision"), born, first, Workspace.of(snapshot).issued()),
        kind="decision",
        title=title,
        title_by=said.by,
        team=gate.team,
        parent=gate.parent,
        spec=gate.spec,
        heuristic=gate.heuristic,
        acceptance=() if title == plain(words) else (AcceptanceLine(id="A1", text=words),),
        decision=DecisionPart(),
        notes=f"{_why(gate.id, said)}\n{gate.title}",
    )


def _waiting(snapshot: Snapshot, gate_id: str) -> Iterator[Card]:
    """The cards that are not over and wait for the gate; a done card keeps the words that it was done by."""
    for card in snapshot.cards:
        if card.state not in FINAL_STATES and any(entry.card == gate_id for entry in card.depends_on):
            yield card


def _turned(card: Card, gate_id: str, decision: Card, said: Said) -> tuple[Dependency, ...]:
    """The card's edges, the one to the gate turned to the decision. A reason of the spec may go with the question; the answer stays."""
    entries = {entry.card: entry for entry in card.depends_on if entry.card != gate_id}
    for entry in card.depends_on:
        if entry.card == gate_id:
            reason = PersonReason(person=said.by, text=_why(gate_id, said), at=said.at)
            entries[decision.id] = Dependency(
                card=decision.id, because=(*entry.because, reason), seen=promise(decision)
            )
    return tuple(entries[card_id] for card_id in sorted(entries))


def _why(gate_id: str, said: Said) -> str:
    because = said.because.strip() if said.because else ""
    return f"the answer to {gate_id}: {because}" if because else f"the answer to {gate_id}"
