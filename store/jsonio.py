"""JSON in, strictly: what other programs or people hand over (runs, journals) is read by one function."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from schemas.errors import Place, RefusedError

MAX_BYTES = 10_000_000
MAX_DEPTH = 64

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_MAX_DIGITS = 1000
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class _Refused(Exception):  # noqa: N818 - never leaves this module
    """What the strict hooks of the parser found; its place is looked up afterwards."""


def load_json(data: bytes, source: str, *, limit: int = MAX_BYTES, depth: int = MAX_DEPTH) -> Any:
    """The value of a JSON file of at most `limit` bytes, nested at most `depth` levels. A leading UTF-8 BOM is dropped.

    Raises RefusedError: `too-large`, `invalid-encoding`, or `invalid-json` with line and column for wrong syntax, NaN,
    infinity, numbers without end, duplicate keys, lone surrogates and deep nesting.
    """
    if len(data) > limit:
        raise RefusedError("too-large", f"{len(data):,} bytes, at most {limit:,} are read", where=Place(source))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RefusedError(
            "invalid-encoding", f"not UTF-8: byte {data[error.start]:#04x} at offset {error.start}", where=Place(source)
        ) from None
    _refuse_depth(text, source, depth)
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite, parse_int=_bounded
        )
    except json.JSONDecodeError as error:
        _fail(f"{error.msg[0].lower()}{error.msg[1:]}".removesuffix(" at"), text, source, error.pos)
    except _Refused as found:
        _fail(str(found), text, source, _offset_of_refused(text))
    if _ESCAPED_SURROGATE.search(text):
        _refuse_surrogates(text, source)
    return value


def _fail(message: str, text: str, source: str, index: int) -> NoReturn:
    line, column = text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)
    raise RefusedError("invalid-json", message, where=Place(source, line, column)) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Refused(f"the key {twice!r} is there twice")
    return value


def _no_constant(word: str) -> NoReturn:
    raise _Refused(f"{word} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _Refused("a number that is too large")
    return number


def _bounded(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise _Refused(f"a number of {len(digits)} digits")
    return int(digits)


def _refuse_depth(text: str, source: str, depth: int) -> None:
    """Counted before the parser sees the text, whose recursion would end in an error of its own."""
    if text.count("[") + text.count("{") <= depth:
        return
    level = 0
    for token in _TOKEN.finditer(text):
        if token.group() in "[{":
            level += 1
            if level > depth:
                _fail(f"nested deeper than {depth} levels", text, source, token.start())
        elif token.group() in "]}":
            level -= 1


def _offset_of_refused(text: str) -> int:
    """Where the first duplicate key or refused number stands in a text that is JSON but for that."""
    around: list[set[str] | None] = []
    previous = ""
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word in "[{":
            around.append(set() if word == "{" else None)
        elif word in "]}":
            around.pop()
        elif word[0] == '"' and around and around[-1] is not None and previous in "{,":
            key = json.loads(word)
            if key in around[-1]:
                return token.start()
            around[-1].add(key)
        elif word[0] in "-0123456789NI" and _is_refused(word):
            return token.start()
        previous = word
    return 0


def _is_refused(word: str) -> bool:
    number = _NUMBER.match(word)
    if number is None:
        return word.lstrip("-").startswith(("NaN", "Infinity"))
    return number.end() > _MAX_DIGITS or math.isinf(float(number.group()))


def _refuse_surrogates(text: str, source: str) -> None:
    for token in _TOKEN.finditer(text):
        if token.group()[0] == '"' and _SURROGATE.search(json.loads(token.group())):
            _fail("a lone surrogate, which is no character", text, source, token.start())
