"""isopod.config/1: `config.yaml`, the one place for paths, prefixes, teams, milestones, readers and thresholds."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StrictBool, StrictInt, ValidationInfo, field_validator

from schemas.base import Record
from schemas.kinds import CARD_KINDS, CardKind, CardState
from schemas.secrets import is_like_a_key
from schemas.spans import Date


def _inside(value: str) -> str:
    """A relative path that stays below the instance: no absolute path, no `..`, no drive, no control character."""
    parts = value.split("/")
    if value.startswith("/") or "\\" in value or ":" in value or any(part in ("", ".", "..") for part in parts):
        raise ValueError("must be a relative path below the folder of config.yaml, written with /")
    if any(unicodedata.category(char) == "Cc" for char in value):
        raise ValueError("must not hold control characters")
    return value


InsidePath = Annotated[str, AfterValidator(_inside)]


class Paths(Record):
    """Folders of different owners lie apart: what one command lists or writes is never taken for another's."""

    specs: InsidePath = "specs"
    cards: InsidePath = Field(default="cards", validate_default=True)
    recorded: InsidePath = Field(default="specs/recorded", validate_default=True)
    state: InsidePath = Field(default=".isopod", validate_default=True)

    @field_validator("cards", "recorded", "state")
    @classmethod
    def _folders_are_apart(cls, path: str, info: ValidationInfo) -> str:
        for name, other in info.data.items():
            # Recorded readings may lie with the specs that they are of.
            if {name, info.field_name} != {"specs", "recorded"} and _overlap(path, other):
                raise ValueError(f"must lie apart from paths.{name}, which is {other}")
        return path


def _overlap(one: str, other: str) -> bool:
    """Whether one folder is the other or lies in it, also where the disk does not tell case or Unicode forms apart."""
    a, b = (f"{unicodedata.normalize('NFC', unicodedata.normalize('NFC', path).casefold())}/" for path in (one, other))
    return a.startswith(b) or b.startswith(a)


def _twice(words: Iterable[str]) -> list[str]:
    counts = Counter(words)
    return sorted(word for word, count in counts.items() if count > 1)


def _prefix(value: str) -> str:
    if not value or not all(char.isalnum() for char in value) or len(value.encode()) > 100:
        raise ValueError("a prefix is letters and digits of any script, at most 100 bytes")
    if unicodedata.normalize("NFC", value) != value:
        raise ValueError("a prefix must be in Unicode form NFC")
    return value


class Prefix(Record):
    prefix: Annotated[str, AfterValidator(_prefix)]
    kind: CardKind | Literal["anchor"]


class Capabilities(Record):
    """What code branches on (never on a team's name)."""

    manages_tracker: StrictBool
    writes_cards: StrictBool
    renders: StrictBool
    schema_: Literal["own", "mirror"] = Field(alias="schema")


class Team(Record):
    id: str = Field(min_length=1)
    name: str = Field(min_length=1)
    aliases: tuple[str, ...] = ()
    capabilities: Capabilities


_DURATION = r"^[0-9]{1,6}[smhdw]$"
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def seconds_of(duration: str) -> int:
    """The seconds of a duration such as `30m`."""
    return int(duration[:-1]) * _SECONDS[duration[-1]]


def _between(least: str, most: str) -> AfterValidator:
    """A whole number and s, m, h, d or w, that is no shorter and no longer than these: no clock overflows, no limit ends before it
    starts."""

    def check(value: str) -> str:
        if re.fullmatch(_DURATION, value) is None:
            raise ValueError("must be a whole number and s, m, h, d or w, like 90s or 30m")
        if not seconds_of(least) <= seconds_of(value) <= seconds_of(most):
            raise ValueError(f"must be from {least} to {most}")
        return value

    return AfterValidator(check)


_AS_PATTERN = Field(json_schema_extra={"pattern": _DURATION})
TimeLimit = Annotated[str, _AS_PATTERN, _between("1s", "7d")]
Wait = Annotated[str, _AS_PATTERN, _between("0s", "1d")]


def _name(value: str) -> str:
    if value != value.strip():
        raise ValueError("must not begin or end with a blank")
    return value


def _variable(value: str) -> str:
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value) is None or len(value) > 100 or is_like_a_key(value):
        raise ValueError("must be the name of an environment variable")
    return value


def _address(value: str) -> str:
    try:
        parts = urlsplit(value)
        good = re.fullmatch(r"https?://[^\s]+", value) is not None and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number or too large, or a bracket that is not closed
        good = False
    if not good:
        raise ValueError("must be an address with a host, like http://127.0.0.1:8080/v1, its port from 1 to 65535")
    return value


Name = Annotated[str, Field(min_length=1), AfterValidator(_name)]


def one_model(a: str, b: str) -> bool:
    """Whether two names are one model's: blanks around, case and Unicode form make no second model."""
    return _folded(a) == _folded(b)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).strip()


class ReaderConfig(Record):
    """A reader: its provider, the model it asks, and what only some providers need.

    `base_url` is where a compatible server answers, `key_env` the environment variable that holds the key, `command` the program and
    its arguments for the provider `command`, `max_tokens` the most that one answer may take, `time_limit` the longest that one call
    may take.
    """

    provider: Name
    model: Name
    base_url: (
        Annotated[str, Field(json_schema_extra={"pattern": r"^https?://[^\s]+$"}), AfterValidator(_address)] | None
    ) = None
    key_env: (
        Annotated[str, Field(json_schema_extra={"pattern": r"^[A-Za-z_][A-Za-z0-9_]*$"}), AfterValidator(_variable)]
        | None
    ) = None
    command: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    # Both SDKs refuse more without streaming.
    max_tokens: StrictInt = Field(default=16_000, ge=256, le=21_333)
    time_limit: TimeLimit = "10m"


class Readers(Record):
    a: ReaderConfig
    b: ReaderConfig


PriceNumber = Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]


class Price(Record):
    """What a million tokens cost, in `models.currency`; `cached` (those read from the provider's cache) is `input` when left out."""

    input: PriceNumber
    output: PriceNumber
    cached: PriceNumber | None = None


class Models(Record):
    """How language models are asked, and what a compile may cost.

    `section_chars`: a longer spec is read in parts of about so many characters, `at_once`: calls in flight, `deadline`: wall-clock
    time of one command, `patience`: the longest wait that a provider may ask for; `tokens` and `money` are caps on one compile.
    """

    section_chars: StrictInt = Field(default=6_000, ge=200, le=1_000_000)
    at_once: StrictInt = Field(default=4, ge=1, le=64)
    deadline: TimeLimit = "30m"
    patience: Wait = "2m"
    tokens: StrictInt = Field(default=3_000_000, ge=1)
    money: PriceNumber | None = None
    currency: str = Field(default="USD", min_length=1, max_length=10)
    prices: dict[str, Price] = Field(default_factory=dict)


class DraftConfig(Record):
    """`rules` is the deterministic drafter; `model` asks the model of `reader` the same four questions."""

    drafter: Literal["rules", "model"] = "rules"
    reader: Literal["a", "b"] = "a"
    card_depth: StrictInt = Field(default=2, ge=1, le=20)


class SectionConfig(Record):
    team: str | None = None
    draft: Literal["background", "item", "one"] | None = None


class SpecConfig(Record):
    path: InsidePath
    team: str | None = None
    epic: str | None = None
    sections: dict[str, SectionConfig] = Field(default_factory=dict)


class Limits(Record):
    acceptance_per_card: StrictInt = Field(default=12, ge=1, le=100_000)
    anchors_per_card: StrictInt = Field(default=40, ge=1, le=100_000)
    cards_behind_gate: StrictInt = Field(default=8, ge=1, le=100_000)
    mirror_age: Annotated[str, Field(pattern=r"^[0-9]{1,6}[mhdw]$")] = "3d"
    spec_bytes: StrictInt = Field(default=5_000_000, ge=1, le=1_000_000_000)


class Render(Record):
    decisions: Literal["on_cards", "on_epic", "none"] = "on_cards"
    glossary: Literal["on_epic", "none"] = "on_epic"


class TrackerConfig(Record):
    provider: str = "local"
    status: dict[str, CardState] = Field(default_factory=dict)
    issue_types: dict[CardKind, str] = Field(default_factory=dict)
    required: dict[str, str] = Field(default_factory=dict)
    render: Render = Render()


class Ignore(Record):
    """A finding that is let through for a reason and for a time."""

    rule: str
    subject: str | None = None
    because: str = Field(min_length=1)
    until: Date


class AuditConfig(Record):
    ignore: tuple[Ignore, ...] = ()


DEFAULT_PREFIXES = (
    Prefix(prefix="ANC", kind="anchor"),
    Prefix(prefix="EPC", kind="epic"),
    Prefix(prefix="STY", kind="story"),
    Prefix(prefix="GAT", kind="gate"),
    Prefix(prefix="DEC", kind="decision"),
    Prefix(prefix="REQ", kind="request"),
    Prefix(prefix="MIG", kind="migration"),
    Prefix(prefix="EXT", kind="external"),
)


class Config(Record):
    schema_id: Literal["isopod.config/1"] = Field(default="isopod.config/1", alias="schema")
    project: str = Field(min_length=1)
    paths: Paths = Paths()
    prefixes: tuple[Prefix, ...] = DEFAULT_PREFIXES
    teams: tuple[Team, ...] = Field(min_length=1)
    default_team: str
    milestones: tuple[str, ...] = ()
    readers: Readers
    allow_same_model: StrictBool = False
    join: Literal["standard", "strict"] = "standard"
    repair_rounds: StrictInt = Field(default=2, ge=0, le=10)
    draft: DraftConfig = DraftConfig()
    models: Models = Models()
    specs: dict[str, SpecConfig] = Field(default_factory=dict)
    limits: Limits = Limits()
    tracker: TrackerConfig = TrackerConfig()
    audit: AuditConfig = AuditConfig()

    @field_validator("prefixes")
    @classmethod
    def _prefixes_are_apart(cls, prefixes: tuple[Prefix, ...]) -> tuple[Prefix, ...]:
        twice = _twice(prefix.prefix.casefold() for prefix in prefixes)
        if twice:
            raise ValueError(f"prefixes that differ only by case or are equal: {', '.join(twice)}")
        anchors = [prefix.prefix for prefix in prefixes if prefix.kind == "anchor"]
        if len(anchors) != 1:
            raise ValueError(f"exactly one prefix must be of kind anchor, found {len(anchors)}")
        missing = [kind for kind in CARD_KINDS if kind not in {prefix.kind for prefix in prefixes}]
        if missing:
            raise ValueError(f"no prefix for the card kinds {', '.join(missing)}")
        return prefixes

    @field_validator("teams")
    @classmethod
    def _teams_are_apart(cls, teams: tuple[Team, ...]) -> tuple[Team, ...]:
        twice = _twice(team.id for team in teams)
        if twice:
            raise ValueError(f"teams named twice: {', '.join(twice)}")
        return teams

    @field_validator("default_team")
    @classmethod
    def _default_team_is_known(cls, default_team: str, info: ValidationInfo) -> str:
        # Teams that were refused are not there: then nothing can be said about this one.
        ids = [team.id for team in info.data.get("teams", ())]
        if ids and default_team not in ids:
            raise ValueError(f"this team is not among the teams {', '.join(ids)}")
        return default_team

    @property
    def anchor_prefix(self) -> str:
        """The one prefix of kind anchor."""
        return next(prefix.prefix for prefix in self.prefixes if prefix.kind == "anchor")

    @property
    def both_readers(self) -> dict[str, ReaderConfig]:
        return {"a": self.readers.a, "b": self.readers.b}

    def prefix_of(self, kind: CardKind) -> str:
        """The prefix that new cards of this kind get: the first of that kind in config."""
        return next(prefix.prefix for prefix in self.prefixes if prefix.kind == kind)

    def team(self, team_id: str) -> Team | None:
        """The team of that id, None when config does not know it."""
        return next((team for team in self.teams if team.id == team_id), None)


def id_pattern(prefixes: tuple[str, ...]) -> str:
    """The pattern of ids with one of these prefixes: prefix, dash, 8 characters of Crockford base32."""
    return f"^({'|'.join(re.escape(prefix) for prefix in prefixes)})-[0-9A-HJKMNP-TV-Z]{{8}}$"
