"""The trace as a table: the columns that CSV, spreadsheet and page share, and the text on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from isopod.face import Face
from isopod.render.cards import KIND_WORDS
from isopod.render.columns import wrap
from schemas.trace import Link, TraceCounts, TraceOutput, TraceRow

LINK_WORDS: Final[dict[Link, str]] = {
    "traced": "traced",
    "no-line": "on the card",
    "elsewhere": "not on a card",
    "no-card": "NO CARD",
    "no-claim": "NO CLAIM",
    "unknown-claim": "UNKNOWN CLAIM",
}
"""What people see; in capitals what has no counterpart."""

GAPS: Final[frozenset[Link]] = frozenset({"no-card", "no-claim", "unknown-claim"})

COLUMNS: Final = (
    "trace", "spec", "claim", "claim kind", "claim status", "claim words", "section", "file", "lines",
    "line", "line text", "card", "card kind", "card title", "state", "team", "issue", "issue url", "issue status",
    "home of the claim",
)  # fmt: skip


def cells(row: TraceRow) -> tuple[str, ...]:
    """A row as text, one cell a column; what is not there is empty."""
    claim, line, card, issue = row.claim, row.line, row.card, row.issue
    lines = "" if claim is None or claim.lines is None else line_range(claim.lines)
    return (
        LINK_WORDS[row.link],
        (claim.spec if claim else card.spec if card else None) or "",
        *(
            (claim.id, claim.kind or "", claim.status or "", claim.words, claim.section, claim.file or "", lines)
            if claim
            else ("",) * 7
        ),
        *((line.id, line.text) if line else ("", "")),
        *((card.id, KIND_WORDS[card.kind], card.title, card.state, card.team) if card else ("",) * 5),
        *((issue.key, issue.url or "", issue.status or "") if issue else ("",) * 3),
        claim.home if claim else "",
    )


def counts_text(counts: TraceCounts) -> str:
    """The sums in one sentence."""
    return (
        f"{counts.claims_on_cards} of {counts.claims} claims are on a card, {counts.claims_elsewhere} belong elsewhere; "
        f"{counts.lines_with_claims} of {counts.lines} lines have a claim behind them; "
        f"{counts.cards_with_issues} of {counts.cards} cards have an issue."
    )


def trace_lines(output: TraceOutput, face: Face) -> Iterator[str]:
    """Claim by claim the lines and cards that carry it, then what no claim is behind, card by card."""
    yield from wrap(counts_text(output.counts), face.width)
    for (claim_id, card_id), group in groupby(output.trace, key=_subject):
        rows = list(group)
        yield ""
        if claim_id:
            yield from _claim(rows, face)
        else:
            yield from _lone(card_id, rows, face)


def _subject(row: TraceRow) -> tuple[str, str]:
    """What rows stand together by: their claim, or without one their card."""
    if row.claim is not None and row.link != "unknown-claim":
        return row.claim.id, ""
    return "", row.card.id if row.card else ""


def _claim(rows: list[TraceRow], face: Face) -> Iterator[str]:
    claim = rows[0].claim
    assert claim is not None  # the rows were put together by it
    where = f"{claim.file}:{line_range(claim.lines)}" if claim.lines else f"{claim.file}, {claim.status}"
    yield from wrap(f"{claim.id}  {claim.kind}  {where}", face.width, indent="    ", first="")
    yield from wrap(claim.words, face.width, indent="    ")
    for row in rows:
        if row.card is None:
            home = (
                f"{LINK_WORDS[row.link]}: its home is {claim.home}" if row.link == "elsewhere" else LINK_WORDS[row.link]
            )
            yield from wrap(home, face.width, indent="      ", first="  -> ")
            continue
        yield from wrap(_carried(row), face.width, indent="      ", first="  -> ")


def _carried(row: TraceRow) -> str:
    assert row.card is not None  # who asks has looked
    parts = [row.card.id, row.line.id if row.line else "", row.card.state]
    if row.issue is not None:
        parts.append(row.issue.key + (f" ({row.issue.url})" if row.issue.url else ""))
    return "  ".join(filter(None, parts))


def _lone(card_id: str, rows: list[TraceRow], face: Face) -> Iterator[str]:
    card = rows[0].card
    yield from wrap(f"{card_id}  {card.title if card else ''}", face.width, indent="    ", first="")
    for row in rows:
        said = f"{row.line.id} {row.line.text}" if row.line else "no line and no claim"
        claim = f" {row.claim.id}" if row.claim else ""
        yield from wrap(f"{LINK_WORDS[row.link]}{claim}  {said}", face.width, indent="      ", first="  -> ")


def line_range(lines: tuple[int, int]) -> str:
    return str(lines[0]) if lines[0] == lines[1] else f"{lines[0]}-{lines[1]}"
