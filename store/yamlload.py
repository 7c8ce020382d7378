"""YAML in: one strict reader on the C parser (DESIGN.md section 10).

What every YAML reader reads the same is read; where readers differ (dates, octals, sexagesimals, `yes`) the words stay
text, and what could hide something (duplicate keys, anchors, aliases, tags, merge keys, several documents) is refused
with its place.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

import yaml
from yaml._yaml import CParser
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from schemas.errors import Place, RefusedError
from store import yamlquick
from store.yamldump import MAX_DEPTH

LOADER_VERSION = 1
"""Goes up whenever a text is read as other data than before: what was parsed by another version is not used again."""

ValuePath = tuple[str | int, ...]
"""The place of a value in a file: keys of maps and indexes of lists, from the root."""

_BOM = "\ufeff"
_BOMS_16 = (b"\xff\xfe", b"\xfe\xff")
_WORDS: dict[str, Any] = {"null": None, "true": True, "false": False, "": None}
_UNSURE = re.compile(r"~|Null|NULL|True|TRUE|False|FALSE|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_INT = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z")
_MAX_DIGITS = 1000
_MARKER = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?:[ \r].*)?$", re.MULTILINE)
# Line ends that YAML 1.1 knows and 1.2 does not, controls, a BOM inside the text, surrogates: two readers would read
# two texts.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]|\r(?!\n)")
_HINTS = {
    "mapping values are not allowed in this context": "put the value in double quotes, it holds a colon and a space",
    "found character that cannot start any token": (
        "indent with spaces, not tabs; put a value that starts with @, ` or % in double quotes"
    ),
    "could not find expected ':'": "check the indentation of this line and the line before; text goes in double quotes",
    "did not find expected key": "check the indentation and the quotes of this line and the line before",
    "did not find expected ',' or ']'": "close the list with ]",
    "did not find expected ',' or '}'": "close the braces with }",
    "found unexpected end of stream": "close the quotes; the file may have been cut off",
}


def load(text: str, source: str, *, first_line: int = 1) -> Any:
    """The data of one YAML document: dicts with text keys, lists, str, int, float, bool, None (an empty document too).

    `source` names the file in errors and `first_line` is the line of the file on which `text` starts. A leading BOM is
    dropped. Raises RefusedError `merge-conflict` (naming the lines of the markers) or `invalid-yaml`, each with file,
    line and column.
    """
    text = text.removeprefix(_BOM)
    forbidden = _FORBIDDEN.search(text)
    ours = yamlquick.NOT_OURS if forbidden else yamlquick.read(text)
    return _load_any(text, source, first_line, forbidden) if ours is yamlquick.NOT_OURS else ours


def _load_any(text: str, source: str, first_line: int, forbidden: re.Match[str] | None) -> Any:
    """The data of a text that somebody else may have written."""

    def fail(message: str, index: int, fix: str | None = None) -> NoReturn:
        line, column = _place(text, index)
        raise RefusedError("invalid-yaml", message, where=Place(source, first_line - 1 + line, column), fix=fix)

    _refuse_markers(text, source, first_line)
    if forbidden:
        char = forbidden.group()[0]
        fail(
            f"the character U+{ord(char):04X} stands in the file",
            forbidden.start(),
            'write it as an escape in double quotes, such as "\\u2028"',
        )
    try:
        return _construct(CParser(text), fail)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = ", ".join(part for part in (error.context, error.problem) if part)
        fail(message, mark.index if mark else 0, _HINTS.get(error.problem or ""))
    except yaml.YAMLError as error:
        fail(str(error).split("\n")[0], 0)


def load_bytes(data: bytes, source: str) -> Any:
    """`load` of the bytes of a file. Raises RefusedError `invalid-encoding` when they are not UTF-8."""
    return load(decode(data, source), source)


def decode(data: bytes, source: str) -> str:
    """UTF-8 bytes as text without a BOM. Raises RefusedError `invalid-encoding` with the byte offset."""
    try:
        return data.decode("utf-8").removeprefix(_BOM)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        encoding = "UTF-16" if data.startswith(_BOMS_16) else "WINDOWS-1252"
        raise RefusedError(
            "invalid-encoding",
            f"not UTF-8: byte {data[error.start]:#04x} at offset {error.start}",
            where=Place(source, line),
            fix=f"iconv -f {encoding} -t UTF-8 {shlex.quote(source)} (or from the encoding that it really has)",
        ) from None


def positions(text: str) -> Positions:
    """Where each value of a YAML text stands; computed when it is first asked for."""
    return Positions(text)


class Positions(Mapping[ValuePath, tuple[int, int]]):
    """From the path of a value, `("depends_on", 0, "card")`, to its 1-based line and column in code points.

    A value's place is where it starts; a block map or list starts at its first key or dash.
    """

    def __init__(self, text: str) -> None:
        self._text = text.removeprefix(_BOM)
        self._found: dict[ValuePath, tuple[int, int]] | None = None

    def _all(self) -> dict[ValuePath, tuple[int, int]]:
        if self._found is None:
            self._found = dict(_locate(self._text))
        return self._found

    def __getitem__(self, path: ValuePath) -> tuple[int, int]:
        return self._all()[path]

    def __iter__(self) -> Iterator[ValuePath]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def nearest(self, path: ValuePath) -> tuple[int, int]:
        """The place of the value, or of the nearest value around it that the text holds (for keys that are missing).

        Parts that no level of the text knows (as validators add) are skipped.
        """
        known: ValuePath = ()
        for part in path:
            if (*known, part) in self:
                known = (*known, part)
        return self._all().get(known, (1, 1))

    def place(self, source: str, path: ValuePath) -> Place:
        """`nearest` as a place in the file `source`."""
        return Place(source, *self.nearest(path))


def _refuse_markers(text: str, source: str, first_line: int) -> None:
    markers = [first_line - 1 + _place(text, found.start())[0] for found in _MARKER.finditer(text)]
    if markers:
        raise RefusedError(
            "merge-conflict",
            f"a merge left its conflict markers on the lines {', '.join(map(str, markers))}",
            where=Place(source, markers[0], 1),
            fix=f"resolve the conflict in {source}, then git add it",
        )


def _place(text: str, index: int) -> tuple[int, int]:
    """1-based line and column of a code point; lines end at `\\n` and nowhere else."""
    return text.count("\n", 0, index) + 1, index - (text.rfind("\n", 0, index) + 1) + 1


_Fail = Callable[..., NoReturn]


def _construct(parser: CParser, fail: _Fail) -> Any:
    """One document from the parser's events: a loop, not a recursion, so that no nesting can exhaust the stack."""
    read: Callable[[], Any] = parser.get_event
    around: list[tuple[dict[str, Any] | list[Any], str | None]] = []
    document: list[Any] = []  # the document is the one item of this list
    current: dict[str, Any] | list[Any] = document
    key: str | None = None
    value: Any
    while True:
        event = read()
        kind = event.__class__
        if kind is ScalarEvent:
            if event.anchor is not None or event.tag is not None:
                _refuse_property(event, fail)
            if key is None and current.__class__ is dict:
                key = _key(event, current, fail)
                continue
            value = event.value if event.style else _plain(event, fail)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            if event.anchor is not None or event.tag is not None:
                _refuse_property(event, fail)
            if key is None and current.__class__ is dict:
                fail("a key must be text, not a map or a list", event.start_mark.index)
            if len(around) >= MAX_DEPTH:
                fail(f"nested deeper than {MAX_DEPTH} levels", event.start_mark.index)
            around.append((current, key))
            current, key = ({} if kind is MappingStartEvent else []), None
            continue
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            value = current
            current, key = around.pop()
        elif kind is StreamEndEvent:
            return document[0] if document else None
        elif kind is AliasEvent:
            fail(
                f"the alias *{event.anchor} (aliases are not read)",
                event.start_mark.index,
                "write the value out, or put it in double quotes",
            )
        else:
            if kind is DocumentStartEvent:
                _refuse_document(event, bool(document), fail)
            continue
        if key is None:
            current.append(value)  # type: ignore[union-attr]
        else:
            current[key] = value  # type: ignore[call-overload]
            key = None


def _key(event: Any, current: Any, fail: _Fail) -> str:
    key = event.value
    if not event.style:
        if key == "<<":
            fail("the merge key << (merge keys are not read)", event.start_mark.index, "write the keys out")
        if not isinstance(_plain(event, fail), str):
            fail(f"the key {key or '(empty)'} is not text", event.start_mark.index, "put the key in double quotes")
    if key in current:
        fail(f"the key {key!r} is there twice", event.start_mark.index, "keep one of the two")
    return str(key)


def _plain(event: Any, fail: _Fail) -> Any:
    """What a scalar without quotes means: the three words, JSON's numbers, else text."""
    value: str = event.value
    if value in _WORDS:
        return _WORDS[value]
    if value[0] in "-0123456789":
        if _INT.match(value):
            if len(value) > _MAX_DIGITS:
                fail(
                    f"a number of {len(value)} digits", event.start_mark.index, "put it in double quotes if it is text"
                )
            return int(value)
        if _FLOAT.match(value):
            number = float(value)
            if math.isinf(number):
                fail(
                    f"{value} is too large for a number",
                    event.start_mark.index,
                    "put it in double quotes if it is text",
                )
            return number
    if value[0] in "~NTF.+-" and _UNSURE.fullmatch(value):
        fail(
            f"{value} is not one of the words true, false, null",
            event.start_mark.index,
            "write true, false or null, or put it in double quotes",
        )
    return value


def _refuse_property(event: Any, fail: _Fail) -> NoReturn:
    if event.anchor is not None:
        fail(
            f"the YAML anchor &{event.anchor} (not read)",
            event.start_mark.index,
            "leave it out, or put the value in double quotes",
        )
    tag = event.tag.replace("tag:yaml.org,2002:", "!!")
    fail(f"the YAML tag {tag} (not read)", event.start_mark.index, "leave it out, or put the value in double quotes")


def _refuse_document(event: Any, is_second: bool, fail: _Fail) -> None:
    if is_second:
        fail("a second document starts here", event.start_mark.index, "keep one document a file")
    if event.version or event.tags:
        fail("a YAML directive (not read)", event.start_mark.index, "leave out the lines that start with %")


def _locate(text: str) -> Iterator[tuple[ValuePath, tuple[int, int]]]:
    """The place of every value, as far as the text can be parsed."""
    parser = CParser(text)
    path: list[str | int | None] = []  # one part a level: the key (None while one is awaited) or the index
    lines = [0, *(found.end() for found in re.finditer("\n", text))]
    try:
        while not isinstance(event := parser.get_event(), StreamEndEvent):
            if isinstance(event, MappingEndEvent | SequenceEndEvent):
                path.pop()
            elif not isinstance(event, ScalarEvent | MappingStartEvent | SequenceStartEvent | AliasEvent):
                continue
            elif path and path[-1] is None:
                path[-1] = event.value if isinstance(event, ScalarEvent) else ""
                continue
            else:
                mark = event.start_mark
                assert mark is not None  # events of a parser have marks, those of an emitter need not
                place = (mark.line + 1, mark.index - lines[mark.line] + 1)
                yield tuple(part for part in path if part is not None), place
                if isinstance(event, MappingStartEvent | SequenceStartEvent):
                    path.append(None if isinstance(event, MappingStartEvent) else 0)
                    continue
            if path:
                last = path[-1]
                path[-1] = last + 1 if isinstance(last, int) else None
    except yaml.YAMLError:
        return
