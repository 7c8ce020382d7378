"""A card that was published to be started can be started.

**What** A published card (in progress and in review too) with `start: true` is ready. Otherwise its missing_deps are
listed: what it itself still waits for.

**Why** The card was handed to a team as work for now, and in the graph it is blocked: either the intent or an edge is
wrong. Whether it is ready takes the cards that it waits for.

**Bad**

    cards/STY-7Q4M2K9X.yaml:   state: published
                               start: true
                               depends_on: [{card: STY-2F81ZD3A, ...}]      which is planned

**Good** STY-2F81ZD3A is done.

**Way out** `isopod why ID` shows the whole chain: finish, answer or open what is missing, or take out an edge that does
not hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command, listed
from schemas.kinds import PUBLISHED_STATES, WORK_KINDS

CODE = "C229"
NAME = "intent-not-executable"
TIER = "warn"
STAGES = ("audit",)
WHY = "graph"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    graph = audited.graph
    for card in graph.cards:
        if not card.start or card.kind not in WORK_KINDS or card.state not in PUBLISHED_STATES:
            continue
        missing = graph.unsatisfied(card.id)
        if missing:
            yield audited.on_card(
                card,
                ("start",),
                f"is meant to be started and is not ready; missing_deps: {listed(missing)}",
                related=missing,
                fix=command("isopod", "why", card.id),
            )
