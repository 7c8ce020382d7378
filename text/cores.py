"""The core of a span is what the join compares (DESIGN.md section 3): it makes one reader's full stop harmless."""

from __future__ import annotations

import re
import unicodedata

from text.coordinates import SpanT

_BLANK = frozenset("\u200b\ufeff")
_MARKS = frozenset("*_`~")
_STOPS = frozenset(".,;:!?。．｡，、､；：！？﹐﹑﹒﹔﹕﹖﹗")
_LEADING_MARK = re.compile(r"(?:[-+*•◦▪‣]|\d{1,9}[.)]|\|)(?=\s)")
# At an end only a bullet or a bar is a mark: a number and a full stop there are text ("at most 5.").
_TRAILING_MARK = re.compile(r"(?<=\s)[-+*•◦▪‣|]\Z")
# A leading mark is short; the window keeps the trailing search linear in a long text.
_WINDOW = 12


def core(text: str, span: SpanT) -> SpanT:
    """The core of `span`: blanks, list marks, table bars and ``* _ ` ~`` dropped at both ends, sentence punctuation at the end.

    Repeatedly and in any order, never inside a grapheme cluster; the span itself if nothing were left.
    """
    start, end = span
    while start < end:
        step = _leading(text, start, end)
        if not step:
            break
        start += step
    while start < end:
        step = _trailing(text, start, end)
        if not step:
            break
        end -= step
    return (start, end) if start < end else span


def _leading(text: str, start: int, end: int) -> int:
    """How many code points to drop at the start, 0 when the first one stays."""
    if start + 1 < end and extends(text[start + 1]):
        return 0
    char = text[start]
    if char.isspace() or char in _BLANK or char in _MARKS:
        return 1
    match = _LEADING_MARK.match(text, start, min(end, start + _WINDOW))
    return match.end() - start if match else 0


def _trailing(text: str, start: int, end: int) -> int:
    char = text[end - 1]
    if char.isspace() or char in _BLANK or char in _MARKS or char in _STOPS:
        return 1
    return 1 if end - start > 1 and _TRAILING_MARK.search(text, max(start, end - 2), end) else 0


def extends(char: str) -> bool:
    """Whether this character belongs to the grapheme cluster of the one before it."""
    return (
        unicodedata.category(char) in ("Mn", "Me", "Mc")
        or char in "\u200c\u200d"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )
