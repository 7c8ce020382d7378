"""Transactions: all or nothing, whatever the disk does, and nobody's edit is lost."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from frail_disk import FrailDisk, Killed
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import ConflictError, IsopodError, OutsideError, RefusedError
from store.disk import TEMPORARY, Disk
from store.journal import JOURNAL
from store.transaction import Transaction, View, finish, recover, unfinished

STATE = ".isopod"
Files = dict[str, bytes]


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def on_disk(root: Path) -> Files:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.relative_to(root).parts[0] != STATE and not path.name.startswith(TEMPORARY)
    }


def seen(root: Path) -> Files:
    """The files as a reader sees them."""
    view = View(root, root / STATE)
    paths = [path for path, _ in view.scan(root, deep=True) if not path.startswith(STATE)]
    return {path: view.read(root / path) or b"" for path in paths}


def leftovers(root: Path) -> list[str]:
    names = [path.relative_to(root).as_posix() for path in root.rglob("*")]
    return [name for name in names if TEMPORARY in name or name.endswith((JOURNAL, "staging.json"))]


def filled(root: Path, before: Mapping[str, bytes], after: Mapping[str, bytes | None], disk: Disk) -> Transaction:
    for name, content in before.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    transaction = Transaction(root, root / STATE, command="compile", disk=disk)
    for name, change in after.items():
        if change is None:
            transaction.delete(root / name)
        else:
            transaction.write(root / name, change)
    return transaction


def result(before: Mapping[str, bytes], after: Mapping[str, bytes | None]) -> Files:
    merged = {**before, **after}
    return {name: content for name, content in merged.items() if content is not None}


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for one example (a fixture would be shared by all)."""
    root = Path(tempfile.mkdtemp())
    try:
        yield root
    finally:
        shutil.rmtree(root)


names = st.sampled_from(["a.yaml", "cards/b.yaml", "cards/c.yaml", "cards/anchors/d.yaml", "x/y/z/e.yaml"])
contents = st.sampled_from([b"", b"one\n", b"two\n", b"three" * 1000])
befores = st.dictionaries(names, contents, max_size=4)
afters = st.dictionaries(names, st.none() | contents, min_size=1, max_size=5)
steps = st.integers(1, 45)


@given(befores, afters)
@settings(max_examples=100, deadline=None)
def test_all_is_written_and_nothing_else(before: Files, after: dict[str, bytes | None]) -> None:
    with folder() as root:
        transaction = filled(root, before, after, Disk())
        wanted = result(before, after)
        changed = sorted(name for name in after if before.get(name) != after[name])
        assert list(transaction.changed) == changed
        assert all(transaction.read(root / name) == after[name] for name in after)
        assert on_disk(root) == before
        assert list(transaction.commit()) == changed
        assert on_disk(root) == seen(root) == wanted
        assert transaction.commit() == ()
        assert not leftovers(root)


@given(befores, afters, steps, st.booleans())
@settings(max_examples=200, deadline=None)
def test_death_at_any_step_leaves_the_old_or_the_new(
    before: Files, after: dict[str, bytes | None], die_at: int, is_after: bool
) -> None:
    with folder() as root:
        disk = FrailDisk(die_at=die_at, after=is_after)
        with suppress(Killed):
            filled(root, before, after, disk).commit()
        view = seen(root)
        assert view in (before, result(before, after))
        if not disk.dead:
            assert view == result(before, after)
        finish(root, root / STATE)
        assert on_disk(root) == seen(root) == view
        assert not leftovers(root)


@given(befores, afters, steps, steps, st.booleans())
@settings(max_examples=200, deadline=None)
def test_death_of_the_one_who_finishes_changes_nothing(
    before: Files, after: dict[str, bytes | None], first: int, second: int, is_after: bool
) -> None:
    with folder() as root:
        with suppress(Killed):
            filled(root, before, after, FrailDisk(die_at=first, after=is_after)).commit()
        view = seen(root)
        with suppress(Killed):
            finish(root, root / STATE, disk=FrailDisk(die_at=second, after=not is_after))
        assert seen(root) == view
        finish(root, root / STATE)
        assert on_disk(root) == view
        assert not leftovers(root)


@given(befores, afters, steps)
@settings(max_examples=200, deadline=None)
def test_a_disk_that_refuses_once_leaves_everything_as_it_was(
    before: Files, after: dict[str, bytes | None], refuse_at: int
) -> None:
    with folder() as root:
        disk = FrailDisk(refuse_at=refuse_at)
        try:
            filled(root, before, after, disk).commit()
        except OutsideError as error:
            done = error.code == "journal-stays"
            assert seen(root) == (result(before, after) if done else before)
            assert on_disk(root) == seen(root)
            finish(root, root / STATE)
            assert not leftovers(root)
        else:
            assert on_disk(root) == result(before, after)


@given(befores, afters, steps, st.integers(0, 20), st.booleans())
@settings(max_examples=200, deadline=None)
def test_a_disk_that_refuses_for_good_or_a_death_while_turning_back_leaves_no_mix(
    before: Files, after: dict[str, bytes | None], refuse_at: int, later: int, for_good: bool
) -> None:
    with folder() as root:
        disk = FrailDisk(refuse_at=refuse_at, for_good=for_good, die_at=refuse_at + later)
        with suppress(OutsideError, Killed):
            filled(root, before, after, disk).commit()
        view = seen(root)
        assert view in (before, result(before, after))
        finish(root, root / STATE)
        assert on_disk(root) == view


@given(befores, afters, steps, names, st.sampled_from(["mine", "journal"]))
@settings(max_examples=200, deadline=None)
def test_an_edit_between_the_crash_and_the_next_command_is_never_lost(
    before: Files, after: dict[str, bytes | None], die_at: int, edited: str, keep: str
) -> None:
    with folder() as root:
        with suppress(Killed):
            filled(root, before, after, FrailDisk(die_at=die_at)).commit()
        (root / edited).parent.mkdir(parents=True, exist_ok=True)
        (root / edited).write_bytes(b"by hand\n")
        journal = unfinished(root / STATE)
        touched = {entry.path for entry in journal.entries} if journal else set()
        if edited not in touched:
            finish(root, root / STATE)
            assert (root / edited).read_bytes() == b"by hand\n"
            return
        before_recovery = on_disk(root)
        for attempt in (lambda: finish(root, root / STATE), lambda: View(root, root / STATE), lambda: write_more(root)):
            with pytest.raises(ConflictError) as refused:
                attempt()
            assert refused.value.code == "journal-conflict"
            assert edited in refused.value.message
        assert on_disk(root) == before_recovery
        recover(root, root / STATE, "mine" if keep == "mine" else "journal")
        wanted = result(before, after)
        if keep == "mine":
            wanted[edited] = b"by hand\n"
        saved = {path.read_bytes() for path in (root / STATE / "recovered").rglob("*.yaml")}
        assert on_disk(root) == seen(root) == wanted
        assert keep == "mine" or saved == {b"by hand\n"}
        assert not leftovers(root)


def write_more(root: Path) -> None:
    transaction = Transaction(root, root / STATE, command="draft")
    transaction.write(root / "other.yaml", b"x")
    transaction.commit()


EVERY_KIND: tuple[Files, dict[str, bytes | None]] = (
    {"a": b"1", "cards/gone": b"1", "cards/kept": b"1"},
    {"a": b"2", "cards/gone": None, "cards/kept": b"1", "new/deep/b": b"2", "cards/c": b"2"},
)


@pytest.mark.parametrize("how", ["refuse once", "refuse for good", "die before", "die after"])
def test_each_single_step_may_fail(tmp_path: Path, how: str) -> None:
    before, after = EVERY_KIND
    step = 0
    while True:
        step += 1
        root = tmp_path / str(step)
        root.mkdir()
        if how.startswith("refuse"):
            disk = FrailDisk(refuse_at=step, for_good=how.endswith("good"))
        else:
            disk = FrailDisk(die_at=step, after=how.endswith("after"))
        failure: BaseException | None = None
        try:
            filled(root, before, after, disk).commit()
        except (OutsideError, Killed) as error:
            failure = error
        view = seen(root)
        assert view in (before, result(before, after))
        if isinstance(failure, OutsideError) and failure.code not in ("journal-stays", "half-written"):
            assert view == on_disk(root) == before
        finish(root, root / STATE)
        assert on_disk(root) == view
        assert not leftovers(root)
        if disk.count < step:
            assert view == result(before, after)
            break
    assert step > 25


def test_an_edit_while_the_contents_are_staged_is_not_overwritten(tmp_path: Path) -> None:
    class Slow(Disk):
        def sync(self, path: Path) -> None:
            (tmp_path / "a").write_bytes(b"by hand")
            super().sync(path)

    transaction = filled(tmp_path, {"a": b"1"}, {"a": b"2", "b": b"2"}, Slow())
    with pytest.raises(ConflictError, match="a: edited while this command ran") as refused:
        transaction.commit()
    assert refused.value.code == "edit-conflict"
    assert on_disk(tmp_path) == {"a": b"by hand"}
    assert not leftovers(tmp_path)


def test_nothing_gets_its_name_before_its_content_is_safe(tmp_path: Path) -> None:
    """What a power cut could take is synced before anything relies on it."""
    log: list[tuple[str, str]] = []

    class Logging(Disk):
        def sync(self, path: Path) -> None:
            log.append(("sync", path.name))
            super().sync(path)

        def replace(self, source: Path, target: Path) -> None:
            log.append(("replace", f"{source.name} {target.name}"))
            super().replace(source, target)

        def remove(self, path: Path) -> None:
            log.append(("remove", path.name))
            super().remove(path)

    filled(tmp_path, {"cards/gone": b"1"}, {"cards/a": b"2", "new/b": b"2", "cards/gone": None}, Logging()).commit()
    happened = next(at for at, (step, what) in enumerate(log) if step == "replace" and what.endswith(JOURNAL))
    closed = log.index(("remove", JOURNAL))
    named = {what.split()[1]: (at, what.split()[0]) for at, (step, what) in enumerate(log) if step == "replace"}
    for name in ("a", "b"):
        at, temporary = named[name]
        assert log.index(("sync", temporary)) < happened < at < closed
    assert log.index(("sync", named[JOURNAL][1])) < happened
    assert ("sync", STATE) in log[happened + 1 : named["a"][0]]
    assert happened < log.index(("remove", "gone")) < closed
    for changed_folder in ("cards", "new", tmp_path.name):
        assert ("sync", changed_folder) in log[max(named["a"][0], named["b"][0]) + 1 : closed]


def test_the_next_writer_finishes_what_was_cut_off(tmp_path: Path) -> None:
    cut_off(tmp_path)
    write_more(tmp_path)
    assert on_disk(tmp_path) == {"cards/a.yaml": b"new\n", "cards/deep/b.yaml": b"new\n", "other.yaml": b"x"}
    assert not leftovers(tmp_path)


def test_a_writer_that_waited_builds_on_what_was_finished(tmp_path: Path) -> None:
    waiting = filled(tmp_path, {}, {}, Disk())
    cut_off(tmp_path)
    waiting.write(tmp_path / "cards/a.yaml", b"newer\n", expected=sha(b"new\n"))
    waiting.write(tmp_path / "cards/gone.yaml", b"again\n", expected=None)
    waiting.commit()
    assert on_disk(tmp_path) == {
        "cards/a.yaml": b"newer\n",
        "cards/deep/b.yaml": b"new\n",
        "cards/gone.yaml": b"again\n",
    }


def test_a_writer_that_read_through_the_journal_sees_what_came_after_it(tmp_path: Path) -> None:
    cut_off(tmp_path)
    waiting = Transaction(tmp_path, tmp_path / STATE, command="edit")
    assert waiting.read(tmp_path / "cards/a.yaml") == b"new\n"
    finish(tmp_path, tmp_path / STATE)
    (tmp_path / "cards/a.yaml").write_bytes(b"by hand\n")
    waiting.write(tmp_path / "cards/a.yaml", b"newer\n", expected=sha(b"new\n"))
    with pytest.raises(ConflictError, match="was changed since it was read"):
        waiting.commit()
    assert (tmp_path / "cards/a.yaml").read_bytes() == b"by hand\n"


def test_a_reader_looks_again_when_the_journal_was_finished_under_it(tmp_path: Path) -> None:
    class Late(Disk):
        def read(self, path: Path) -> bytes | None:
            if path.name == "a.yaml" and (tmp_path / STATE / JOURNAL).exists():
                finish(tmp_path, tmp_path / STATE)
                path.write_bytes(b"newer\n")
            return super().read(path)

    cut_off(tmp_path)
    assert View(tmp_path, tmp_path / STATE, disk=Late()).read(tmp_path / "cards/a.yaml") == b"newer\n"


def test_looking_writes_nothing(tmp_path: Path) -> None:
    journal = cut_off(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    view = View(tmp_path, tmp_path / STATE)
    assert view.read(tmp_path / "cards/a.yaml") == b"new\n"
    assert view.read_bytes(tmp_path / "cards/gone.yaml") is None
    assert view.list_dir(tmp_path / "cards") == ["a.yaml", "deep"]
    assert view.list_dir(tmp_path / "cards/deep") == ["b.yaml"]
    assert view.list_dir(tmp_path / "nowhere") == []
    assert view.exists(tmp_path / "cards/deep")
    assert not view.exists(tmp_path / "cards/gone.yaml")
    assert [path for path, _ in view.scan(tmp_path / "cards", ".yaml")] == ["cards/a.yaml"]
    assert [path for path, _ in view.scan(tmp_path / "cards", ".yaml", deep=True)] == [
        "cards/a.yaml",
        "cards/deep/b.yaml",
    ]
    assert unfinished(tmp_path / STATE) == journal
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def cut_off(root: Path) -> object:
    """An instance whose last write died right after it happened; its journal."""
    before = {"cards/a.yaml": b"old\n", "cards/gone.yaml": b"old\n"}
    after = {"cards/a.yaml": b"new\n", "cards/gone.yaml": None, "cards/deep/b.yaml": b"new\n"}
    for die_at in range(1, 40):
        shutil.rmtree(root)
        root.mkdir()
        with suppress(Killed):
            filled(root, before, after, FrailDisk(die_at=die_at)).commit()
        if unfinished(root / STATE) is not None and on_disk(root) == before:
            return unfinished(root / STATE)
    raise AssertionError("no step at which the journal is all that happened")


def test_a_transaction_sees_itself(tmp_path: Path) -> None:
    transaction = filled(tmp_path, {"cards/a": b"1", "cards/b": b"1"}, {"cards/a": None, "cards/c/d": b"2"}, Disk())
    assert transaction.list_dir(tmp_path / "cards") == ["b", "c"]
    assert transaction.read_bytes(tmp_path / "cards/a") is None
    assert transaction.read_bytes(tmp_path / "cards/b") == b"1"


def test_a_view_says_when_the_world_moved_on(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    view = View(tmp_path, tmp_path / STATE)
    assert view.is_current()
    write_more(tmp_path)
    assert not view.is_current()
    assert View(tmp_path, tmp_path / STATE).is_current()


def test_two_editors_do_not_lose_each_others_edit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    first, second = (Transaction(tmp_path, tmp_path / STATE, command="edit") for _ in range(2))
    first.write(tmp_path / "a", b"2", expected=sha(b"1"))
    second.write(tmp_path / "a", b"3", expected=sha(b"1"))
    second.write(tmp_path / "b", b"3")
    first.commit()
    with pytest.raises(ConflictError, match="a was changed since it was read") as refused:
        second.commit()
    assert refused.value.code == "edit-conflict"
    assert on_disk(tmp_path) == {"a": b"2"}


def test_a_new_file_does_not_replace_one_that_somebody_made(tmp_path: Path) -> None:
    transaction = filled(tmp_path, {}, {}, Disk())
    transaction.write(tmp_path / "a", b"mine", expected=None)
    (tmp_path / "a").write_bytes(b"theirs")
    with pytest.raises(ConflictError, match="a is there already"):
        transaction.commit()
    assert on_disk(tmp_path) == {"a": b"theirs"}


def test_a_file_that_is_gone_is_not_written_again(tmp_path: Path) -> None:
    transaction = filled(tmp_path, {}, {}, Disk())
    transaction.write(tmp_path / "a", b"2", expected=sha(b"1"))
    with pytest.raises(ConflictError, match="a is gone since it was read"):
        transaction.commit()
    assert on_disk(tmp_path) == {}


def test_edits_in_one_transaction_build_on_each_other(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    transaction = filled(tmp_path, {}, {}, Disk())
    transaction.write(tmp_path / "a", b"2", expected=sha(b"1"))
    transaction.write(tmp_path / "a", b"3", expected=sha(b"2"))
    with pytest.raises(ConflictError):
        transaction.write(tmp_path / "a", b"4", expected=sha(b"1"))
    assert transaction.commit() == ("a",)
    assert on_disk(tmp_path) == {"a": b"3"}


def test_writing_what_is_there_writes_nothing(tmp_path: Path) -> None:
    transaction = filled(tmp_path, {"a": b"1"}, {"a": b"1"}, Disk())
    inode = (tmp_path / "a").stat().st_ino
    assert (transaction.changed, transaction.diff(), transaction.commit()) == ((), "", ())
    assert (tmp_path / "a").stat().st_ino == inode


def test_the_diff_shows_what_would_change(tmp_path: Path) -> None:
    before = {"a": b"one\ntwo\x0cstill two\nthree", "c": b"x\n", "d": b"\xff"}
    transaction = filled(
        tmp_path, before, {"a": b"one\n2\nthree\n", "b": "하나\n".encode(), "c": None, "d": b"\xfe"}, Disk()
    )
    assert transaction.diff() == (
        "diff a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n-two\x0cstill two\n-three\n\\ No newline at end of file\n"
        "+2\n+three\n"
        "diff a/b b/b\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+하나\n"
        "diff a/c b/c\n--- a/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        "diff a/d b/d\nBinary files differ\n"
    )
    assert on_disk(tmp_path) == before


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_files_keep_their_mode_and_new_ones_get_the_usual(tmp_path: Path) -> None:
    (tmp_path / "tool").write_bytes(b"1")
    (tmp_path / "tool").chmod(0o750)
    transaction = filled(tmp_path, {}, {"tool": b"2", "new": b"2"}, Disk())
    mask = os.umask(0o022)
    try:
        transaction.commit()
    finally:
        os.umask(mask)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("tool", "new")]
    assert modes == [0o750, 0o644]


def test_a_symbolic_link_is_neither_read_nor_written(tmp_path: Path) -> None:
    target = tmp_path / "outside"
    target.write_bytes(b"secret")
    root = tmp_path / "root"
    (root / "cards").mkdir(parents=True)
    (root / "cards/a.yaml").symlink_to(target)
    (root / "linked").symlink_to(tmp_path)
    with pytest.raises(RefusedError, match="symbolic link") as refused:
        View(root, root / STATE).read(root / "cards/a.yaml")
    assert refused.value.code == "unsafe-path"
    transaction = Transaction(root, root / STATE, command="edit")
    for path in ("cards/a.yaml", "linked/outside", "../outside", "/etc/passwd"):
        with pytest.raises(RefusedError) as refused:
            transaction.write(root / path, b"x")
        assert refused.value.code == "unsafe-path"
    assert target.read_bytes() == b"secret"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_said_and_nothing_changes(tmp_path: Path) -> None:
    transaction = filled(tmp_path, {"a": b"1", "closed/b": b"1"}, {"a": b"2", "closed/b": b"2"}, Disk())
    (tmp_path / "closed").chmod(0o555)
    try:
        with pytest.raises(OutsideError) as refused:
            transaction.commit()
    finally:
        (tmp_path / "closed").chmod(0o755)
    assert refused.value.code == "no-permission"
    assert on_disk(tmp_path) == {"a": b"1", "closed/b": b"1"}
    assert not leftovers(tmp_path)


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "disk-full"),
        (errno.EACCES, "no-permission"),
        (errno.EROFS, "no-permission"),
        (errno.EIO, "disk-error"),
    ],
)
def test_what_the_disk_refuses_is_said_in_words_and_nothing_changes(tmp_path: Path, number: int, code: str) -> None:
    transaction = filled(tmp_path, {"a": b"1"}, {"a": b"2", "new/b": b"2"}, FrailDisk(refuse_at=5, number=number))
    with pytest.raises(OutsideError) as refused:
        transaction.commit()
    assert refused.value.code == code
    assert refused.value.where is not None
    assert refused.value.fix
    assert on_disk(tmp_path) == {"a": b"1"}
    assert not (tmp_path / "new").exists()


def test_a_folder_where_a_file_should_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    transaction = filled(tmp_path, {}, {}, Disk())
    transaction.write(tmp_path / "a", b"1")
    with pytest.raises(IsopodError):
        transaction.commit()


@pytest.mark.parametrize("damage", [b"", b"{", b'{"schema": "isopod.journal/1"}', b"\xff", b'{"a": NaN}'])
def test_a_corrupt_journal_is_a_hard_error_that_names_it(tmp_path: Path, damage: bytes) -> None:
    cut_off(tmp_path)
    before = on_disk(tmp_path)
    (tmp_path / STATE / JOURNAL).write_bytes(damage)
    for attempt in (
        lambda: View(tmp_path, tmp_path / STATE),
        lambda: finish(tmp_path, tmp_path / STATE),
        lambda: unfinished(tmp_path / STATE),
        lambda: write_more(tmp_path),
    ):
        with pytest.raises(ConflictError) as refused:
            attempt()
        assert refused.value.code == "journal-corrupt"
        assert JOURNAL in str(refused.value.where)
    assert on_disk(tmp_path) == before
    assert recover(tmp_path, tmp_path / STATE, "mine") == ()
    assert (tmp_path / STATE / "recovered/corrupt" / JOURNAL).read_bytes() == damage
    write_more(tmp_path)


@pytest.mark.parametrize(
    "change",
    [{"path": "../outside"}, {"path": "/etc/passwd"}, {"content": "bm90IHRoaXM="}, {"content": "!!"}, {"new": None}],
)
def test_a_journal_that_was_tampered_with_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    root = tmp_path / "root"
    root.mkdir()
    cut_off(root)
    path = root / STATE / JOURNAL
    journal = json.loads(path.read_bytes())
    journal["entries"][0].update(change)
    path.write_text(json.dumps(journal))
    before = on_disk(root)
    with pytest.raises(IsopodError):
        finish(root, root / STATE)
    assert on_disk(root) == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["root"]


def test_a_damaged_generation_is_only_another_one(tmp_path: Path) -> None:
    write_more(tmp_path)
    (tmp_path / STATE / "generation").write_bytes(b"\xff\xfe\x00")
    view = View(tmp_path, tmp_path / STATE)
    assert view.is_current()
    (tmp_path / "other.yaml").unlink()
    write_more(tmp_path)
    assert not view.is_current()
