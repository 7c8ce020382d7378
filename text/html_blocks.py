"""The text of an HTML block: pieces between block tags, headings, and what is markup only.

Specs written in HTML (Bikeshed, Markdeep, converted documents) keep nearly all their text here. No tree is built: real
files leave tags open, so a block tag ends a piece wherever it stands, and an inline tag never does.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from text.coordinates import SpanT

_ATTRIBUTES = r"""(?:[^>"'<]|"[^"]*"|'[^']*')*+"""
_TOKEN = re.compile(
    r"(?P<comment><!--.*?(?:-->|\Z)|<![A-Za-z][^>]*>|<\?.*?\?>)"
    r"|<(?P<raw>pre|script|style|textarea|xmp)\b" + _ATTRIBUTES + r">(?P<inside>.*?)(?:</(?P=raw)\s*>|\Z)"
    r"|</?(?P<name>[A-Za-z][\w:-]*)(?:" + _ATTRIBUTES + r">|[^<>]*>)",
    re.DOTALL | re.IGNORECASE,
)
_BLOCK_TAG = re.compile(
    r"address|article|aside|base|blockquote|body|br|button|canvas|caption|center|col|colgroup|dd|details|dialog|dir|div"
    r"|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hgroup|hr|html|iframe|legend|li"
    r"|link|main|menu|meta|nav|noscript|object|ol|optgroup|option|p|pre|section|select|source|summary|svg|table|tbody"
    r"|td|template|tfoot|th|thead|title|tr|track|ul|video",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"^[ \t]*(<h([1-6])\b" + _ATTRIBUTES + r">)(.{0,1000}?)(</h\2\s*>)", re.DOTALL | re.IGNORECASE | re.MULTILINE
)


class HtmlParts(NamedTuple):
    """An HTML block taken apart: text between block tags, text that bears no claims (comments, scripts, `<pre>`), and
    the inline tags, each in text order."""

    prose: list[SpanT]
    verbatim: list[SpanT]
    inline_tags: list[SpanT]


class HtmlHeading(NamedTuple):
    """An `<h1>` to `<h6>` that begins a line: the whole element, its content, its level."""

    whole: SpanT
    content: SpanT
    level: int


def html_parts(text: str, span: SpanT) -> HtmlParts:
    """Take the HTML block at `span` apart."""
    parts = HtmlParts([], [], [])
    begin = span[0]
    for match in _TOKEN.finditer(text, *span):
        start, end = match.span()
        name = match.group("name")
        if name and not _BLOCK_TAG.fullmatch(name):
            parts.inline_tags.append((start, end))
            continue
        parts.prose.append((begin, start))
        if not name:
            parts.verbatim.append(match.span("inside") if match.group("raw") else (start, end))
        begin = end
    parts.prose.append((begin, span[1]))
    return parts


def headings(text: str, span: SpanT) -> list[HtmlHeading]:
    """The headings of an HTML block that begin a line of it, outside comments and verbatim elements."""
    found: list[HtmlHeading] = []
    candidates = list(_HEADING.finditer(text, *span))
    if not candidates:
        return []
    hidden = [match.span() for match in _TOKEN.finditer(text, *span) if match.group("comment") or match.group("raw")]
    for match in candidates:
        before = bisect_right(hidden, (match.start(1), span[1])) - 1
        if before < 0 or hidden[before][1] <= match.start(1):
            whole = (match.start(1), match.end(4))
            found.append(HtmlHeading(whole, match.span(3), int(match.group(2))))
    return found
