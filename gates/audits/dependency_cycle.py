"""No card waits for itself, over any number of others.

**What** The edges that affect readiness have no cycle. For each group of cards that wait for each other one shortest
cycle is shown.

**Why** In a cycle no card is ever ready, and each of its cards is valid. It takes the whole graph to see it.

**Bad**

    cards/STY-7Q4M2K9X.yaml:   depends_on: [{card: STY-2F81ZD3A, ...}]
    cards/STY-2F81ZD3A.yaml:   depends_on: [{card: STY-7Q4M2K9X, ...}]

**Good** One of the two goes first.

**Way out** `isopod why ID` shows the reason of each edge: take out the one that does not hold, or split the card that
both need.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command

CODE = "C220"
NAME = "dependency-cycle"
TIER = "error"
STAGES = ("audit",)
WHY = "graph"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    for cycle in audited.graph.cycles:
        card = audited.graph.cards[audited.graph.index[cycle[0]]]
        after = cycle[1] if len(cycle) > 1 else cycle[0]
        index = next(number for number, entry in enumerate(card.depends_on) if entry.card == after)
        chain = " -> ".join((*cycle, cycle[0]))
        yield audited.on_card(
            card,
            ("depends_on", index, "card"),
            f"waits for itself: {chain}; take out the edge whose reason does not hold",
            related=cycle[1:],
            fix=command("isopod", "why", card.id),
        )
