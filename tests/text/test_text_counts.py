"""Counting what stands before a place: by looking through the text, and by its words."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from text.counts import Counts


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(["a", "ab", " ", "  ", "\n", "xyz", "."]), min_size=1, max_size=30), st.data())
def test_a_text_that_was_looked_through_often_gives_the_same_counts(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    counts = Counts(text)
    spans = st.tuples(st.integers(0, len(text) - 1), st.integers(1, len(text)))
    for start, size in data.draw(st.lists(spans, max_size=200)):
        span = (start, min(len(text), start + size))
        assert counts.before(span) == text.count(text[span[0] : span[1]], 0, span[0])


def test_a_place_whose_words_stand_once_is_the_first_however_often_one_asks() -> None:
    text = "the one rule\nthe other rule\nthe one more rule\n" * 50 + "the last odd rule"
    counts = Counts(text)
    for end in range(100, len(text) - 20):
        counts.before((end - 9, end))
    start = text.index("the last")
    assert counts.before((start, len(text))) == 0
    assert counts.before((start - 10, start - 1)) == text.count("more rule", 0, start - 10) == 49
