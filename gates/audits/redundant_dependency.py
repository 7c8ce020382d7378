"""The drafter draws no edge that a longer way says already.

**What** Where a card waits for another one over others too, its direct edge there has a reason of the spec's or of a
person's.

**Why** What follows from other edges hides those that say something, and has to be kept true with them. Whether it
follows takes the whole graph. An edge with words of the spec or a person's reason says something of its own, and is left
alone; so is a way over a card that is done, since nobody waits through it.

**Bad** STY-A waits for STY-B, which waits for STY-C, and:

    cards/STY-A.yaml:   depends_on:
                          - {card: STY-B, because: [{edge: requires, ...}]}
                          - {card: STY-C, because: [{rule: D15, text: ...}]}

**Good** STY-A waits for STY-B only.

**Way out** Take the entry out of `depends_on`: the card becomes ready at the same time as before.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command
from schemas.card import RuleReason
from schemas.kinds import FINAL_STATES

CODE = "C226"
NAME = "redundant-dependency"
TIER = "warn"
STAGES = ("audit",)
WHY = "graph"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    for name, other in audited.graph.redundant:
        card = audited.card_by_id[name]
        entries = [(number, entry) for number, entry in enumerate(card.depends_on) if entry.card == other]
        reasons = [reason for _, entry in entries for reason in entry.because]
        if card.state in FINAL_STATES or not all(isinstance(reason, RuleReason) for reason in reasons):
            continue
        yield audited.on_card(
            card,
            ("depends_on", entries[0][0], "card"),
            f"waits for {other} over other cards too, and only the drafter gave this edge a reason: take the entry out",
            related=[other],
            fix=command("isopod", "why", name),
        )
