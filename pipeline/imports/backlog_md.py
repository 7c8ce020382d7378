"""Backlog.md: a folder of Markdown files with front matter; tasks, drafts, milestones, decisions, an archive."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final

from pipeline.imports import markdown
from pipeline.imports.protocol import Foreign, Foreigners, ForeignKind, ImportRequest, refusal, unreadable
from pipeline.imports.reading import folder_texts, text_of, texts_of
from schemas.errors import IsopodError, Place
from schemas.imported import ImportRefusal
from store.yamlio import load

_FRONT: Final = re.compile(r"---[ \t]*\n(?P<yaml>.*?)(?:^---[ \t]*$\n?)", re.DOTALL | re.MULTILINE)
# The tool writes names without quotes and reads them so; no YAML reader does.
_NAME: Final = re.compile(r"^(?P<key>[ \t]*(?:-|[A-Za-z_]+:)[ \t]+)(?P<name>@[^\n'\"\[\]#,]*?)[ \t]*$", re.MULTILINE)
_LINES: Final = "acceptance criteria"
_STEPS: Final = "definition of done"
_FACTS: Final = ("priority", "type", "labels", "assignee", "reporter", "milestone", "created_date", "references")
_DOCUMENT_FOLDERS: Final = frozenset({"docs", "documents"})
_STANDING: Final = frozenset({"accepted", "proposed"})


class BacklogMd:
    """A project, its `backlog` folder, or any folder in that."""

    kind: ClassVar[str] = "backlog-md"
    tool: ClassVar[str] = "Backlog.md"
    takes: ClassVar[str] = "a folder of Markdown files with front matter"
    by_columns: ClassVar[bool] = False

    def read(self, request: ImportRequest) -> Foreigners:
        """Every file with front matter is an item, by its folder a task, a milestone, a decision or a document."""
        request = _inside(request)
        items: list[Foreign] = []
        refused: list[ImportRefusal] = []
        passed_by = 0
        for name, text in folder_texts(request, ".md"):
            source = f"{request.shown.rstrip('/')}/{name}"
            found = text if isinstance(text, ImportRefusal) else _item(text, name, source)
            if found is None:
                passed_by += 1
            elif isinstance(found, Foreign):
                items.append(found)
            else:
                refused.append(found)
        milestones = {item.id.casefold() for item in items if item.kind == "epic"}
        return Foreigners(tuple(_in_milestone(item, milestones) for item in items), tuple(refused), passed_by)


def _inside(request: ImportRequest) -> ImportRequest:
    """A project keeps its items in a folder of it."""
    if (request.path / "tasks").is_dir():
        return request
    for name in ("backlog", ".backlog"):
        if (request.path / name / "tasks").is_dir():
            return ImportRequest(request.path / name, f"{request.shown.rstrip('/')}/{name}")
    return request


def _item(text: str, name: str, source: str) -> Foreign | ImportRefusal | None:
    """The item of a file, why it is refused, or None for a file without front matter, as a readme is."""
    front = _FRONT.match(text)
    if front is None:
        return refusal("unreadable", "the front matter has no end", Place(source, 1)) if _is_open(text) else None
    try:
        fields = load(_NAME.sub(_quoted, front["yaml"]), source, first_line=2)
    except IsopodError as error:
        return unreadable(error, source)
    if not isinstance(fields, dict):
        return refusal("unreadable", "the front matter is no map of fields", Place(source, 1))
    item_id = text_of(fields.get("id"))
    if not item_id:
        return refusal("no-id", "the front matter has no id", Place(source, 1), fix="give it one there")
    return _foreign(item_id, fields, text[front.end() :], name, Place(source, 1))


def _is_open(text: str) -> bool:
    return text.split("\n", 1)[0].rstrip() == "---"


def _quoted(found: re.Match[str]) -> str:
    return f'{found["key"]}"{found["name"].replace(chr(92), chr(92) * 2)}"'


def _foreign(item_id: str, fields: dict[str, Any], body: str, name: str, where: Place) -> Foreign:
    folders = Path(name).parent.parts
    status = text_of(fields.get("status"))
    kind, left_out = _kind(folders, status)
    by_heading = markdown.parts(body)
    told = {part.heading.casefold(): part.text for part in by_heading}
    return Foreign(
        id=item_id,
        where=where,
        title=text_of(fields.get("title")),
        kind=kind,
        status=status,
        notes="\n\n".join(_kept(by_heading)),
        lines=markdown.lines(told.get(_LINES, "")),
        subtasks=markdown.steps(told.get(_STEPS, "")),
        parent=text_of(fields.get("parent_task_id")) or None,
        waits_for=texts_of(fields.get("dependencies")),
        facts={key: ", ".join(texts_of(fields.get(key))) for key in _FACTS if texts_of(fields.get(key))},
        left_out=left_out,
        renamable=kind == "story" and not _is_draft(folders),
    )


def _kept(by_heading: tuple[markdown.Part, ...]) -> Iterator[str]:
    for part in by_heading:
        if part.text and part.heading.casefold() not in (_LINES, _STEPS):
            yield f"## {part.heading}\n\n{part.text}" if part.heading else part.text


def _is_draft(folders: tuple[str, ...]) -> bool:
    return "drafts" in folders


def _kind(folders: tuple[str, ...], status: str) -> tuple[ForeignKind, str | None]:
    """What a file is, and why it is no work."""
    kind: ForeignKind = "epic" if "milestones" in folders else "story"
    if "archive" in folders:
        return kind, "archived there"
    if _DOCUMENT_FOLDERS & set(folders):
        return kind, "a document"
    if "decisions" in folders:
        stands = status.casefold() in _STANDING
        return "decision", None if stands else f"a decision that is {status or 'of no status'} there"
    return kind, None


def _in_milestone(item: Foreign, milestones: set[str]) -> Foreign:
    """A task without a task above it belongs to its milestone, if that is an item."""
    milestone = item.facts.get("milestone")
    if item.parent is not None or milestone is None or milestone.casefold() not in milestones:
        return item
    return replace(item, parent=milestone)
