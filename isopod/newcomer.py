"""What `isopod init` writes: the config with its explanations, and the lines that git needs."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Final

GIT_ATTRIBUTES: Final = ("specs/** -text", "cards/** text eol=lf")
GIT_IGNORE: Final = (".isopod/",)

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


@dataclass(frozen=True, slots=True)
class NewTeam:
    """A team as a person names it; `ours` teams have their cards written by isopod, the others write their own."""

    id: str
    name: str
    ours: bool

    @classmethod
    def named(cls, given: str, *, ours: bool) -> NewTeam:
        """`Data team`, or `data=Data team` to choose the id."""
        team_id, equals, name = given.partition("=")
        if equals and team_id.strip() and name.strip():
            return cls(team_id.strip(), name.strip(), ours)
        return cls(slug(given), given.strip(), ours)


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
