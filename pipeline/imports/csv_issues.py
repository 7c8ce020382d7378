"""A table of issues: CSV as trackers export it. A column is known by its heading, or said with --map FIELD=COLUMN."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar, Final

from pipeline.imports import markdown
from pipeline.imports.protocol import Foreign, Foreigners, ForeignKind, ImportRequest, refusal
from pipeline.imports.reading import MAX_ITEMS, source_bytes
from schemas.errors import Place, RefusedError
from schemas.imported import ImportRefusal
from store.yamlio import decode

HEADINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("issue key", "key", "id", "issue id", "number", "identifier"),
    "title": ("summary", "title", "name"),
    "status": ("status", "state"),
    "type": ("issue type", "type", "kind"),
    "parent": ("parent key", "parent", "parent id", "parent issue", "epic", "epic link", "custom field epic link"),
    "waits_for": (
        "depends on", "dependencies", "blocked by", "waits for", "inward issue link blocks", "predecessors",
    ),
    "blocks": ("blocks", "blocking", "outward issue link blocks", "successors"),
    "related": ("related", "related to", "relates to", "inward issue link relates", "outward issue link relates"),
    "acceptance": ("acceptance criteria", "acceptance", "custom field acceptance criteria"),
    "subtasks": ("subtasks", "checklist", "tasks"),
    "notes": ("description", "body", "notes", "details"),
    "due": ("due date", "due", "milestone"),
    "priority": ("priority",),
    "labels": ("labels", "tags"),
    "assignee": ("assignee", "assigned to", "owner"),
}  # fmt: skip
"""The fields of an issue, and the headings that are known for each, folded: letters and digits in small, single spaces."""

_FACTS: Final = ("type", "priority", "labels", "assignee")
_LISTS: Final = frozenset({"waits_for", "blocks", "related"})
_KINDS: Final[Mapping[str, ForeignKind]] = {"epic": "epic", "decision": "decision", "question": "question"}
_DELIMITERS: Final = ",;\t|"


class CsvIssues:
    """Columns of one heading belong together, as Jira writes a column for each link."""

    kind: ClassVar[str] = "csv"
    tool: ClassVar[str] = "CSV"
    takes: ClassVar[str] = "a table of issues with a line of headings"
    by_columns: ClassVar[bool] = True

    def read(self, request: ImportRequest) -> Foreigners:
        """Every row below the headings.

        Raises RefusedError for a table without columns for id and title, and for a column that it does not have.
        """
        text = decode(source_bytes(request), request.shown)
        rows = _rows(text, request.shown)
        first = next(rows, None)
        if first is None:
            raise RefusedError("no-columns", "this file is empty", where=Place(request.shown))
        columns = _columns(first[1], request)
        items: list[Foreign] = []
        refused: list[ImportRefusal] = []
        blocked: dict[str, list[str]] = {}
        said: dict[str, Place] = {}
        for line, row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if len(items) + len(refused) >= MAX_ITEMS:
                raise RefusedError(
                    "too-large", f"more than {MAX_ITEMS:,} issues are not read", where=Place(request.shown)
                )
            fields = _Fields(row, columns)
            place = Place(request.shown, line)
            if not fields.one("id"):
                refused.append(refusal("no-id", "this row has no id", place, fix="give it one there"))
                continue
            items.append(fields.foreign(place))
            for other in fields.many("blocks"):
                blocked.setdefault(other.casefold(), []).append(fields.one("id"))
                said.setdefault(other.casefold(), place)
        known = {item.id.casefold() for item in items}
        for other in sorted(blocked.keys() - known):
            message = f"{', '.join(blocked[other])} blocks {other}, which is not here"
            refused.append(refusal("dangling-edge", message, said[other], theirs=blocked[other][0]))
        return Foreigners(tuple(_with_blockers(item, blocked) for item in items), tuple(refused))


class _Fields:
    """One row, by field."""

    def __init__(self, row: list[str], columns: Mapping[str, list[int]]) -> None:
        self._cells = {
            field: [row[number].strip() for number in numbers if number < len(row) and row[number].strip()]
            for field, numbers in columns.items()
        }

    def one(self, field: str) -> str:
        return next(iter(self._cells.get(field, [])), "")

    def many(self, field: str) -> list[str]:
        """The ids of a field: in columns of their own, or in one with marks or spaces between."""
        found = (name.strip() for cell in self._cells.get(field, []) for name in re.split(r"[,;\s]+", cell))
        return list(dict.fromkeys(name for name in found if name))

    def foreign(self, place: Place) -> Foreign:
        body = "\n\n".join(self._cells.get("notes", [])).replace("\r\n", "\n")
        return Foreign(
            id=self.one("id"),
            where=place,
            title=self.one("title"),
            kind=_KINDS.get(self.one("type").casefold(), "story"),
            status=self.one("status"),
            notes=body,
            lines=markdown.lines("\n\n".join(self._cells.get("acceptance", [])).replace("\r\n", "\n")),
            subtasks=markdown.steps("\n\n".join(self._cells.get("subtasks", [])).replace("\r\n", "\n")),
            parent=self.one("parent") or None,
            waits_for=tuple(self.many("waits_for")),
            related=tuple(self.many("related")),
            due=self.one("due") or None,
            facts={field: ", ".join(self._cells[field]) for field in _FACTS if self._cells.get(field)},
        )


def _rows(text: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """Each row with the line on which it begins.

    Raises RefusedError where the table breaks.
    """
    head = text.split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            where = Place(source, reader.line_num)
            raise RefusedError("invalid-csv", str(error), where=where, fix="export the table again") from None
        if row is None:
            return
        yield line, row
        line = reader.line_num + 1


def _columns(headings: list[str], request: ImportRequest) -> dict[str, list[int]]:
    """The columns of each field: those that were said, else those of the first heading that is known for it."""
    place = Place(request.shown, 1)
    folded = [_folded(heading) for heading in headings]
    columns: dict[str, list[int]] = {}
    for field, column in request.columns.items():
        if field not in HEADINGS:
            raise RefusedError("unknown-field", f"no field is called {field!r}; there are: {', '.join(HEADINGS)}")
        columns[field] = [number for number, heading in enumerate(folded) if heading == _folded(column)]
        if not columns[field]:
            there = ", ".join(dict.fromkeys(heading.strip() for heading in headings if heading.strip()))
            raise RefusedError("unknown-column", f"no column is called {column!r}; there are: {there}", where=place)
    taken = {number for numbers in columns.values() for number in numbers}
    for field, known in HEADINGS.items():
        if field in columns:
            continue
        names = [name for name in known if name in folded]
        wanted = names if field in _LISTS else names[:1]
        found = [number for number, heading in enumerate(folded) if heading in wanted and number not in taken]
        if found:
            columns[field] = found
    missing = [field for field in ("id", "title") if field not in columns]
    if missing:
        there = ", ".join(dict.fromkeys(heading.strip() for heading in headings if heading.strip()))
        raise RefusedError(
            "no-columns",
            f"no column is known as the {' or the '.join(missing)} of an issue; there are: {there}",
            where=place,
            fix=" ".join(f"--map {field}=COLUMN" for field in missing),
        )
    return columns


def _folded(heading: str) -> str:
    return " ".join(re.findall(r"\w+", heading.casefold()))


def _with_blockers(item: Foreign, blocked: Mapping[str, list[str]]) -> Foreign:
    """What a row says it blocks waits for it, wherever that row stands."""
    blockers = blocked.get(item.id.casefold(), [])
    return replace(item, waits_for=tuple(dict.fromkeys((*item.waits_for, *blockers)))) if blockers else item
