"""No card is done before what it waits for.

**What** Every card that a done card depends on is satisfied: done, answered or open, and another team's issue done. A
decision that was replaced later, a card that was cut later and one whose file is gone are history, not a fault; a gate
and a request may be over before whatever they wait for, since a person or another team ends them.

**Why** The card says that it is finished and its edge says that it could not be: one of the two is wrong. That the other
card is not done (an issue that was opened again, a card that was changed by hand) is in the other file. A done card is
not edited, so nothing else would notice.

**Bad**

    cards/STY-7Q4M2K9X.yaml:   state: done
                               depends_on: [{card: STY-2F81ZD3A, ...}]
    cards/STY-2F81ZD3A.yaml:   state: in_progress

**Good** STY-2F81ZD3A is done too.

**Way out** Finish the other card, or look at what was built without it: a migration card (`isopod migrate ID --line A1`)
holds what has to be done again.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command
from schemas.kinds import CardKind

CODE = "C227"
NAME = "done-before-dependency"
TIER = "error"
STAGES = ("audit",)
WHY = "graph"
ON = "instance"

_ENDED_FROM_OUTSIDE: frozenset[CardKind] = frozenset({"gate", "request", "external"})


def check(audited: Audited) -> Iterator[Found]:
    for card in audited.cards:
        if card.state != "done" or card.kind in _ENDED_FROM_OUTSIDE:
            continue
        for index, entry in enumerate(card.depends_on):
            other = audited.card_by_id.get(entry.card)
            if other is None or other.state == "deleted" or other.kind == "decision":
                continue
            if not audited.graph.satisfied(other.id):
                yield audited.on_card(
                    card,
                    ("depends_on", index, "card"),
                    f"is done and depends on {other.id}, which is {other.state.replace('_', ' ')}: finish that one, or let "
                    "a migration hold what has to be done again",
                    related=[other.id],
                    fix=command("isopod", "show", other.id),
                )
