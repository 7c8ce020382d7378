"""isopod.import/1: what an import makes of the items of another tool, item by item, and what it refuses."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from schemas.base import Record
from schemas.kinds import CardKind
from schemas.outputs import ErrorPlace

Stage = Literal["open", "underway", "done", "dropped"]
"""What another tool's status means for us. Only people and evidence make a card done, so all but `dropped` is drafted."""

ImportOutcome = Literal["new", "here", "left-out"]
"""`new`: becomes a card; `here`: became one in an earlier import, which stays as it is; `left-out`: is no work."""

RefusalCode = Literal[
    "unreadable",
    "too-large",
    "no-id",
    "no-title",
    "duplicate-id",
    "unknown-status",
    "dangling-edge",
    "edge-to-epic-above",
    "cycle",
    "no-parent",
    "subtask-edge",
    "unknown-edge",
    "unknown-date",
]
"""Why something was not taken over. The first six refuse a whole item, the others an edge or a value of it."""


class ImportedItem(Record):
    """One item of the other tool. `theirs` is its id there, `says` the status that it has there.

    `renamed`: what it names by a prefix that no item bears any more, and that was found by its number.
    """

    theirs: str
    where: ErrorPlace
    title: str
    says: str
    stage: Stage
    outcome: ImportOutcome
    card: str | None = None
    kind: CardKind | None = None
    parent: str | None = None
    waits_for: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    lines: StrictInt = 0
    subtasks: StrictInt = 0
    renamed: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class ImportRefusal(Record):
    """One thing that was not taken over, and the way out."""

    code: RefusalCode
    theirs: str | None = None
    message: str
    where: ErrorPlace
    fix: str | None = None


class ImportOutput(Record):
    """`items` in the order of the source; `changed`: the files that were written, or would be."""

    schema_id: Literal["isopod.import/1"] = Field(default="isopod.import/1", alias="schema")
    kind: str
    tool: str
    source: str
    dry_run: StrictBool
    items: tuple[ImportedItem, ...]
    refused: tuple[ImportRefusal, ...] = ()
    passed_by: StrictInt = 0
    changed: tuple[str, ...] = ()
