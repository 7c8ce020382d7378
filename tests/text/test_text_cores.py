"""Cores: one reader's full stop is harmless, and what is left is never nothing and never half a character."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from text.cores import core, extends

PIECES = st.sampled_from(
    [
        "a",
        "B1",
        "가",
        "漢",
        "e\u0301",
        "👩\u200d💻",
        "👍🏽",
        " ",
        "\n",
        "\u3000",
        "\u200b",
        "\ufeff",
        "**",
        "*",
        "_",
        "`",
        "~~",
        "|",
        ".",
        ",",
        "。",
        "！",
        "；",
        "?",
        ":",
        "- ",
        "+ ",
        "1. ",
        "12) ",
        "• ",
        "\u0301",
        "\ufe0f",
        "(",
        ")",
        '"',
    ]
)
TEXTS = st.lists(PIECES, min_size=1, max_size=14).map("".join)


def cored(text: str) -> str:
    start, end = core(text, (0, len(text)))
    return text[start:end]


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.data())
def test_a_core_lies_inside_its_span_and_is_never_empty(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    first, last = core(text, (start, end))
    assert start <= first < last <= end


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_the_core_of_a_core_is_itself(text: str) -> None:
    span = core(text, (0, len(text)))
    assert core(text, span) == span


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.sampled_from([".", "。", "!", "！", ";", ":", "．", " .", "**.", "`.", ". ", "\u200b", "?\n"]))
def test_a_stop_or_a_mark_at_the_end_changes_nothing(rest: str, tail: str) -> None:
    text = f"a{rest}a"
    assert core(text + tail, (0, len(text + tail))) == core(text, (0, len(text)))


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_a_grapheme_cluster_is_never_cut(text: str) -> None:
    start, end = core(text, (0, len(text)))
    assert start == 0 or not extends(text[start])
    assert end == len(text) or not extends(text[end])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("A code is short.", "A code is short"),
        ("- **A code** is short;", "A code** is short"),
        ("알림을 보낸다。", "알림을 보낸다"),
        ("必须返回。！", "必须返回"),
        ("｡終わる｡", "｡終わる"),
        ("| owner | 15 minutes |", "owner | 15 minutes"),
        ("1. Codes are random", "Codes are random"),
        ("at most 5.", "at most 5"),
        ("in version 2.0", "in version 2.0"),
        ("-5 degrees", "-5 degrees"),
        ("`code`", "code"),
        ("...", "..."),
        ("**", "**"),
        ("\u200b\ufeffa", "a"),
        ("e\u0301.", "e\u0301"),
        ("(a)", "(a)"),
    ],
)
def test_cores_of_usual_quotes(text: str, wanted: str) -> None:
    assert cored(text) == wanted


def test_a_core_looks_at_nothing_outside_its_span() -> None:
    text = "x - a. y"
    assert core(text, (2, 6)) == (4, 5)
    assert core(text, (0, len(text))) == (0, len(text))
