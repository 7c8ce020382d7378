"""What the commands of the line print with `--format json`: settle, draft, demo, fix. Compile and join have records of their own."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool

from schemas.base import Record
from schemas.card import Card
from schemas.compiled import Compiled, Suggestion
from schemas.finding import Finding, Findings
from schemas.kinds import AnchorKind, Answer
from schemas.outputs import CardItem
from schemas.reading import Dispute
from schemas.spans import Span


class DisputedClaim(Record):
    """What one reader said at a disputed place."""

    ref: str
    kind: AnchorKind
    span: Span
    exact: str


class OpenDispute(Record):
    """A dispute that waits for a person: the words of the spec, both readings, what may be answered."""

    dispute: Dispute
    exact: str
    a: tuple[DisputedClaim, ...] = ()
    b: tuple[DisputedClaim, ...] = ()
    answers: tuple[Answer, ...]
    reason: str | None = None


class SettleOutput(Record):
    """What is open in a spec after this command; `stale` are answers whose words the spec no longer holds."""

    schema_id: Literal["isopod.settle/1"] = Field(default="isopod.settle/1", alias="schema")
    spec: str
    disputes: tuple[OpenDispute, ...]
    stale: tuple[str, ...] = ()
    dry_run: StrictBool
    changed: tuple[str, ...] = ()


class DraftOutput(Record):
    """The cards of one spec as they are after drafting, and what was written."""

    schema_id: Literal["isopod.draft/1"] = Field(default="isopod.draft/1", alias="schema")
    spec: str
    cards: tuple[Card, ...]
    findings: tuple[Finding, ...]
    suggestions: tuple[Suggestion, ...]
    dry_run: StrictBool
    changed: tuple[str, ...]


class DemoOutput(Record):
    """The demo: every compile as `isopod compile --format json` prints it, what the audit counts, what is ready."""

    schema_id: Literal["isopod.demo/1"] = Field(default="isopod.demo/1", alias="schema")
    folder: str
    demo: tuple[Compiled, ...]
    findings: Findings
    frontier: tuple[CardItem, ...]


class FixItem(Record):
    """A claim that shared its id got one of its own."""

    rule: str
    spec: str
    old: str
    new: str


class FixOutput(Record):
    schema_id: Literal["isopod.fix/1"] = Field(default="isopod.fix/1", alias="schema")
    fixes: tuple[FixItem, ...]
    dry_run: StrictBool
    changed: tuple[str, ...]
