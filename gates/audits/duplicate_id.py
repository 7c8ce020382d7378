"""One id is one card, in one file.

**What** No two files below the cards folder hold cards whose ids are equal, or equal when case is ignored; live, done
or deleted.

**Why** An id is how edges, the ledger and trackers name a card. With two files of one id, which of them is meant
depends on the order in which files are read. Each file is valid alone; ids that differ by case only are one file on
some disks.

**Bad**

    cards/STY-7Q4M2K9X.yaml:       id: STY-7Q4M2K9X
    cards/STY-2F81ZD3A.yaml:       id: STY-7Q4M2K9X

**Good**

    cards/STY-7Q4M2K9X.yaml:       id: STY-7Q4M2K9X
    cards/STY-2F81ZD3A.yaml:       id: STY-2F81ZD3A

**Way out** See with git which file had the id first, and give the copy back its own id or delete it.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command

CODE = "C201"
NAME = "duplicate-id"
TIER = "error"
STAGES = ("audit",)
WHY = "cross-file"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    first: dict[str, tuple[str, str]] = {}
    for file in audited.card_files:
        folded = file.card.id.casefold()
        if folded not in first:
            first[folded] = (file.path, file.card.id)
            continue
        earlier, its_id = first[folded]
        same = "the id" if its_id == file.card.id else f"an id that differs only by case from {its_id}"
        yield audited.on_card(
            file.card,
            ("id",),
            f"{file.card.id} is {same} of the card in {earlier}: one of the two is a copy, "
            "give it its own id or delete it",
            related=[its_id],
            fix=command("git", "log", "--follow", "--", file.path),
        )
