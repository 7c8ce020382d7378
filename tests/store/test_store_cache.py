"""The cache of parsed files: never wrong, never in the way."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import RefusedError
from store import cache as cache_module
from store.cache import CACHE_NAME, ParseCache, Parsed, load_all
from store.transaction import Transaction, View

STATE = ".isopod"
LONG_AGO = 1_700_000_000_000_000_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "cards/anchors").mkdir(parents=True)
    for name in ("a", "b", "c", "anchors/d"):
        write(tmp_path / f"cards/{name}.yaml", f"id: {name}\ntext: 알림 \\n {name}\n")
    return tmp_path


@pytest.fixture(autouse=True)
def parses(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The files that were really parsed. Files are old enough to be kept: the clock is the one thing that is made up."""
    parsed: list[str] = []
    real = cache_module.load_bytes

    def counted(data: bytes, source: str) -> Any:
        parsed.append(source)
        return real(data, source)

    monkeypatch.setattr(cache_module, "load_bytes", counted)
    monkeypatch.setattr(cache_module, "_FRESH_NS", -(10**12))
    return parsed


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def load(root: Path, *, by_content: bool = False, cached: bool = True, deep: bool = True) -> dict[str, Any]:
    view = View(root, root / STATE)
    if not cached:
        return dict(load_all(view, root / "cards", deep=deep))
    with ParseCache(root / STATE, by_content=by_content) as cache:
        return dict(load_all(view, root / "cards", cache=cache, deep=deep))


def test_a_warm_load_parses_nothing_and_gives_the_same(root: Path, parses: list[str]) -> None:
    plain = load(root, cached=False)
    assert list(plain) == ["cards/a.yaml", "cards/anchors/d.yaml", "cards/b.yaml", "cards/c.yaml"]
    assert plain["cards/a.yaml"].data == {"id": "a", "text": "알림 \\n a"}
    cold = load(root)
    parses.clear()
    warm = load(root)
    assert parses == []
    assert plain == cold == warm
    assert list(load(root, deep=False)) == ["cards/a.yaml", "cards/b.yaml", "cards/c.yaml"]


def test_a_changed_file_is_parsed_again_and_nothing_else(root: Path, parses: list[str]) -> None:
    load(root)
    parses.clear()
    write(root / "cards/b.yaml", "id: B\n")
    assert load(root)["cards/b.yaml"].data == {"id": "B"}
    assert parses == ["cards/b.yaml"]


def test_an_edit_of_the_same_size_with_the_old_time_put_back_is_seen(root: Path) -> None:
    path = root / "cards/a.yaml"
    before = path.stat()
    text = path.read_text(encoding="utf-8")
    load(root)
    write(path, text.replace("id: a", "id: X"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert load(root)["cards/a.yaml"].data["id"] == "X"


def test_a_file_that_just_changed_is_not_kept(root: Path, parses: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_FRESH_NS", 2_000_000_000)
    load(root)
    parses.clear()
    load(root)
    assert len(parses) == 4


def test_by_content_the_times_do_not_matter(root: Path, parses: list[str]) -> None:
    load(root, by_content=True)
    parses.clear()
    for path in (root / "cards").rglob("*.yaml"):
        os.utime(path, ns=(LONG_AGO, LONG_AGO))
    load(root, by_content=True)
    assert parses == []
    write(root / "cards/a.yaml", "id: new\n")
    assert load(root, by_content=True)["cards/a.yaml"].data == {"id": "new"}
    assert parses == ["cards/a.yaml"]


def test_what_the_journal_says_is_read_through_and_not_kept(root: Path, parses: list[str]) -> None:
    from frail_disk import FrailDisk, Killed

    load(root)
    for die_at in range(1, 30):
        transaction = Transaction(root, root / STATE, command="compile", disk=FrailDisk(die_at=die_at))
        transaction.write(root / "cards/a.yaml", b"id: journal\n")
        transaction.write(root / "cards/new.yaml", b"id: new\n")
        transaction.delete(root / "cards/b.yaml")
        with pytest.raises(Killed):
            transaction.commit()
        if (root / STATE / "journal.json").exists():
            break
    assert b"journal" not in (root / "cards/a.yaml").read_bytes()
    found = load(root)
    assert found["cards/a.yaml"].data == {"id": "journal"}
    assert found["cards/new.yaml"].data == {"id": "new"}
    assert "cards/b.yaml" not in found
    with ParseCache(root / STATE) as cache:
        stats = {"cards/a.yaml": (root / "cards/a.yaml").stat()}
        assert cache.get_many(stats)["cards/a.yaml"].data["id"] == "a"


def test_errors_come_with_their_file_and_the_others_are_read(root: Path) -> None:
    write(root / "cards/b.yaml", "a: 1\na: 2\n")
    (root / "cards/c.yaml").write_bytes(b"\xff")
    for _ in range(2):
        found = load(root)
        assert isinstance(found["cards/b.yaml"], RefusedError)
        assert str(found["cards/b.yaml"].where) == "cards/b.yaml:2:1"
        assert isinstance(found["cards/c.yaml"], RefusedError)
        assert isinstance(found["cards/a.yaml"], Parsed)
    by_content = load(root, by_content=True)
    assert isinstance(by_content["cards/b.yaml"], RefusedError)


@pytest.mark.parametrize(
    "damage",
    [b"", b"no database at all, but long enough to look like one" * 50, b"SQLite format 3\x00" + b"\xff" * 5000],
)
def test_a_corrupt_cache_is_passed_by(root: Path, damage: bytes) -> None:
    plain = load(root, cached=False)
    load(root)
    (root / STATE / CACHE_NAME).write_bytes(damage)
    assert load(root) == plain
    assert load(root) == plain


def test_a_damaged_page_or_value_is_passed_by(root: Path) -> None:
    plain = load(root, cached=False)
    load(root)
    with sqlite3.connect(root / STATE / CACHE_NAME) as file:
        file.execute("UPDATE parsed SET value = '{cut o' WHERE path = 'cards/a.yaml'")
    file.close()
    assert load(root) == plain
    data = bytearray((root / STATE / CACHE_NAME).read_bytes())
    data[4096:8192] = b"\xa5" * 4096
    (root / STATE / CACHE_NAME).write_bytes(data)
    assert load(root) == plain


def test_a_cache_of_another_version_is_not_used(root: Path, parses: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    load(root)
    parses.clear()
    monkeypatch.setattr(cache_module, "_VERSION", "another")
    load(root)
    assert len(parses) == 4


def test_a_cache_that_another_process_writes_is_passed_by(root: Path) -> None:
    plain = load(root, cached=False)
    load(root)
    other = sqlite3.connect(root / STATE / CACHE_NAME, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        assert load(root) == plain
    finally:
        other.execute("ROLLBACK")
        other.close()


def test_a_state_folder_that_cannot_be_made_is_passed_by(root: Path) -> None:
    plain = load(root, cached=False)
    (root / STATE).write_text("a file")
    with ParseCache(root / STATE) as cache:
        assert cache.get_many({"cards/a.yaml": (root / "cards/a.yaml").stat()}) == {}
        cache.put_many([("cards/a.yaml", (root / "cards/a.yaml").stat(), plain["cards/a.yaml"])])


def test_numbers_words_and_nothing_come_back_as_they_were(root: Path) -> None:
    write(
        root / "cards/a.yaml",
        '[null, true, false, 1, -3, 1.0, 1e16, 123456789012345678901234567890, "1", {}, [], "\\0"]\n',
    )
    cold, warm = load(root)["cards/a.yaml"].data, load(root)["cards/a.yaml"].data
    assert repr(cold) == repr(warm)
