"""What a card waits for still promises what it promised when the edge was made or last confirmed.

**What** `seen` of each edge of a live card is the digest of what the other card promises today: its kind, its acceptance
lines, its consumer_contract and its due; of a decision its words. Edges without `seen`, and those to a decision that was
replaced (C222), are not asked.

**Why** The edge was drawn to something else than what is there now. That the other card changed is in the other file, and
it changed lawfully: only whoever waits for it can say that it still fits.

**Bad** STY-2F81ZD3A got the acceptance line A3 after this was written:

    cards/STY-7Q4M2K9X.yaml:   depends_on: [{card: STY-2F81ZD3A, seen: "sha256:2b1c...", ...}]

**Good** Somebody read the new line and confirmed the edge: `seen` is the digest of today.

**Way out** `isopod show ID` shows the other card. `isopod confirm A B` when it still fits; else change this card, or take
the edge out.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command
from schemas.kinds import FINAL_STATES
from store.promises import promise_of

CODE = "C251"
NAME = "unconfirmed-edge"
TIER = "warn"
STAGES = ("audit",)
WHY = "reference"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    promised: dict[str, str] = {}
    for card in audited.cards:
        if card.state in FINAL_STATES:
            continue
        for index, entry in enumerate(card.depends_on):
            other = audited.card_by_id.get(entry.card)
            if entry.seen is None or other is None or other.state == "deleted" or other.id in audited.replaced_by:
                continue
            if other.id not in promised:
                promised[other.id] = promise_of(other, audited.anchor_by_id)
            if promised[other.id] != entry.seen:
                yield audited.on_card(
                    card,
                    ("depends_on", index, "seen"),
                    f"{other.id} promises something else than when this edge was confirmed: confirm it, or change this card",
                    related=[other.id],
                    fix=command("isopod", "confirm", card.id, other.id),
                )
