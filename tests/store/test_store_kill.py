"""Writers that are really killed, and writers at the same time: in processes of their own."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from schemas.errors import ConflictError
from store.disk import Disk
from store.journal import digest
from store.lock import writing
from store.transaction import Transaction, View, finish

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX processes")

NAMES = [f"cards/{'anchors/' if number % 4 == 0 else ''}{number:02}.yaml" for number in range(20)]
KILLS = 30


class SayingDisk(Disk):
    """Writes a byte into a pipe before each operation, so that whoever kills needs no clock."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def write_temporary(self, folder: Path, content: bytes, mode: int | None) -> Path:
        os.write(self._pipe, b".")
        return super().write_temporary(folder, content, mode)

    def sync(self, path: Path) -> None:
        os.write(self._pipe, b".")
        super().sync(path)

    def replace(self, source: Path, target: Path) -> None:
        os.write(self._pipe, b".")
        super().replace(source, target)

    def remove(self, path: Path) -> None:
        os.write(self._pipe, b".")
        super().remove(path)


@contextmanager
def child(work: Callable[[int], None]) -> Iterator[tuple[int, int]]:
    """A process that does `work` with the writing end of a pipe; gives its id and the reading end, and kills it at the end."""
    reading, saying = os.pipe()
    process = os.fork()
    if process == 0:
        code = 1
        try:
            os.close(reading)
            work(saying)
            code = 0
        finally:
            os._exit(code)
    os.close(saying)
    try:
        yield process, reading
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(reading)


def write_generation(root: Path, number: int, disk: Disk) -> None:
    """Every file says `number`; which files there are depends on it, and so does their length."""
    transaction = Transaction(root, root / ".isopod", command="compile", disk=disk)
    for index, name in enumerate(NAMES):
        if index and (number + index) % 3 == 0:
            transaction.delete(root / name)
        else:
            transaction.write(root / name, f"generation: {number}\n".encode() * (1 + number % 5 * 50))
    transaction.commit()


def generation(root: Path, read: Callable[[Path], bytes | None]) -> int:
    """The one generation that all files are of."""
    files = {index: content for index, name in enumerate(NAMES) if (content := read(root / name)) is not None}
    if not files:
        return -1
    number = int(files[0].split(b"\n")[0].removeprefix(b"generation: "))
    for index in range(len(NAMES)):
        wanted = (
            None if index and (number + index) % 3 == 0 else f"generation: {number}\n".encode() * (1 + number % 5 * 50)
        )
        assert files.get(index) == wanted, f"{NAMES[index]} is not of generation {number}"
    return number


def from_disk(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


@pytest.mark.slow
def test_kill_at_random_points_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    chance = random.Random(20261130)
    state = tmp_path / ".isopod"
    last = -1
    cut_off = 0
    for _ in range(KILLS):
        first = last + 1

        def write_on(pipe: int, first: int = first) -> None:
            number = first
            while True:
                write_generation(tmp_path, number, SayingDisk(pipe))
                number += 1

        with child(write_on) as (_, reading):
            for _ in range(chance.randrange(1, 300)):
                os.read(reading, 1)
        cut_off += (state / "journal.json").exists()
        seen = generation(tmp_path, View(tmp_path, state).read)
        assert seen >= last
        finish(tmp_path, state)
        assert generation(tmp_path, from_disk) == seen
        assert not list(tmp_path.rglob(".isopod-tmp-*"))
        assert not (state / "journal.json").exists()
        last = seen
    assert last > 0
    assert cut_off > 0, "no kill hit a transaction that was being put in place"


@pytest.mark.slow
def test_two_writers_at_once_lose_no_edit(tmp_path: Path) -> None:
    state = tmp_path / ".isopod"
    rounds = 15

    def count_up(pipe: int) -> None:
        done = 0
        while done < rounds:
            transaction = Transaction(tmp_path, state, command="edit")
            content = transaction.read(tmp_path / "count")
            number = int(content or b"0") + 1
            transaction.write(tmp_path / "count", str(number).encode(), expected=digest(content))
            transaction.write(tmp_path / "copy", str(number).encode())
            try:
                transaction.commit()
                done += 1
            except ConflictError as error:
                assert error.code == "edit-conflict", error.message
        os.write(pipe, b".")

    with child(count_up) as (_, first), child(count_up) as (_, second):
        assert os.read(first, 1) == b"."
        assert os.read(second, 1) == b"."
    assert from_disk(tmp_path / "count") == from_disk(tmp_path / "copy") == str(2 * rounds).encode()


@pytest.mark.slow
def test_a_reader_beside_a_writer_sees_one_generation(tmp_path: Path) -> None:
    state = tmp_path / ".isopod"
    write_generation(tmp_path, 0, Disk())

    def write_on(pipe: int) -> None:
        number = 1
        while True:
            write_generation(tmp_path, number, Disk())
            number += 1

    seen = []
    with child(write_on):
        while len(seen) < 10:
            view = View(tmp_path, state)
            contents = {tmp_path / name: view.read(tmp_path / name) for name in NAMES}
            if view.is_current():
                seen.append(generation(tmp_path, contents.__getitem__))
    assert seen == sorted(seen)


def test_a_second_writer_is_told_who_writes(tmp_path: Path) -> None:
    def hold(pipe: int) -> None:
        with writing(tmp_path / ".isopod", "compile"):
            os.write(pipe, b".")
            signal.pause()

    with child(hold) as (process, reading):
        os.read(reading, 1)
        with pytest.raises(ConflictError) as refused, writing(tmp_path / ".isopod", "edit", timeout=0):
            pass
        assert refused.value.code == "locked"
        assert f"isopod compile (process {process} on " in refused.value.message
        assert "since 20" in refused.value.message
        transaction = Transaction(tmp_path, tmp_path / ".isopod", command="edit")
        transaction.write(tmp_path / "a", b"1")
        assert not (tmp_path / "a").exists()
    with writing(tmp_path / ".isopod", "edit", timeout=0):  # the one who held it is dead
        transaction.commit()
    assert from_disk(tmp_path / "a") == b"1"
