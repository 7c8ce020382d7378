"""Run records: written line by line, read back with whatever a crash or an editor did to them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.anchors import Reading
from schemas.bookline import BookLine, CallLine, End, KindFigures, LeftOutLine, RoundLine, Start
from schemas.call import Usage
from schemas.config import Capabilities, Config, ReaderConfig, Readers, Team
from schemas.errors import OutsideError
from schemas.reading import Difference
from store.book import FOLDER, Book, load_books
from store.instance import Instance

CALL = CallLine(
    at="2026-11-30T09:00:01Z",
    request="1" * 64,
    reader="a",
    provider="anthropic",
    model="모델 \u2028 하나",
    purpose="read",
    round=0,
    place="Links > Renewal",
    outcome="answered",
    stop="tool_use",
    usage=Usage(input=100, output=20, cached=5),
    money=0.25,
    currency="USD",
    seconds=1.5,
)
LEFT = LeftOutLine(reader="a", place="Links", codes={"quote-not-found": 2})
ROUND = RoundLine(
    round=0,
    difference=Difference(anchors=1, edges=0),
    strict=Difference(anchors=2, edges=0),
    disputes=1,
    edges_agreed=3,
    kinds={"requirement": KindFigures(agreed=4, only_a=1)},
)
END = End(at="2026-11-30T09:01:00Z", exit_code=3)
LINES: tuple[BookLine, ...] = (CALL, LEFT, ROUND, END)


def start(at: str = "2026-11-30T09:00:00Z", spec: str = "specs/links.md") -> Start:
    readers = tuple(Reading(reader=name, provider="anthropic", model=f"model-{name}") for name in "ab")
    return Start(at=at, command="compile", spec=spec, readers=readers)


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    return instance_in(tmp_path)


def instance_in(root: Path) -> Instance:
    able = Capabilities(manages_tracker=True, writes_cards=True, renders=True, schema_="own")
    reader = ReaderConfig(provider="lexicon", model="lexicon")
    config = Config(
        project="p",
        teams=(Team(id="t", name="T", capabilities=able),),
        default_team="t",
        readers=Readers(a=reader, b=reader),
    )
    return Instance(root, config, "")


def write(instance: Instance, *lines: BookLine, first: Start | None = None) -> Path:
    """A record with these lines; its file."""
    book = Book(instance.state_dir, first or start())
    for line in lines:
        book.write(line)
    assert book.path is not None
    return book.path


def problems(instance: Instance) -> list[tuple[str, str]]:
    return [(problem.code, str(problem.where)) for problem in load_books(instance).problems]


def test_an_instance_without_records_has_none(instance: Instance) -> None:
    found = load_books(instance)
    assert (found.kept, found.problems) == ((), ())


def test_a_record_comes_back_as_it_was_written(instance: Instance) -> None:
    path = write(instance, *LINES)
    (book,) = load_books(instance).kept
    assert (book.id, book.start, book.end, book.at) == (path.stem, start(), END, "2026-11-30T09:00:00Z")
    assert (book.calls, book.left_out, book.rounds) == ([CALL], [LEFT], [ROUND])
    assert problems(instance) == []


def test_a_command_that_writes_nothing_leaves_no_record(instance: Instance) -> None:
    Book(instance.state_dir, start())
    assert not instance.state_dir.exists()


def test_records_are_sorted_by_their_start(instance: Instance) -> None:
    for at in ("2026-12-01T00:00:00Z", "2026-11-30T23:59:59Z", "2026-12-01T00:00:00Z"):
        write(instance, END, first=start(at))
    kept = load_books(instance).kept
    assert [book.at for book in kept] == ["2026-11-30T23:59:59Z", "2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z"]
    assert kept[1].id + "-1" == kept[2].id


@given(cut=st.integers(min_value=0))
@settings(max_examples=60)
def test_a_record_cut_anywhere_keeps_every_whole_line(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    instance = instance_in(tmp_path_factory.mktemp("cut"))
    path = write(instance, *LINES)
    whole = path.read_bytes()
    left = whole[: cut % (len(whole) + 1)]
    path.write_bytes(left)
    found = load_books(instance)
    books = found.kept
    ends = [number for number in range(len(whole)) if whole[number : number + 1] == b"\n"]
    # A line that lacks only its newline is whole.
    lines = sum(len(left) >= end for end in ends)
    there = sum(len([book.start] * (book.start is not None)) + len(book.calls) for book in books)
    there += sum(len(book.left_out) + len(book.rounds) + (book.end is not None) for book in books)
    assert there == lines
    torn = bool(left) and not left.endswith(b"\n") and len(left) not in ends
    assert [problem.code for problem in found.problems] == ["torn-line"] * torn


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"line": "cal"}',
        b'{"line": []}',
        b'{"line": "end", "at": "yesterday", "exit_code": 0}',
        b'{"line": "end", "at": "2026-11-30T09:00:00Z", "exit_code": 0, "more": 1}',
        json.dumps(CALL.to_data() | {"money": -1}).encode(),
        json.dumps(CALL.to_data() | {"seconds": float("nan")}).encode(),
        json.dumps(start().to_data()).encode(),
    ],
)
def test_a_broken_line_is_said_and_hides_nothing_else(instance: Instance, line: bytes) -> None:
    other = write(instance, END)
    path = write(instance, *LINES)
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:2], line, *lines[2:]]))
    kept = load_books(instance).kept
    assert [book.id for book in kept] == [other.stem, path.stem]
    assert (kept[1].start, kept[1].calls, kept[1].rounds, kept[1].end) == (start(), [CALL], [ROUND], END)
    assert problems(instance) == [("broken-line", f".isopod/{FOLDER}/{path.name}:3")]


def test_without_its_first_line_the_calls_are_still_there(instance: Instance) -> None:
    path = write(instance, *LINES)
    path.write_bytes(b"<<<<<<<" + path.read_bytes())
    (book,) = load_books(instance).kept
    assert (book.start, book.at, book.calls) == (None, CALL.at, [CALL])
    assert problems(instance) == [("broken-line", f".isopod/{FOLDER}/{path.name}:1")]


def test_what_is_no_record_is_passed_by_or_said(instance: Instance) -> None:
    path = write(instance, END)
    (path.parent / "notes.txt").write_text("x", encoding="utf-8")
    (path.parent / "copy of a record.jsonl").write_text("x", encoding="utf-8")
    (path.parent / "20261130T090000Z-1-7.jsonl").mkdir()
    (path.parent / "20261130T090000Z-1-8.jsonl").touch()
    assert [book.id for book in load_books(instance).kept] == [path.stem]
    assert problems(instance) == [("not-a-file", f".isopod/{FOLDER}/20261130T090000Z-1-7.jsonl")]


def test_a_folder_that_cannot_be_listed_is_no_empty_one(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    write(instance, END)
    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(OutsideError, match="Permission denied"):
        load_books(instance)
