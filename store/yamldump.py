"""YAML out: the one canonical dumper (DESIGN.md section 10).

Keys in the order given, UTF-8 as it is, nothing folded, `|` for text of several lines. Maps and lists of scalars stand
on one line where they fit, everything else in block style. Text stands without quotes only where no YAML 1.1 or 1.2
reader could see anything but text.
"""

from __future__ import annotations

import math
import re
from typing import Any

from schemas.errors import RefusedError

MAX_DEPTH = 64
"""Maps and lists inside each other: more is refused, when read and when written."""

_WIDTH = 120
_LONG_KEY = 500  # a key of more than 1,024 characters cannot stand before `: `
_WORD = r"\w(?:[\w./-]*\w)?"
# At most two words: what is a name or an id stands plain, what is prose stands in quotes.
_PLAIN = re.compile(rf"(?:\.(?=[^\W\d_]))?{_WORD}(?::{_WORD})*(?: {_WORD}(?::{_WORD})*)?\Z")
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", ".inf", ".nan"))
_NUMBER = re.compile(
    r"(?:0b[01_]+|0o[0-7_]+|0x[0-9a-f_]+|[0-9][0-9_]*(?::[0-9_]+)*(?:\.[0-9_]*)?(?:e[-+]?[0-9_]+)?)\Z|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}",
    re.IGNORECASE | re.ASCII,
)
# Controls, line ends that only some readers know, BOM, marks that turn the direction of text round, noncharacters.
_SPECIAL = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff"
_ESCAPED = re.compile(f'[{_SPECIAL}\\\\"\t\n]')
_NOT_LITERAL = re.compile(f"[{_SPECIAL}]|[ \t](?:\n|\\Z)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SHORT = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\n": "\\n", "\r": "\\r", "\x00": "\\0"}


def dump(data: Any) -> str:
    """The text of a YAML file that holds `data`: dicts with text keys, lists, tuples, str, int, float, bool, None.

    `yamlio.load(dump(data)) == data`. Raises RefusedError `cannot-write` for lone surrogates, NaN, infinity and
    nesting deeper than MAX_DEPTH; TypeError for values that are not plain data.
    """
    _refuse_deep(data, 0)
    return "\n".join(_block(data, 0)) + "\n"


def quote(text: str) -> str:
    """`text` in double quotes, with escapes where a reader could go wrong."""
    if _SURROGATE.search(text):
        raise RefusedError("cannot-write", f"a lone surrogate cannot be written as UTF-8: {text!r}")
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def is_plain(text: str) -> bool:
    """Whether every reader reads these words as text when they stand without quotes."""
    return bool(_PLAIN.match(text)) and not _NUMBER.match(text) and text.casefold() not in _WORDS


def is_literal(text: str) -> bool:
    """Whether text stands as a `|` block: it has lines, and nothing that an editor strips or a reader changes."""
    return (
        "\n" in text.rstrip("\n")
        and not text[0].isspace()
        and not text.endswith("\n\n")
        and not _NOT_LITERAL.search(text)
    )


def _escape(found: re.Match[str]) -> str:
    char = found.group()
    code = ord(char)
    return _SHORT.get(char) or (f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}")


def _refuse_deep(value: Any, depth: int) -> None:
    if isinstance(value, dict | list | tuple):
        if depth == MAX_DEPTH:
            raise RefusedError("cannot-write", f"nested deeper than {MAX_DEPTH} levels")
        for item in value.values() if isinstance(value, dict) else value:
            _refuse_deep(item, depth + 1)


def _block(value: Any, indent: int) -> list[str]:
    """The lines of a value that has lines of its own, each with `indent` spaces before it."""
    space = " " * indent
    lines: list[str] = []
    if isinstance(value, dict) and value:
        for key, item in value.items():
            lines += _entry(key, item, indent)
    elif isinstance(value, list | tuple) and value:
        for item in value:
            inner = _item(item, indent)
            lines += [f"{space}- {inner[0][indent + 2 :]}", *inner[1:]]
    else:
        lines += (space + _scalar(value, indent + 2)).split("\n")
    return lines


def _item(item: Any, indent: int) -> list[str]:
    """The lines of a list's item, indented as if its dash were two spaces."""
    line = one_line(item, indent + 2)
    if line is not None:
        return [" " * (indent + 2) + line]
    if isinstance(item, str):
        return (" " * (indent + 2) + _scalar(item, indent + 2)).split("\n")
    return _block(item, indent + 2)


def _entry(key: Any, item: Any, indent: int) -> list[str]:
    if not isinstance(key, str):
        raise TypeError(f"a key must be text, not {key!r}")
    written = _flow(key)
    head = " " * indent + (f"? {written}\n{' ' * indent}:" if len(written) > _LONG_KEY else f"{written}:")
    line = one_line(item, indent + len(written) + 2)
    if line is not None:
        return f"{head} {line}".split("\n")
    if isinstance(item, str):
        return f"{head} {_scalar(item, indent + 2)}".split("\n")
    return [*head.split("\n"), *_block(item, indent + 2)]


def one_line(value: Any, column: int) -> str | None:
    """The value on one line from `column`; None for a `|` block, what holds maps or lists that hold something, what
    does not fit.
    """
    if isinstance(value, str):
        return None if is_literal(value) else _flow(value)
    if isinstance(value, dict):
        if any(isinstance(item, dict) and item for item in value.values()):
            return None
        if not all(_is_leaf(item) for item in value.values()):
            return None
    elif isinstance(value, list | tuple):
        if not _is_leaf(value):
            return None
    else:
        return _flow(value)
    line = _flow(value)
    return line if not value or column + len(line) <= _WIDTH else None


def _is_leaf(value: Any) -> bool:
    """A scalar on one line, something empty, or a list of such scalars."""
    if isinstance(value, list | tuple):
        return all(not item if isinstance(item, dict | list | tuple) else _is_leaf(item) for item in value)
    if isinstance(value, dict):
        return not value
    return not (isinstance(value, str) and is_literal(value))


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, str):
        return str(value) if is_plain(value) else quote(value)
    return _scalar(value, 0)


def _scalar(value: Any, indent: int) -> str:
    """One scalar; text of several lines as a block whose lines stand at `indent`."""
    if isinstance(value, str):
        if not is_literal(value):
            return _flow(value)
        body = "\n".join(" " * indent + line if line else "" for line in value.removesuffix("\n").split("\n"))
        return f"|{'' if value.endswith(chr(10)) else '-'}\n{body}"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            raise RefusedError("cannot-write", f"{value} is not a number that a file can hold")
        # YAML 1.1 reads 1e+16 as text: a number with an exponent needs its point.
        digits, exponent, power = repr(float(value)).partition("e")
        return (digits if "." in digits or not exponent else digits + ".0") + exponent + power
    if isinstance(value, dict | list | tuple):
        return _flow(value)
    raise TypeError(f"not plain data: {value!r}")
