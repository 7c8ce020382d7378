"""The trace as a spreadsheet (XlsxWriter, the extra `xlsx`): every cell is text, none a formula or a link."""

from __future__ import annotations

import io
from datetime import datetime
from typing import Final

from isopod.render.trace import COLUMNS, GAPS, cells, counts_text
from schemas.errors import RefusedError
from schemas.trace import TraceOutput

_MAX_CELL: Final = 32_767
_MAX_ROWS: Final = 1_048_575
_WIDTHS: Final = {
    "claim words": 60,
    "line text": 60,
    "card title": 40,
    "section": 30,
    "issue url": 30,
    "home of the claim": 30,
}
_WIDTH: Final = 14
# Of the file itself: what was traced says when, and equal traces are equal files.
_MADE: Final = datetime(2000, 1, 1)


def trace_xlsx(output: TraceOutput) -> bytes:
    """One sheet with headings that stay in sight and a filter; rows without a counterpart are marked.

    Raises RefusedError when the package is not there, or for more rows than a sheet has.
    """
    try:
        import xlsxwriter
    except ImportError:
        raise RefusedError(
            "no-xlsxwriter",
            "spreadsheets are written by the package xlsxwriter, which is not installed",
            fix="pip install 'isopod-cards[xlsx]', or --format csv --bom",
        ) from None
    if len(output.trace) > _MAX_ROWS:
        raise RefusedError("too-large", f"a sheet has {_MAX_ROWS:,} rows", fix="--spec KEY, or --format csv")
    written = io.BytesIO()
    book = xlsxwriter.Workbook(written, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    book.set_properties(
        {"title": f"Trace of {output.project}", "comments": counts_text(output.counts), "created": _MADE}
    )
    sheet = book.add_worksheet("Trace")
    plain = book.add_format({"text_wrap": True, "valign": "top"})
    marked = book.add_format({"text_wrap": True, "valign": "top", "bg_color": "#FCE4D6"})
    heading = book.add_format({"bold": True, "bottom": 1})
    for column, name in enumerate(COLUMNS):
        sheet.set_column(column, column, _WIDTHS.get(name, _WIDTH))
        sheet.write_string(0, column, name, heading)
    for number, row in enumerate(output.trace, 1):
        style = marked if row.link in GAPS else plain
        for column, cell in enumerate(cells(row)):
            sheet.write_string(number, column, _fitting(cell), style)
    sheet.freeze_panes(1, 1)
    sheet.autofilter(0, 0, max(len(output.trace), 1), len(COLUMNS) - 1)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(0)
    book.close()
    return written.getvalue()


def _fitting(cell: str) -> str:
    """A cell takes so many UTF-16 units and no more; what is longer ends in `…`."""
    if len(cell.encode("utf-16-le")) // 2 <= _MAX_CELL:
        return cell
    cut = cell.encode("utf-16-le")[: 2 * (_MAX_CELL - 1)].decode("utf-16-le", errors="ignore")
    return f"{cut}…"
