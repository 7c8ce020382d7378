"""What a compile would cost, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from isopod.escape import escape
from isopod.face import Face
from isopod.render.columns import cell_len, fit, pad, wrap
from isopod.words import number_of
from schemas.estimate import EstimateOutput, EstimateRow

_PURPOSES = {
    "read": "first reading",
    "edges": "relations across parts",
    "repair": "each repair round",
    "draft": "judgements of the drafter",
    "check": "check",
}
_HEAD = ("", "calls", "tokens in", "out", "money")


def estimate_lines(estimate: EstimateOutput, face: Face) -> Iterator[str]:
    """A block a reader: its model, one line a purpose, the sum."""
    spec = escape(estimate.spec)
    if estimate.waiting:
        waits = number_of(estimate.waiting, "question")
        verb = "waits in a batch" if estimate.waiting == 1 else "wait in batches"
        yield from wrap(f"{spec}: {waits} {verb} already, not counted here: isopod batches", face.width)
    if not estimate.estimate:
        if estimate.waiting:
            return
        yield f"{spec}: no call of a model is needed; every answer is kept, or no reader asks a model."
        return
    yield f"{spec}: what a compile would ask now. Nothing was sent."
    for (reader, provider, model), group in groupby(
        estimate.estimate, key=lambda row: (row.reader, row.provider, row.model)
    ):
        rows = list(group)
        yield ""
        yield from wrap(f"reader {reader}: {model} ({provider})", face.width)
        yield from _table([_HEAD, *(_cells(row, estimate.currency) for row in rows)])
    yield ""
    yield f"together, about: {_sum(estimate.estimate, estimate.currency)}"
    yield from wrap(
        "~ is guessed from the size of the text; answers that must be asked for again (at most twice each) come on top.",
        face.width,
    )
    unpriced = sorted({row.model for row in estimate.estimate if row.money is None})
    if unpriced:
        yield from wrap(
            f"No money is shown for {', '.join(unpriced)}: models.prices in config.yaml has no price.", face.width
        )
    if estimate.batch and len(unpriced) < len({row.model for row in estimate.estimate}):
        yield "Money is that of batches, half the price, where the provider takes them."


def _cells(row: EstimateRow, currency: str) -> tuple[str, ...]:
    mark = "" if row.exact else "~"
    money = "no price" if row.money is None else f"{mark}{row.money:.4f} {currency}"
    return (_PURPOSES[row.purpose], f"{mark}{row.calls}", f"~{row.input:,}", f"~{row.output:,}", money)


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(cell_len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        numbers = (" " * (size - cell_len(cell)) + cell for cell, size in zip(row[1:], widths[1:], strict=True))
        yield "  " + "  ".join([pad(fit(row[0], widths[0]), widths[0]), *numbers])


def _sum(rows: Sequence[EstimateRow], currency: str) -> str:
    calls, sent, back = sum(row.calls for row in rows), sum(row.input for row in rows), sum(row.output for row in rows)
    priced = [row.money for row in rows if row.money is not None]
    money = f", {sum(priced):.4f} {currency}" if len(priced) == len(rows) else ""
    return f"{calls} calls, {sent:,} tokens in, {back:,} out{money}"
