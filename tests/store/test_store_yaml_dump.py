"""The canonical dumper: what it writes loads equal everywhere, and looks as FORMATS.md shows it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from schemas.errors import RefusedError
from store.yamlio import dump, load

NASTY = [
    "", " ", "yes", "No", "y", "~", "null", "True", "1_000", "0o7", "017", "0x1F", "0b1", "1:30", "1:30:45.5", "2026-01-01",
    "2026-11-30T09:00:00Z", "2001-1-1 1:1:1", "- a", "-", "#", "a #b", ": ", "a:", "a: b", "=", "<<", "<<<<<<< HEAD", "=======",
    "trailing ", "trailing\t", " leading", "\ttab", "a\tb", "\u2028", "a\u2029b", "\x85", "\x00", "\x1b[31m", "\x7f", "\ufeff",
    "\ufeffbom", "a\r\nb", "a\rb", "a\nb", "a\nb\n", "a\n\nb\n\n", "\n", "\n\n", "\na", "a\n b\n", " a\nb", "a \nb", "a\n\tb",
    "# a\n# b", "a\n# b\n", "---", "...", "---\na", "a\n---\nb", "%a", "@a", "`a`", "&a", "*a", "!a", "!!a", "|", ">", "|-\na", "'a'",
    '"a"', "\\", "\\n", "{a}", "[a]", "a, b", "a]b", "?", "? a", "1e3", "1e+3", ".5", "5.", "-.inf", ".nan", "+1", "-1", "1,000",
    "\U0001f600", "\U0001f468\u200d\U0001f469", "한글 알림", "日本語", "\u202eabc", "\u00a0", "é", "e\u0301", "\ufffe", "\uffff", "a:b",
    "a:1", "12:a",
    "sha256:00ff", "STY-7Q4M2K9X", "12e5", "3d", "1.2.3", "x" * 1500, "a\n" + "x" * 300, ".isopod", "\u0660", "１２", "a/b.c-d_e",
]  # fmt: skip
texts = st.sampled_from(NASTY) | st.text(max_size=20) | st.text(alphabet="a :-#\n\t'\"\\ ,[]{}0", max_size=12)
scalars = (
    texts
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([1e16, 1e-7, -0.0, 1e22, 123456789.125])
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)


def same(one: Any, other: Any) -> bool:
    """Equal, and of equal types all the way down: True is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


@given(values)
@settings(max_examples=200, deadline=None)
@example({text: text for text in NASTY})
@example(NASTY)
@example([[text] for text in NASTY])
@example([{"a": text, "b": [text, [text]]} for text in NASTY])
def test_what_is_written_loads_equal_here_and_in_every_other_reader(value: Any) -> None:
    try:
        text = dump(value)
    except RefusedError:
        assert any(0xD800 <= ord(char) <= 0xDFFF for char in repr(value).encode().decode("unicode-escape"))
        return
    assert text.endswith("\n")
    assert same(load(text, "f"), value)
    assert same(yaml.load(text, yaml.CSafeLoader), value)
    assert same(yaml.load(text, yaml.SafeLoader), value)
    assert same(YAML(typ="safe", pure=True).load(text), value)
    assert same(load(text.replace("\n", "\r\n"), "f"), value)
    assert dump(load(text, "f")) == text


@given(values)
@settings(max_examples=100)
def test_written_text_holds_no_character_that_a_terminal_or_editor_would_act_on(value: Any) -> None:
    try:
        text = dump(value)
    except RefusedError:
        return
    assert not any(char < " " and char != "\n" for char in text if char != "\t")
    assert not {"\x7f", "\x85", "\u2028", "\u2029", "\ufeff", "\u202e"} & set(text)
    assert not any(line != line.rstrip() for line in text.split("\n"))


def test_the_look_of_a_card() -> None:
    text = """\
schema: isopod.card/1
id: STY-7Q4M2K9X
title: "Expiry: Owners can renew a link before it expires, which starts a new period of 30 days"
anchors: [ANC-7Q4M2K9X, ANC-V0C3TNQ1]
heuristic: false
acceptance:
  - {id: A1, text: "하루 2만 건을 보낸다.", anchors: [ANC-7Q4M2K9X], tightens: null}
  - id: A2
    text: "A text that is so long that it does not fit beside its anchors on one line, so that it gets a line of its own."
    anchors: []
depends_on:
  - card: GAT-M1X9QE7B
    because:
      - {edge: blocked_by, from: ANC-V0C3TNQ1, to: ANC-M1X9QE7B, cue: "cannot ship before that"}
      - {person: Mina, text: "waits \\U0001F600"}
    seen: sha256:00
    scope: all
related: []
due: null
gate: {waits_for: answer, answer: null}
notes: |
  Two lines,

  and one between.
""".replace("\\U0001F600", "\U0001f600")
    assert dump(load(text, "f")) == text


def test_tuples_are_lists() -> None:
    assert dump({"a": ("b", "c")}) == "a: [b, c]\n"


@pytest.mark.parametrize("value", ["\ud800", {"a": ["x\udfff"]}, {"\ud800": 1}, float("nan"), [float("inf")]])
def test_what_no_file_can_hold_is_refused(value: Any) -> None:
    with pytest.raises(RefusedError) as refused:
        dump(value)
    assert refused.value.code == "cannot-write"


def test_the_deepest_that_can_be_written_can_be_read() -> None:
    value: Any = "x"
    for _ in range(64):
        value = [value]
    assert load(dump(value), "f") == value
    with pytest.raises(RefusedError):
        dump([value])


def test_what_is_not_plain_data_is_a_bug() -> None:
    for value in (object(), {1: "a"}, b"bytes"):
        with pytest.raises(TypeError):
            dump(value)
