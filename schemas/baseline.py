"""isopod.baseline/1: the findings of an old project that an audit lets through, written once and only ever made smaller."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.base import Record
from schemas.kinds import Severity
from schemas.spans import TaggedSha256


class KnownFinding(Record):
    """One finding that was there: `rule` is its code, `words` are those at its place, for people.

    `fingerprint` is what a finding is known by. It holds no line number, so it stays when lines move.
    """

    rule: str = Field(min_length=1)
    severity: Severity
    subject: str
    words: str
    fingerprint: TaggedSha256


class Baseline(Record):
    """The findings that an audit lets through, by rule, subject and fingerprint."""

    schema_id: Literal["isopod.baseline/1"] = Field(default="isopod.baseline/1", alias="schema")
    findings: tuple[KnownFinding, ...] = ()
