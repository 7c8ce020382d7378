"""A decision that is in force is leaned on by a card, or says that it affects everything.

**What** Some card, not deleted, depends on every decision that is in force (not replaced, not deleted), in whatever
state it is; or the decision says `affects: all`.

**Why** When a decision is replaced, the cards that lean on it are those to look at again. A decision without such a card
can be replaced and nobody is told. That no card names it is in all the other files.

**Bad**

    cards/DEC-7Q4M2K9X.yaml:   decision: {}          and no card depends on DEC-7Q4M2K9X

**Good**

    cards/STY-2F81ZD3A.yaml:   depends_on: [{card: DEC-7Q4M2K9X, ...}]

**Way out** `isopod decide DECISION --affects CARD --by NAME --because TEXT` for the cards that are built after it, or
`--affects all` when all of them are.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command

CODE = "C221"
NAME = "orphan-decision"
TIER = "warn"
STAGES = ("audit",)
WHY = "graph"
ON = "instance"
NEEDS = "cards"


def check(audited: Audited) -> Iterator[Found]:
    graph = audited.graph
    for card in audited.cards:
        if card.kind != "decision" or card.state == "deleted" or graph.is_superseded(card.id):
            continue
        for_all = card.decision is not None and card.decision.affects == "all"
        if not for_all and not graph.dependents(card.id):
            yield audited.on_card(
                card,
                ("id",),
                "no card leans on this decision, so nobody is told when it is replaced: let the cards that are built "
                "after it lean on it, or let it affect all",
                fix=command("isopod", "decide", card.id) + ' --affects CARD --by NAME --because "..."',
            )
