"""Teams, prefixes, milestones and rules that files name are in config.yaml.

**What** `team` and `request.team` of a card, and the teams of specs and sections in config, are teams of config; a
card's id has a prefix of its kind; `due` is a milestone of config or a date; `audit.ignore` names a rule that exists.

**Why** A card of a team that config does not know belongs to nobody: no capability flag applies, nothing publishes
it. The schema of a card knows the names when an editor loads it; files change by other ways too, and config changes
under the cards.

**Bad** With the teams growth and data in config:

    cards/STY-7Q4M2K9X.yaml:   team: grwoth

**Good**

    cards/STY-7Q4M2K9X.yaml:   team: growth

**Way out** Put the name right, or add it to config.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from gates.audited import Audited
from gates.found import Found
from gates.registry import rules
from gates.words import command, one_of
from schemas.card import Card
from schemas.config import Config

CODE = "C260"
NAME = "unknown-config"
TIER = "error"
STAGES = ("audit",)
WHY = "config"
ON = "instance"

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_FILE = "config.yaml"
Path = tuple[str | int, ...]


def check(audited: Audited) -> Iterator[Found]:
    for path, message in _in_config(audited.config):
        yield Found(_FILE, message, audited.in_config(*path), fix=command("isopod", "schema", "config"))
    for card in audited.cards:
        if card.state != "deleted":
            for path, message in _in_card(audited.config, card):
                yield audited.on_card(card, path, message, fix=command("isopod", "show", card.id))


def _in_config(config: Config) -> Iterator[tuple[Path, str]]:
    """What config.yaml itself names and does not define."""
    for key, spec in config.specs.items():
        if spec.team and config.team(spec.team) is None:
            yield ("specs", key, "team"), _unknown_team(config, spec.team)
        for heading, section in spec.sections.items():
            if section.team and config.team(section.team) is None:
                yield ("specs", key, "sections", heading, "team"), _unknown_team(config, section.team)
    known = {name for rule in rules() for name in (rule.code, rule.name)}
    for index, entry in enumerate(config.audit.ignore):
        if entry.rule not in known:
            yield (
                ("audit", "ignore", index, "rule"),
                f"no rule is called {entry.rule}: `isopod rules` lists them",
            )


def _in_card(config: Config, card: Card) -> Iterator[tuple[Path, str]]:
    """What a card names and config does not define."""
    kinds = {prefix.prefix: prefix.kind for prefix in config.prefixes}
    prefix = card.id.rpartition("-")[0]
    if prefix not in kinds:
        yield ("id",), f"config has no prefix {prefix}; it has {one_of(kinds)}"
    elif kinds[prefix] != card.kind and kinds[prefix] != "anchor":  # the anchors' prefix on a card is A103
        yield ("id",), f"the prefix {prefix} is of kind {kinds[prefix]} but the card is of kind {card.kind}"
    if config.team(card.team) is None:
        yield ("team",), _unknown_team(config, card.team)
    if card.request and config.team(card.request.team) is None:
        yield ("request", "team"), _unknown_team(config, card.request.team)
    # Milestones go when their time has passed; a done card keeps the one that it had.
    if card.due and card.state != "done" and card.due not in config.milestones and not _is_date(card.due):
        known = one_of(config.milestones)
        yield ("due",), f"due is {card.due}: give a date YYYY-MM-DD or a milestone of config ({known})"


def _unknown_team(config: Config, team: str) -> str:
    return f"config has no team {team}; it has {one_of(known.id for known in config.teams)}"


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text) and date.fromisoformat(text))
    except ValueError:
        return False
