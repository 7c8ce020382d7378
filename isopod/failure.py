"""How a failure looks: the place, the line and a caret, one sentence of what is wrong, one of what to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from isopod.escape import escape
from schemas.errors import IsopodError, ManyErrors, Place
from schemas.secrets import masked

_MOST_BYTES = 5_000_000
_MOST_COLUMNS = 160
_SHOWN_AT_MOST = 50


def failure_lines(error: IsopodError) -> Iterator[str]:
    """The lines of a failure for stderr, escaped."""
    errors = error.errors if isinstance(error, ManyErrors) else (error,)
    for one in errors[:_SHOWN_AT_MOST]:
        place = f"{one.where}: " if one.where else ""
        yield f"isopod: {escape(place + one.message)} ({one.code})"
        if one.where is not None:
            yield from caret_lines(one.where)
        if one.fix:
            yield f"try: {escape(one.fix)}"
    if len(errors) > _SHOWN_AT_MOST:
        yield f"isopod: and {len(errors) - _SHOWN_AT_MOST} more of this kind"


def failure_json(error: IsopodError) -> dict[str, Any]:
    """isopod.error/1."""
    from schemas.outputs import ErrorItem, ErrorOutput, ErrorPlace

    several = error.errors if isinstance(error, ManyErrors) else ()
    return ErrorOutput(
        code=error.code,
        message=error.message,
        where=ErrorPlace.of(error.where),
        fix=error.fix,
        errors=tuple(
            ErrorItem(code=one.code, message=one.message, where=ErrorPlace.of(one.where), fix=one.fix)
            for one in several
        ),
    ).to_data()


def caret_lines(place: Place, root: Path | None = None) -> Iterator[str]:
    """The line that `place` names with a caret under its column; nothing when there is no such line to show."""
    from rich.cells import cell_len

    line = _line_at(place, root)
    if line is None:
        return
    column = place.column or len(line) - len(line.lstrip()) + 1
    # A long line is shown around its column, not from its start.
    first = max(0, column - 1 - _MOST_COLUMNS // 2) if len(line) > _MOST_COLUMNS else 0
    number = str(place.line)
    yield f"  {number} | {escape(line[first : first + _MOST_COLUMNS])}"
    yield f"  {' ' * len(number)} | {' ' * cell_len(escape(line[first : column - 1]))}^"


def _line_at(place: Place, root: Path | None) -> str | None:
    if place.line is None:
        return None
    for base in (root, Path.cwd(), *Path.cwd().parents) if root else (Path.cwd(), *Path.cwd().parents):
        path = base / place.file
        try:
            if not path.is_file() or path.stat().st_size > _MOST_BYTES:
                continue
            lines = path.read_bytes().decode("utf-8", "replace").split("\n")
        except OSError:
            return None
        line = lines[place.line - 1].rstrip("\r") if place.line <= len(lines) else None
        return masked(line) if line is not None and path.suffix in (".yaml", ".yml") else line
    return None
