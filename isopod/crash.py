"""What is left of a bug: a file that a person can send, without a word of their specs in it."""

from __future__ import annotations

import os
import platform
import re
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path

from isopod import __version__
from isopod.table import COMMANDS
from schemas.errors import Exit, IsopodError

_OPTION = re.compile(r"^--?[A-Za-z][A-Za-z-]*$")
_PLAIN = frozenset(
    {
        "text",
        "json",
        "mermaid",
        "dot",
        "graphml",
        "sarif",
        "junit",
        "github",
        "a",
        "b",
        "union",
        "agreed",
        "mine",
        "journal",
    }
)


class BugError(IsopodError):
    """A bug in isopod."""

    exit_code = Exit.BUG


def report(error: Exception, arguments: list[str]) -> BugError:
    """Write the crash file and give the error that names it."""
    text = "\n".join([*_head(arguments), *_frames(error)]) + "\n"
    try:
        handle, name = tempfile.mkstemp(prefix="isopod-crash-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as failed:
        return BugError(
            "bug", f"a bug in isopod ({type(error).__name__}), and no crash file could be written: {failed.strerror}"
        )
    return BugError(
        "bug",
        f"a bug in isopod ({type(error).__name__}); nothing half-done was written",
        fix=f"send {Path(name)} to those who make isopod: it holds where it broke, and nothing of your specs or cards",
    )


def _head(arguments: list[str]) -> list[str]:
    shown = " ".join(_argument(argument) for argument in arguments)
    return [
        f"isopod {__version__}, Python {platform.python_version()}, {platform.system()} {platform.release()}",
        f"at {datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        f"isopod {shown}",
    ]


def _argument(argument: str) -> str:
    """Commands, options and fixed words as they are; everything else may be a secret or a text: its length."""
    name, equals, value = argument.partition("=")
    if equals and _OPTION.match(name):
        return f"{name}={_argument(value)}"
    if _OPTION.match(argument) or argument in COMMANDS or argument in _PLAIN:
        return argument
    return f"<{len(argument)} characters>"


def _frames(error: BaseException) -> list[str]:
    """The traceback without exception messages: those often hold the value that broke something, which is spec text."""
    lines: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        for frame in traceback.extract_tb(current.__traceback__):
            lines += [f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}', f"    {frame.line or ''}"]
        lines.append(
            f"{type(current).__module__}.{type(current).__qualname__}"
            f" (its message of {len(str(current))} characters is left out)"
        )
        current = current.__cause__ or current.__context__
    return lines
