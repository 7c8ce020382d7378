"""What we know of another team's issue is of these days.

**What** The issue behind each unfinished card of another team was read (`tracker.read_at`) within `limits.mirror_age`.

**Why** `frontier` and `why` say what the mirror says. A mirror that nobody reads any more keeps saying that we wait, or
that we need not. The card is valid whatever the time is.

**Bad** On 2026-11-30, with `limits: {mirror_age: 3d}`:

    cards/EXT-7Q4M2K9X.yaml:   tracker: {key: DATA-7, read_at: 2026-11-20T09:00:00Z, ...}

**Good** It was read on 2026-11-29.

**Way out** `isopod sync` reads every mirror. If nobody can, raise `limits.mirror_age` to what you can live with.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from gates.audited import Audited
from gates.found import Found
from gates.words import command
from schemas.config import seconds_of
from schemas.kinds import FINAL_STATES
from schemas.ownership import variant_of

CODE = "C270"
NAME = "mirror-stale"
TIER = "warn"
STAGES = ("audit",)
WHY = "tracker"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    limit = audited.config.limits.mirror_age
    moment = datetime.fromtimestamp(max(0, audited.now.timestamp() - seconds_of(limit)), UTC)
    # The two are compared as they are written: a time stamp may name a day that no calendar has.
    oldest = f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    for card in audited.cards:
        if card.tracker is None or card.state in FINAL_STATES:
            continue
        if variant_of(card.kind, audited.config.team(card.team)) != "mirror":
            continue
        read_at = card.tracker.read_at
        if read_at is None or read_at < oldest:
            said = f"was last read at {read_at}, longer ago than {limit}" if read_at else "was never read"
            yield audited.on_card(
                card,
                ("tracker", "read_at"),
                f"the issue {card.tracker.key} {said} (limits.mirror_age): sync, so that its state is that of today",
                fix=command("isopod", "sync"),
            )
