"""isopod.card/1: one card, one YAML file, `cards/<ID>.yaml`. Field order is the order in which it is written."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, StrictBool, StrictInt, Tag, model_validator

from schemas.base import Record
from schemas.kinds import CardKind, CardState, EdgeKind
from schemas.refs import AnchorId
from schemas.spans import TaggedSha256, Timestamp


class AcceptanceLine(Record):
    """One line that must hold for the card to be done; `tightens` names the line that it makes stricter."""

    id: str = Field(pattern=r"^A[1-9][0-9]*$")
    text: str = Field(min_length=1)
    anchors: tuple[AnchorId, ...] = ()
    tightens: str | None = None


class Subtask(Record):
    id: str = Field(pattern=r"^S[1-9][0-9]*$")
    text: str = Field(min_length=1)
    done: StrictBool = False


class EdgeReason(Record):
    """An agreed edge of the spec, with the words that show it."""

    edge: EdgeKind
    from_: AnchorId = Field(alias="from")
    to: AnchorId
    cue: str


class RuleReason(Record):
    """A rule of the drafter (DRAFTING.md)."""

    rule: str = Field(pattern=r"^D[0-9]+$")
    text: str


class PersonReason(Record):
    person: str = Field(min_length=1)
    text: str = Field(min_length=1)
    at: Timestamp


def _reason_kind(value: object) -> str | None:
    """Which of the three reasons a value is meant to be, by the key that only this one has."""
    if isinstance(value, dict):
        return next((key for key in ("edge", "rule", "person") if key in value), None)
    return next((key for key in ("edge", "rule", "person") if hasattr(value, key)), None)


Reason = Annotated[
    Annotated[EdgeReason, Tag("edge")] | Annotated[RuleReason, Tag("rule")] | Annotated[PersonReason, Tag("person")],
    Discriminator(
        _reason_kind,
        custom_error_type="reason",
        custom_error_message="a reason has one of the keys edge, rule and person",
    ),
]


class Dependency(Record):
    """What this card waits for, why, and the digest of what the other card promised when that was last confirmed."""

    card: str
    because: tuple[Reason, ...] = Field(min_length=1)
    seen: TaggedSha256 | None = None
    scope: Literal["all"] | tuple[str, ...] | None = None


class Opened(Record):
    """The observation gate was opened by a person."""

    by: str = Field(min_length=1)
    at: Timestamp
    because: str = Field(min_length=1)


class GatePart(Record):
    waits_for: Literal["answer", "observation"]
    answer: str | None = None
    opened: Opened | None = None


class DecisionPart(Record):
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    affects: Literal["all"] | tuple[str, ...] = ()


class RequestPart(Record):
    """What we need from `team`; `external` is the mirror card that took it over."""

    team: str
    external: str | None = None


class MigratesPart(Record):
    card: str
    lines: tuple[str, ...] = Field(min_length=1)


class ContractVersion(Record):
    """What we expect of another team's card; append-only."""

    version: StrictInt = Field(ge=1)
    text: str = Field(min_length=1)
    lines: tuple[str, ...] = ()
    anchors: tuple[AnchorId, ...] = ()
    by: str = Field(min_length=1)
    at: Timestamp


class TrackerPart(Record):
    """The issue that mirrors this card. `site` and `id` are its identity, `key` is for people."""

    provider: str
    site: str
    id: str
    key: str
    url: str | None = None
    title: str | None = None
    status: str | None = None
    read_at: Timestamp | None = None
    sync: Literal["ok", "unreachable", "gone", "unknown"] = "ok"
    published: TaggedSha256 | None = None


class Card(Record):
    """One card. Keys that do not apply to its kind, and empty lists, are left out of its file (`to_file`)."""

    schema_id: Literal["isopod.card/1"] = Field(default="isopod.card/1", alias="schema")
    id: str
    kind: CardKind
    title: str = Field(min_length=1)
    title_by: str = Field(default="rules", min_length=1)
    state: CardState = "drafted"
    team: str
    parent: str | None = None
    spec: str | None = None
    anchors: tuple[AnchorId, ...] = ()
    heuristic: StrictBool = False
    acceptance: tuple[AcceptanceLine, ...] = ()
    subtasks: tuple[Subtask, ...] = ()
    depends_on: tuple[Dependency, ...] = ()
    related: tuple[str, ...] = ()
    due: str | None = None
    start: StrictBool | None = None
    gate: GatePart | None = None
    decision: DecisionPart | None = None
    request: RequestPart | None = None
    migrates: MigratesPart | None = None
    consumer_contract: tuple[ContractVersion, ...] = ()
    tracker: TrackerPart | None = None
    notes: str = ""

    @model_validator(mode="after")
    def _parts_fit_the_kind(self) -> Card:
        for kind, part in _PART_OF.items():
            if kind != self.kind and getattr(self, part) is not None:
                raise ValueError(f"a card of kind {self.kind} has no {part}")
        if self.kind in _NEEDS_PART and getattr(self, _PART_OF[self.kind]) is None:
            raise ValueError(f"a card of kind {self.kind} needs {_PART_OF[self.kind]}")
        return self

    def to_file(self) -> dict[str, Any]:
        """The card as its file holds it, keys in declared order.

        `due`, `heuristic` and `notes` are always written so that a person sees that they can be set; every other key is
        left out when it is empty or does not apply.
        """
        data = self.to_data()
        kept = {key: value for key, value in data.items() if key in _ALWAYS or value not in (None, [], "")}
        if "depends_on" in kept:
            kept["depends_on"] = [_without_none(entry) for entry in kept["depends_on"]]
        return kept


_ALWAYS = frozenset({"heuristic", "due", "notes"})
_PART_OF: dict[CardKind, str] = {"gate": "gate", "decision": "decision", "request": "request", "migration": "migrates"}
_NEEDS_PART = frozenset({"gate", "request", "migration"})


def _without_none(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if value is not None}
