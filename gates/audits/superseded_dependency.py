"""No live card leans on a decision that another one replaced.

**What** No live card depends on a decision whose `superseded_by` is set or that a decision in force supersedes.

**Why** The edge exists, is acyclic and well formed, and still says a plan that is no longer true: the card would be
built after the old decision. That the decision was replaced is in another card.

**Bad**

    cards/DEC-2F81ZD3A.yaml:   decision: {superseded_by: DEC-7Q4M2K9X}
    cards/STY-7Q4M2K9X.yaml:   depends_on: [{card: DEC-2F81ZD3A, ...}]

**Good**

    cards/STY-7Q4M2K9X.yaml:   depends_on: [{card: DEC-7Q4M2K9X, ...}]

**Way out** `isopod supersede OLD --by NEW` shows each such edge and asks: it leans on the new decision, goes, or is kept for a
reason. An edge that a person keeps is an exemption in the ledger: it is a warning here, and C263 counts it.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command, shown
from schemas.kinds import FINAL_STATES
from store.ledger import edge_exemption

CODE = "C222"
NAME = "superseded-dependency"
TIER = "error"
STAGES = ("audit",)
WHY = "graph"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    replaced = audited.replaced_by
    for card in audited.cards:
        if card.state in FINAL_STATES:
            continue
        for index, entry in enumerate(card.depends_on):
            newer = replaced.get(entry.card)
            if newer is not None:
                kept = edge_exemption(audited.ledger, card.id, entry)
                way_out = (
                    f"{kept.file.entry.by} keeps it: {shown(kept.body.because)}"
                    if kept is not None
                    else "lean on that one, or take the entry out"
                )
                yield audited.on_card(
                    card,
                    ("depends_on", index, "card"),
                    f"depends on the decision {entry.card}, which {newer} has replaced: {way_out}",
                    related=[entry.card, newer],
                    fix=command("isopod", "supersede", entry.card, "--by", newer),
                    severity="warn" if kept is not None else None,
                )
