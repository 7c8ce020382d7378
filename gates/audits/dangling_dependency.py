"""What a live card waits for exists.

**What** Every card that a live card depends on is there and is not deleted.

**Why** A card that waits for a card that no file holds waits for ever, and nobody is told. A schema sees a
well-formed id; whether a file holds it is in the folder.

**Bad**

    cards/STY-7Q4M2K9X.yaml:
    depends_on:
      - card: GAT-M1X9QE7B          # no file holds it, or its state is deleted

**Good** The card is there, or the entry is gone.

**Way out** Take the entry out, or bring the card back with git.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command
from schemas.kinds import FINAL_STATES

CODE = "C210"
NAME = "dangling-dependency"
TIER = "error"
STAGES = ("audit",)
WHY = "reference"
ON = "instance"
NEEDS = "cards"


def check(audited: Audited) -> Iterator[Found]:
    for card in audited.cards:
        if card.state in FINAL_STATES:
            continue
        for index, entry in enumerate(card.depends_on):
            other = audited.card_by_id.get(entry.card)
            if other is None or other.state == "deleted":
                gone = "which no file holds" if other is None else "which is deleted"
                yield audited.on_card(
                    card,
                    ("depends_on", index, "card"),
                    f"depends on {entry.card}, {gone}: take the entry out, or bring that card back",
                    related=[entry.card],
                    fix=command("isopod", "show", card.id),
                )
