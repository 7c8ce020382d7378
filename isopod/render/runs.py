"""Runs as a table with what each came to, the calls of one run, and agreement over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from isopod.face import Face
from isopod.render.columns import cell_len, fit, pad, table, wrap
from isopod.render.status import AGREEMENT
from isopod.words import number_of
from schemas.anchors import Reading
from schemas.bookline import CallLine, End
from schemas.history import Bill, KindShare, ModelPair, RunItem, RunRound, Shares
from schemas.kinds import ANCHOR_KINDS, AnchorKind

_ENDS: Final = {
    0: "holds",
    1: "does not hold",
    2: "refused",
    3: "waits for a person",
    4: "something outside failed",
    5: "a bug in isopod",
    130: "stopped",
    141: "stopped: nobody read its output",
}
_SHORT: Final[dict[AnchorKind, str]] = {
    "requirement": "req",
    "constraint": "con",
    "interface": "int",
    "term": "term",
    "decision": "dec",
    "question": "que",
    "exclusion": "exc",
}


def run_lines(runs: Sequence[RunItem], total: Bill, of_all: int, face: Face) -> Iterator[str]:
    """Every run: a row of figures, below it readers, rounds and end; then the bill of all that are listed."""
    if not runs:
        yield "No run yet: a command that asks a model leaves a record (isopod compile SPEC)."
        return
    heads = ("when", "calls", "in", "out", "cached", "spec")
    cells = [(_when(run.at), *_figures(run.bill), run.spec or "?") for run in runs]
    widths = [max(len(row[column]) for row in (heads, *cells)) for column in range(5)]
    rows = [
        (row[0].ljust(widths[0]), *(row[column].rjust(widths[column]) for column in range(1, 5)), row[5])
        for row in (heads, *cells)
    ]
    head, *lines = table(rows, face.width)
    yield face.paint(head, "bold")
    for run, line in zip(runs, lines, strict=True):
        yield line
        yield from _details(run, face)
    yield ""
    shown = number_of(len(runs), "run") + (f" of {of_all}" if of_all > len(runs) else "")
    yield from wrap(f"{shown}: {bill_words(total)}", face.width, indent="  ")
    if any(run.rounds for run in runs):
        yield from wrap(AGREEMENT, face.width)


def shown_lines(run: RunItem, face: Face) -> Iterator[str]:
    """One run with every call of a model."""
    yield from wrap(f"{_when(run.at)}  {run.spec or '?'}", face.width)
    yield from _details(run, face)
    if run.calls:
        yield ""
        yield face.paint(f"Calls ({len(run.calls)})", "bold")
    for number, call in enumerate(run.calls, start=1):
        first = f"{number:4}  "
        yield from wrap(_call(call), face.width, indent="      ", first=first)
    yield ""
    yield from wrap(f"Together: {bill_words(run.bill)}", face.width, indent="  ")
    if run.rounds:
        yield from wrap(AGREEMENT, face.width)


def _details(run: RunItem, face: Face) -> Iterator[str]:
    def line(text: str) -> Iterator[str]:
        return wrap(text, face.width, indent="      ", first="    ")

    yield from line(f"{run.command or 'unknown command'} {run.id}: {_ended(run.end)}")
    if run.calls:
        yield from line(_cost(run.bill))
    if run.readers:
        yield from line("; ".join(map(_reader, run.readers)))
    for one in run.rounds:
        yield from line(_round(one))
    for left in run.left_out:
        codes = ", ".join(f"{code} {count}" for code, count in sorted(left.codes.items()))
        yield from line(f"left out of reader {left.reader}'s answers, {left.place}: {codes}")


def _round(one: RunRound) -> str:
    difference, strict = one.difference, one.strict
    name = "first reading" if one.round == 0 else f"repair round {one.round}"
    return (
        f"{name}: {one.agreed} of {number_of(one.claims, 'claim')} agreed; difference "
        f"{number_of(difference.anchors, 'claim')} and {number_of(difference.edges, 'relation')} "
        f"(strictly {strict.anchors} and {strict.edges}); {number_of(one.disputes, 'dispute')}"
    )


def _reader(reading: Reading) -> str:
    by = "" if reading.provider == reading.model else f" ({reading.provider})"
    return f"{reading.reader}: {reading.model}{by}"


def _ended(end: End | None) -> str:
    if end is None:
        return "cut off (or still running)"
    return f"{_ENDS.get(end.exit_code, 'ended')} (exit {end.exit_code})"


def _call(call: CallLine) -> str:
    """Who was asked what, how it ended, what it took."""
    usage = call.usage
    tokens = (
        "tokens not counted" if usage is None else f"{usage.input:,} in ({usage.cached:,} cached), {usage.output:,} out"
    )
    money = "no price" if call.money is None else _amount(call.money, call.currency or "?")
    parts = [
        f"{call.reader} {call.model}: {call.purpose}, round {call.round}, {call.place}",
        call.outcome + (f" (stop: {call.stop})" if call.stop is not None else ""),
        tokens,
        money,
        f"{call.seconds:,.1f} s",
        number_of(call.retries, "retry", "retries"),
        *([f"batch {call.batch}"] if call.batch is not None else []),
    ]
    return "; ".join(parts)


def _figures(bill: Bill) -> tuple[str, str, str, str]:
    """Calls, and tokens in, out and cached; `?` where no call was counted."""
    unknown = bill.uncounted and not bill.input and not bill.output
    tokens = ("?", "?", "?") if unknown else (f"{bill.input:,}", f"{bill.output:,}", f"{bill.cached:,}")
    return (f"{bill.calls:,}", *tokens)


def bill_words(bill: Bill) -> str:
    """A bill as a sentence: calls, tokens, money."""
    if not bill.calls:
        return "no call of a model."
    retried = f" with {number_of(bill.retries, 'retry', 'retries')}" if bill.retries else ""
    return (
        f"{number_of(bill.calls, 'call')}{retried}; {bill.input:,} tokens in ({bill.cached:,} of them cached), "
        f"{bill.output:,} out; {_cost(bill)}."
    )


def _cost(bill: Bill) -> str:
    if not bill.calls:
        return "no calls"
    parts = [money_words(bill)]
    if bill.uncounted:
        parts.append(f"tokens of {number_of(bill.uncounted, 'call')} not counted")
    if bill.failed:
        parts.append(f"{number_of(bill.failed, 'call')} failed and may have been paid")
    return ", ".join(parts)


def money_words(bill: Bill) -> str:
    """Money by currency, never summed across them, and the calls whose price is not known: `0.12 USD + 3 calls without a price`."""
    amounts = [_amount(amount, currency) for currency, amount in bill.money.items()]
    if not amounts:
        return "no price"
    unpriced = [f"{number_of(bill.unpriced, 'call')} without a price"] if bill.unpriced else []
    return " + ".join([*amounts, *unpriced])


def _amount(amount: float, currency: str) -> str:
    """Two digits after the point, four below one unit; what is not nothing is never shown as nothing."""
    if 0 < amount < 0.00005:
        return f"under 0.0001 {currency}"
    return f"{amount:,.2f} {currency}" if amount >= 1 or not amount else f"{amount:.4f} {currency}"


def compared_lines(pairs: Sequence[ModelPair], face: Face) -> Iterator[str]:
    """Agreement of every pair of models: summed up by kind, then run by run."""
    if not pairs:
        yield "Nothing to compare yet: no run in which two readers were joined."
        return
    for pair in pairs:
        yield from wrap(f"a: {pair.a}   b: {pair.b}", face.width)
        if pair.a == pair.b:
            yield from wrap("Both readers are one model: that they agree proves less.", face.width, first="  ")
        yield ""
        yield from _summed(pair)
        yield ""
        yield from _series("At the first reading, run by run (per cent)", pair, "first", face)
        yield ""
        yield from _series("After the last round, run by run (per cent)", pair, "last", face)
        if any(run.repeated for run in pair.runs):
            words = "* asked nothing and found what a run before it had found: not summed up"
            yield from wrap(words, face.width, indent="    ", first="  ")
        yield ""
    words = "Per cent: of the claims that either reader sees, how many both see; 100 means all of them."
    yield from wrap(f"{words} {_legend(pairs)}", face.width)
    yield from wrap(
        f"Agreement is not correctness. {AGREEMENT} A higher share says that two models see the same claims, not that these are "
        "right, nor that none is missing.",
        face.width,
    )


def _summed(pair: ModelPair) -> Iterator[str]:
    """A row a kind: share and claims, at the first reading and after the last round, side by side."""
    kinds = _kinds([pair.first, pair.last])
    heads = ("share", "agreed", "only a", "only b") * 2
    rows: list[tuple[str, ...]] = [
        (kind, *_cells(_kind(pair.first, kind)), *_cells(_kind(pair.last, kind))) for kind in kinds
    ]
    rows.append(("all kinds", *_cells(pair.first.all), *_cells(pair.last.all)))
    counted = number_of(sum(not run.repeated for run in pair.runs), "run")
    sizes = [max(8, *(len(row[column + 1]) + 1 for row in rows)) for column in range(len(heads))]
    half = sum(sizes[:4])
    yield f"  {counted:11}{'   first reading':{half}}   after the last round"
    for name, *cells in (("", *heads), *rows):
        yield f"  {name:11}{''.join(cell.rjust(size) for cell, size in zip(cells, sizes, strict=True))}"


def _cells(share: KindShare) -> tuple[str, str, str, str]:
    mark = "%" if share.share is not None else ""
    return f"{_percent(share)}{mark}", f"{share.agreed:,}", f"{share.only_a:,}", f"{share.only_b:,}"


def _series(title: str, pair: ModelPair, when: str, face: Face) -> Iterator[str]:
    """A row a run, a column a kind; the name of the spec takes what is left."""
    kinds = _kinds([shares for run in pair.runs for shares in (run.first, run.last)])
    yield from wrap(title, face.width, indent="    ", first="  ")
    heads = [*(_SHORT[kind] for kind in kinds), "all"]
    room = max(8, face.width - 2 - 16 - 2 - 5 * len(heads) - 2)
    size = min(room, max(cell_len(fit(run.spec, room)) for run in pair.runs))
    yield f"  {'when':16}  {pad('spec', size)} {''.join(head.rjust(5) for head in heads)}"
    for run in pair.runs:
        shares: Shares = getattr(run, when)
        cells = [_percent(_kind(shares, kind)) for kind in kinds] + [_percent(shares.all)]
        mark = "*" if run.repeated else ""
        yield f"  {_when(run.at)}  {pad(fit(run.spec, size), size)} {''.join(cell.rjust(5) for cell in cells)} {mark}"


def _legend(pairs: Sequence[ModelPair]) -> str:
    kinds = _kinds(
        [run.last for pair in pairs for run in pair.runs] + [run.first for pair in pairs for run in pair.runs]
    )
    return ", ".join(f"{_SHORT[kind]}: {kind}" for kind in kinds if _SHORT[kind] != kind) + "."


def _kinds(shares: Sequence[Shares]) -> list[AnchorKind]:
    return [kind for kind in ANCHOR_KINDS if any(kind in one.kinds for one in shares)]


def _kind(shares: Shares, kind: AnchorKind) -> KindShare:
    return shares.kinds.get(kind, KindShare(agreed=0, only_a=0, only_b=0, share=None))


def _percent(share: KindShare) -> str:
    """Whole per cent, rounded down, so that 100 is never shown while a claim differs."""
    claims = share.agreed + share.only_a + share.only_b
    return str(100 * share.agreed // claims) if claims else "-"


def _when(at: str | None) -> str:
    return f"{at[:10]} {at[11:16]}" if at is not None else "time unknown".ljust(16)
