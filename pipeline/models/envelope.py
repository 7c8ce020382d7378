"""From what a model sent to plain data: the JSON object is found by a bracket parser that knows strings, or there is none.

Models wrap answers in prose and code fences. The one object that has the wanted keys is the answer; two different ones are none.
"""

from __future__ import annotations

from typing import Any, Final

from schemas.errors import RefusedError
from schemas.run import Violation
from store.yamlio import load_json

MAX_BYTES: Final = 10_000_000
_SOURCE: Final = "the answer"
_MOST_SCANNED: Final = 50_000_000
"""A text of nothing but open braces is looked through so far and no farther."""


def unwrap(content: str, keys: tuple[str, ...]) -> dict[str, Any] | Violation:
    """The object with exactly these top-level keys, each holding a list, or what is wrong with the envelope.

    Violations: `no-envelope` (no such JSON object), `two-envelopes`, `bad-envelope` (wrong keys, or no lists).
    """
    text = content.strip()
    whole = _load(text) if text.startswith("{") else None
    found = [whole] if isinstance(whole, dict) else _objects(text)
    fitting = [one for one in found if any(key in one for key in keys)]
    if not fitting:
        if text.startswith("{") and all(f'"{key}"' in text for key in keys):
            return _wrong("no-envelope", f"this is no JSON that can be taken: {_why_not(text)}")
        return _wrong("no-envelope", f"no JSON object with {_named(keys)}: answer with that object alone")
    distinct = [one for index, one in enumerate(fitting) if one not in fitting[:index]]
    if len(distinct) > 1:
        return _wrong("two-envelopes", f"{len(distinct)} different JSON objects: answer with one")
    (envelope,) = distinct
    missing = [key for key in keys if key not in envelope]
    unknown = sorted(key for key in envelope if key not in keys)
    loose = [key for key in keys if key in envelope and not isinstance(envelope[key], list)]
    problems = [
        *(f"{key} is missing" for key in missing),
        *(f"{key!r} does not belong there" for key in unknown),
        *(f"{key} is not a list" for key in loose),
    ]
    return _wrong("bad-envelope", "; ".join(problems)) if problems else envelope


def _named(keys: tuple[str, ...]) -> str:
    return " and ".join(f"the list {key!r}" for key in keys)


def _wrong(code: str, message: str) -> Violation:
    return Violation(code=code, path="$", message=message)


def _load(text: str) -> Any:
    try:
        return load_json(text.encode("utf-8", "surrogatepass"), _SOURCE, limit=MAX_BYTES)
    except RefusedError:
        return None


def _why_not(text: str) -> str:
    """Why a text that looks like the answer cannot be loaded."""
    try:
        load_json(text.encode("utf-8", "surrogatepass"), _SOURCE, limit=MAX_BYTES)
    except RefusedError as error:
        return f"{error.message} ({error.where})" if error.where is not None else error.message
    return "the lists lie deeper in it"


def _objects(text: str) -> list[dict[str, Any]]:
    """Every outermost `{...}` of the text that is JSON, in order."""
    found = []
    position, scanned = text.find("{"), 0
    while position != -1 and scanned < _MOST_SCANNED:
        end = _closing(text, position)
        scanned += (end or len(text)) - position
        value = _load(text[position:end]) if end is not None else None
        if isinstance(value, dict) and end is not None:
            found.append(value)
            position = text.find("{", end)
        else:
            position = text.find("{", position + 1)
    return found


def _closing(text: str, start: int) -> int | None:
    """The offset after the brace that closes the one at `start`; braces in strings do not count. None when none does."""
    depth, inside, position = 0, False, start
    while position < len(text):
        char = text[position]
        if inside:
            if char == "\\":
                position += 1
            elif char == '"':
                inside = False
        elif char == '"':
            inside = True
        elif char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            if depth == 0:
                return position + 1
        position += 1
    return None
