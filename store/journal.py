"""The redo journal: the one file that makes a write of many files happen as a whole (DESIGN.md section 11).

The journal's rename to its name is the moment at which a transaction happens. From then on readers see its content, and
the next writer puts it in place if a crash kept the first one from doing so.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
from binascii import Error as BadBase64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import Field

from schemas.base import Record
from schemas.errors import ConflictError, OutsideError, Place, RefusedError
from schemas.spans import Timestamp
from store.disk import Disk
from store.lock import writing
from store.paths import ensure_within
from store.staging import STAGING, discard, outside, put, read, stage, sweep
from store.yamlio import load_json

JOURNAL = "journal.json"
_RECOVERED = "recovered"
_MAX_BYTES = 2_000_000_000
_SHA = r"^[0-9a-f]{64}$"


class JournalEntry(Record):
    """One file of a transaction: the sha256 before and after (None: no file), and the content after, in base64."""

    path: str
    old: str | None = Field(pattern=_SHA)
    new: str | None = Field(pattern=_SHA)
    content: str | None

    @property
    def after(self) -> bytes | None:
        """The content after the transaction, None for a file that it deletes."""
        return None if self.content is None else base64.b64decode(self.content, validate=True)


class Journal(Record):
    """A transaction that has happened and whose files are being put in place."""

    schema_id: Literal["isopod.journal/1"] = Field(default="isopod.journal/1", alias="schema")
    id: str = Field(pattern=r"^[0-9a-f]{16}$")
    command: str
    pid: int
    at: Timestamp
    entries: tuple[JournalEntry, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One file that changes: its path relative to the root, and its bytes before and after (None: no file)."""

    path: str
    before: bytes | None
    after: bytes | None


def digest(content: bytes | None) -> str | None:
    """sha256 (hex) of a file's bytes, None for no file."""
    return None if content is None else hashlib.sha256(content).hexdigest()


def new_journal(command: str, changes: Iterable[Change]) -> Journal:
    """The journal of these changes, not yet written."""
    entries = tuple(
        JournalEntry(
            path=change.path, old=digest(change.before), new=digest(change.after), content=_base64(change.after)
        )
        for change in changes
    )
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Journal(id=secrets.token_hex(8), command=command, pid=os.getpid(), at=at, entries=entries)


def unfinished(state_dir: Path, *, disk: Disk | None = None) -> Journal | None:
    """The journal of a transaction whose files are not all in place yet, None when there is none.

    Raises ConflictError `journal-corrupt` naming the file, OutsideError when it cannot be read.
    """
    path = state_dir / JOURNAL
    try:
        data = (disk or Disk()).read(path)
    except OSError as error:
        raise outside(error, path) from None
    if data is None:
        return None
    try:
        journal = Journal.parse(load_json(data, str(path), limit=_MAX_BYTES), source=str(path))
        if all(digest(entry.after) == entry.new for entry in journal.entries):
            return journal
        reason = "a content does not have the sha256 that the journal gives it"
    except (RefusedError, BadBase64) as error:
        reason = error.message if isinstance(error, RefusedError) else "a content is not base64"
    raise ConflictError(
        "journal-corrupt",
        f"the journal of an unfinished write cannot be read: {reason}",
        where=Place(str(path)),
        fix="isopod recover --keep mine (puts the journal aside and keeps the files as they are)",
    )


def finish(root: Path, state_dir: Path, *, disk: Disk | None = None) -> tuple[str, ...]:
    """Put the files of an unfinished transaction in place and sweep what a crash left. Returns the paths that changed.

    Raises ConflictError `journal-conflict` when a file has neither its old nor its new content: somebody edited it
    after the crash, and nothing is written. Raises OutsideError when the disk refuses.
    """
    disk = disk or Disk()
    if not state_dir.is_dir():
        return ()
    with writing(state_dir, "recover"):
        journal = unfinished(state_dir, disk=disk)
        if journal is None:
            sweep(root, state_dir, disk)
            return ()
        edited = edited_since(root, journal, disk)
        if edited:
            raise conflict(journal, edited)
        return _complete(root, state_dir, journal.entries, disk)


def recover(
    root: Path, state_dir: Path, keep: Literal["mine", "journal"], *, disk: Disk | None = None
) -> tuple[str, ...]:
    """Finish an unfinished transaction although files of it were edited since. Returns the paths that changed.

    `mine` keeps the edited files and puts all others in place; `journal` puts all in place. What is not kept is saved
    below `recovered/` in the state folder. A corrupt journal is put aside there, whatever is to be kept.
    Raises OutsideError when the disk refuses.
    """
    disk = disk or Disk()
    with writing(state_dir, "recover"):
        try:
            journal = unfinished(state_dir, disk=disk)
        except ConflictError:
            _save(state_dir, "corrupt", {JOURNAL: read(disk, state_dir / JOURNAL, JOURNAL) or b""}, disk)
            _close(state_dir, disk)
            journal = None
        if journal is None:
            sweep(root, state_dir, disk)
            return ()
        edited = edited_since(root, journal, disk)
        entries = tuple(entry for entry in journal.entries if keep == "journal" or entry.path not in edited)
        given_up = {entry.path: entry.after for entry in journal.entries} if keep == "mine" else edited
        _save(state_dir, journal.id, {path: given_up[path] or b"" for path in edited}, disk)
        return _complete(root, state_dir, entries, disk)


def commit(root: Path, state_dir: Path, command: str, changes: Sequence[Change], *, disk: Disk) -> None:
    """Make all changes happen, or none. The caller holds the lock and has finished what was unfinished.

    Raises OutsideError when the disk refuses and ConflictError `edit-conflict` when a file is no longer what it was
    before the change; both leave everything as it was.
    """
    journal = new_journal(command, changes)
    staged = stage(root, state_dir, ((change.path, change.after) for change in changes), disk)
    try:
        _refuse_edited(root, changes, disk)
        _write_journal(state_dir, journal, disk)
    except OSError as error:
        try:
            disk.remove(state_dir / JOURNAL)  # its folder may have refused to be synced after it got its name
        except OSError as second:
            raise _half_written(state_dir, second) from None
        discard(state_dir, staged, disk)
        raise outside(error, state_dir / JOURNAL) from None
    except BaseException:
        if not (state_dir / JOURNAL).exists():
            discard(state_dir, staged, disk)
        raise
    try:
        put(staged, disk)
    except OSError as error:
        _undo(root, state_dir, command, changes, disk)
        raise outside(error, root) from None
    _close(state_dir, disk)


def edited_since(root: Path, journal: Journal, disk: Disk) -> dict[str, bytes | None]:
    """The files of a journal that have neither their old nor their new content, with the content that they have."""
    edited: dict[str, bytes | None] = {}
    for entry in journal.entries:
        content = read(disk, ensure_within(root, entry.path), entry.path)
        if digest(content) not in (entry.old, entry.new):
            edited[entry.path] = content
    return edited


def conflict(journal: Journal, edited: dict[str, bytes | None]) -> ConflictError:
    """The error that shows what lies on disk and what the journal would put there."""
    entries = {entry.path: entry for entry in journal.entries}
    shown = [
        f"{path} (now {_short(digest(content))}, before {_short(entries[path].old)}, after {_short(entries[path].new)})"
        for path, content in sorted(edited.items())
    ]
    return ConflictError(
        "journal-conflict",
        f"`isopod {journal.command}` was cut off at {journal.at}, and since then these files of it were edited: "
        + ", ".join(shown),
        where=Place(min(edited)),
        fix="isopod recover --keep mine (your edit stays) or --keep journal (the write goes on); the other is saved",
    )


def _base64(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode()


def _short(sha256: str | None) -> str:
    return "no file" if sha256 is None else f"sha256 {sha256[:12]}"


def _refuse_edited(root: Path, changes: Iterable[Change], disk: Disk) -> None:
    moved = [c.path for c in changes if read(disk, ensure_within(root, c.path), c.path) != c.before]
    if moved:
        raise ConflictError(
            "edit-conflict",
            f"{', '.join(sorted(moved))}: edited while this command ran",
            where=Place(min(moved)),
            fix="run the command again",
        )


def _complete(root: Path, state_dir: Path, entries: Sequence[JournalEntry], disk: Disk) -> tuple[str, ...]:
    """Put what is missing of a journal in place and close it."""
    sweep(root, state_dir, disk)
    missing = [
        entry for entry in entries if digest(read(disk, ensure_within(root, entry.path), entry.path)) != entry.new
    ]
    staged = stage(root, state_dir, ((entry.path, entry.after) for entry in missing), disk)
    try:
        put(staged, disk)
    except OSError as error:
        raise outside(error, root) from None
    _close(state_dir, disk)
    return tuple(entry.path for entry in missing)


def _write_journal(state_dir: Path, journal: Journal, disk: Disk) -> None:
    data = json.dumps(journal.to_data(), ensure_ascii=False).encode()
    temporary = disk.write_temporary(state_dir, data, None)
    disk.sync(temporary)
    disk.replace(temporary, state_dir / JOURNAL)
    disk.sync(state_dir)


def _close(state_dir: Path, disk: Disk) -> None:
    """Take the journal away: all is in place."""
    try:
        disk.remove(state_dir / JOURNAL)
        disk.sync(state_dir)
        disk.remove(state_dir / STAGING)
    except OSError as error:
        raise OutsideError(
            "journal-stays",
            f"all files are written, but the journal cannot be removed: {error.strerror}",
            where=Place(str(state_dir / JOURNAL)),
            fix="give this user the right to write there; the next command that writes removes it",
        ) from None


def _undo(root: Path, state_dir: Path, command: str, changes: Sequence[Change], disk: Disk) -> None:
    """The disk refused in the middle of the renames: turn the transaction round, as a transaction of its own."""
    back = [Change(change.path, change.after, change.before) for change in changes]
    journal = new_journal(command, back)
    try:
        _write_journal(state_dir, journal, disk)
        _complete(root, state_dir, journal.entries, disk)
    except OSError as error:
        raise _half_written(state_dir, error) from None


def _half_written(state_dir: Path, error: OSError) -> OutsideError:
    return OutsideError(
        "half-written",
        f"the disk refused in the middle of a write: {error.strerror}; isopod goes on reading what its journal says",
        where=Place(str(state_dir / JOURNAL)),
        fix="mend the disk; the next command that writes finishes this write",
    )


def _save(state_dir: Path, name: str, contents: dict[str, bytes], disk: Disk) -> None:
    """Keep what a recovery gives up."""
    try:
        for path, content in contents.items():
            target = state_dir / _RECOVERED / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            disk.replace(disk.write_temporary(target.parent, content, None), target)
    except OSError as error:
        raise outside(error, state_dir / _RECOVERED) from None
