"""A disk for tests that refuses, or dies, at the operation that a test names."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from store.disk import TEMPORARY, Disk


class Killed(BaseException):
    """The process is dead: nothing after this happens."""


class FrailDisk(Disk):
    """Refuses operation number `refuse_at` (and, `for_good`, all after it), dies at number `die_at`.

    Only what changes the disk counts. Who dies `after` an operation has done it (of a write: half of it).
    """

    def __init__(
        self,
        *,
        refuse_at: int = -1,
        number: int = errno.ENOSPC,
        for_good: bool = False,
        die_at: int = -1,
        after: bool = False,
    ) -> None:
        self.count = 0
        self.dead = False
        self._refuse_at = refuse_at
        self._number = number
        self._for_good = for_good
        self._die_at = die_at
        self._after = after

    def _step(self) -> bool:
        """Count an operation; whether the process dies in it."""
        if self.dead:
            raise Killed
        self.count += 1
        if self.count == self._refuse_at or (self._for_good and 0 <= self._refuse_at < self.count):
            raise OSError(self._number, os.strerror(self._number))
        self.dead = self.count == self._die_at
        if self.dead and not self._after:
            raise Killed
        return self.dead

    def write_temporary(self, folder: Path, content: bytes, mode: int | None) -> Path:
        if self._step():
            (folder / f"{TEMPORARY}torn").write_bytes(content[: len(content) // 2])
            raise Killed
        return super().write_temporary(folder, content, mode)

    def sync(self, path: Path) -> None:
        if self._step():
            raise Killed

    def replace(self, source: Path, target: Path) -> None:
        dies = self._step()
        super().replace(source, target)
        if dies:
            raise Killed

    def remove(self, path: Path) -> None:
        dies = self._step()
        super().remove(path)
        if dies:
            raise Killed

    def make_folder(self, path: Path) -> None:
        dies = self._step()
        super().make_folder(path)
        if dies:
            raise Killed

    def remove_folder(self, path: Path) -> None:
        dies = self._step()
        super().remove_folder(path)
        if dies:
            raise Killed
