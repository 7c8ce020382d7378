"""Plain text (`.txt`, RFCs) and reStructuredText to blocks: paragraphs with hard wraps, items, sections by shape.

Works on lines alone. A form feed with its page footer and header counts as a blank line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from text.blocks import BlockKind, ParsedBlock
from text.coordinates import SpanT, SpecText

_PAGE_FOOTER = re.compile(r"\S.*\[Page\s+[\divxlc]+\]\s*\Z", re.IGNORECASE)
_COLUMN_GAP = re.compile(r"\S {3,}\S")
_LEADER = re.compile(r"(?:\.\s?){4,}\s*\d+\s*\Z")
_MARK = re.compile(
    r"(?P<mark>[-*+•]|o|#\.|\d{1,3}[.)]|\((?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})\)|[a-z][.)])(?P<gap>[ \t]+)(?=\S)"
)
_BULLETS = "-*•"
_NUMBERED_HEADING = re.compile(r"(\d{1,3}(?:\.\d{1,3})*)(\.?)[ \t]+(\S.*)")
_HEADER_FIELD = re.compile(r"[A-Z][A-Za-z0-9-]*:(?:\s|\Z)")
_ADORNMENT = re.compile(r"([=\-~^\"'`#*+:.<>_])\1*\s*\Z")
_GRID = re.compile(r"\s*\+(?:[-=]+\+)+\s*\Z")
_SIMPLE_TABLE = re.compile(r"\s*=+(?:\s+=+)+\s*\Z")
_EXPLICIT = re.compile(r"\s*\.\.(?:\s|\Z)")
_PROSE_DIRECTIVE = re.compile(
    r"\s*\.\. (?:note|warning|important|attention|caution|danger|error|hint|tip|admonition|versionadded|versionchanged"
    r"|deprecated|topic|sidebar|container|rubric)::(?P<rest>.*)\Z"
)
_DOCTEST = re.compile(r"\s*>>>(?:\s|\Z)")
_END_MARKS = (".", ",", ";", ":", "!", "?", "。", "、")
_MAX_HEADING = 80
_MAX_PRINTED = 200
_LABEL = 6  # a mark or number may stand wide apart from its text
_RIGHT_HAND = 40  # a line that begins this far right stands in a column of its own


@dataclass(frozen=True, slots=True)
class _Line:
    """A line: its content's span (trimmed), text and indentation in columns; `blank` also for page furniture."""

    span: SpanT
    text: str
    indent: int
    blank: bool


def parse_plain(spec: SpecText) -> list[ParsedBlock]:
    """The blocks of a plain or reStructuredText spec in text order."""
    return _Parser(spec).parse()


class _Parser:
    """One pass over the lines; keeps the open items (by indentation) and the running number of constructs."""

    def __init__(self, spec: SpecText) -> None:
        self.spec = spec
        self.is_rst = spec.path.lower().endswith(".rst")
        self.lines = _lines(spec)
        self.blocks: list[ParsedBlock] = []
        self.items: list[tuple[int, ParsedBlock]] = []
        self.construct = 0
        self.styles: list[tuple[str, bool]] = []
        self.margin = _margin(self.lines)
        self.literal_next = False

    def parse(self) -> list[ParsedBlock]:
        number = self._header_fields()
        while number < len(self.lines):
            number = number + 1 if self.lines[number].blank else self._block(number)
        return self.blocks

    def _block(self, number: int) -> int:
        """Take the block that begins on a line (0-based); returns the line behind it."""
        line = self.lines[number]
        literal, self.literal_next = self.literal_next, False
        self._close_items(line.indent, _MARK.match(line.text) is not None)
        if self.is_rst:
            after = self._rst_block(number, literal)
            if after is not None:
                return after
        else:
            heading = self._text_heading(number)
            if heading is not None:
                title, level = heading
                self._section(line.span, line.span, title, level)
                return number + 1
        return self._paragraph(number)

    # ---- what every plain text has

    def _header_fields(self) -> int:
        """A block of `Key: value` lines at the very start (as in a PEP) is front matter."""
        first = next((number for number, line in enumerate(self.lines) if not line.blank), 0)
        last = self._until_blank(first)
        fields = [line for line in self.lines[first:last] if line.indent == 0]
        if len(fields) < 3 or not all(_HEADER_FIELD.match(line.text) for line in fields):
            return 0
        self._verbatim("front_matter", first, last)
        return last

    def _paragraph(self, number: int) -> int:
        """A paragraph, an item or a further paragraph of an item: the lines up to a blank one or another item."""
        last = number + 1
        while last < len(self.lines) and not self.lines[last].blank and not self._interrupts(number, last):
            last += 1
        if self._is_laid_out(number, last):
            self._verbatim("fence", number, last)
            return last
        first = self.lines[number]
        mark = _MARK.match(first.text)
        if mark is not None and self._is_mark(mark):
            self._item(first, mark, self.lines[last - 1].span[1])
        elif self.items and first.indent > self.items[-1][0]:
            self.items[-1][1].segments.append((first.span[0], self.lines[last - 1].span[1]))
        else:
            self._top("paragraph", (first.span[0], self.lines[last - 1].span[1]))
        if self.is_rst and self.lines[last - 1].text.endswith("::"):
            self.literal_next = True
        return last

    def _is_laid_out(self, number: int, last: int) -> bool:
        """Whether most lines are columns: a table of contents, a title page, a grammar, a table."""
        lines = self.lines[number:last]
        columns = sum(
            1
            for line in lines
            if line.indent >= _RIGHT_HAND
            or _is_layout(_LEADER, line.text)
            or _is_layout(_COLUMN_GAP, line.text[_LABEL:])
        )
        return columns * 2 > len(lines)

    def _item(self, line: _Line, mark: re.Match[str], end: int) -> None:
        while self.items and self.items[-1][0] >= line.indent:
            self.items.pop()
        parent = self.items[-1][1] if self.items else None
        if parent is None and not self._continues_list():
            self.construct += 1
        start = line.span[0] + mark.end()
        block = ParsedBlock("item", [(start, end)], self.construct, parent)
        self.blocks.append(block)
        self.items.append((line.indent, block))

    def _continues_list(self) -> bool:
        """Whether the block before is an item of the same list (or stands in one)."""
        return bool(self.blocks) and (self.blocks[-1].kind == "item" or self.blocks[-1].parent is not None)

    def _is_mark(self, mark: re.Match[str]) -> bool:
        """Whether a mark opens an item: a letter and a stop are an initial too, unless the text stands wide apart."""
        return self.is_rst or not mark["mark"].endswith(".") or not mark["mark"][0].isalpha() or len(mark["gap"]) > 1

    def _interrupts(self, first: int, number: int) -> bool:
        """Whether a line begins an item inside the paragraph or item that began on line `first`."""
        line = self.lines[number]
        mark = _MARK.match(line.text)
        if mark is None:
            return False
        deeper = line.indent - self.lines[first].indent
        if deeper < 0 and any(column == line.indent for column, _ in self.items):
            return True  # back at the column of an open item's mark
        opener = _MARK.match(self.lines[first].text)
        if opener is None:
            return not self.is_rst and mark["mark"] in _BULLETS
        fellow = deeper == 0 and _mark_class(mark["mark"]) == _mark_class(opener["mark"])
        return fellow or (not self.is_rst and deeper >= opener.end() and mark["mark"] in _BULLETS)

    def _top(self, kind: BlockKind, span: SpanT) -> None:
        self.items.clear()
        self.construct += 1
        self.blocks.append(ParsedBlock(kind, [span], self.construct, opens_group=kind == "paragraph"))

    def _verbatim(self, kind: BlockKind, first: int, last: int) -> None:
        """Lines that are kept as lines; inside an item they belong to it."""
        filled = [line for line in self.lines[first:last] if not line.blank]
        if not filled:
            return
        span = (filled[0].span[0], filled[-1].span[1])
        parent = self.items[-1][1] if self.items and filled[0].indent > self.items[-1][0] else None
        if parent is None:
            self.items.clear()
            self.construct += 1
        self.blocks.append(ParsedBlock(kind, [span], self.construct, parent))

    def _section(self, whole: SpanT, title_span: SpanT, title: str, level: int) -> None:
        self.items.clear()
        self.construct += 1
        start = self.spec.line_starts[self.spec.line_of(whole[0]) - 1]
        self.blocks.append(
            ParsedBlock("heading", [title_span], self.construct, level=min(level, 6), section_start=start, title=title)
        )

    def _close_items(self, indent: int, has_mark: bool) -> None:
        """Items end where the text comes back to the column of their mark."""
        while self.items and (indent < self.items[-1][0] or (indent == self.items[-1][0] and not has_mark)):
            self.items.pop()

    def _until_blank(self, number: int) -> int:
        while number < len(self.lines) and not self.lines[number].blank:
            number += 1
        return number

    # ---- text without markup

    def _text_heading(self, number: int) -> tuple[str, int] | None:
        """The title and level of a heading by shape: alone at column 0, numbered or (in an indented text) short."""
        line = self.lines[number]
        alone = (number == 0 or self.lines[number - 1].blank) and (
            number + 1 == len(self.lines) or self.lines[number + 1].blank
        )
        if not alone or line.indent or len(line.text) > _MAX_HEADING or _LEADER.search(line.text):
            return None
        if line.text.endswith(_END_MARKS) or _COLUMN_GAP.search(line.text[_LABEL:]):
            return None
        numbered = _NUMBERED_HEADING.fullmatch(line.text)
        if numbered is not None and not numbered[3][:1].islower():
            depth = numbered[1].count(".") + 1
            # `1. Do this` at the margin of an unindented text is rather an item.
            if depth > 1 or not numbered[2] or self.margin > 0:
                return " ".join(line.text.split()), depth
            return None
        if self.margin > 0 and line.text[:1].isupper():
            return " ".join(line.text.split()), 1
        return None

    # ---- reStructuredText

    def _rst_block(self, number: int, literal: bool) -> int | None:
        """A section title, table, directive, comment, literal or doctest block; None when the line begins none."""
        line = self.lines[number]
        after = self._rst_title(number)
        if after is not None:
            return after
        if literal and line.indent > self._outer_indent():
            return self._take_indented(number, number, line.indent - 1)
        if _GRID.match(line.text) or _DOCTEST.match(line.text):
            last = self._until_blank(number)
            self._verbatim("fence", number, last)
            return last
        if _SIMPLE_TABLE.match(line.text):
            return self._simple_table(number)
        prose = _PROSE_DIRECTIVE.match(line.text)
        if prose is not None:
            return self._prose_directive(number, prose)
        if _EXPLICIT.match(line.text):
            return self._take_indented(number, number + 1, line.indent)
        if line.text == "::":
            self.literal_next = True
            return number + 1
        return None

    def _outer_indent(self) -> int:
        """The indentation that a literal block must pass: that of the paragraph before it."""
        if not self.blocks:
            return 0
        start = self.blocks[-1].segments[-1][0]
        return self.lines[self.spec.line_of(start) - 1].indent

    def _rst_title(self, number: int) -> int | None:
        overline = _ADORNMENT.fullmatch(self.lines[number].text)
        title_at = number + 1 if overline else number
        if title_at + 1 >= len(self.lines):
            return None
        title, under = self.lines[title_at], self.lines[title_at + 1]
        underline = _ADORNMENT.fullmatch(under.text)
        if title.blank or underline is None or under.indent or len(under.text) < max(len(title.text), 2):
            return None
        if overline is not None:
            if self.lines[number].text != under.text:
                return None
        elif title.indent or (number > 0 and not self.lines[number - 1].blank):
            return None
        style = (underline[1], overline is not None)
        if style not in self.styles:
            self.styles.append(style)
        shown = " ".join(title.text.replace("`", "").split()) or title.text
        self._section(self.lines[number].span, title.span, shown, self.styles.index(style) + 1)
        return title_at + 2

    def _simple_table(self, number: int) -> int:
        """From the top border to the border that a blank line (or the end) follows."""
        last = number + 1
        while last < len(self.lines):
            is_border = _SIMPLE_TABLE.match(self.lines[last].text) is not None
            last += 1
            if is_border and (last == len(self.lines) or self.lines[last].blank):
                break
        else:
            last = self._until_blank(number)
        self._verbatim("fence", number, last)
        return last

    def _prose_directive(self, number: int, directive: re.Match[str]) -> int:
        """A note's text is text like any other: only its directive line is markup."""
        rest = directive["rest"].strip()
        if rest:
            line = self.lines[number]
            last = self._until_blank(number)
            end = self.lines[last - 1].span[1]
            self._top("paragraph", (line.span[1] - len(rest), end))
            return last
        return number + 1

    def _take_indented(self, first: int, number: int, indent: int) -> int:
        """A block of lines deeper than `indent`, blank lines between them included."""
        last = number
        while number < len(self.lines) and (self.lines[number].blank or self.lines[number].indent > indent):
            if not self.lines[number].blank:
                last = number + 1
            number += 1
        last = max(last, first + 1)
        self._verbatim("fence", first, last)
        return last


def _lines(spec: SpecText) -> list[_Line]:
    lines: list[_Line] = []
    after_feed = False
    for number in range(1, spec.line_count + 1):
        start, end = spec.line_span(number)
        raw = spec.text[start:end]
        text = raw.strip()
        lead = raw[: len(raw) - len(raw.lstrip())]
        after_feed = after_feed or "\f" in lead
        furniture = _is_layout(_PAGE_FOOTER, text) or (after_feed and _is_layout(_COLUMN_GAP, text))
        after_feed = (after_feed and not text) or "\f" in raw[len(lead) :]
        indent = len(lead[lead.rfind("\f") + 1 :].expandtabs(8))
        content = start + len(lead)
        lines.append(_Line((content, content + len(text)), text, indent, blank=not text or furniture))
    return lines


def _is_layout(shape: re.Pattern[str], text: str) -> bool:
    """Whether a line has a shape of printed pages; a line that is too long for one never has."""
    return len(text) <= _MAX_PRINTED and shape.search(text) is not None


def _margin(lines: list[_Line]) -> int:
    """The indentation of the text: above 0 when most lines are indented, as in an RFC."""
    filled = [line.indent for line in lines if not line.blank]
    indented = [indent for indent in filled if indent > 0]
    return min(indented) if len(indented) * 10 > len(filled) * 6 else 0


def _mark_class(mark: str) -> str:
    """Marks of one list: the same bullet, or the same shape of number."""
    return re.sub(r"\d+|[A-Za-z]+", "1", mark) if mark != "o" else mark
