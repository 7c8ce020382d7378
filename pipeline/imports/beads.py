"""beads: .beads/issues.jsonl, one issue a line, its relations inside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from pipeline.imports import markdown
from pipeline.imports.protocol import Foreign, Foreigners, ForeignKind, ImportRequest, refusal, unreadable
from pipeline.imports.reading import MAX_ITEMS, source_bytes, text_of, texts_of
from schemas.errors import IsopodError, Place, RefusedError
from schemas.imported import ImportRefusal
from store.yamlio import load_json

_WAITS: Final = frozenset({"blocks"})
_PARENT: Final = frozenset({"parent-child"})
_RELATED: Final = frozenset(
    {"related", "relates-to", "relates_to", "discovered-from", "duplicates", "supersedes", "tracks"}
)
_NO_WORK: Final = frozenset({"message", "event", "agent", "role", "rig", "slot", "convoy", "molecule", "merge-request"})
_TEXTS: Final = (("", "description"), ("Design", "design"), ("Notes", "notes"), ("Closed because", "close_reason"))
_FACTS: Final = ("priority", "issue_type", "labels", "assignee", "external_ref", "created_at")


class Beads:
    """Lines that are word for word the same are one issue: a union merge of two branches leaves them."""

    kind: ClassVar[str] = "beads"
    tool: ClassVar[str] = "beads"
    takes: ClassVar[str] = "issues.jsonl"
    by_columns: ClassVar[bool] = False

    def read(self, request: ImportRequest) -> Foreigners:
        """Every line. Raises RefusedError for a file of too many."""
        items: list[Foreign] = []
        refused: list[ImportRefusal] = []
        seen: set[bytes] = set()
        for number, line in enumerate(source_bytes(request).split(b"\n"), 1):
            if not line.strip() or line in seen:
                continue
            seen.add(line)
            place = Place(request.shown, number)
            if len(seen) > MAX_ITEMS:
                raise RefusedError("too-large", f"more than {MAX_ITEMS:,} issues are not read", where=place)
            found, problems = _issue(line, place)
            items += found
            refused += problems
        return Foreigners(tuple(items), tuple(refused))


def _issue(line: bytes, place: Place) -> tuple[list[Foreign], list[ImportRefusal]]:
    try:
        issue = load_json(line, place.file)
    except IsopodError as error:
        column = error.where.column if error.where else None
        where = Place(place.file, place.line, column)
        return [], [unreadable(RefusedError(error.code, error.message, where=where), place.file)]
    if not isinstance(issue, dict):
        return [], [refusal("unreadable", "this line is no issue", place)]
    issue_id = text_of(issue.get("id"))
    if not issue_id:
        return [], [refusal("no-id", "this issue has no id", place, fix="give it one there")]
    problems: list[ImportRefusal] = []
    edges = list(_edges(issue, issue_id, place, problems))
    parents = [to for kind, to in edges if kind in _PARENT]
    issue_type = text_of(issue.get("issue_type")).casefold()
    kind: ForeignKind = "epic" if issue_type == "epic" else "decision" if issue_type == "decision" else "story"
    return [
        Foreign(
            id=issue_id,
            where=place,
            title=text_of(issue.get("title")),
            kind=kind,
            status=text_of(issue.get("status")),
            notes="\n\n".join(_notes(issue)),
            lines=markdown.lines(text_of(issue.get("acceptance_criteria"))),
            parent=parents[0] if parents else None,
            waits_for=tuple(to for kind, to in edges if kind in _WAITS),
            # An issue has one epic; another one above it is not lost.
            related=tuple(to for kind, to in edges if kind in _RELATED) + tuple(parents[1:]),
            facts={key: ", ".join(texts_of(issue[key])) for key in _FACTS if texts_of(issue.get(key))},
            left_out=f"a {issue_type}, which is no work" if issue_type in _NO_WORK else None,
        )
    ], problems


def _edges(
    issue: dict[str, Any], issue_id: str, place: Place, problems: list[ImportRefusal]
) -> Iterator[tuple[str, str]]:
    """The relations of an issue, each with its type; what we have no edge for is a refusal."""
    listed = issue.get("dependencies")
    for entry in listed if isinstance(listed, list) else []:
        to = text_of(entry.get("depends_on_id")) if isinstance(entry, dict) else ""
        kind = (text_of(entry.get("type")) or "blocks").casefold() if isinstance(entry, dict) else ""
        if to and kind in _WAITS | _PARENT | _RELATED:
            yield kind, to
        else:
            named = f"a relation {kind!r} to {to}" if to else "a relation to nothing"
            problems.append(
                refusal("unknown-edge", f"{issue_id} has {named}, which we have no edge for", place, theirs=issue_id)
            )


def _notes(issue: dict[str, Any]) -> Iterator[str]:
    for heading, key in _TEXTS:
        text = text_of(issue.get(key))
        if text:
            yield f"## {heading}\n\n{text}" if heading else text
