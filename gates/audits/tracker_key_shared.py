"""One issue mirrors one card.

**What** No two cards, deleted ones aside, name the same issue: same site and same id of the tracker.

**Why** Publishing would write two cards into one issue, each over the other. Each card is valid alone.

**Bad**

    cards/STY-7Q4M2K9X.yaml:   tracker: {provider: jira, site: https://growth.example, id: "10023", key: GROW-12}
    cards/STY-2F81ZD3A.yaml:   tracker: {provider: jira, site: https://growth.example, id: "10023", key: GROW-12}

**Good** Two cards, two issues.

**Way out** Take `tracker` off the card that the issue was not made for; the next publish gives that card its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command
from schemas.card import Card

CODE = "C203"
NAME = "tracker-key-shared"
TIER = "error"
STAGES = ("audit",)
WHY = "cross-file"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    first: dict[tuple[str, str], Card] = {}
    for card in audited.cards:
        # A deleted card keeps its issue for history; another card may take that issue up.
        if card.tracker is None or card.state == "deleted":
            continue
        earlier = first.setdefault((card.tracker.site, card.tracker.id), card)
        if earlier is not card:
            yield audited.on_card(
                card,
                ("tracker", "id"),
                f"mirrors the issue {card.tracker.key} of {card.tracker.site}, as {earlier.id} does: "
                "take `tracker` off the card that the issue was not made for",
                related=[earlier.id],
                fix=command("isopod", "show", earlier.id),
            )
