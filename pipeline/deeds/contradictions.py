"""The questions that ask which side of a contradiction of a spec holds (DRAFTING.md D5)."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.deeds.answer import answer_tail
from pipeline.draft.build import conflict_tails
from schemas.card import Card
from schemas.errors import RefusedError
from store.snapshot import Snapshot

Asked = Mapping[str, frozenset[str]]
"""By gate: both claims that cannot both hold."""


def contradictions(snapshot: Snapshot) -> Asked:
    """The gates that ask about contradictions which stand, each with both claims; they are over when one of these is cut."""
    issued = {card.id.rpartition("-")[2] for card in snapshot.cards}
    gates = {card.id.rpartition("-")[2]: card.id for card in snapshot.cards if card.kind == "gate" and not card.anchors}
    found: dict[str, frozenset[str]] = {}
    for store in snapshot.anchor_stores.values():
        for edge in store.edges:
            if edge.kind == "conflicts_with":
                ends = (edge.from_, edge.to)
                found |= {gates[one]: frozenset(ends) for one in conflict_tails(ends, issued) if one in gates}
    return found


def answered_by(snapshot: Snapshot, card: Card, asked: Asked) -> str | None:
    """The question of a contradiction that a decision in force answers."""
    if card.kind != "decision" or snapshot.graph.is_superseded(card.id):
        return None
    gates = (snapshot.card_by_id[name] for name in asked)
    answers = ((gate.id, gate.gate.answer) for gate in gates if gate.gate is not None and gate.gate.answer is not None)
    return next((gate for gate, words in answers if card.id.rpartition("-")[2] == answer_tail(gate, words)), None)


def still_asked(gate_id: str, card_id: str) -> RefusedError:
    """Why a card that carries one side goes on waiting."""
    words = f"{card_id}: {gate_id} asks which of two claims holds, and this card carries one of them"
    return RefusedError("contradiction-stands", words, fix=f"isopod answer {gate_id} --with TEXT --by NAME")
