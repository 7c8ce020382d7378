"""What `isopod init` writes: the config with its explanations, and the lines that git needs."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from schemas.errors import ManyErrors, Place, RefusedError

GIT_ATTRIBUTES: Final = ("specs/** -text", "cards/** text eol=lf", "cards/ledger/checkpoint.json merge=union")
"""Specs are kept byte for byte. Two branches that both wrote the ledger keep both checkpoints: each line is one."""
GIT_IGNORE: Final = (".isopod/",)
FOLDERS: Final = ("specs", "cards")
_ALL_FOLDERS: Final = (*FOLDERS, ".isopod", "docs", "docs/schemas")
_ALL_FILES: Final = ("config.yaml", ".gitattributes", ".gitignore", "docs/schemas/card.json")

_TEMPLATE: Final = """\
# isopod: what this project calls things. `isopod schema config` says what may stand here.
schema: isopod.config/1
project: {project}
paths: {{specs: specs, cards: cards, recorded: specs/recorded, state: .isopod}}      # state is not committed

# The ids of cards begin with these. Any length, any script; exactly one of kind anchor (a claim of a spec).
prefixes:
  - {{prefix: ANC, kind: anchor}}
  - {{prefix: EPC, kind: epic}}
  - {{prefix: STY, kind: story}}
  - {{prefix: GAT, kind: gate}}
  - {{prefix: DEC, kind: decision}}
  - {{prefix: REQ, kind: request}}
  - {{prefix: MIG, kind: migration}}
  - {{prefix: EXT, kind: external}}

# Your teams, and the teams that you wait for. A sentence of a spec that says what you need from a team that writes its
# own cards becomes a request to that team; it is recognised by its name and its aliases.
teams:
{teams}
default_team: {default_team}
milestones: []                              # names that `due` may use, such as [2026-Q4]; a date YYYY-MM-DD always may

# Who reads a spec. Two different readers; these two are heuristics that need no key and no network. For language models
# install the extra `models` and name a provider and its model here.
readers:
  a: {{provider: lexicon, model: lexicon-1}}
  b: {{provider: structure, model: structure-1}}
allow_same_model: false                     # two readings of one model prove less; reports say so
join: standard                              # or strict
repair_rounds: 2
draft: {{drafter: rules, card_depth: 2}}
limits: {{acceptance_per_card: 12, anchors_per_card: 40, cards_behind_gate: 8, mirror_age: 3d, spec_bytes: 5000000}}
tracker: {{provider: local}}
audit: {{ignore: []}}                         # [{{rule: C226, subject: STY-..., because: "...", until: 2027-01-31}}]
"""

_NAME_IT: Final = "--team NAME, or --team ID=NAME"


@dataclass(frozen=True, slots=True)
class NewTeam:
    """A team as a person names it; `ours` teams have their cards written by isopod, the others write their own."""

    id: str
    name: str
    ours: bool

    @classmethod
    def named(cls, given: str, *, ours: bool) -> NewTeam:
        """`Data team`, or `data=Data team` to choose the id.

        Raises RefusedError (team-name) for a blank one, or one with control characters.
        """
        team_id, equals, name = given.partition("=")
        team_id, name = (team_id.strip(), name.strip()) if equals else (slug(given), given.strip())
        if any(unicodedata.category(char) == "Cc" for char in given):
            raise RefusedError("team-name", f"the name of team {given!r} holds control characters", fix=_NAME_IT)
        if not _is_visible(name) or not _is_visible(team_id):
            half = "name" if _is_visible(team_id) else "id"
            what = f"the {half} in {given!r} is blank" if equals else "a team's name is blank"
            raise RefusedError("team-name", what, fix=_NAME_IT)
        return cls(team_id, name, ours)


def new_teams(own: tuple[str, ...], others: tuple[str, ...]) -> tuple[NewTeam, ...]:
    """The teams that a person named.

    Raises RefusedError (team-name), or ManyErrors with all of them, for a name that is none and for two teams of one id or one name.
    """
    errors: list[RefusedError] = []
    teams: list[NewTeam] = []
    for given, ours in (*((name, True) for name in own), *((name, False) for name in others)):
        try:
            teams.append(NewTeam.named(given, ours=ours))
        except RefusedError as error:
            errors.append(error)
    errors += _twice(teams)
    if errors:
        raise errors[0] if len(errors) == 1 else ManyErrors(errors)
    return tuple(teams)


def refuse_what_is_in_the_way(root: Path) -> None:
    """Look before the first byte is written.

    Raises RefusedError or ManyErrors for a file where a folder belongs, a folder where a file does, and a place that may not be
    written to.
    """
    errors = [
        RefusedError("in-the-way", "a file is where a folder belongs", where=Place(name), fix=f"move {name} away")
        for name in _ALL_FOLDERS
        if os.path.lexists(root / name) and not (root / name).is_dir()
    ]
    errors += [
        RefusedError("in-the-way", "something else is where a file belongs", where=Place(name), fix=f"move {name} away")
        for name in _ALL_FILES
        if os.path.lexists(root / name) and ((root / name).is_symlink() or not (root / name).is_file())
    ]
    errors += [
        RefusedError("no-rights", "this user may not write there", where=Place(name), fix=f"chmod u+rwx {name}")
        for name in (".", *_ALL_FOLDERS)
        if (root / name).is_dir() and not os.access(root / name, os.R_OK | os.W_OK | os.X_OK)
    ]
    if errors:
        raise errors[0] if len(errors) == 1 else ManyErrors(errors)


def _twice(teams: list[NewTeam]) -> Iterator[RefusedError]:
    """What a later team shares with an earlier one. Specs are searched for names, so case does not tell two apart."""
    seen: dict[str, NewTeam] = {}
    for team in teams:
        name = f"name {team.name.casefold()}"
        if name in seen:
            yield RefusedError("team-name", f"the team {team.name!r} is named twice", fix="name each team once")
        elif f"id {team.id}" in seen:
            other = seen[f"id {team.id}"].name
            message = f"the teams {other!r} and {team.name!r} would have one id, {team.id}"
            yield RefusedError("team-name", message, fix="choose ids: --team ID=NAME")
        seen |= {name: team, f"id {team.id}": team}


def _is_visible(text: str) -> bool:
    """Whether there is more than blanks and characters that show nothing."""
    return any(unicodedata.category(char)[0] not in "ZC" for char in text)


def slug(name: str) -> str:
    """The id of a name: its letters and digits, whatever the script, in small letters, with dashes between."""
    words = re.findall(r"\w+", unicodedata.normalize("NFC", name).casefold().replace("_", " "))
    return "-".join(words) or "team"


def config_text(project: str, teams: tuple[NewTeam, ...]) -> str:
    """config.yaml with the comments that explain it. Names are quoted: they may hold anything."""
    return _TEMPLATE.format(
        project=_quoted(project), teams="\n".join(map(_team, teams)), default_team=_quoted(teams[0].id)
    )


def with_lines(text: str, lines: tuple[str, ...]) -> str:
    """`text` of a git file with the lines that it lacks added at its end."""
    missing = [line for line in lines if line not in text.splitlines()]
    if not missing:
        return text
    gap = "" if not text or text.endswith("\n") else "\n"
    return text + gap + "\n".join(missing) + "\n"


def _team(team: NewTeam) -> str:
    ours = "true" if team.ours else "false"
    schema = "own" if team.ours else "mirror"
    return (
        f"  - {{id: {_quoted(team.id)}, name: {_quoted(team.name)}, aliases: [], capabilities: "
        f"{{manages_tracker: {ours}, writes_cards: {ours}, renders: {ours}, schema: {schema}}}}}"
    )


def _quoted(text: str) -> str:
    """A double-quoted YAML scalar; JSON's escapes are YAML's too."""
    return json.dumps(text, ensure_ascii=not text.isprintable())
