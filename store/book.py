"""The run record: one file a command that reads, one JSON line a call of a model and a round of the join, synced line by line.

It lies in the state folder, is never committed and holds no text of a spec. A command that died leaves the lines that it wrote.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from schemas.bookline import BookLine, CallLine, End, LeftOutLine, RoundLine, Start, parse_line
from schemas.errors import IsopodError, OutsideError, Place, RefusedError
from store.files import read_file, refuse_unwritable, shown
from store.instance import Instance
from store.jsonio import load_json
from store.lock import make_state_dir

FOLDER = "records"
"""Below the state folder."""

_NAME = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9]+(-[0-9]+)?\.jsonl")


class Book:
    """The record of one command; the file is made with its first line, so that a command that asks nothing leaves none."""

    def __init__(self, state_dir: Path, start: Start) -> None:
        self._state_dir = state_dir
        self._start = start
        self._lock = threading.Lock()
        self._waiting: list[BookLine] = []
        self.path: Path | None = None
        self.ended = False

    def write(self, line: BookLine) -> None:
        """Append a line and sync it. Raises OutsideError when the disk refuses."""
        with self._lock:
            try:
                if self.path is None:
                    self.path = self._make()
                self._append(self.path, line)
            except OSError as error:
                raise OutsideError(
                    "cannot-write",
                    f"the record cannot be written: {error.strerror}",
                    where=Place(shown(self._state_dir / FOLDER)),
                ) from None

    def refuse_unwritable(self) -> None:
        """Raises OutsideError when a record cannot be kept. Makes no record yet."""
        refuse_unwritable(self._state_dir / FOLDER)

    def end(self, exit_code: int, at: str) -> None:
        """The last line of a record that has a file, once: what ended a command first is how it ended. Raises as `write`."""
        if self.path is not None and not self.ended:
            self.ended = True
            self.write(End(at=at, exit_code=exit_code))

    def remember(self, line: BookLine) -> None:
        """As `write` once the record has a file; before that the line waits for one, and makes none."""
        with self._lock:
            if self.path is None:
                self._waiting.append(line)
                return
        self.write(line)

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
        for line in (self._start, *self._waiting):
            self._append(path, line)
        return path

    @staticmethod
    def _append(path: Path, line: BookLine) -> None:
        with path.open("ab") as file:
            file.write(json.dumps(line.to_data(), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
            file.flush()
            os.fsync(file.fileno())


@dataclass
class KeptBook:
    """The record of one command, read back.

    `id` is the name of its file. `start` is None when its first line is broken, `end` when the command died or still runs.
    """

    id: str
    start: Start | None = None
    calls: list[CallLine] = field(default_factory=list)
    left_out: list[LeftOutLine] = field(default_factory=list)
    rounds: list[RoundLine] = field(default_factory=list)
    end: End | None = None

    @property
    def at(self) -> str | None:
        """When it began, as far as any of its lines says."""
        dated = (self.start, *self.calls, self.end)
        return next((line.at for line in dated if line is not None), None)

    @property
    def is_empty(self) -> bool:
        return not (self.start or self.calls or self.left_out or self.rounds or self.end)

    def take(self, line: BookLine) -> None:
        """Put a line where it belongs. Raises RefusedError `broken-line` for a second start or end."""
        if isinstance(line, CallLine):
            self.calls.append(line)
        elif isinstance(line, LeftOutLine):
            self.left_out.append(line)
        elif isinstance(line, RoundLine):
            self.rounds.append(line)
        elif getattr(self, line.line) is not None:
            raise RefusedError("broken-line", f"a second {line.line}")
        elif isinstance(line, Start):
            self.start = line
        else:
            self.end = line


@dataclass(frozen=True)
class Books:
    """Every record of an instance, the oldest first, and what could not be read of them.

    A problem is `torn-line` (the last line, which a crash cut off; nothing else is wrong), `broken-line`, or a file that cannot be
    read.
    """

    kept: tuple[KeptBook, ...]
    problems: tuple[IsopodError, ...]


def load_books(instance: Instance) -> Books:
    """All records of an instance; what `Book` did not name is passed by. A broken line hides neither the rest of its file nor other files.

    Raises OutsideError when the folder of records cannot be listed.
    """
    folder = instance.state_dir / FOLDER
    try:
        paths = sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name))
    except (FileNotFoundError, NotADirectoryError):
        paths = []
    except OSError as error:
        raise OutsideError(
            "unreadable-file", f"cannot be read: {error.strerror}", where=Place(instance.relative(folder))
        ) from None
    kept: list[KeptBook] = []
    problems: list[IsopodError] = []
    for path in paths:
        book = KeptBook(path.stem)
        problems.extend(_fill(book, path, instance.relative(path)))
        if not book.is_empty:
            kept.append(book)
    kept.sort(key=lambda book: (book.at or "", _numbers(book.id)))
    return Books(tuple(kept), tuple(problems))


def _fill(book: KeptBook, path: Path, source: str) -> Iterator[IsopodError]:
    """Take every line of a file that can be taken; gives what is wrong with the others."""
    try:
        data = read_file(path, source) or b""
    except IsopodError as error:
        yield error
        return
    lines = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            book.take(parse_line(load_json(line, source), source))
        except RefusedError as error:
            # `Book` ends every line that it could write whole.
            torn = number == len(lines)
            yield RefusedError(
                "torn-line" if torn else "broken-line",
                "the last line was cut off as it was written"
                if torn
                else f"a line that no record has: {error.message}",
                where=Place(source, number),
                fix=None if torn else "what else the file holds is shown; to be rid of the line, delete it",
            )


def _numbers(name: str) -> tuple[int, ...]:
    """The time, the process and the number in the name of a record, for the order of those that began in one second."""
    return tuple(int(digits) for digits in re.findall(r"[0-9]+", name))
