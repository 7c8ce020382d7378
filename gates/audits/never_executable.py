"""Some order of work makes every card ready.

**What** Behind everything that a live story or migration waits for, however far away, there is work that can be done, a
gate that can be answered or a team that can finish: no card that no file holds, that was deleted or replaced, or that
waits for itself.

**Why** The card's own edges are fine, and still it is never ready: what stands in the way is some cards further on. An
edge of the card's own that cannot be waited for is an error by itself (C210, C222, and C220 for the ring that is shown)
and not told a second time here.

**Bad**

    cards/STY-7Q4M2K9X.yaml:   depends_on: [{card: STY-2F81ZD3A, ...}]
    cards/STY-2F81ZD3A.yaml:   depends_on: [{card: STY-00000000, ...}]      which no file holds

**Good** STY-2F81ZD3A depends on cards that are there.

**Way out** Put the edge right that the message names; `isopod why ID` shows the whole chain.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command
from store.graph import Blocker

CODE = "C225"
NAME = "never-executable"
TIER = "warn"
STAGES = ("audit",)
WHY = "graph"
ON = "instance"
NEEDS = "cards"

_SAID = {
    "missing": "{by} depends on {card}, which no file holds",
    "deleted": "{by} depends on {card}, which was deleted",
    "superseded": "{by} depends on the decision {card}, which another one replaced",
    "cycle": "{by} and {card} wait for each other",
}


def check(audited: Audited) -> Iterator[Found]:
    graph = audited.graph
    in_a_ring_shown = {name for cycle in graph.cycles for name in cycle}
    for name, blockers in graph.never_ready.items():
        untold = [blocker for blocker in blockers if not _is_told(blocker, name in in_a_ring_shown)]
        if not untold:
            continue
        first = untold[0]
        by, end = (name, first) if first.why == "cycle" else graph.never_because[first.card]
        card = graph.cards[graph.index[name]]
        index = next(number for number, entry in enumerate(card.depends_on) if entry.card == first.card)
        yield audited.on_card(
            card,
            ("depends_on", index, "card"),
            f"no order of work makes this card ready: {_SAID[end.why].format(by=by, card=end.card)}",
            related=dict.fromkeys(other for other in (first.card, by, end.card) if other != name),
            fix=command("isopod", "why", name),
        )


def _is_told(blocker: Blocker, in_a_ring_shown: bool) -> bool:
    """Whether another rule names this very edge as an error."""
    if blocker.why == "cycle":
        return in_a_ring_shown
    return blocker.why != "never-ready"
