"""YAML in, quickly: what our own dumper writes, in half the time that the C parser takes.

Only a small part of YAML is known here, in which no two readers differ. Whatever else a text holds (another indentation,
comments, rare escapes, odd numbers, a key twice) it is `NOT_OURS`, and the strict reader (`store.yamlload`) has it: that one
alone says what is wrong with a file.
"""

from __future__ import annotations

import re
from typing import Any, Final

NOT_OURS: Final = object()
"""What `read` gives for a text that it does not know."""

_WORD = r"\w(?:[\w./:-]*\w)?"
_TEXT = rf"{_WORD}(?: {_WORD})*"  # no mark of YAML among it, no two spaces, no colon at its end
_QUOTED = r'"[^"\\]*(?:\\["\\nt][^"\\]*)*"'
_LEAF = rf"(?:{_QUOTED}|{_TEXT})"
_LIST = rf"\[(?:{_LEAF}(?:, {_LEAF})*)?\]"
_KEY = r"[A-Za-z_][A-Za-z_0-9]{0,99}"
_PAIR = rf"{_KEY}: (?:{_LEAF}|{_LIST})"

# One line: indentation, dash, then a key with its value, or a value alone.
_LINES = re.compile(rf"( *)(- )?(?:({_KEY}):(?: ([^\n]+))?|([^\n]+))?\n")
_PLAIN = re.compile(rf"{_TEXT}\Z")
_ONE_QUOTED = re.compile(rf"{_QUOTED}\Z")
_ONE_LIST = re.compile(rf"{_LIST}\Z")
_ONE_MAP = re.compile(rf"\{{{_PAIR}(?:, {_PAIR})*\}}\Z")
_LEAVES = re.compile(_LEAF)
_PAIRS = re.compile(rf"({_KEY}): ({_LEAF}|{_LIST})")

_DEEPEST = 20
_VALUES: Final[dict[str, Any]] = {"null": None, "true": True, "false": False}
_UNSURE: Final = frozenset(("Null", "NULL", "True", "TRUE", "False", "FALSE"))
_NO_KEYS: Final = _UNSURE | _VALUES.keys()
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED: Final = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
_NUMBER = re.compile(r"(?:0|[1-9][0-9]{0,17})\Z")
_LIKE_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]|[eE]|\Z)")


class _NotOursError(Exception):
    """The text is more than this module knows."""


def read(text: str) -> Any:
    """The data of a text as `yamldump.dump` writes it: exactly what `yamlload.load` gives, or NOT_OURS.

    The caller has made sure that no character stands in the text that YAML does not know.
    """
    if "\r" in text or not text.endswith("\n"):
        return NOT_OURS
    try:
        return _Reader(text).read()
    except _NotOursError:
        return NOT_OURS


class _Reader:
    """One reading, line by line. `around` are the maps and lists that stand around the current one, with their columns."""

    def __init__(self, text: str) -> None:
        while text.startswith("#"):  # the line that tells editors where the schema is
            text = text[text.index("\n") + 1 :]
        self.lines: list[tuple[str, str, str, str, str]] = _LINES.findall(text)
        self.at = 0

    def read(self) -> dict[str, Any]:
        lines, count = self.lines, len(self.lines)
        root: dict[str, Any] = {}
        current: Any = root
        column = 0
        around: list[tuple[Any, int]] = []
        opened: str | None = None  # the key of `current` whose map or list stands on the lines that follow
        while self.at < count:
            space, dash, key, value, alone = lines[self.at]
            self.at += 1
            width = len(space)
            if opened is not None:
                inner: Any = [] if dash else {}
                current[opened] = inner
                around.append((current, column))
                if len(around) > _DEEPEST:
                    raise _NotOursError
                current, column, opened = inner, column + 2, None
            else:
                while width < column and around:
                    current, column = around.pop()
            if width != column or (current.__class__ is list) is not bool(dash):
                raise _NotOursError
            if dash:
                if alone:
                    current.append(_value(alone))
                    continue
                around.append((current, column))
                current.append({})
                current, column = current[-1], column + 2
            if not key or key in current or key in _NO_KEYS:
                raise _NotOursError
            if not value:
                opened = key
            elif value[0] == "|":
                current[key] = self._literal(value, column + 2)
            else:
                current[key] = _value(value)
        if opened is not None or not root:
            raise _NotOursError
        return root

    def _literal(self, mark: str, column: int) -> str:
        """The lines of a `|` block, which stand at `column` or deeper."""
        body: list[str] = []
        while self.at < len(self.lines):
            space, dash, key, value, alone = line = self.lines[self.at]
            if any(line) and len(space) < column:
                break
            if space and not any(line[1:]):
                raise _NotOursError  # a line of nothing but spaces
            body.append(space[column:] + dash + (f"{key}: {value}" if value else f"{key}:" if key else alone))
            self.at += 1
        if mark not in ("|", "|-") or not body or not body[0] or body[0][0].isspace() or not body[-1]:
            raise _NotOursError
        return "\n".join(body) + ("\n" if mark == "|" else "")


def _value(text: str) -> Any:
    """A scalar, a list of scalars or a map of both, on one line."""
    first = text[0]
    if first == '"':
        inner = text[1:-1]
        if '"' not in inner and "\\" not in inner and len(text) > 1 and text[-1] == '"':
            return inner
        if not _ONE_QUOTED.match(text):
            raise _NotOursError
        return _leaf(text)
    if first == "{":
        if text == "{}":
            return {}
        if not _ONE_MAP.match(text):
            raise _NotOursError
        pairs = _PAIRS.findall(text)
        found = {key: _list(leaf) if leaf[0] == "[" else _leaf(leaf) for key, leaf in pairs}
        if len(found) != len(pairs) or not found.keys().isdisjoint(_NO_KEYS):
            raise _NotOursError
        return found
    if first == "[":
        if not _ONE_LIST.match(text):
            raise _NotOursError
        return _list(text)
    if not _PLAIN.match(text):
        raise _NotOursError
    return _leaf(text)


def _list(text: str) -> list[Any]:
    return [_leaf(leaf) for leaf in _LEAVES.findall(text)]


def _leaf(text: str) -> Any:
    """A scalar that is known to be text in quotes or words without."""
    if text[0] == '"':
        inner = text[1:-1]
        return _ESCAPE.sub(lambda found: _ESCAPED[found[1]], inner) if "\\" in inner else inner
    if text in _VALUES:
        return _VALUES[text]
    if text in _UNSURE:
        raise _NotOursError
    if text[0] in "0123456789":
        if _NUMBER.match(text):
            return int(text)
        if _LIKE_NUMBER.match(text):
            raise _NotOursError
    return text
