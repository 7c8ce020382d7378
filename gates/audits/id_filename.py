"""A card's file is named after its id.

**What** The card of id `STY-7Q4M2K9X` is in `STY-7Q4M2K9X.yaml`.

**Why** Every command and every person finds a card's file by its id. A schema sees the content of a file, never its
name.

**Bad**

    cards/renewal.yaml:            id: STY-7Q4M2K9X

**Good**

    cards/STY-7Q4M2K9X.yaml:       id: STY-7Q4M2K9X

**Way out** Rename the file. The id stands: other cards name it.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command

CODE = "C202"
NAME = "id-filename"
TIER = "error"
STAGES = ("audit",)
WHY = "cross-file"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    at = {file.path: file.card.id for file in audited.card_files}
    for file in audited.card_files:
        folder, _, name = file.path.rpartition("/")
        right = f"{folder}/{file.card.id}.yaml"
        # Where the right file holds the same id already, this one is a copy: C201 says so, and a rename would lose one.
        if file.path != right and at.get(right) != file.card.id:
            yield audited.on_card(
                file.card,
                ("id",),
                f"the card {file.card.id} is in a file called {name}: rename the file to {right}",
                fix=command("mv", "-n", file.path, right),
            )
