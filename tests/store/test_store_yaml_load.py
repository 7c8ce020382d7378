"""The strict YAML reader: what it reads, what it refuses and where it says that stands."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import RefusedError
from store.yamlio import decode, load, load_bytes, positions

PLAIN = {
    "null": None,
    "true": True,
    "false": False,
    "0": 0,
    "-12": -12,
    "1.5": 1.5,
    "-1.5e-3": -0.0015,
    # Words that some reader takes for something else stay text.
    "yes": "yes",
    "No": "No",
    "on": "on",
    "y": "y",
    "017": "017",
    "0o17": "0o17",
    "0x1F": "0x1F",
    "0b1": "0b1",
    "1_000": "1_000",
    "1:30": "1:30",
    "190:20:30.15": "190:20:30.15",
    "+1": "+1",
    ".5": ".5",
    "1.": "1.",
    "2026-01-01": "2026-01-01",
    "2026-11-30T09:00:00Z": "2026-11-30T09:00:00Z",
    "=": "=",
    "2026-Q4": "2026-Q4",
    "\uff11\uff12": "\uff11\uff12",
}


@pytest.mark.parametrize("written", PLAIN)
def test_a_plain_word_means_what_every_reader_agrees_on_or_itself(written: str) -> None:
    value = load(f"key: {written}\n", "f")["key"]
    assert value == PLAIN[written]
    assert type(value) is type(PLAIN[written])


REFUSED = {
    "a duplicate key": ("a: 1\nb:\n  c: 1\n  c: 2\n", 4, 3),
    "a duplicate key in braces": ("a: {b: 1, b: 2}\n", 1, 11),
    "an anchor": ("a: 1\nb: &x 1\n", 2, 4),
    "an anchor on a map": ("a: &x {b: 1}\n", 1, 4),
    "an alias": ("a: *x\n", 1, 4),
    "a tag": ("a: !!python/object:os.system x\n", 1, 4),
    "a tag on a list": ("a: !!set [x]\n", 1, 4),
    "the tag that says text": ("a: ! x\n", 1, 4),
    "a merge key": ("a:\n  <<: {b: 1}\n", 2, 3),
    "a second document": ("a: 1\n---\nb: 1\n", 2, 1),
    "a directive": ("%YAML 1.1\n---\na: 1\n", 1, 1),
    "a number as a key": ("1: a\n", 1, 1),
    "null as a key": ("null: a\n", 1, 1),
    "a list as a key": ("? [a]\n: b\n", 1, 3),
    "a tilde": ("a: ~\n", 1, 4),
    "True in capitals": ("a: TRUE\n", 1, 4),
    "not a number": ("a: .NaN\n", 1, 4),
    "infinity": ("a: -.inf\n", 1, 4),
    "a number beyond all bounds": ("a: 1e999\n", 1, 4),
    "a number of a million digits": ("a: " + "9" * 1_000_000 + "\n", 1, 4),
    "a list that never ends": ("[" * 200, 1, 65),
    "maps without end": ("".join("  " * depth + "a:\n" for depth in range(80)), 65, 129),
    "a tab as indentation": ("a:\n\tb: 1\n", 2, 1),
    "an open quote": ('a: 1\nb: "cut off\n', 3, 1),
    "two colons": ("a: b: c\n", 1, 5),
    "a surrogate written out": ('a: "\\ud800"\n', 1, 7),
    "a control character": ("a: 1\nb: x\x07y\n", 2, 5),
    "a line end that only YAML 1.1 knows": ("a: x\u2028y\n", 1, 5),
    "an old Mac line end": ("a: 1\rb: 2\n", 1, 5),
    "a BOM in the middle": ("a: x\ufeff\n", 1, 5),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_its_place(name: str) -> None:
    text, line, column = REFUSED[name]
    with pytest.raises(RefusedError) as refused:
        load(text, "cards/x.yaml")
    assert refused.value.code == "invalid-yaml"
    assert str(refused.value.where) == f"cards/x.yaml:{line}:{column}"


def test_the_lines_of_merge_markers_are_named() -> None:
    text = "a: 1\n<<<<<<< HEAD\nb: 1\n||||||| base\n=======\nb: 2\n>>>>>>> other\n"
    with pytest.raises(RefusedError) as refused:
        load(text.replace("\n", "\r\n"), "cards/x.yaml", first_line=10)
    assert refused.value.code == "merge-conflict"
    assert "11, 13, 14, 16" in refused.value.message
    assert str(refused.value.where) == "cards/x.yaml:11:1"


def test_what_only_looks_like_a_marker_is_text() -> None:
    assert load("a: |\n  =======\n  <<<<<<< x\nb: '======='\n", "f") == {"a": "=======\n<<<<<<< x\n", "b": "======="}


def test_places_count_from_the_first_line_that_is_given() -> None:
    with pytest.raises(RefusedError) as refused:
        load("a: 1\na: 2\n", "spec.md", first_line=5)
    assert str(refused.value.where) == "spec.md:6:1"


def test_empty_values_and_empty_files_are_null() -> None:
    assert load("", "f") is None
    assert load("# only a comment\n", "f") is None
    assert load("a:\nb: 1\n", "f") == {"a": None, "b": 1}


def test_a_bom_and_windows_line_ends_change_nothing() -> None:
    text = "a: |\n  one\n  two\nb: [1, 2]\n"
    assert load_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(), "f") == load(text, "f")


def test_bytes_that_are_no_text_are_refused_with_their_offset() -> None:
    with pytest.raises(RefusedError, match="0xff at offset 5") as refused:
        decode(b"a: 1\n\xff", "cards/x.yaml")
    assert (refused.value.code, str(refused.value.where)) == ("invalid-encoding", "cards/x.yaml:2")


@given(st.text(alphabet="abc:-[]{}#&*!|>'\"%@`?, \t\n\r\\0123<=~\u2028\x85\ufeff\ud800 é", max_size=40))
@settings(max_examples=200)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        load(text, "f")
    except RefusedError as error:
        assert error.where is not None
        assert error.where.line is not None
        assert 1 <= error.where.line <= text.count("\n") + 1


def test_positions_are_those_of_the_values() -> None:
    text = "\ufefftitle: é ü\nlist:\n  - card: A\n    why: [x, {y: z}]\n  - card: B\n"
    where = positions(text)
    lines = text.removeprefix("\ufeff").split("\n")
    places = {
        ("title",): "é ü",
        ("list", 0, "card"): "A",
        ("list", 0, "why"): "[x",
        ("list", 0, "why", 0): "x",
        ("list", 0, "why", 1): "{y",
        ("list", 0, "why", 1, "y"): "z",
        ("list", 1): "card: B",
        ("list", 1, "card"): "B",
    }
    for path, start in places.items():
        line, column = where[path]
        assert lines[line - 1][column - 1 :].startswith(start), path


def test_a_missing_key_is_placed_at_what_should_hold_it() -> None:
    where = positions("a:\n  b: 1\nc: 2\n")
    assert where.nearest(("a", "missing")) == (2, 3)
    assert where.nearest(("a", "union-member", "b")) == (2, 6)
    assert where.nearest(()) == (1, 1)
    assert str(where.place("f", ("c",))) == "f:3:4"


def test_positions_of_a_broken_text_are_those_before_the_break() -> None:
    assert positions("a: 1\nb: [1\n")["a",] == (1, 4)
