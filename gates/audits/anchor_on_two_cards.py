"""A claim is built once: it is on one card.

**What** No claim is named by two cards, deleted ones aside. A migration card restates its claims as `migrates`, not
as `anchors`.

**Why** A claim on two cards is built twice, or each team waits for the other. The cards are valid; that they share a
claim is in two files.

**Bad**

    cards/STY-7Q4M2K9X.yaml:   anchors: [ANC-7Q4M2K9X]
    cards/STY-2F81ZD3A.yaml:   anchors: [ANC-7Q4M2K9X, ANC-2F81ZD3A]

**Good**

    cards/STY-2F81ZD3A.yaml:   anchors: [ANC-2F81ZD3A]

**Way out** Take the claim, and its acceptance lines, off all but one card.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command
from schemas.card import Card

CODE = "C204"
NAME = "anchor-on-two-cards"
TIER = "error"
STAGES = ("audit",)
WHY = "cross-file"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    first: dict[str, Card] = {}
    for card in audited.cards:
        if card.state == "deleted":
            continue
        for index, anchor in enumerate(card.anchors):
            earlier = first.setdefault(anchor, card)
            if earlier is not card:
                yield audited.on_card(
                    card,
                    ("anchors", index),
                    f"holds the claim {anchor}, which {earlier.id} holds too: take it off one of them",
                    related=[anchor, earlier.id],
                    fix=command("isopod", "show", anchor),
                )
