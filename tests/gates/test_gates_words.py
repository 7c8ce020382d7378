"""Messages show text that is not ours as text."""

from __future__ import annotations

import shlex
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from gates.words import command, escaped, listed, shown


def test_control_characters_and_bidi_marks_are_shown_not_sent() -> None:
    assert escaped("a\x1b[31mred\u202eb\x00") == "a\\x1b[31mred\\u202eb\\x00"


def test_a_joined_emoji_stays_one() -> None:
    assert escaped("👩\u200d💻") == "👩\u200d💻"


def test_a_long_text_is_cut() -> None:
    assert shown("word " * 50, 20) == '"word word word word…"'


def test_a_list_of_many_says_how_many() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed([str(number) for number in range(9)]) == "0, 1, 2, 3, 4 and 4 more"


@given(st.text(max_size=400))
def test_what_is_shown_is_one_short_line_that_acts_on_nothing(text: str) -> None:
    clean = shown(text)
    assert len(clean) <= 74
    assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in clean)
    assert "\n" not in clean


@given(st.lists(st.text(max_size=40), min_size=1, max_size=4))
def test_a_command_is_taken_apart_by_a_shell_as_it_was_put_together(words: list[str]) -> None:
    assert shlex.split(command(*words)) == [escaped(word) for word in words]
