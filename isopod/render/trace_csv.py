"""The trace as CSV (RFC 4180) that no spreadsheet program takes for formulas."""

from __future__ import annotations

import csv
import io
import re
from typing import Final

from isopod.render.trace import COLUMNS, cells
from schemas.trace import TraceOutput

# What a spreadsheet may begin a formula or a command with, full-width forms and leading blanks included (OWASP, "CSV Injection").
_FORMULA: Final = re.compile(r"[\s\x00-\x1f\ufeff\u200b]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")


def trace_csv(output: TraceOutput) -> str:
    """A line of headings and one a row, every cell in quotes. A cell that could be taken for a formula begins with an apostrophe."""
    written = io.StringIO(newline="")
    writer = csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([_harmless(cell) for cell in cells(row)] for row in output.trace)
    return written.getvalue()


def _harmless(cell: str) -> str:
    text = cell.replace("\x00", "\\x00")
    return f"'{text}" if _FORMULA.match(text) else text
