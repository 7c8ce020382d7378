"""One writer at a time: the operating system's lock is the truth, a small JSON beside it says who holds it."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from schemas.errors import ConflictError, OutsideError, Place
from store.disk import TEMPORARY

DEFAULT_TIMEOUT = 10.0
"""Seconds that a second writer waits for the first."""

_LOCK = "lock"
_HOLDER = "lock.json"
_held: dict[tuple[str, int, int], int] = {}


@contextmanager
def writing(state_dir: Path, owner: str, timeout: float = DEFAULT_TIMEOUT) -> Iterator[None]:
    """Hold the instance for writing; `owner` is the command that does. Inside itself, in one thread, it may be entered
    again.

    The lock of a process that died is free at once. Raises ConflictError `locked` (who holds it, since when) after
    `timeout` seconds, OutsideError when the state folder cannot be written.
    """
    key = (os.path.realpath(state_dir), os.getpid(), threading.get_ident())
    if key in _held:
        _held[key] += 1
        try:
            yield
        finally:
            _held[key] -= 1
        return
    from filelock import FileLock, Timeout

    try:
        make_state_dir(state_dir)
        lock = FileLock(state_dir / _LOCK, timeout=timeout)
        lock.acquire()
    except Timeout:
        raise ConflictError(
            "locked",
            f"another command is writing here: {_holder(state_dir)}",
            where=Place(str(state_dir / _LOCK)),
            fix="wait until it ends, then run this again",
        ) from None
    except OSError as error:
        raise _cannot_write(state_dir, error) from None
    _held[key] = 1
    try:
        _say_holder(state_dir, owner)
        yield
    finally:
        del _held[key]
        with suppress(OSError):
            (state_dir / _HOLDER).unlink(missing_ok=True)
        lock.release()


@contextmanager
def in_turn(state_dir: Path, subject: str, waits: Callable[[], None]) -> Iterator[None]:
    """Do alone what one command at a time does about `subject`. While another one is at it this waits, as long as it takes.

    `waits` is called once, before that. The turn of a process that died is over at once; Ctrl-C ends the wait. Raises OutsideError when
    the state folder cannot be written.
    """
    from filelock import FileLock, Timeout

    name = hashlib.sha256(subject.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    try:
        make_state_dir(state_dir)
        lock = FileLock(state_dir / f"turn-{name}")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            waits()
            lock.acquire()
    except OSError as error:
        raise _cannot_write(state_dir, error) from None
    try:
        yield
    finally:
        lock.release()


def _cannot_write(state_dir: Path, error: OSError) -> OutsideError:
    return OutsideError(
        "cannot-write",
        f"the state folder cannot be written: {error.strerror}",
        where=Place(str(state_dir)),
        fix="give this user the right to write there, or free some space",
    )


def make_state_dir(state_dir: Path) -> None:
    """Make the state folder, which git passes by. Raises OSError."""
    if not state_dir.is_dir():
        state_dir.mkdir(parents=True, exist_ok=True)
        (state_dir / ".gitignore").write_text("*\n", encoding="utf-8")


def _say_holder(state_dir: Path, owner: str) -> None:
    """Only a message for others: a disk that refuses it refuses no writer."""
    holder = {
        "owner": owner,
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    temporary = state_dir / f"{TEMPORARY}lock"
    with suppress(OSError):
        temporary.write_text(json.dumps(holder), encoding="utf-8")
        temporary.replace(state_dir / _HOLDER)


def _holder(state_dir: Path) -> str:
    try:
        holder = json.loads((state_dir / _HOLDER).read_text(encoding="utf-8"))
        return f"isopod {holder['owner']} (process {holder['pid']} on {holder['host']}), since {holder['at']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "it has not said who it is"
