"""The quick reader says what the strict one says, or nothing."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.errors import RefusedError
from store import yamlload, yamlquick
from store.yamldump import dump
from store.yamlquick import NOT_OURS

CARD = """\
# yaml-language-server: $schema=../docs/schemas/card.json
schema: isopod.card/1
id: STY-00XEA5NP
title: "Archive: copy each \\"open\\" visit\\\\n of lot 4.12"
due: null
heuristic: false
number: 12
decision: {}
anchors: [ANC-00XEA5NP, "a, b", ANC-W6CA0402]
related: []
acceptance:
  - id: A1
    text: "The archive must copy, after mailer step 4."
    anchors: [ANC-00XEA5NP]
    tightens: null
  - {id: A2, text: "Lot 4.12: no more than 40.", anchors: [ANC-W6CA0402], tightens: null, done: false}
depends_on:
  - card: REQ-GC9A1GZR
    because:
      - {edge: requires, from: ANC-00XEA5NP, to: ANC-GC9A1GZR, cue: "after mailer step 4"}
    seen: sha256:2b3dfed0c4f31bcc
names:
  - 제목 하나
  - "둘"
notes: |
  Asked for by support.

    - key: value
  key: value
last: |-
  one
  two
"""
WORDS = ("a", "A1", "null", "true", "True", "1", "01", "1.5", "1e3", "a:b", "a: b", "a #b", "가 나", "~", "x\ny\n", "x\n y",
         'q"t', "b\\s", "", " ", "a  b", "- x", "{", "[a]", "é", "y", "2026-12-01", "...", "---", "\u2028", "<<", "%")  # fmt: skip
PUT = ("", " ", "  ", "\n", "\n  ", "- ", ": ", ":", '"', "\\", "#", " #", ",", "[", "]", "{", "}", "|", ">", "&a ", "*a",
       "!!str ", "\t", "'", "null", "1", "0", "가", "\u0301", "a: ", "---\n", "<<: ")  # fmt: skip
leaves = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False),
                   st.sampled_from(WORDS), st.text(max_size=8))  # fmt: skip
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


def strictly(text: str) -> Any:
    """What the strict reader says, NOT_OURS when it refuses the text."""
    try:
        return yamlload._load_any(text, "x.yaml", 1, yamlload._FORBIDDEN.search(text))
    except RefusedError:
        return NOT_OURS


def agrees(text: str) -> bool:
    """Whether the quick reader holds its tongue or says what the strict one says, types and order of keys included."""
    if yamlload._FORBIDDEN.search(text):
        return True  # it is not asked
    quick = yamlquick.read(text)
    return quick is NOT_OURS or repr(quick) == repr(strictly(text))


def test_it_knows_what_the_program_writes() -> None:
    data = yamlquick.read(CARD)
    assert data is not NOT_OURS and data == strictly(CARD)
    assert data["title"] == 'Archive: copy each "open" visit\\n of lot 4.12'
    assert data["notes"] == "Asked for by support.\n\n  - key: value\nkey: value\n"
    assert yamlquick.read(dump(data)) == data


@settings(max_examples=200)
@given(st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=5), values, max_size=5))
def test_whatever_is_dumped(data: dict[str, Any]) -> None:
    try:
        text = dump(data)
    except RefusedError:
        return
    assert agrees(text)


@pytest.mark.parametrize("seed", range(40))
def test_whatever_becomes_of_a_file(seed: int) -> None:
    """Characters and lines put in, taken out, doubled and moved: what people and merges do to a file, and worse."""
    chance = random.Random(seed)
    for _ in range(100):
        text = CARD
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(text))
            to = min(len(text), at + chance.choice((0, 0, 1, 1, 2, 30)))
            put = chance.choice((*PUT, text[at:to] * 2))
            text = text[:at] + put + text[to:]
        assert agrees(text), text


@given(st.text(alphabet='ab1 :-\n"\\[]{},#|.', max_size=40))
@example("a:\n- b\n")
@example("a: b\n  c\n")
@example("a: |\n  b\n \n")
@example("a: 1\na: 2\n")
@example("a: {b: 1, b: 2}\n")
@example("a: [1, 00, 1.0, 1e5, -1]\n")
@example("null: a\n")
@example("a: {null: b}\n")
def test_any_text(text: str) -> None:
    assert agrees(text)
    assert agrees(text + "\n")
