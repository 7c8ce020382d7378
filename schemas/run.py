"""isopod.run/1: the one format that every reader returns and that is stored, recorded, handed over and replayed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictInt

from schemas.base import Record
from schemas.kinds import AnchorKind, EdgeKind
from schemas.spans import LineNumber, Lines, Sha256

RUN_SCHEMA = "isopod.run/1"


class RunSpec(Record):
    """Which text was read; the digest decides, the path is for people."""

    path: str
    sha256: Sha256


class RunReader(Record):
    """Who read: the reader's name in config, its provider, its model, and the repair round (0 is the first reading)."""

    name: str = Field(min_length=1)
    provider: str = Field(min_length=1)
    model: str = Field(min_length=1)
    round: StrictInt = Field(ge=0)


class RunAnchor(Record):
    """One claim: `ref` is the reader's own label, `quote` the exact words, `lines` where it says they stand."""

    ref: str = Field(min_length=1)
    kind: AnchorKind
    quote: str = Field(min_length=1)
    lines: Lines
    nth: LineNumber | None = None


class Cue(Record):
    """The words of the spec that show an edge."""

    quote: str = Field(min_length=1)
    lines: Lines


class RunEdge(Record):
    """One relation between two claims of the run."""

    from_: str = Field(alias="from", min_length=1)
    to: str = Field(min_length=1)
    kind: EdgeKind
    cue: Cue


class Run(Record):
    """One reading of one spec by one reader."""

    schema_id: Literal["isopod.run/1"] = Field(default="isopod.run/1", alias="schema")
    spec: RunSpec
    reader: RunReader
    anchors: tuple[RunAnchor, ...]
    edges: tuple[RunEdge, ...]


class Violation(Record):
    """What is wrong with one part of a run: a stable code, the JSON path, the reader's label and what to do."""

    code: str
    path: str
    ref: str | None = None
    message: str
