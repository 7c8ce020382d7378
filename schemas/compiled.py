"""isopod.compile/1: what one compile did, or would do."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from schemas.base import Record
from schemas.card import Card
from schemas.kinds import AnchorKind
from schemas.reading import Dispute, Join
from schemas.spans import Lines, Sha256, Span


class CompiledSpec(Record):
    key: str
    path: str
    sha256: Sha256


class Round(Record):
    round: StrictInt
    join: Join


class CompiledAnchor(Record):
    id: str
    kind: AnchorKind
    span: Span
    lines: Lines
    exact: str


class Suggestion(Record):
    """What a person may want to do (DRAFTING.md D16); `do` is the command that does it."""

    rule: str
    text: str
    do: str


class Compiled(Record):
    schema_id: Literal["isopod.compile/1"] = Field(default="isopod.compile/1", alias="schema")
    spec: CompiledSpec
    rounds: tuple[Round, ...]
    anchors: tuple[CompiledAnchor, ...]
    cards: tuple[Card, ...]
    disputes: tuple[Dispute, ...]
    suggestions: tuple[Suggestion, ...]
    heuristic: StrictBool
    calls: StrictInt
    changed: tuple[str, ...]
