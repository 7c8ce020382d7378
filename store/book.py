"""The run record: one file a command that reads, one JSON line a call of a model and a round of the join, synced line by line.

It lies in the state folder, is never committed and holds no text of a spec. A command that died leaves the lines that it wrote.
"""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

from schemas.bookline import BookLine, Start
from schemas.errors import OutsideError, Place
from store.lock import make_state_dir

FOLDER = "records"
"""Below the state folder."""


class Book:
    """The record of one command; the file is made with its first line, so that a command that asks nothing leaves none."""

    def __init__(self, state_dir: Path, start: Start) -> None:
        self._state_dir = state_dir
        self._start = start
        self._lock = threading.Lock()
        self.path: Path | None = None

    def write(self, line: BookLine) -> None:
        """Append a line and sync it. Raises OutsideError when the disk refuses."""
        with self._lock:
            try:
                if self.path is None:
                    self.path = self._make()
                self._append(self.path, line)
            except OSError as error:
                raise OutsideError(
                    "cannot-write", f"the record cannot be written: {error.strerror}", where=Place(str(self._state_dir))
                ) from None

    def _make(self) -> Path:
        make_state_dir(self._state_dir)
        folder = self._state_dir / FOLDER
        folder.mkdir(exist_ok=True)
        stamp = self._start.at.replace(":", "").replace("-", "")
        number = 0
        while True:
            path = folder / f"{stamp}-{os.getpid()}{f'-{number}' if number else ''}.jsonl"
            try:
                path.touch(exist_ok=False)
                break
            except FileExistsError:
                number += 1
        self._append(path, self._start)
        return path

    @staticmethod
    def _append(path: Path, line: BookLine) -> None:
        with path.open("ab") as file:
            file.write(json.dumps(line.to_data(), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
            file.flush()
            os.fsync(file.fileno())
