"""The cache of parsed YAML files, and bulk loading through it (DESIGN.md section 10).

YAML is what a load costs, so what was parsed is kept in a SQLite file in the state folder, as plain data: findings,
links and readiness never are. The cache can only make a command faster: one that is missing, locked, corrupt or not
writable is passed by.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import yaml
from pydantic_core import from_json, to_json

from schemas.errors import IsopodError
from store.journal import digest
from store.lock import make_state_dir
from store.view import View
from store.yamlload import LOADER_VERSION, load_bytes

if TYPE_CHECKING:
    import sqlite3

CACHE_NAME = "cache.sqlite3"
_VERSION = f"cache 3, loader {LOADER_VERSION}, PyYAML {yaml.__version__}"
_TABLES = """
    CREATE TABLE IF NOT EXISTS version (word TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS parsed (
        path TEXT PRIMARY KEY, stamp TEXT NOT NULL, sha256 TEXT NOT NULL, blob TEXT NOT NULL, value BLOB NOT NULL
    ) WITHOUT ROWID;
"""
_PUT = "INSERT OR REPLACE INTO parsed VALUES (?, ?, ?, ?, ?)"
_FRESH_NS = 2_000_000_000  # the coarsest clock of a file system in use ticks every two seconds
_CHUNK = 100  # files: what is parsed lies in memory twice until its chunk is done
_PATIENCE = 0.2  # seconds to wait for another process's write


@dataclass(frozen=True, slots=True)
class Parsed:
    """The plain data of a YAML file, and the sha256 (hex) of the bytes that it was parsed from.

    `blob` is the name that git gives to those bytes where it stores them as they are ("" where nobody asks for it).
    """

    sha256: str
    data: Any
    blob: str = ""


class ParseCache:
    """What was parsed before, by path. A context manager; what is put is kept when it is left.

    An entry counts when the file's mtime, ctime, size and inode are what they were, or, `by_content`, when its sha256
    is: what a build server asks for, whose checkouts change the times. A file younger than its file system's clock can
    tell is never kept, for it could change again without a trace.
    """

    def __init__(self, state_dir: Path, *, by_content: bool = False) -> None:
        self.by_content = by_content
        self._opened_ns = time.time_ns()
        self._file: sqlite3.Connection | None = _open(state_dir)

    def get_many(self, stats: Mapping[str, os.stat_result]) -> dict[str, Parsed]:
        """What is known of files, by path; the stat of each must have been taken before this call."""
        return self._matching({path: _stamp(stat) for path, stat in stats.items()}, 1)

    def get_by_content(self, digests: Mapping[str, str]) -> dict[str, Parsed]:
        """What is known of files with these sha256 (hex), by path."""
        return self._matching(digests, 2)

    def put_many(self, parsed: Iterable[tuple[str, os.stat_result, Parsed]]) -> None:
        """Keep what was parsed: path, the stat from before the file was read, and the data."""
        rows = [
            (path, stamp, item.sha256, item.blob, to_json(item.data))
            for path, stat, item in parsed
            if (stamp := self._settled_stamp(stat)) or self.by_content
        ]
        if rows:
            self._try(lambda file: file.executemany(_PUT, rows))

    def keep(self, parsed: Iterable[tuple[str, Parsed]]) -> None:
        """Keep data under names that are no files': it is only found again by its sha256, `get_by_content`."""
        rows = [(name, "", item.sha256, item.blob, to_json(item.data)) for name, item in parsed]
        if rows:
            self._try(lambda file: file.executemany(_PUT, rows))

    def close(self) -> None:
        """Keep what was put. Never fails."""
        self._try(lambda file: file.commit())
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _settled_stamp(self, stat: os.stat_result) -> str:
        """The stamp of a file that was old enough when this cache was opened, else one that no file has."""
        is_settled = max(stat.st_mtime_ns, stat.st_ctime_ns) < self._opened_ns - _FRESH_NS
        return _stamp(stat) if is_settled else ""

    def _matching(self, wanted: Mapping[str, str], column: int) -> dict[str, Parsed]:
        found: dict[str, Parsed] = {}
        if not wanted:
            return found
        # One walk along the table's order instead of a question a path: what else lies there is passed by.
        query = "SELECT path, stamp, sha256, blob, value FROM parsed WHERE path BETWEEN ? AND ?"
        bounds = (min(wanted), max(wanted))
        for row in self._try(lambda file: file.execute(query, bounds).fetchall()) or ():
            if wanted.get(row[0]) == row[column]:
                with suppress(ValueError):  # a damaged value is one that is not known
                    found[row[0]] = Parsed(row[2], from_json(row[4]), row[3])
        return found

    def _try(self, ask: Callable[[sqlite3.Connection], Any]) -> Any:
        """The answer of the file; None, and no cache from then on, when it has none."""
        import sqlite3

        if self._file is None:
            return None
        try:
            return ask(self._file)
        except (sqlite3.Error, UnicodeError):
            self._file.close()
            self._file = None
            return None


def load_all(
    view: View, folder: Path, *, cache: ParseCache | None = None, suffix: str = ".yaml", deep: bool = False
) -> Iterator[tuple[str, Parsed | IsopodError]]:
    """The files of a folder (`deep`: and below it), sorted: each path relative to the root, and what the file holds.

    A file that cannot be read or parsed comes with its error. Yields as it goes; have garbage collection off meanwhile.
    """
    files = view.scan(folder, suffix, deep=deep)
    for start in range(0, len(files), _CHUNK):
        yield from _load_chunk(view, files[start : start + _CHUNK], cache)


def _load_chunk(
    view: View, files: list[tuple[str, os.stat_result | None]], cache: ParseCache | None
) -> Iterator[tuple[str, Parsed | IsopodError]]:
    contents: dict[str, bytes] = {}
    known: dict[str, Parsed] = {}
    if cache is not None and cache.by_content:
        for path, _ in files:
            with suppress(IsopodError):  # said below, where it is read again
                contents[path] = view.read(view.root / path) or b""
        known = cache.get_by_content({path: digest(content) or "" for path, content in contents.items()})
    elif cache is not None:
        known = cache.get_many({path: stat for path, stat in files if stat is not None})
    fresh: list[tuple[str, os.stat_result, Parsed]] = []
    for path, stat in files:
        item: Parsed | IsopodError | None = known.get(path)
        if item is None:
            item = _parse(view, path, contents.get(path))
            if isinstance(item, Parsed) and stat is not None:
                fresh.append((path, stat, item))
        if item is not None:
            yield path, item
    if cache is not None:
        cache.put_many(fresh)


def _parse(view: View, path: str, content: bytes | None) -> Parsed | IsopodError | None:
    """What a file holds; None when it is gone since its folder was listed."""
    try:
        content = view.read(view.root / path) if content is None else content
        return None if content is None else Parsed(digest(content) or "", load_bytes(content, path), _blob(content))
    except IsopodError as error:
        return error


def _blob(content: bytes) -> str:
    # https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _stamp(stat: os.stat_result) -> str:
    return f"{stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_size} {stat.st_ino}"


def _open(state_dir: Path) -> sqlite3.Connection | None:
    import sqlite3

    path = state_dir / CACHE_NAME
    for _ in range(2):
        try:
            make_state_dir(state_dir)
            file = sqlite3.connect(path, timeout=_PATIENCE)
            try:
                _prepare(file)
            except BaseException:
                file.close()
                raise
            return file
        except (sqlite3.OperationalError, OSError):
            return None  # locked, or not ours to write
        except sqlite3.DatabaseError:
            with suppress(OSError):  # not a database, or a damaged one: begin afresh
                path.unlink(missing_ok=True)
    return None


def _prepare(file: sqlite3.Connection) -> None:
    file.executescript(_TABLES)
    if file.execute("SELECT word FROM version").fetchall() != [(_VERSION,)]:
        with file:
            file.execute("DROP TABLE parsed")  # its columns may be others
            file.execute("DELETE FROM version")
            file.execute("INSERT INTO version VALUES (?)", (_VERSION,))
        file.executescript(_TABLES)
