"""A published card does not stand still for one gate alone.

**What** A published card (in progress and in review too) waits for more than one thing, for something that is no gate, or
for nothing.

**Why** Everything that the card needs is there but one answer or one observation: whoever can give it frees a card that
the team has already. What else a card waits for, and whether that is done, is in the other files.

**Bad**

    cards/STY-7Q4M2K9X.yaml:   state: published
                               depends_on: [{card: GAT-2F81ZD3A, ...}]      the only one that is not satisfied

**Good** The gate is answered or open.

**Way out** `isopod answer GATE --with TEXT --by NAME` for a question, `isopod open GATE --by NAME --because TEXT` for an
observation.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command
from schemas.kinds import PUBLISHED_STATES, WORK_KINDS

CODE = "C224"
NAME = "gate-only-blocked"
TIER = "warn"
STAGES = ("audit",)
WHY = "graph"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    graph = audited.graph
    for card in graph.cards:
        if card.kind not in WORK_KINDS or card.state not in PUBLISHED_STATES:
            continue
        waiting = graph.unsatisfied(card.id)
        gate = audited.card_by_id.get(waiting[0]) if len(waiting) == 1 else None
        if gate is None or gate.gate is None or gate.state == "deleted":  # a deleted one is C210
            continue
        index = next(number for number, entry in enumerate(card.depends_on) if entry.card == gate.id)
        yield audited.on_card(
            card,
            ("depends_on", index, "card"),
            f"only the gate {gate.id} keeps this card from being ready: it waits for an {gate.gate.waits_for}",
            related=[gate.id],
            fix=command("isopod", "show", gate.id),
        )
