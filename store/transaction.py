"""A write of many files that happens as a whole or not at all (DESIGN.md section 11).

A transaction collects writes and shows what they would change; nothing touches the disk before `commit`. The protocol
is in `journal`, what readers see is in `view`; both are given on from here.
"""

from __future__ import annotations

import difflib
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Final

from schemas.errors import ConflictError, Place, RefusedError
from store import undo
from store.disk import Disk
from store.journal import Change, Journal, commit, digest, finish, recover, unfinished
from store.lock import writing
from store.paths import ensure_within, relative
from store.view import View, names_over

__all__ = ["ANY", "Journal", "Transaction", "View", "finish", "recover", "unfinished"]


class _Any(Enum):
    ANY = "any"


ANY: Final = _Any.ANY
"""As `expected`: whatever the file holds now may be replaced."""

Expected = str | None | _Any


class Transaction:
    """Writes that belong together. `root` is the folder of the instance, `command` names the writer in errors.

    `expected` is what keeps two editors from losing each other's edit: the sha256 (hex) of the bytes that the writer
    read, None when there must be no file yet, or ANY.
    """

    def __init__(self, root: Path, state_dir: Path, *, command: str, disk: Disk | None = None) -> None:
        self._root = root
        self._state_dir = state_dir
        self._command = command
        self._disk = disk or Disk()
        self._pending: dict[str, bytes | None] = {}
        self._expected: dict[str, Expected] = {}
        self._view = View(root, state_dir, disk=self._disk)

    def write(self, path: Path, content: bytes, expected: Expected = ANY) -> None:
        """The file is to hold `content`.

        Raises RefusedError for a path that leaves the instance; ConflictError at once when this transaction already
        holds other bytes for the file than `expected` says, and when it commits when the disk does.
        """
        self._set(path, content, expected)

    def delete(self, path: Path, expected: Expected = ANY) -> None:
        """The file is to be gone. Raises as `write`."""
        self._set(path, None, expected)

    def read(self, path: Path) -> bytes | None:
        """The bytes of a file as they will be after this transaction, None when there will be none."""
        shown = relative(self._root, ensure_within(self._root, path))
        return self._pending[shown] if shown in self._pending else self._view.read(self._root / shown)

    def read_bytes(self, path: Path) -> bytes | None:
        """`read` by the name that `pathlib` gives it."""
        return self.read(path)

    def list_dir(self, path: Path) -> list[str]:
        """The sorted names in a folder as they will be after this transaction."""
        inside = "" if path == self._root else f"{relative(self._root, path)}/"
        return names_over(set(self._view.list_dir(path)), self._pending, inside)

    @property
    def changed(self) -> tuple[str, ...]:
        """The paths, relative to the root and sorted, of the files that differ; a write of the same bytes is none."""
        return tuple(sorted(change.path for change in self._changes()))

    def diff(self) -> str:
        """What would change, as a unified diff."""
        return "".join(_diff(change) for change in self._changes())

    def commit(self) -> tuple[str, ...]:
        """Make the writes happen, all or none, and return the paths that changed.

        Holds the lock while it works, waits for another writer and finishes what a crash left. Afterwards the
        transaction is empty and may be filled again. Raises ConflictError (`edit-conflict`: the file is not what was
        expected; `locked`; `journal-conflict`), OutsideError (the disk refuses). In each case nothing was changed.
        """
        if not self._pending:
            return ()
        with writing(self._state_dir, self._command):
            finish(self._root, self._state_dir, disk=self._disk)
            self._view = View(self._root, self._state_dir, disk=self._disk)
            for shown, expected in self._expected.items():
                self._refuse_unexpected(shown, self._view.read(self._root / shown), expected)
            changes = self._changes()
            if changes:
                commit(self._root, self._state_dir, self._command, changes, disk=self._disk)
                with suppress(OSError):  # the write has happened; without the note it only cannot be taken back
                    undo.note(self._state_dir, self._command, changes, self._disk)
        self._pending.clear()
        self._expected.clear()
        return tuple(change.path for change in changes)

    @classmethod
    def taking_back(cls, root: Path, state_dir: Path, kept: Path) -> tuple[undo.LastWrite, Transaction]:
        """The last write of this instance, and the transaction that takes it back: the one write that restores earlier bytes.

        `kept` is the folder of the ledger. Raises RefusedError when there is nothing to take back or the ledger has it, ConflictError
        when something came after it.
        """
        last = undo.last_write(state_dir)
        if last is None:
            raise RefusedError("nothing-to-undo", "no write of this instance is known on this machine")
        transaction = cls(root, state_dir, command=f"undo ({last.command})")
        for change in undo.changes_back(root, last, kept):
            path = root / change.path
            if change.after is None:
                transaction.delete(path, digest(change.before))
            else:
                transaction.write(path, change.after, digest(change.before))
        return last, transaction

    def _set(self, path: Path, content: bytes | None, expected: Expected) -> None:
        shown = relative(self._root, ensure_within(self._root, path))
        if shown in self._pending:
            self._refuse_unexpected(shown, self._pending[shown], expected)
        elif expected is not ANY:
            self._expected[shown] = expected
        self._pending[shown] = content

    def _changes(self) -> list[Change]:
        changes = []
        for shown in sorted(self._pending):
            before, after = self._view.read(self._root / shown), self._pending[shown]
            if before != after:
                changes.append(Change(shown, before, after))
        return changes

    def _refuse_unexpected(self, shown: str, content: bytes | None, expected: Expected) -> None:
        found = digest(content)
        if expected is ANY or found == expected:
            return
        if expected is None:
            message = "is there already"
        elif found is None:
            message = "is gone since it was read"
        else:
            message = f"was changed since it was read (sha256 {found[:12]}, expected {expected[:12]})"
        raise ConflictError("edit-conflict", f"{shown} {message}", where=Place(shown), fix="run the command again")


def _diff(change: Change) -> str:
    head = f"diff a/{change.path} b/{change.path}\n"
    try:
        before, after = (_lines(content) for content in (change.before, change.after))
    except UnicodeDecodeError:
        return head + "Binary files differ\n"
    lines = difflib.unified_diff(
        before,
        after,
        "/dev/null" if change.before is None else f"a/{change.path}",
        "/dev/null" if change.after is None else f"b/{change.path}",
    )
    return head + "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(content: bytes | None) -> list[str]:
    """The lines of a text with their ends; only `\\n` ends a line."""
    text = (content or b"").decode("utf-8")
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]
