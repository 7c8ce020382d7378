"""Markdown to blocks, with markdown-it-py's block parser (CommonMark, tables, front matter, footnotes).

markdown-it gives the lines of a block; the code points come from our own lines. A line of a block's content is always
the tail of the raw line (markers and indentation stand before it), which holds in lists, quotes and lazy lines alike.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from text.blocks import ParsedBlock
from text.coordinates import SpanT, SpecText
from text.html_blocks import headings
from text.marks import html_title, plain_title
from text.sentences import trim

_MAX_NESTING = 100
_UNESCAPED_BAR = re.compile(r"(?<!\\)\|")
_LIST_MARK = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])(?=\s|\Z)")
_QUOTE_MARK = re.compile(r"\s*>[ \t]?")
_STARTS_WITH_TAG = re.compile(r"\s*</?[A-Za-z!]")
_FOOTNOTE_MARK = re.compile(r"\s*\[\^[^\]]+\]:")
_CLOSING_MARKS = re.compile(r"(?:(?<=[ \t])|\A)#+\Z")
_YAML_KEY = re.compile(r"""["'\w][\w ./"'-]*:(?:\s|\Z)""")
_OPENERS = frozenset(("bullet_list_open", "ordered_list_open", "blockquote_open", "footnote_reference_open"))


@cache
def _parser(with_front_matter: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable("table").use(footnote_plugin)
    if with_front_matter:
        parser.use(front_matter_plugin)
    parser.core.ruler.enableOnly(["normalize", "block"])  # only block structure is needed
    return parser


def parse_markdown(spec: SpecText) -> list[ParsedBlock]:
    """The blocks of a Markdown spec, in no promised order; blocks without any text of their own are left out."""
    source = _source(spec)
    tokens = _parser(with_front_matter=True).parse(source)
    if tokens and tokens[0].type == "front_matter" and not _looks_like_yaml(tokens[0].content):
        tokens = _parser(with_front_matter=False).parse(source)
    walk = _Walk(spec)
    for token in tokens:
        walk.take(token)
    return [block for block in walk.blocks if block.segments]


def _source(spec: SpecText) -> str:
    """The text as markdown-it must see it: the same lines, each as long as ours, ended by `\\n` only."""
    return _blanked(spec.text.replace("\r\n", "\n"))


def _looks_like_yaml(content: str) -> bool:
    """Whether the first line between two `---` is a key: else they are two rules, and what is between them is text."""
    lines = (line for line in content.split("\n") if line.strip() and not line.startswith("#"))
    return _YAML_KEY.match(next(lines, "")) is not None


class _Walk:
    """One pass over the tokens; keeps the open list items and what the next inline token belongs to."""

    def __init__(self, spec: SpecText) -> None:
        self.spec = spec
        self.blocks: list[ParsedBlock] = []
        self.containers: list[Token] = []
        self.items: list[ParsedBlock] = []
        self.constructs = 0
        self.heading: Token | None = None
        self.head: ParsedBlock | None = None
        self.in_head = False
        self.in_row = False
        self.html_before = False

    def take(self, token: Token) -> None:
        if token.level == 0 and token.nesting >= 0:
            self.constructs += 1
        kind = token.type
        if kind in _OPENERS or kind == "list_item_open":
            self.containers.append(token)
            if kind == "list_item_open":
                self._add("item", [])
                self.items.append(self.blocks[-1])
        elif kind in ("bullet_list_close", "ordered_list_close", "blockquote_close", "footnote_reference_close"):
            self.containers.pop()
        elif kind == "list_item_close":
            self.containers.pop()
            self.items.pop()
        elif kind == "heading_open":
            self.heading = token
        elif kind == "inline" and not self.in_row:
            self._text(token)
        elif kind == "tr_open":
            self.in_row = True
            self._row(token)
        elif kind == "tr_close":
            self.in_row = False
        elif kind in ("thead_open", "thead_close"):
            self.in_head = kind == "thead_open"
            self.head = None if self.in_head else self.head
        elif kind in ("fence", "code_block", "html_block", "front_matter"):
            self._verbatim(token)
        if token.level == 0 and token.nesting == 0:
            self.html_before = kind == "html_block" or (kind == "code_block" and self.html_before)
        elif token.level == 0:
            self.html_before = False

    def _add(self, kind: str, segments: list[SpanT], **more: object) -> ParsedBlock:
        block = ParsedBlock(
            kind=kind,  # type: ignore[arg-type]
            segments=segments,
            construct=self.constructs,
            parent=self.items[-1] if self.items else None,
            quoted=any(container.type == "blockquote_open" for container in self.containers),
            **more,  # type: ignore[arg-type]
        )
        self.blocks.append(block)
        return block

    def _text(self, token: Token) -> None:
        lines = _map(token)
        heading, self.heading = self.heading, None
        segment = self._tail_span(lines, token.content, closing_marks=heading is not None and "#" in heading.markup)
        if segment is None:
            return
        if heading is not None:
            level = int(heading.tag[1:])
            if self.containers:
                self._add("heading", [segment], level=level)
            else:
                title = plain_title(self.spec.quoted(segment))
                start = self.spec.line_starts[lines[0]]
                self._add("heading", [segment], level=level, section_start=start, title=title)
        elif self.containers and self.containers[-1].type == "list_item_open":
            self.items[-1].segments.append(segment)
        else:
            self._add("paragraph", [segment], opens_group=not self.items)

    def _tail_span(self, lines: tuple[int, int], content: str, *, closing_marks: bool = False) -> SpanT | None:
        """The raw span of a token's content, which stands on these lines (0-based, the last one not included).

        Content lines meet raw lines in order, but not always one to one: markdown-it strips blank lines of NBSP.
        """
        start: int | None = None
        end = 0
        number = lines[0]
        last = min(lines[1], self.spec.line_count)
        for line in content.split("\n"):
            stripped = line.strip()
            tail = None
            while stripped and tail is None and number < last:
                tail = self._tail(number, stripped, closing_marks)
                number += 1
            if tail is not None:
                start = tail[0] if start is None else start
                end = tail[1]
        return None if start is None else (start, end)

    def _tail(self, line: int, stripped: str, closing_marks: bool) -> SpanT | None:
        """Where content stands at the end of a raw line (0-based), before a heading's closing `#`."""
        begin, end = self.spec.line_span(line + 1)
        raw = _blanked(self.spec.text[begin:end]).rstrip()
        if closing_marks:
            raw = _CLOSING_MARKS.sub("", raw).rstrip()
        place = len(raw) - len(stripped)
        return (begin + place, begin + len(raw)) if place >= 0 and raw.endswith(stripped) else None

    def _row(self, token: Token) -> None:
        begin, end = self._without_containers(_map(token)[0])
        cells = _cells(self.spec.text, (begin, end))
        filled = [cell for cell in cells if cell[0] < cell[1]]
        if not filled:
            return
        segment = (filled[0][0], filled[-1][1])
        if self.in_head:
            self.head = self._add("table_head", [segment], cells=cells)
        else:
            self._add("row", [segment], cells=cells, head=self.head)

    def _without_containers(self, line: int) -> SpanT:
        """A line's content behind the marks of the lists and quotes that it stands in."""
        begin, end = self.spec.line_span(line + 1)
        for container in self.containers:
            mark = None
            if container.type == "blockquote_open":
                mark = _QUOTE_MARK.match(self.spec.text, begin, end)
            elif container.type == "list_item_open" and _map(container)[0] == line:
                mark = _LIST_MARK.match(self.spec.text, begin, end)
            elif container.type == "footnote_reference_open" and _map(container)[0] == line:
                mark = _FOOTNOTE_MARK.match(self.spec.text, begin, end)
            begin = mark.end() if mark else begin
        return trim(self.spec.text, (begin, end))

    def _verbatim(self, token: Token) -> None:
        first, last = _map(token)
        if token.type == "front_matter":
            span = trim(self.spec.text, self.spec.lines_span((2, last - 1))) if last > 2 else (0, 0)
            if span[0] < span[1]:
                self._add("front_matter", [span])
            return
        content_line = first + 1 if token.type == "fence" else first
        segment = self._tail_span((content_line, last), token.content)
        if segment is None:
            return
        is_html = token.type == "html_block" or (
            # Indented tags right after HTML are HTML: its authors indent what Markdown would call code.
            token.type == "code_block" and self.html_before and _STARTS_WITH_TAG.match(token.content) is not None
        )
        if is_html:
            self._html(segment)
        else:
            self._add("fence", [segment])

    def _html(self, segment: SpanT) -> None:
        """An HTML block, cut at its own headings."""
        begin = segment[0]
        found = [] if self.containers else headings(self.spec.text, segment)
        for heading in found:
            content = trim(self.spec.text, heading.content)
            if content[0] == content[1]:
                continue
            self._html_part((begin, heading.whole[0]))
            start = self.spec.line_starts[self.spec.line_of(heading.whole[0]) - 1]
            title = html_title(self.spec.quoted(content))
            more = {"level": heading.level, "section_start": start, "title": title}
            self._add("heading", [content], hypertext=True, **more)
            self.constructs += 1
            begin = heading.whole[1]
        self._html_part((begin, segment[1]))

    def _html_part(self, span: SpanT) -> None:
        trimmed = trim(self.spec.text, span)
        if trimmed[0] < trimmed[1]:
            self._add("html", [trimmed], hypertext=True)


def _map(token: Token) -> tuple[int, int]:
    assert token.map is not None, f"markdown-it gives every {token.type} its lines"
    return token.map[0], token.map[1]


def _blanked(text: str) -> str:
    """A lone `\r` would be taken for a line end, a NUL for another character."""
    return text.replace("\r", " ").replace("\0", " ")


def _cells(text: str, row: SpanT) -> list[SpanT]:
    """The trimmed cells of a table row: cut at bars without a backslash, the outer bars dropped."""
    bars = [match.start() for match in _UNESCAPED_BAR.finditer(text, *row)]
    begin = row[0]
    if bars and bars[0] == begin:
        begin = bars.pop(0) + 1
    end = row[1]
    if bars and bars[-1] == end - 1:
        end = bars.pop()
    edges = [begin - 1, *bars, end]
    return [trim(text, (left + 1, right)) for left, right in pairwise(edges)]
