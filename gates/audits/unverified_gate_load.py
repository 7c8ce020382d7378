"""Not too much work waits behind one observation.

**What** At most `limits.cards_behind_gate` stories and migrations wait, directly or over other cards, for a gate that
waits for an observation and that nobody opened.

**Why** An answer can be given at a desk; an observation needs the thing to run. Work that piles up behind one is a plan
that rests on a guess. How much waits behind a card is in all the other files.

**Bad** With `limits: {cards_behind_gate: 8}`, and nine stories behind

    cards/GAT-7Q4M2K9X.yaml:   gate: {waits_for: observation, answer: null, opened: null}

**Good** The observation was made: `opened` says by whom, or only the cards that need it wait for it.

**Way out** Make the observation and `isopod open GATE --by NAME --because TEXT`; or look at the edges with
`isopod why ID` and take out those that do not need it.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command

CODE = "C223"
NAME = "unverified-gate-load"
TIER = "warn"
STAGES = ("audit",)
WHY = "graph"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    graph = audited.graph
    limit = audited.config.limits.cards_behind_gate
    closed = [
        card
        for card in graph.cards
        if card.gate is not None
        and card.gate.waits_for == "observation"
        and card.state != "deleted"
        and not graph.satisfied(card.id)
    ]
    behind = graph.work_behind(card.id for card in closed)
    for card in closed:
        if behind[card.id] > limit:
            yield audited.on_card(
                card,
                ("gate", "waits_for"),
                f"{behind[card.id]} cards of work wait behind this observation, more than {limit} "
                "(limits.cards_behind_gate): make it, or let only those wait that need it",
                related=graph.dependents(card.id),
                fix=command("isopod", "show", card.id),
            )
