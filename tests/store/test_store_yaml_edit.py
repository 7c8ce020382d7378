"""Editing a file in which a person left comments: none is lost, and the data is exactly what was asked for."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from store.yamlio import dump, edit_keeping_comments, has_comments, load

CARD = """\
# yaml-language-server: $schema=../docs/schemas/card.json
schema: isopod.card/1
id: STY-7Q4M2K9X
# the title was agreed on with legal
title: "Expiry: renew a link"   # not "extend"
state: drafted
acceptance:
  # the one that matters
  - {id: A1, text: "Owners can renew", anchors: [ANC-1], tightens: null}
  - {id: A2, text: "A link # 2 expires", anchors: []}   # second
depends_on:
  - card: GAT-M1X9QE7B   # ask Mina
    because:
      - {rule: D13, text: "waits"}
notes: |   # free text
  one # no comment
  two
# the end
"""


COMMENTS = (
    "# the title was agreed on with legal",
    '# not "extend"',
    "# the one that matters",
    "# second",
    "# ask Mina",
    "# free text",
    "# the end",
)


def held(text: str) -> None:
    """Every comment of CARD stands in `text`."""
    for comment in COMMENTS:
        assert comment in text, comment


def edited(**changes: Any) -> tuple[str, dict[str, Any]]:
    data = {**load(CARD, "f"), **changes}
    return edit_keeping_comments(CARD, data), data


def test_a_comment_is_what_a_person_left_and_nothing_else() -> None:
    assert has_comments(CARD)
    assert not has_comments("# yaml-language-server: $schema=x\na: '# no'\nb: \"# no\"\nc: |\n  # no\nd: a#no\n")
    assert has_comments("a: | # yes\n  x\n")
    assert has_comments("a: [1, # yes\n 2]\n")


def test_nothing_changes_when_the_data_is_the_same() -> None:
    text, data = edited()
    assert load(text, "f") == data
    assert text == CARD


def test_a_changed_value_leaves_everything_around_it() -> None:
    text, data = edited(state="planned", title="yes: a new\ntitle")
    assert load(text, "f") == data
    held(text)
    assert "state: planned\n" in text
    line = text.split("\n").index("# the title was agreed on with legal")
    assert text.split("\n")[line + 1].startswith("title:")


def test_items_move_with_their_comments() -> None:
    items = load(CARD, "f")["acceptance"]
    new = {"id": "A3", "text": "New: a line", "anchors": ["ANC-2"], "tightens": "A1"}
    text, data = edited(acceptance=[items[0], new, {**items[1], "text": "A link expires"}])
    assert load(text, "f") == data
    held(text)
    assert re.search(r"A link expires.*# second", text)
    assert '  - {id: A3, text: "New: a line", anchors: [ANC-2], tightens: A1}\n' in text


def test_the_comment_of_what_is_gone_moves_to_the_head() -> None:
    data = load(CARD, "f")
    del data["depends_on"]
    data["acceptance"] = []
    text = edit_keeping_comments(CARD, data)
    assert load(text, "f") == data
    held(text)
    assert text.startswith("# yaml-language-server: $schema=../docs/schemas/card.json\n")


def test_a_key_is_added_where_it_belongs() -> None:
    data = {}
    for key, value in load(CARD, "f").items():
        data[key] = value
        if key == "state":
            data["team"] = "growth"
    text = edit_keeping_comments(CARD, data)
    assert load(text, "f") == data
    assert "state: drafted\nteam: growth\nacceptance:" in text
    held(text)


def test_dates_and_other_words_stay_the_text_that_they_were() -> None:
    old = "# kept\ndue: 2026-01-31\nmilestone: 1_000\nat: 2026-01-01T00:00:00Z\nyes: on\n"
    data = {**load(old, "f"), "new": "2026-02-01"}
    text = edit_keeping_comments(old, data)
    assert load(text, "f") == data
    assert "# kept" in text


def test_a_root_that_is_no_map_keeps_its_comments_above_it() -> None:
    text = edit_keeping_comments("# why\n- a\n", {"b": 1})
    assert text == "# why\nb: 1\n"


keys = st.sampled_from(["id", "title", "list", "map", "note", "x y"])
scalars = st.none() | st.booleans() | st.integers(0, 99) | st.sampled_from(["yes", "a: b", "# no", "2026-01-01", "one\ntwo\n", "", "é"])
maps = st.dictionaries(
    keys,
    st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
        max_leaves=8,
    ),
    max_size=5,
)


def commented(text: str, numbers: list[int]) -> tuple[str, list[str]]:
    """The text with comments at the ends of lines and on lines of their own, and the comments."""
    lines, made = [], []
    in_block = -1
    for count, line in enumerate(text.split("\n")[:-1]):
        indent = len(line) - len(line.lstrip())
        if in_block >= 0 and (indent > in_block or not line):
            lines.append(line)
            continue
        in_block = indent if re.search(r"\|-?$", line) else -1
        number = numbers[count % len(numbers)] if numbers else 0
        if number == 1:
            made.append(f"# above {count}")
            lines.append(" " * indent + made[-1])
        if number == 2 and in_block < 0:
            made.append(f"# beside {count}")
            line += f"  {made[-1]}"
        lines.append(line)
    return "\n".join(lines) + "\n", made


@given(maps, maps, st.lists(st.integers(0, 2), max_size=6))
@settings(max_examples=200, deadline=None)
def test_no_comment_is_lost_and_the_data_is_exact(old: dict[str, Any], new: dict[str, Any], numbers: list[int]) -> None:
    text, made = commented(dump(old), numbers)
    after = edit_keeping_comments(text, new)
    assert json.dumps(load(after, "f"), sort_keys=True) == json.dumps(new, sort_keys=True)
    for comment in made:
        assert after.count(comment) >= 1
    assert has_comments(after) == bool(made)
