"""A question that a person must answer keeps something waiting.

**What** Some card depends on each gate that waits for an answer.

**Why** A question that nothing waits for is never answered: no card shows it, no frontier changes with it. What waits
for a gate is in other cards.

**Bad** No card depends on it:

    cards/GAT-M1X9QE7B.yaml:
    title: Whether a paid plan gets longer periods is not decided yet
    gate: {waits_for: answer}

**Good**

    cards/STY-7Q4M2K9X.yaml:
    depends_on:
      - card: GAT-M1X9QE7B

**Way out** Say in the spec what cannot be built before the answer and compile again, or leave it: this is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.claims import Drafted
from gates.found import Found
from gates.words import command, shown
from schemas.kinds import FINAL_STATES

CODE = "A142"
NAME = "question-blocks-nothing"
TIER = "warn"
STAGES = ("draft",)
WHY = "graph"
ON = "drafted"


def check(drafted: Drafted) -> Iterator[Found]:
    waited_for = {entry.card for card in drafted.live_cards for entry in card.depends_on}
    for card in drafted.live_cards:
        if (
            card.gate
            and card.gate.waits_for == "answer"
            and card.state not in FINAL_STATES
            and card.id not in waited_for
        ):
            yield drafted.report(
                card,
                ("gate",),
                f"nothing waits for the answer to {shown(card.title)}: say in the spec what cannot be built before it",
                fix=command("isopod", "compile", drafted.claims.spec.path),
            )
