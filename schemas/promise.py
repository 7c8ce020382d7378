"""What a card promised to those that wait for it: the `seen` digest of an edge (DESIGN.md section 7)."""

from __future__ import annotations

from schemas.card import Card
from schemas.ids import digest


def promise(card: Card, decision_text: str | None = None) -> str:
    """`sha256:` of the RFC 8785 JSON of kind, acceptance, consumer_contract and due; of a decision: of its folded text.

    `decision_text` is the folded text of the decision's leading claim; a decision made by a person has its title.
    """
    if card.kind == "decision":
        return digest({"kind": card.kind, "text": decision_text if decision_text is not None else card.title})
    return digest(
        {
            "kind": card.kind,
            "acceptance": [line.to_data() for line in card.acceptance],
            "consumer_contract": [version.to_data() for version in card.consumer_contract],
            "due": card.due,
        }
    )
