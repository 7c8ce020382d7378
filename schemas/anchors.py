"""isopod.anchors/1: the adopted claims of one spec, `cards/anchors/<spec key>.yaml`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool, model_validator

from schemas.base import Record
from schemas.kinds import AnchorKind, AnchorStatus, DiscardReason, EdgeKind, GroundStep
from schemas.refs import AnchorId
from schemas.spans import TaggedSha256


class AnchorsSpec(Record):
    key: str = Field(min_length=1)
    path: str = Field(min_length=1)


class Reading(Record):
    """Which reader, by which provider and model, read what is adopted here."""

    reader: str
    provider: str
    model: str


class Section(Record):
    """A heading path (`#2` for the second of equal paths) and the sha256 of the folded heading and own text."""

    path: str
    digest: TaggedSha256


class Discarded(Record):
    """A claim that no card carries, and why."""

    discarded: DiscardReason
    because: str = Field(min_length=1)
    by: str = Field(min_length=1)


class Anchor(Record):
    """An adopted claim: its id is given by code, once; W3C Web Annotation selectors say where it stands."""

    id: AnchorId
    kind: AnchorKind
    labels: tuple[AnchorKind, AnchorKind] | None = None
    status: AnchorStatus = "live"
    exact: str = Field(min_length=1)
    prefix: str
    suffix: str
    section: str
    step: GroundStep = "exact"
    home: Literal["card", "glossary", "epic"] | Discarded = "card"
    successor: AnchorId | None = None

    @model_validator(mode="after")
    def _successor_only_when_gone(self) -> Anchor:
        if self.successor is not None and self.status not in ("edited", "retired"):
            raise ValueError("successor is only for edited and retired anchors")
        return self


class AnchorEdge(Record):
    """An agreed relation between two adopted claims."""

    kind: EdgeKind
    from_: AnchorId = Field(alias="from")
    to: AnchorId
    cue: str = Field(min_length=1)


class AnchorStore(Record):
    """One file of anchors, in text order."""

    schema_id: Literal["isopod.anchors/1"] = Field(default="isopod.anchors/1", alias="schema")
    spec: AnchorsSpec
    readings: tuple[Reading, ...]
    heuristic: StrictBool = False
    sections: tuple[Section, ...]
    anchors: tuple[Anchor, ...]
    edges: tuple[AnchorEdge, ...] = ()
