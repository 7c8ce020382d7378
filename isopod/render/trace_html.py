"""The trace as one page: no script, nothing loaded from anywhere, made to be printed."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape as escape_html
from typing import Final

from isopod.escape import escape
from isopod.render.cards import KIND_WORDS
from isopod.render.trace import GAPS, LINK_WORDS, counts_text, line_range
from schemas.trace import TraceOutput, TraceRow

_STYLE: Final = """
body{font:14px/1.45 system-ui,sans-serif;margin:2rem;color:#1a1a1a;background:#fff}
h1{font-size:1.4rem;margin:0 0 .3rem}p{margin:.2rem 0 1rem;max-width:60rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.35rem .5rem;border-bottom:1px solid #ddd}
th{border-bottom:2px solid #444;position:sticky;top:0;background:#fff}td{overflow-wrap:anywhere}
.id{font-family:ui-monospace,monospace;font-size:.85em;white-space:nowrap}.dim{color:#555}.gap td{background:#fce4d6}
@page{size:A4 landscape;margin:12mm}
@media print{body{margin:0;font-size:9pt}th{position:static}thead{display:table-header-group}tr{break-inside:avoid}
.gap td{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
"""
_HEADINGS: Final = ("Claim", "Line", "Card", "Issue", "Trace")


def trace_html(output: TraceOutput) -> str:
    """A page of its own. Every word from outside is escaped; only http and https addresses become links."""
    return "\n".join(_page(output)) + "\n"


def _page(output: TraceOutput) -> Iterator[str]:
    title = f"Trace of {output.project}" + (f", {output.spec}" if output.spec else "")
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>"
    yield f"<h1>{_text(title)}</h1>\n<p>{_text(counts_text(output.counts))}</p>\n<table>\n<thead>"
    yield f"<tr>{''.join(f'<th scope=col>{name}</th>' for name in _HEADINGS)}</tr>\n</thead>\n<tbody>"
    for row in output.trace:
        yield _row(row)
    yield "</tbody>\n</table>\n</body>\n</html>"


def _row(row: TraceRow) -> str:
    claim, line, card = row.claim, row.line, row.card
    told = [
        _cell(claim.id, claim.words, f"{claim.kind or ''} {claim.file or ''}{_lines(row)} {_status(row)}")
        if claim
        else "",
        _cell(line.id, line.text, "") if line else "",
        _cell(card.id, card.title, f"{KIND_WORDS[card.kind]}, {card.state}, {card.team}") if card else "",
        _issue(row),
        _text(LINK_WORDS[row.link])
        + (f'<br><span class="dim">{_text(claim.home)}</span>' if claim and claim.home else ""),
    ]
    mark = ' class="gap"' if row.link in GAPS else ""
    return f"<tr{mark}>{''.join(f'<td>{cell}</td>' for cell in told)}</tr>"


def _cell(identity: str, words: str, about: str) -> str:
    dim = f'<br><span class="dim">{_text(" ".join(about.split()))}</span>' if about.strip() else ""
    return f'<span class="id">{_text(identity)}</span><br>{_text(words)}{dim}'


def _lines(row: TraceRow) -> str:
    lines = None if row.claim is None else row.claim.lines
    return "" if lines is None else f":{line_range(lines)}"


def _status(row: TraceRow) -> str:
    return "" if row.claim is None or row.claim.status in (None, "live") else f"({row.claim.status})"


def _issue(row: TraceRow) -> str:
    issue = row.issue
    if issue is None:
        return ""
    key = _text(issue.key)
    if issue.url is not None and issue.url.lower().startswith(("https://", "http://")):
        key = f'<a href="{_text(issue.url)}" rel="noopener noreferrer">{key}</a>'
    return key + (f'<br><span class="dim">{_text(issue.status)}</span>' if issue.status else "")


def _text(text: str) -> str:
    """Visible escapes for what could reorder a line or hide in it, then HTML's own."""
    return escape_html(escape(text), quote=True)
