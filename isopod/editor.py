"""A text goes to a person's editor and comes back; what is not accepted can be mended there."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from isopod.face import Face
from isopod.failure import failure_lines
from schemas.errors import IsopodError, OutsideError, RefusedError

Made = TypeVar("Made")


def edited(face: Face, text: str, name: str, use: Callable[[bytes, str], Made]) -> Made:
    """What `use` makes of the text after a person edited it; `use` gets the bytes and how to name the file in errors.

    When `use` refuses, the failure is shown with its place and, on a terminal, the editor opens again. What a person wrote is thrown
    away only after it was used: when it was refused, the file stays and is named. Raises RefusedError without an editor, OutsideError
    when it fails, and what `use` raises.
    """
    command = _editor()
    folder = Path(tempfile.mkdtemp(prefix="isopod-"))
    path = folder / name
    path.write_bytes(text.encode())
    try:
        while True:
            _run([*command, str(path)])
            try:
                made = use(path.read_bytes(), str(path))
            except RefusedError as error:
                if not sys.stdin.isatty():
                    raise
                for line in failure_lines(error):
                    face.note(line)
                if not click.confirm("Edit it again?", default=True, err=True):
                    raise
            else:
                shutil.rmtree(folder, ignore_errors=True)
                return made
    except (IsopodError, click.Abort, OSError):
        if path.is_file() and path.read_bytes() != text.encode():
            face.note(f"isopod: what you wrote is kept in {path}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _editor() -> list[str]:
    """The words of $VISUAL, else of $EDITOR."""
    said = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        words = shlex.split(said)
    except ValueError as error:
        raise RefusedError("no-editor", f"$EDITOR is {said!r}: {error}", fix="EDITOR=nano isopod edit ID") from None
    if not words:
        raise RefusedError(
            "no-editor",
            "no fields were named, and $EDITOR names no editor",
            fix="isopod edit ID field=value, or EDITOR=nano isopod edit ID",
        )
    return words


def _run(words: list[str]) -> None:
    try:
        ended = subprocess.run(words, check=False).returncode
    except OSError as error:
        raise OutsideError(
            "editor-failed",
            f"the editor {words[0]!r} cannot be started: {error.strerror}",
            fix="EDITOR=nano isopod edit ID",
        ) from None
    if ended:
        raise OutsideError("editor-failed", f"the editor {words[0]!r} ended with {ended}; nothing was written")
