"""Config says of every status that a tracker gave which state it is.

**What** `tracker.status` of each card, deleted ones aside, is a key of `tracker.status` in config, letter by letter.

**Why** Trackers call their states what they like, and teams add more. A status that is not mapped has no state: taking it
for one would be a guess. The statuses are on the cards, the map is in config.

**Bad** With `tracker: {status: {"To Do": published, "In Progress": in_progress}}` in config:

    cards/STY-7Q4M2K9X.yaml:   tracker: {key: GROW-12, status: "Waiting for QA", ...}

**Good**

    config.yaml:   tracker: {status: {"Waiting for QA": in_review, ...}}

**Way out** Add the status to `tracker.status` in config, with the state that it means here.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command, one_of, shown

CODE = "C272"
NAME = "status-unmapped"
TIER = "error"
STAGES = ("audit",)
WHY = "tracker"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    mapped = audited.config.tracker.status
    for card in audited.cards:
        if card.tracker is None or card.state == "deleted":
            continue
        status = card.tracker.status
        if status is not None and status not in mapped:
            yield audited.on_card(
                card,
                ("tracker", "status"),
                f"the issue {card.tracker.key} has the status {shown(status)}, which tracker.status in config maps to no "
                f"state: add it there (it has {one_of(mapped)})",
                fix=command("isopod", "schema", "config"),
            )
