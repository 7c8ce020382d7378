"""A card of ours and its issue agree on whether the work is done.

**What** The issue of a done card of ours has a status that config maps to `done`; the issue of a live one has not. What is
compared is the status that was last read.

**Why** A done card is sealed, so an issue that was opened again cannot change it: the work that it asks for has no card.
And an issue that somebody closed makes no card done, since a card becomes done by evidence or by a person who attests it.
The status is the tracker's, what it means is in config.

**Bad** With `tracker: {status: {"In Progress": in_progress, Done: done}}` in config:

    cards/STY-7Q4M2K9X.yaml:   state: done
                               tracker: {key: GROW-12, status: "In Progress", ...}

**Good** Both are done, or neither.

**Way out** An issue that was opened again: `isopod migrate ID --line A1` makes a card for what is to be done again; or
close the issue. An issue that was closed: `isopod done ID --by NAME --because TEXT` if the work is done; or open the
issue again.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command, shown
from schemas.ownership import variant_of

CODE = "C273"
NAME = "done-changed-remotely"
TIER = "warn"
STAGES = ("audit",)
WHY = "tracker"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    mapped = audited.config.tracker.status
    for card in audited.cards:
        if card.tracker is None or card.tracker.status is None or card.state == "deleted":
            continue
        # Another team's card is in the state that its issue says; a status that is not mapped is C272.
        state = mapped.get(card.tracker.status)
        if state is None or variant_of(card.kind, audited.config.team(card.team)) != "own":
            continue
        if (card.state == "done") == (state == "done"):
            continue
        said = f"its issue {card.tracker.key} says {shown(card.tracker.status)}"
        yield audited.on_card(
            card,
            ("tracker", "status"),
            f"is done, and {said}: a migration holds what is to be done again, or close the issue"
            if card.state == "done"
            else f"{said}, and nobody attested that the card is done: attest it, or open the issue again",
            fix=command("isopod", "show", card.id),
        )
