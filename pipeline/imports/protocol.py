"""What an importer is: it reads a file or a folder of another tool and says what stands there, in words of ours.

It decides nothing about cards: ids, kinds of parents, edges and circles are settled for all importers in one place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal, Protocol

from schemas.errors import IsopodError, Place
from schemas.imported import ImportRefusal, RefusalCode
from schemas.outputs import ErrorPlace

ForeignKind = Literal["story", "epic", "decision", "question"]


@dataclass(frozen=True, slots=True)
class ForeignTask:
    """A step inside an item, ticked there or not."""

    text: str
    done: bool = False


@dataclass(frozen=True, slots=True)
class Foreign:
    """One item as the other tool has it. `id` and the ids in edges are theirs.

    `status` is their word, empty when they have none; `left_out` says why the item is no work for us, whatever its status. `renamable`: the
    prefix of its id is a setting there, so old references may bear another one. `facts` are what we have no field for.
    """

    id: str
    where: Place
    title: str
    kind: ForeignKind = "story"
    status: str = ""
    notes: str = ""
    lines: tuple[str, ...] = ()
    subtasks: tuple[ForeignTask, ...] = ()
    parent: str | None = None
    waits_for: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    due: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    left_out: str | None = None
    renamable: bool = False


@dataclass(frozen=True, slots=True)
class Foreigners:
    """All that a source holds. `passed_by` counts files that are no items at all."""

    items: tuple[Foreign, ...]
    refused: tuple[ImportRefusal, ...] = ()
    passed_by: int = 0


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """A source: its path, how people named it, and which of its columns is which field (for tables)."""

    path: Path
    shown: str
    columns: Mapping[str, str] = field(default_factory=dict)


class Importer(Protocol):
    """`kind` is what people type, `tool` whose files these are, `takes` what is named, `by_columns` whether --map means something."""

    kind: ClassVar[str]
    tool: ClassVar[str]
    takes: ClassVar[str]
    by_columns: ClassVar[bool]

    def read(self, request: ImportRequest) -> Foreigners:
        """Read the source; what one item has wrong is a refusal in the result.

        Raises RefusedError for a source that is none, OutsideError when it cannot be read.
        """
        ...


def refusal(
    code: RefusalCode, message: str, where: Place, *, theirs: str | None = None, fix: str | None = None
) -> ImportRefusal:
    """Something that is not taken over."""
    place = ErrorPlace(file=where.file, line=where.line, column=where.column)
    return ImportRefusal(code=code, theirs=theirs, message=message, where=place, fix=fix)


def unreadable(error: IsopodError, source: str) -> ImportRefusal:
    """A file, or a line of one, that does not hold what it should."""
    code: RefusalCode = "too-large" if error.code == "too-large" else "unreadable"
    return refusal(code, error.message, error.where or Place(source), fix=error.fix)
