"""A card's claims belong to one team.

**What** The sections that a card's claims stand in belong to one team: the section's in config, else the spec's, else
the default.

**Why** A card has one team; a claim of another team's section on it is work that its owners do not see. Which section
is whose stands in config, not in the card.

**Bad** ANC-2F81ZD3A stands under the heading "Billing":

    config.yaml:                   specs: {shop: {path: specs/shop.md, sections: {Billing: {team: payments}}}}
    cards/STY-7Q4M2K9X.yaml:       team: growth
                                   anchors: [ANC-7Q4M2K9X, ANC-2F81ZD3A]

**Good** Two stories, one a team, the second waiting for the first if an edge says so.

**Way out** Mend the teams of the sections in config.yaml and draft again (`isopod draft SPEC`), or move the claim.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.anchors.bundle_scattered import is_a_collection
from gates.claims import Drafted
from gates.found import Found
from gates.topics import ClaimTopics
from gates.words import command, listed

CODE = "A122"
NAME = "bundle-two-teams"
TIER = "error"
STAGES = ("draft",)
WHY = "config"
ON = "drafted"


def check(drafted: Drafted) -> Iterator[Found]:
    topics = ClaimTopics(drafted)
    for card in drafted.live_cards:
        if is_a_collection(card):
            continue
        teams: dict[str, str] = {}
        for claim in drafted.placed_on(card):
            teams.setdefault(topics.team_of(claim), claim.id)
        if len(teams) > 1:
            yield drafted.report(
                card,
                ("anchors",),
                f"holds claims of the teams {listed(sorted(teams))}: one card is built by one team, split it",
                related=teams.values(),
                fix=command("isopod", "draft", drafted.claims.spec.path),
            )
