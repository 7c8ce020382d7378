"""isopod.findings/1: what a rule reports (DESIGN.md section 10)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from schemas.base import Record
from schemas.kinds import Severity


class FindingPlace(Record):
    file: str
    line: StrictInt | None = None
    column: StrictInt | None = None


class Finding(Record):
    """One thing that does not hold: `subject` is a card, anchor or dispute id, `fix` a command that can be pasted or a line to edit."""

    code: str
    name: str
    severity: Severity
    subject: str
    message: str
    where: FindingPlace
    related: tuple[str, ...] = ()
    fix: str | None = None
    heuristic: StrictBool = False


class NotChecked(Record):
    rule: str
    why: str


class Findings(Record):
    schema_id: Literal["isopod.findings/1"] = Field(default="isopod.findings/1", alias="schema")
    findings: tuple[Finding, ...]
    counts: dict[Severity, StrictInt]
    not_checked: tuple[NotChecked, ...] = ()
