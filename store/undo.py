"""The last write of this instance can be taken back while nothing came after it.

Beside the journal lies a note of what the last transaction changed, with the bytes of before. It holds for this machine only, is
never committed, and is good for nothing once a file of it was changed again.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from schemas.base import Record
from schemas.errors import ConflictError, Place, RefusedError
from schemas.spans import Timestamp
from store.disk import Disk
from store.journal import Change, digest
from store.staging import read
from store.yamlio import load_json

NAME = "last.json"
_MAX_BYTES = 2_000_000_000


class UndoEntry(Record):
    """One file: its bytes before in base64 (None: no file), the sha256 of its bytes after (None: no file)."""

    path: str
    before: str | None
    after: str | None


class LastWrite(Record):
    """isopod.undo/1: what the last transaction changed."""

    schema_id: Literal["isopod.undo/1"] = "isopod.undo/1"
    command: str
    at: Timestamp
    entries: tuple[UndoEntry, ...]


def note(state_dir: Path, command: str, changes: Sequence[Change], disk: Disk) -> None:
    """Keep what a transaction that just happened changed. Raises OSError as the disk does."""
    entries = tuple(
        UndoEntry(
            path=change.path,
            before=None if change.before is None else base64.b64encode(change.before).decode(),
            after=digest(change.after),
        )
        for change in changes
    )
    last = LastWrite(command=command, at=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", entries=entries)
    data = json.dumps(last.to_data(), ensure_ascii=False).encode()
    disk.replace(disk.write_temporary(state_dir, data, None), state_dir / NAME)


def last_write(state_dir: Path) -> LastWrite | None:
    """What was written last, None when nothing is known of it."""
    path = state_dir / NAME
    data = read(Disk(), path, str(path))
    return None if data is None else LastWrite.parse(load_json(data, str(path), limit=_MAX_BYTES), source=str(path))


def changes_back(root: Path, last: LastWrite, kept: Path) -> list[Change]:
    """The changes that take the last write back.

    Raises RefusedError `sealed` when it wrote below `kept` (what the ledger holds is never taken away), ConflictError
    `changed-since` when one of its files is not what it left.
    """
    changes = []
    for entry in last.entries:
        if (root / entry.path).is_relative_to(kept):
            raise RefusedError(
                "sealed",
                f"`isopod {last.command}` wrote into the ledger, and what stands there is never taken away",
                where=Place(entry.path),
            )
        now = read(Disk(), root / entry.path, entry.path)
        if digest(now) != entry.after:
            raise ConflictError(
                "changed-since",
                f"this file was changed since `isopod {last.command}`, so that cannot be taken back",
                where=Place(entry.path),
                fix=f"git diff {entry.path}",
            )
        changes.append(Change(entry.path, now, None if entry.before is None else base64.b64decode(entry.before)))
    return changes
