"""What the commands print with `--format json`: a record each, `isopod.<command>/1` (FORMATS.md, last section)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from schemas.anchors import Reading
from schemas.base import Record
from schemas.card import Card
from schemas.errors import Place
from schemas.kinds import AnchorKind, AnchorStatus, CardKind, CardState, EdgeKind, Severity
from schemas.spans import Lines, Span, Timestamp


class ErrorPlace(Record):
    file: str
    line: StrictInt | None = None
    column: StrictInt | None = None

    @classmethod
    def of(cls, place: Place | None) -> ErrorPlace | None:
        return None if place is None else cls(file=place.file, line=place.line, column=place.column)


class ErrorItem(Record):
    code: str
    message: str
    where: ErrorPlace | None = None
    fix: str | None = None


class ErrorOutput(Record):
    """A failure. `errors` lists all that is wrong when it is more than one thing; the first is the one on top."""

    schema_id: Literal["isopod.error/1"] = Field(default="isopod.error/1", alias="schema")
    code: str
    message: str
    where: ErrorPlace | None = None
    fix: str | None = None
    errors: tuple[ErrorItem, ...] = ()


class CardItem(Record):
    """One card in a list. `waits_for`: the cards that keep it from being ready; `dependents`: those that depend on it.

    `standing` says how it stands in a word that people use: ready, waits, open, answered, opened, in force, replaced.
    """

    id: str
    kind: CardKind
    title: str
    state: CardState
    standing: str
    team: str
    spec: str | None = None
    parent: str | None = None
    due: str | None = None
    ready: StrictBool
    waits_for: tuple[str, ...] = ()
    dependents: tuple[str, ...] = ()
    lines: StrictInt = 0
    heuristic: StrictBool = False
    file: str


class CardsOutput(Record):
    schema_id: Literal["isopod.cards/1"] = Field(default="isopod.cards/1", alias="schema")
    cards: tuple[CardItem, ...]


class FrontierOutput(Record):
    """The cards that are ready, of every state."""

    schema_id: Literal["isopod.frontier/1"] = Field(default="isopod.frontier/1", alias="schema")
    frontier: tuple[CardItem, ...]


class Passage(Record):
    """A claim and where it stands now; `span` and `lines` are null when the spec no longer holds it."""

    anchor: str
    kind: AnchorKind
    exact: str
    status: AnchorStatus | Literal["ambiguous"]
    file: str
    span: Span | None = None
    lines: Lines | None = None


class ClaimEdge(Record):
    kind: EdgeKind
    from_: str = Field(alias="from")
    to: str
    cue: str


class ShownAnchor(Record):
    """One claim with everything that is known of it."""

    id: str
    passage: Passage
    section: str
    labels: tuple[AnchorKind, AnchorKind] | None = None
    home: str
    cards: tuple[str, ...] = ()
    edges: tuple[ClaimEdge, ...] = ()
    readings: tuple[Reading, ...] = ()
    heuristic: StrictBool = False


class ShowOutput(Record):
    """Either a card with the passages of the spec behind it, or a claim."""

    schema_id: Literal["isopod.show/1"] = Field(default="isopod.show/1", alias="schema")
    card: Card | None = None
    listed: CardItem | None = None
    anchor: ShownAnchor | None = None
    passages: tuple[Passage, ...] = ()


class WaitStep(Record):
    """One step of a chain: `waited_for_by` waits for `card`, for `reasons`; `needs` says what must happen to `card`.

    `kind` and `state` are null for a card that does not exist.
    """

    card: str
    title: str
    kind: CardKind | None
    state: CardState | None
    depth: StrictInt
    needs: str
    waited_for_by: str
    reasons: tuple[str, ...] = ()
    shown_before: StrictBool = False


class WhyOutput(Record):
    """What a card waits for: the whole chain, depth first; `shown_before`: its own chain stands further up."""

    schema_id: Literal["isopod.why/1"] = Field(default="isopod.why/1", alias="schema")
    card: str
    ready: StrictBool
    why: tuple[WaitStep, ...]
    cycle: tuple[str, ...] = ()


class ImpactItem(Record):
    """A card that waits for the asked one: over `through`, in `depth` steps.

    `before`: a card that it waits for and that is due later than it; `alone`: the asked card is all that it waits for.
    """

    card: str
    title: str
    kind: CardKind
    state: CardState
    team: str
    due: str | None
    depth: StrictInt
    through: str
    before: str | None
    alone: StrictBool


class ImpactOutput(Record):
    """What slips when a card slips: cards that are due before what they wait for come first, then by due."""

    schema_id: Literal["isopod.impact/1"] = Field(default="isopod.impact/1", alias="schema")
    card: str
    impact: tuple[ImpactItem, ...]


class SpecStatus(Record):
    """One spec and what became of it. `readings` is null until it was compiled; `changed_sections` counts what changed since."""

    key: str
    path: str
    present: StrictBool
    changed_sections: StrictInt = 0
    readings: tuple[Reading, ...] | None = None
    heuristic: StrictBool = False
    claims: dict[str, StrictInt] = Field(default_factory=dict)
    answers: StrictInt = 0
    cards: StrictInt = 0
    ready: StrictInt = 0


class Status(Record):
    project: str
    specs: tuple[SpecStatus, ...]
    cards: dict[CardKind, dict[CardState, StrictInt]]
    ready: StrictInt
    waiting: StrictInt
    questions: tuple[CardItem, ...]
    requests: tuple[CardItem, ...]
    problems: StrictInt
    last_reading: Timestamp | None = None
    unfinished_write: StrictBool


class StatusOutput(Record):
    schema_id: Literal["isopod.status/1"] = Field(default="isopod.status/1", alias="schema")
    status: Status


class GraphEdge(Record):
    """`waits_for`: `from` cannot start before `to`; `replaces`: a decision; `related`: no order."""

    kind: Literal["waits_for", "replaces", "related"]
    from_: str = Field(alias="from")
    to: str
    label: str = ""


class GraphOutput(Record):
    schema_id: Literal["isopod.graph/1"] = Field(default="isopod.graph/1", alias="schema")
    nodes: tuple[CardItem, ...]
    edges: tuple[GraphEdge, ...]


class RuleItem(Record):
    code: str
    name: str
    tier: Severity
    stages: tuple[str, ...]
    why: str
    what: str
    page: str


class RulesOutput(Record):
    schema_id: Literal["isopod.rules/1"] = Field(default="isopod.rules/1", alias="schema")
    rules: tuple[RuleItem, ...]


class SchemaItem(Record):
    name: str
    id: str
    what: str


class SchemasOutput(Record):
    schema_id: Literal["isopod.schema/1"] = Field(default="isopod.schema/1", alias="schema")
    schemas: tuple[SchemaItem, ...]


class WrittenOutput(Record):
    """What a command wrote, or would write with `--dry-run`; `command` is its name."""

    schema_id: Literal["isopod.written/1"] = Field(default="isopod.written/1", alias="schema")
    command: str
    dry_run: StrictBool
    changed: tuple[str, ...]
