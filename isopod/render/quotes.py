"""Lines of a spec as they stand, numbered, with a caret line under the words that are meant."""

from __future__ import annotations

from collections.abc import Iterator

from isopod.escape import escape
from isopod.render.columns import cell_len
from text.coordinates import SpanT, SpecText

_MOST_LINES = 12


def quote_lines(spec: SpecText, span: SpanT, width: int, *, indent: str = "  ") -> Iterator[str]:
    """The lines that `span` touches, each followed by carets under its part of the span.

    A line longer than `width` cells is folded at that width and only the folds that the span touches are shown, so that
    the carets stay under their words. Of a span over many lines the first and the last ones are shown.
    """
    first, last = spec.lines_of(span)
    digits = len(str(last))
    room = max(20, width - len(indent) - digits - 3)
    numbers = list(range(first, last + 1))
    left_out = len(numbers) - _MOST_LINES
    for number in numbers if left_out <= 0 else [*numbers[: _MOST_LINES - 2], 0, *numbers[-2:]]:
        if number == 0:
            yield f"{indent}{'':{digits}} | … {left_out} lines more"
            continue
        yield from _one_line(spec, span, number, f"{indent}{number:{digits}} | ", f"{indent}{'':{digits}} | ", room)


def _one_line(spec: SpecText, span: SpanT, number: int, head: str, blank: str, room: int) -> Iterator[str]:
    start, end = spec.line_span(number)
    marked = (max(start, span[0]), min(end, span[1]))
    folds = list(_folds(spec.text, start, end, room))
    before = head
    for fold in folds:
        carets = _carets(spec.text, fold, marked)
        if len(folds) > 1 and "^" not in carets:
            continue
        yield before + escape(spec.text[fold[0] : fold[1]])
        before = blank
        if "^" in carets:
            yield blank + carets


def _folds(text: str, start: int, end: int, room: int) -> Iterator[SpanT]:
    """Pieces of a line that fit, cut after a space where there is one in the last third."""
    used, begin, space = 0, start, start
    offset = start
    while offset < end:
        size = cell_len(escape(text[offset]))
        if used + size > room:
            cut = space if space - begin > room * 2 // 3 else offset
            yield begin, cut
            used, begin, offset = 0, cut, cut
            continue
        used += size
        offset += 1
        if text[offset - 1] == " ":
            space = offset
    yield begin, end


def _carets(text: str, fold: SpanT, marked: SpanT) -> str:
    line = ""
    for offset in range(*fold):
        line += ("^" if marked[0] <= offset < marked[1] else " ") * cell_len(escape(text[offset]))
    return line.rstrip()
