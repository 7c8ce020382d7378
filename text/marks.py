"""Inline marks in raw text: code, strong emphasis, links, tags. Only what cutting and showing need.

All offsets are absolute in the text that is passed; nothing here builds a tree.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from typing import NamedTuple

from text.coordinates import SpanT

_BACKTICKS = re.compile(r"`+")
_STRONG = re.compile(r"\*\*|__")
_LINK_TARGET = re.compile(r"\]\((?:[^()\n\\]|\\.|\([^()\n]*+\))*+\)")
_COMMENT = r"<!--.*?(?:-->|\Z)"
_ATTRIBUTES = r"""(?:[^>"'<]|"[^"]*"|'[^']*')*+"""
COMMENT = re.compile(_COMMENT, re.DOTALL)
# An inline tag of HTML proper: `<item-name>` in prose is a placeholder that people read, not a tag.
INLINE_TAG = re.compile(
    r"</?(?:a|abbr|b|bdi|bdo|br|cite|code|del|dfn|em|font|i|img|ins|kbd|mark|p|q|s|samp|small|span|strong|sub|sup|tt|u"
    r"|var|wbr|div|center|details|summary)\b" + _ATTRIBUTES + r"/?>",
    re.IGNORECASE,
)
ANY_TAG = re.compile(r"</?[A-Za-z][\w:-]*" + _ATTRIBUTES + r">|</?[A-Za-z][^<>]*>")
_TAG_OR_COMMENT = re.compile(f"{_COMMENT}|{ANY_TAG.pattern}", re.DOTALL)
_QUOTE_MARKS = re.compile(r"\n[ \t]*((?:>[ \t]?)+)")
_OLD_QUOTES = re.compile(r"(?<!`)`([^`'\n]{1,60})'(?!\w)")
_IMAGE = re.compile(r"!\[([^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])")
_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\](?:\((?:[^()\\]|\\.|\([^()]*\))*\)|\[[^\[\]]*\])")
_EMPTY_LINK = re.compile(r"\[\s*\]\([^()]*\)")
_INNER_LINK = re.compile(r"\[[^\[\]]*\]\(#(?:[^()]|\([^()]*\))*\)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_EMPHASIS = re.compile(r"(?<![\\*])(\*{1,3}|~~)(?=\S)((?:(?!\1).)+?)(?<=\S)\1", re.DOTALL)
_UNDERLINE = re.compile(r"(?<![\w\\])(_{1,3})(?=\S)((?:(?!\1).)+?)(?<=\S)\1(?!\w)", re.DOTALL)


class CodeSpan(NamedTuple):
    """An inline code span: the whole with its marks, and its content."""

    start: int
    content_start: int
    content_end: int
    end: int


def code_spans(text: str, span: SpanT) -> list[CodeSpan]:
    """The inline code spans in `span`: a run of backticks up to the next run of the same length (CommonMark)."""
    runs = [(match.start(), match.end()) for match in _BACKTICKS.finditer(text, *span)]
    by_length: dict[int, list[int]] = {}
    for start, end in runs:
        by_length.setdefault(end - start, []).append(start)
    found: list[CodeSpan] = []
    position = span[0]
    for start, end in runs:
        if start < position:
            continue
        if _escaped(text, start, span[0]):
            start += 1  # a backslash takes the first backtick of the run
        if start == end:
            continue
        same = by_length.get(end - start, [])
        place = bisect_right(same, end - 1)
        if place < len(same):
            close = same[place]
            position = close + (end - start)
            found.append(CodeSpan(start, end, close, position))
    return found


def strong_marks(text: str, span: SpanT, code: list[CodeSpan]) -> list[SpanT]:
    """The `**` and `__` marks in `span` that belong to a pair, outside code, in text order."""
    marks: list[SpanT] = []
    open_marks: list[int] = []
    starts = [one.start for one in code]
    for match in _STRONG.finditer(text, *span):
        start, end = match.span()
        before = bisect_right(starts, start) - 1
        if (before >= 0 and start < code[before].end) or _escaped(text, start, span[0]):
            continue
        mark = match.group()
        previous = text[start - 1] if start > span[0] else " "
        following = text[end] if end < span[1] else " "
        can_open = not following.isspace() and (mark == "**" or not previous.isalnum())
        can_close = not previous.isspace() and (mark == "**" or not following.isalnum())
        opener = next((place for place in reversed(open_marks) if text[place : place + 2] == mark), None)
        if can_close and opener is not None:
            del open_marks[open_marks.index(opener) :]
            marks += [(opener, opener + 2), (start, end)]
        elif can_open:
            open_marks.append(start)
    return sorted(marks)


def link_targets(text: str, span: SpanT) -> list[SpanT]:
    """The `](...)` parts of links in `span`."""
    return [match.span() for match in _LINK_TARGET.finditer(text, *span)]


def any_tags(text: str, span: SpanT) -> list[SpanT]:
    """The tags and comments in `span`, of whatever name, in text order."""
    return [match.span() for match in _TAG_OR_COMMENT.finditer(text, *span)]


def quote_marks(text: str, span: SpanT) -> list[SpanT]:
    """The `>` marks at the start of the continuation lines of a quoted paragraph in `span`."""
    return [match.span(1) for match in _QUOTE_MARKS.finditer(text, *span)]


def blanked(text: str, spans: list[SpanT], blank: str) -> str:
    """A copy of `text` in which each character of `spans` (sorted, apart) is `blank`, so that offsets stay."""
    kept: list[str] = []
    position = 0
    for start, end in spans:
        kept += [text[position:start], blank * (end - start)]
        position = end
    return "".join([*kept, text[position:]])


def old_quotes_as_plain(text: str) -> str:
    """A copy of plain text whose quotes in the old style (a backtick, then an apostrophe) are two apostrophes."""
    return _OLD_QUOTES.sub(r"'\1'", text) if "`" in text else text


def plain_title(raw: str) -> str:
    """The display text of a heading: marks, link targets and tags dropped, escapes undone, whitespace folded.

    A heading of nothing but markup keeps it, so that no section is nameless.
    """
    kept: list[str] = []
    position = 0
    for code in code_spans(raw, (0, len(raw))):
        kept.append(_without_marks(raw[position : code.start]))
        kept.append(raw[code.content_start : code.content_end])
        position = code.end
    kept.append(_without_marks(raw[position:]))
    # A link's text may be code, so links are looked for once more over the whole.
    return " ".join(_LINK.sub(r"\1", "".join(kept)).split()) or " ".join(raw.split())


def html_title(raw: str) -> str:
    """The display text of an HTML heading: tags and backticks dropped, entities as characters, whitespace folded."""
    shown = unescape_entities(ANY_TAG.sub("", COMMENT.sub("", raw))).replace("`", "")
    return " ".join(shown.split()) or " ".join(raw.split())


def says_something(raw: str) -> bool:
    """Whether letters or digits are left when comments, tags, images and links inside the text are taken away.

    A line that is only a link to a heading is a table of contents.
    """
    if "<" in raw:
        raw = ANY_TAG.sub(" ", COMMENT.sub(" ", raw))
    if "![" in raw:
        raw = _IMAGE.sub(" ", raw)
        raw = _EMPTY_LINK.sub(" ", raw)
    if "](#" in raw:
        raw = _INNER_LINK.sub(" ", raw)
    return any(character.isalnum() for character in raw)


def unescape_entities(raw: str) -> str:
    """HTML character references as their characters."""
    return html.unescape(raw) if "&" in raw else raw


def _without_marks(raw: str) -> str:
    raw = INLINE_TAG.sub("", COMMENT.sub("", raw))
    raw = _IMAGE.sub(r"\1", raw)
    raw = _LINK.sub(r"\1", raw)
    for pattern in (_EMPHASIS, _UNDERLINE):
        raw = pattern.sub(r"\2", raw)
    return _ESCAPE.sub(r"\1", unescape_entities(raw))


def _escaped(text: str, offset: int, floor: int) -> bool:
    """Whether an odd number of backslashes stands before `offset`."""
    place = offset
    while place > floor and text[place - 1] == "\\":
        place -= 1
    return (offset - place) % 2 == 1
