"""Columns and wrapped lines measured in terminal cells, so that Korean, Japanese and Chinese line up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len

from isopod.escape import escape

__all__ = ["cell_len", "fit", "pad", "table", "wrap"]


def fit(text: str, width: int) -> str:
    """`text`, escaped, cut to `width` cells with an ellipsis."""
    shown = escape(text)
    if cell_len(shown) <= width:
        return shown
    used = 0
    for index, char in enumerate(shown):
        used += cell_len(char)
        if used > width - 1:
            return shown[:index] + "…"
    return shown


def pad(text: str, width: int) -> str:
    """`text` filled up with spaces to `width` cells."""
    return text + " " * max(0, width - cell_len(text))


def table(rows: Iterable[Sequence[str]], width: int, *, gap: int = 2) -> Iterator[str]:
    """Rows of cells as lines: a column is as wide as its widest cell, the last gets what is left of `width`."""
    escaped = [[escape(cell) for cell in row] for row in rows]
    if not escaped:
        return
    columns = len(escaped[0])
    widths = [max(cell_len(row[column]) for row in escaped) for column in range(columns - 1)]
    left = max(20, width - sum(widths) - gap * (columns - 1))
    for row in escaped:
        cells = [pad(cell, size) for cell, size in zip(row, widths, strict=False)]
        yield (" " * gap).join([*cells, fit(row[-1], left)]).rstrip()


def wrap(text: str, width: int, *, indent: str = "", first: str | None = None) -> Iterator[str]:
    """`text`, escaped, in lines of at most `width` cells: broken at spaces and between wide characters."""
    head = indent if first is None else first
    line, used, empty = head, cell_len(head), True
    for piece in _pieces(escape(text)):
        size = cell_len(piece.rstrip())
        if not empty and used + size > width:
            yield line.rstrip()
            line, used, empty = indent, cell_len(indent), True
        if empty:
            piece = piece.lstrip()
        line, used, empty = line + piece, used + cell_len(piece), False
    yield line.rstrip()


def _pieces(text: str) -> Iterator[str]:
    """What must stay on one line: a run up to and with its space, or one wide character."""
    piece = ""
    for char in text:
        wide = piece and cell_len(char) == 2 and cell_len(piece[-1]) == 2
        if piece and ((piece[-1] == " " and char != " ") or (wide and not _clings(char))):
            yield piece
            piece = ""
        piece += char
    if piece:
        yield piece


def _clings(char: str) -> bool:
    """Closing marks never begin a line, and Hangul words are broken at spaces."""
    return char in "、。，．！？：；）］｝」』】〉》" or "가" <= char <= "힣"
