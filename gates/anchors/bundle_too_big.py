"""No card holds more claims than `limits.anchors_per_card`.

**What** A card names at most as many claims as config allows (40 unless it says otherwise).

**Why** Too many claims on one card are a plan that nobody can finish or review. The threshold is the project's own
and lives in config.

**Bad** With `limits: {anchors_per_card: 2}`:

    anchors: [ANC-7Q4M2K9X, ANC-2F81ZD3A, ANC-V0C3TNQ1]

**Good**

    anchors: [ANC-7Q4M2K9X, ANC-2F81ZD3A]

**Way out** Give the topic deeper headings in the spec, or set `specs.<key>.sections.<heading>.draft: item` in
config.yaml and draft again; or raise the limit.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.claims import Drafted
from gates.found import Found
from gates.words import command

CODE = "A121"
NAME = "bundle-too-big"
TIER = "warn"
STAGES = ("draft",)
WHY = "config"
ON = "drafted"


def check(drafted: Drafted) -> Iterator[Found]:
    limit = drafted.config.limits.anchors_per_card
    for card in drafted.live_cards:
        if len(card.anchors) > limit:
            yield drafted.report(
                card,
                ("anchors",),
                f"holds {len(card.anchors)} claims, more than limits.anchors_per_card allows ({limit}): split "
                "it by deeper headings, "
                "by `draft: item` for its section in config.yaml, or raise the limit",
                related=card.anchors[limit:],
                fix=command("isopod", "draft", drafted.claims.spec.path),
            )
