"""Every issue that a card mirrors could be read the last time.

**What** `tracker.sync` of each card, deleted ones aside, is `ok`: not `unreachable` (the tracker did not answer), `gone`
(it answered that there is no such issue) or `unknown` (it was not told what became of a write).

**Why** The card keeps the state that was last read: what cannot be read is never guessed, and never taken for deleted. So
the state may be old, and only the tracker knows.

**Bad**

    cards/EXT-7Q4M2K9X.yaml:   tracker: {key: DATA-7, sync: gone, ...}

**Good**

    cards/EXT-7Q4M2K9X.yaml:   tracker: {key: DATA-7, sync: ok, ...}

**Way out** `isopod sync` asks again. An issue that is gone for good: another card is mirrored in its place, or the card is
cut (`isopod cut ID --because TEXT`), which shows who waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gates.audited import Audited
from gates.found import Found
from gates.words import command

CODE = "C271"
NAME = "mirror-unreachable"
TIER = "warn"
STAGES = ("audit",)
WHY = "tracker"
ON = "instance"

_SAID: Mapping[str, str] = {
    "unreachable": "could not be read, because the tracker did not answer",
    "gone": "is no longer there, says the tracker",
    "unknown": "may have been written or not: the tracker never said",
}


def check(audited: Audited) -> Iterator[Found]:
    for card in audited.cards:
        if card.tracker is None or card.tracker.sync == "ok" or card.state == "deleted":
            continue
        yield audited.on_card(
            card,
            ("tracker", "sync"),
            f"the issue {card.tracker.key} {_SAID[card.tracker.sync]}; the card keeps the state {card.state.replace('_', ' ')}",
            fix=command("isopod", "sync"),
        )
