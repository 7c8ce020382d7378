"""Folded text: one form for identity, and always the way back to raw code points."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from text.folding import fold, folded

PIECES = st.sampled_from(
    [
        " ",
        "  ",
        "\t",
        "\n",
        "\r\n",
        "\u00a0",
        "\u3000",
        "\u2028",
        "\x0c",
        "a",
        "B",
        "1",
        "é",
        "e\u0301",
        "가",
        "\u1100\u1161",
        "각",
        "\u200b",
        "\ufeff",
        "\u00ad",
        "\u200d",
        "“",
        "”",
        "‘",
        "’",
        "–",
        "—",
        "…",
        "`",
        "**",
        "_",
        "~~",
        "👩\u200d💻",
        "ﬁ",
        "１",
        "ß",
        "\u0301",
        "\u11a8",
        "\u1161",
        "|",
        "-",
        "漢",
        "か\u3099",
        "x\u0323\u0307",
    ]
)
TEXTS = st.lists(PIECES, max_size=25).map("".join)


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert folded(folded(text).text).text == folded(text).text


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.booleans())
def test_every_folded_character_maps_back_inside_the_raw_text_and_in_order(text: str, markup: bool) -> None:
    result = folded(text, markup=markup)
    before = 0
    for place in range(len(result.text)):
        start, end = result.raw_span((place, place + 1))
        assert 0 <= start < end <= len(text)
        assert start >= before  # a character that became several (an ellipsis) brings its place for each of them
        before = start
    if result.text:
        assert result.raw_span((0, len(result.text)))[1] <= len(text)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.data())
def test_what_a_folded_span_stands_for_folds_to_it_again(text: str, data: st.DataObject) -> None:
    result = folded(text)
    if not result.text:
        return
    start = data.draw(st.integers(0, len(result.text) - 1))
    end = data.draw(st.integers(start + 1, len(result.text)))
    raw = result.raw_span((start, end))
    assert fold(result.text[start:end]) in fold(text[raw[0] : raw[1]])


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.data())
def test_a_window_holds_only_what_lies_inside_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    result = folded(text)
    first, last = result.folded_window((start, end))
    assert 0 <= first <= len(result.text)
    assert 0 <= last <= len(result.text)
    for place in range(first, last):
        raw = result.raw_span((place, place + 1))
        assert start <= raw[0] and raw[1] <= end


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_the_whole_text_is_a_window_of_everything(text: str) -> None:
    result = folded(text)
    assert result.folded_window((0, len(text))) == (0, len(result.text))


SPOKEN = st.text(st.sampled_from("ab1 가각é漢か."), max_size=30)


@settings(max_examples=150, deadline=None)
@given(SPOKEN)
def test_forms_of_one_text_fold_equal(text: str) -> None:
    wanted = fold(text)
    assert fold(unicodedata.normalize("NFD", text)) == wanted
    assert fold(text.replace(" ", "\r\n")) == wanted
    assert fold(text.replace(" ", " \n\t")) == wanted
    assert fold(text.replace(" ", "\u00a0")) == wanted
    assert fold("\u200b".join(text)) == wanted
    assert fold("\ufeff" + text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("“a” ‘b’ – c — d…", "\"a\" 'b' - c - d..."),
        ("a\u00a0b\u3000c", "a b c"),
        ("re\u00adquire", "require"),
        ("👩\u200d💻 ok", "👩\u200d💻 ok"),
        ("ABC", "ABC"),
        ("１ ﬁ", "１ ﬁ"),
        ("  a  ", "a"),
    ],
)
def test_what_is_plain_and_what_is_kept(text: str, wanted: str) -> None:
    assert fold(text) == wanted


@pytest.mark.parametrize(("one", "other"), [("A", "a"), ("5", "6"), ("must", "must not"), ("１", "1"), ("ﬁ", "fi")])
def test_case_digits_words_and_compatibility_forms_are_never_folded_away(one: str, other: str) -> None:
    assert fold(one) != fold(other)


def test_markup_is_dropped_only_when_asked_for_and_only_marks() -> None:
    text = "the **short** `code` of snake_case is ~5 * 3 and _thin_ ~~gone~~"
    assert folded(text, markup=True).text == "the short code of snake_case is ~5 * 3 and thin gone"
    assert folded(text).text == text


def test_the_raw_span_of_a_decomposed_syllable_is_all_of_it() -> None:
    text = unicodedata.normalize("NFD", "각")
    assert len(text) == 3
    assert folded(text).raw_span((0, 1)) == (0, 3)
