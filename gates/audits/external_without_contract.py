"""What another team builds and we wait for says what we expect of it.

**What** Another team's card, not finished, that a live card of ours depends on has a `consumer_contract`. Whose card it is
comes from its kind and from its team's capabilities in config.

**Why** The other team owns the words of its card, and may change them; the contract is the one place where our
expectation is written down, and what we compare with when theirs moves. Who waits for the card is in the other files, and
who owns it in config.

**Bad** STY-7Q4M2K9X depends on it, and there is no `consumer_contract`:

    cards/EXT-2F81ZD3A.yaml:   kind: external
                               team: data

**Good**

    cards/EXT-2F81ZD3A.yaml:   consumer_contract: [{version: 1, text: "takes 2,000 events a second", by: Kim, at: ...}]

**Way out** `isopod contract pin ID`. A mirror that was made for a request of ours (`isopod mirror add KEY --for REQ`) has
one from the start.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command, listed
from schemas.kinds import FINAL_STATES
from schemas.ownership import variant_of

CODE = "C261"
NAME = "external-without-contract"
TIER = "warn"
STAGES = ("audit",)
WHY = "config"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    graph = audited.graph
    for card in graph.cards:
        if card.consumer_contract or card.state in FINAL_STATES:
            continue
        if variant_of(card.kind, audited.config.team(card.team)) != "mirror":
            continue
        waiting = [name for name in graph.dependents(card.id) if audited.card_by_id[name].state not in FINAL_STATES]
        if waiting:
            yield audited.on_card(
                card,
                ("kind",),
                f"{listed(waiting)} {'waits' if len(waiting) == 1 else 'wait'} for this card of another team, and nobody "
                "wrote down what we expect of it: pin a contract",
                related=waiting,
                fix=command("isopod", "contract", "pin", card.id),
            )
