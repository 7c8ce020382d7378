"""Nothing is due before what it waits for.

**What** No unfinished card is due before another unfinished card that it waits for, directly or over others. Two dates
are compared as dates, two milestones by their order in `milestones` of config. A milestone and a date are compared only
when the milestone is itself written as a date: where a milestone such as `2026-Q4` ends is nowhere said.

**Why** Both dates are fine and both cannot be kept. The other date is in another file, often some cards further on.

**Bad** With `milestones: [2026-Q4, 2027-Q1]`:

    cards/STY-7Q4M2K9X.yaml:   due: 2026-Q4
                               depends_on: [{card: STY-2F81ZD3A, ...}]
    cards/STY-2F81ZD3A.yaml:   due: 2027-Q1

**Good** STY-2F81ZD3A is due in 2026-Q4, or STY-7Q4M2K9X in 2027-Q1.

**Way out** Move one of the two (`isopod edit ID due=...`), or take out the edge if the card can go without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date

from gates.audited import Audited
from gates.found import Found
from gates.words import command
from store.graph import Graph

CODE = "C228"
NAME = "due-inversion"
TIER = "warn"
STAGES = ("audit",)
WHY = "graph"
ON = "instance"

Ranks = Mapping[int, int]
"""By card's index in the graph: where its due stands on one scale, earlier ones lower."""


def check(audited: Audited) -> Iterator[Found]:
    graph = audited.graph
    places = {name: place for place, name in enumerate(audited.config.milestones)}
    dues = [(number, card.due) for number, card in enumerate(graph.cards) if card.due]
    by_milestone = {number: places[due] for number, due in dues if due in places}
    by_date = {number: day for number, due in dues if (day := _day(due)) is not None}
    # A milestone that is a date stands on both scales: one finding says it.
    late = dict(_inverted(graph, by_date)) | dict(_inverted(graph, by_milestone))
    for number, target in sorted(late.items()):
        card, other = graph.cards[number], graph.cards[target]
        yield audited.on_card(
            card,
            ("due",),
            f"is due {card.due} and waits for {other.id}, which is due {other.due}: move one of the two",
            related=[other.id],
            fix=command("isopod", "why", card.id),
        )


def _day(due: str) -> int | None:
    """The number of the day that a date names; of a milestone's name, and of what is no date (C260), None."""
    try:
        return date.fromisoformat(due).toordinal() if len(due) == len("YYYY-MM-DD") else None
    except ValueError:
        return None


def _inverted(graph: Graph, ranks: Ranks) -> Iterator[tuple[int, int]]:
    """Each card that is due before one that it waits for, with the latest such card."""
    if len(ranks) < 2:
        return
    latest: dict[int, int] = {}
    for ring in graph.waiting_order:  # what is waited for comes first
        ahead = [latest[target] for number in ring for target in graph.waiting[number] if target in latest]
        last = max(ahead, key=ranks.__getitem__, default=None)
        # Cards that wait for themselves are C220: none of them comes first.
        if len(ring) == 1 and last is not None and ring[0] in ranks and ranks[ring[0]] < ranks[last]:
            yield ring[0], last
        own = [*(number for number in ring if number in ranks), *([] if last is None else [last])]
        if own:
            latest.update(dict.fromkeys(ring, max(own, key=ranks.__getitem__)))
