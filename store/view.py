"""How readers see an instance: the files on disk through an unfinished transaction. Nothing is ever written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from store.disk import TEMPORARY, Disk
from store.journal import conflict, edited_since, unfinished
from store.paths import relative
from store.staging import generation, outside, read


def names_over(names: set[str], overlay: Mapping[str, bytes | None], inside: str) -> list[str]:
    """The names in the folder `inside` (with its `/`) when the files of `overlay` (None: none) are laid over it,
    sorted.
    """
    for shown, content in overlay.items():
        name, below, _ = shown.removeprefix(inside).partition("/")
        if not shown.startswith(inside):
            continue
        if content is not None:
            names.add(name)
        elif not below:
            names.discard(name)
    return sorted(names)


class View:
    """The files below `root` as they are once an unfinished transaction is finished.

    A view looks at the journal once, when it is made. A command that reads many files while another one writes can ask
    `is_current` afterwards, and read again when it says no.

    Raises ConflictError `journal-conflict` when a file of the journal was edited after the crash, `journal-corrupt`.
    """

    def __init__(self, root: Path, state_dir: Path, *, disk: Disk | None = None) -> None:
        self.root = root
        self._state_dir = state_dir
        self._disk = disk or Disk()
        self._generation = generation(state_dir)
        self._journal_id, self._overlay = self._look()

    def read(self, path: Path) -> bytes | None:
        """The bytes of a file, None when there is none. Raises RefusedError for a symbolic link, OutsideError."""
        shown = relative(self.root, path)
        if shown in self._overlay:
            return self._overlay[shown]
        return read(self._disk, path, shown)

    def read_bytes(self, path: Path) -> bytes | None:
        """`read` by the name that `pathlib` gives it."""
        return self.read(path)

    def exists(self, path: Path) -> bool:
        """Whether a file or a folder is there."""
        shown = relative(self.root, path)
        if shown in self._overlay:
            return self._overlay[shown] is not None
        return os.path.lexists(path) or any(
            name.startswith(f"{shown}/") for name, content in self._overlay.items() if content is not None
        )

    def list_dir(self, path: Path) -> list[str]:
        """The sorted names in a folder, files and folders; none when there is no such folder."""
        inside = "" if path == self.root else f"{relative(self.root, path)}/"
        return names_over({entry.name for entry in self._entries(path)}, self._overlay, inside)

    def scan(self, folder: Path, suffix: str = "", *, deep: bool = False) -> list[tuple[str, os.stat_result | None]]:
        """The files in a folder (`deep`: and below it) whose names end with `suffix`: their paths, sorted.

        A path is relative to the root and comes with its stat, taken before the file is read, as the cache
        needs it; None for a file of the journal.
        """
        found: dict[str, os.stat_result | None] = {}
        self._collect(folder, suffix, deep, found)
        inside = "" if folder == self.root else f"{relative(self.root, folder)}/"
        for shown, content in self._overlay.items():
            below = shown.removeprefix(inside)
            if shown.startswith(inside) and shown.endswith(suffix) and (deep or "/" not in below):
                if content is None:
                    found.pop(shown, None)
                else:
                    found[shown] = None
        return sorted(found.items())

    def is_current(self) -> bool:
        """Whether no transaction happened since this view was made."""
        journal = unfinished(self._state_dir, disk=self._disk)
        return generation(self._state_dir) == self._generation and (journal.id if journal else None) == self._journal_id

    def _look(self) -> tuple[str | None, dict[str, bytes | None]]:
        """The journal as what it says about files.

        Files that do not fit it were edited, or another process finished it meanwhile: then it is another one, or gone,
        when it is looked at again.
        """
        previous: str | None = None
        while journal := unfinished(self._state_dir, disk=self._disk):
            edited = edited_since(self.root, journal, self._disk)
            if not edited:
                return journal.id, {entry.path: entry.after for entry in journal.entries}
            if journal.id == previous:
                raise conflict(journal, edited)
            previous = journal.id
        return None, {}

    def _collect(self, folder: Path, suffix: str, deep: bool, found: dict[str, os.stat_result | None]) -> None:
        prefix = "" if folder == self.root else f"{relative(self.root, folder)}/"
        for entry in self._entries(folder):
            if entry.is_dir(follow_symlinks=False):
                if deep:
                    self._collect(folder / entry.name, suffix, deep, found)
            elif entry.name.endswith(suffix):
                found[prefix + entry.name] = entry.stat(follow_symlinks=False)

    def _entries(self, folder: Path) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return [entry for entry in entries if not entry.name.startswith(TEMPORARY)]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise outside(error, folder) from None
