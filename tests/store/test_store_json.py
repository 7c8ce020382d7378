"""The strict JSON reader."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import RefusedError
from store.yamlio import load_json

REFUSED = {
    "cut off": (b'{"a": ', 1, 7),
    "a trailing comma": (b'{"a": 1,\n}', 2, 1),
    "NaN": (b'{"a": [1,\n NaN]}', 2, 2),
    "infinity": (b"[-Infinity]", 1, 2),
    "a number beyond all bounds": (b'{"a": "1e999", "b": 1e999}', 1, 21),
    "a number of many digits": (b"[" + b"9" * 5000 + b"]", 1, 2),
    "a duplicate key": (b'{"b": {"x": 1}, "c": [{"x": 1,\n "x": 2}]}', 2, 2),
    "a duplicate key written otherwise": (b'{"a": 1, "\\u0061": 2}', 1, 10),
    "a lone surrogate": (b'["a", "\\ud800"]', 1, 7),
    "a lone surrogate as a key": (b'{"\\udc00": 1}', 1, 2),
    "depth": (b"[" * 100_000, 1, 65),
    "nothing": (b"", 1, 1),
    "nonsense": (b"\x00" * 100, 1, 1),
    "two values": (b"1 2", 1, 3),
    "a raw line end in a text": (b'"a\nb"', 1, 3),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_its_place(name: str) -> None:
    data, line, column = REFUSED[name]
    with pytest.raises(RefusedError) as refused:
        load_json(data, "run.json")
    assert refused.value.code == "invalid-json"
    assert str(refused.value.where) == f"run.json:{line}:{column}"


def test_what_is_too_large_is_not_even_parsed() -> None:
    with pytest.raises(RefusedError) as refused:
        load_json(b"[" * 11, "run.json", limit=10)
    assert refused.value.code == "too-large"


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(RefusedError, match="offset 2") as refused:
        load_json(b'["\xff"]', "run.json")
    assert refused.value.code == "invalid-encoding"


def test_a_bom_is_dropped_and_pairs_of_surrogates_are_characters() -> None:
    assert load_json(b'\xef\xbb\xbf["\\ud83d\\ude00"]', "run.json") == ["\U0001f600"]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(values, st.booleans())
@settings(max_examples=200)
def test_json_is_read_as_it_was_written(value: object, ascii_only: bool) -> None:
    try:
        data = json.dumps(value, ensure_ascii=ascii_only).encode()
    except UnicodeEncodeError:
        return
    try:
        assert load_json(data, "f") == value
    except RefusedError as error:
        assert error.code == "invalid-json"
        assert "surrogate" in error.message


@given(st.text(alphabet='[]{}:,"\\u0ad8 1eEN-\n', max_size=30))
@settings(max_examples=200)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        load_json(text.encode(), "f")
    except RefusedError as error:
        assert error.where is not None
        assert error.where.line is not None
