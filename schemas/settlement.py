"""isopod.settlement/1: one answer of a person, `cards/settlements/<spec key>/<id>.yaml`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from schemas.base import Record
from schemas.kinds import AnchorKind, Answer, DiscardReason, EdgeKind, SettlementType
from schemas.spans import Timestamp


class Where(Record):
    """The place of a dispute or a claim as W3C selectors; texts are folded."""

    exact: str
    prefix: str
    suffix: str
    section: str


class SettledAnchor(Record):
    kind: AnchorKind
    exact: str = Field(min_length=1)
    prefix: str
    suffix: str


class SettledEnd(Record):
    kind: AnchorKind
    exact: str = Field(min_length=1)
    prefix: str


class SettledEdge(Record):
    kind: EdgeKind
    from_: SettledEnd = Field(alias="from")
    to: SettledEnd
    cue: str


class Settlement(Record):
    """One answer, one file: a later answer to the same place is a file of its own and wins; undo takes the latest away.

    `reason` is a discard's, `left_out` what a bulk answer did not take.
    """

    schema_id: Literal["isopod.settlement/1"] = Field(default="isopod.settlement/1", alias="schema")
    id: str
    type: SettlementType
    where: Where
    answer: Answer | None = None
    anchors: tuple[SettledAnchor, ...] = ()
    edges: tuple[SettledEdge, ...] = ()
    left_out: tuple[SettledAnchor, ...] = ()
    reason: DiscardReason | None = None
    by: str = Field(min_length=1)
    at: Timestamp
    because: str | None = None

    @model_validator(mode="after")
    def _has_its_reason(self) -> Settlement:
        if self.type in ("bulk", "gate", "discard") and not self.because:
            raise ValueError(f"an answer of type {self.type} needs because")
        return self
