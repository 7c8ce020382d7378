"""Where a command about one spec works: the instance around it, or the file alone; and who says what a person says."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from isopod.face import Face
from schemas.errors import ManyErrors, Place, RefusedError
from store.files import read_file

if TYPE_CHECKING:
    from pipeline.said import Said
    from pipeline.workspace import Workspace
    from store.snapshot import Snapshot


def workspace(face: Face) -> Workspace:
    """The instance that this folder belongs to, for a command that writes into it.

    Raises RefusedError (no-instance) outside of one, and as `refuse_unreadable`.
    """
    from pipeline.workspace import Workspace

    snapshot = face.snapshot()
    refuse_unreadable(snapshot)
    return Workspace.of(snapshot)


def refuse_unreadable(snapshot: Snapshot) -> None:
    """Raises RefusedError for every file that cannot be read.

    What is built on half of the cards would be wrong, and nothing may be written over the rest.
    """
    errors = [
        RefusedError(one.name, one.message, where=Place(one.where.file, one.where.line, one.where.column), fix=one.fix)
        for one in snapshot.file_problems
    ]
    if errors:
        raise ManyErrors(errors)


def any_workspace(face: Face) -> Workspace:
    """The instance around, or none: for commands that read one spec and write nothing.

    Raises RefusedError only for an instance whose config cannot be read.
    """
    from pipeline.workspace import Workspace

    try:
        return Workspace.of(face.snapshot())
    except RefusedError as error:
        if error.code == "no-instance":
            return Workspace.alone()
        raise


def spec_path(place: Workspace, given: str | None) -> Path:
    """The file of a spec: as it was named, by its key, or the only one that there is.

    Raises RefusedError naming the specs when none was named and there is not exactly one.
    """
    files = place.snapshot.spec_files if place.snapshot is not None else ()
    root = place.snapshot.instance.root if place.snapshot is not None else Path()
    if given is None:
        if len(files) == 1:
            return root / files[0].path
        there = f"there are: {', '.join(file.path for file in files)}" if files else "there is none yet"
        raise RefusedError("spec-missing", f"say which spec; {there}", fix="name its file")
    if not os.path.lexists(given):
        by_key = next((file for file in files if file.key == given), None)
        if by_key is not None:
            return root / by_key.path
    return Path(given)


def run_bytes(name: str) -> bytes:
    """The bytes of a run file, or of stdin for `-`.

    Raises RefusedError when there is no such file, OutsideError when it cannot be read.
    """
    if name == "-":
        return sys.stdin.buffer.read()
    data = read_file(Path(name), name)
    if data is None:
        raise RefusedError("missing-run", "there is no such file", where=Place(name), fix="isopod extract SPEC > RUN")
    return data


def said(by: str | None, because: str | None) -> Said:
    """Who says it, now, and why.

    Raises RefusedError without a name: an answer that nobody gave is worth nothing later.
    """
    from pipeline.said import Said

    if by is None or not by.strip():
        raise RefusedError("name-missing", "an answer is kept with the name of who gave it", fix="--by NAME")
    return Said(by=by.strip(), at=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", because=because)
