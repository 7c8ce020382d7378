"""A contract is stated of what another team builds, never of what our own team builds.

**What** No live card of a team whose cards we write (`writes_cards: true` in config) has a `consumer_contract`.

**Why** What our own card must do stands in its acceptance lines, which change with the spec; a contract beside them is a
second truth that nobody follows. Which teams are our own is in config, and can change under a card that was another
team's.

**Bad** With `{id: growth, capabilities: {writes_cards: true, ...}}` in config:

    cards/EXT-7Q4M2K9X.yaml:   team: growth
                               consumer_contract: [{version: 1, text: "takes 2,000 events a second", ...}]

**Good** The team is another one, or the card is a story of ours whose lines say it.

**Way out** Put `team` right; or write what it says as acceptance lines of a story and take the contract off the file. No
command writes a contract on a card of ours.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command
from schemas.kinds import FINAL_STATES

CODE = "C262"
NAME = "contract-on-own-card"
TIER = "warn"
STAGES = ("audit",)
WHY = "config"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    for card in audited.cards:
        team = audited.config.team(card.team) if card.consumer_contract else None
        if team is not None and team.capabilities.writes_cards and card.state not in FINAL_STATES:
            yield audited.on_card(
                card,
                ("consumer_contract",),
                f"states what we expect of another team, and {team.id} is a team whose cards we write: say it in "
                "acceptance lines, or put the team right",
                fix=command("isopod", "show", card.id),
            )
