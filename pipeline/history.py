"""What the run records come to: bills, agreement after every round, agreement of pairs of models over time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from schemas.bookline import CallLine, KindFigures, RoundLine
from schemas.history import Bill, ComparedRun, KindShare, ModelPair, RunItem, RunRound, Shares
from schemas.kinds import ANCHOR_KINDS, AnchorKind
from store.book import KeptBook

ANSWERED = "answered"
"""The outcome of a call that brought an answer."""

_READING = ("read", "edges", "repair")
"""Purposes of the calls that a reading is made of."""


def run_of(book: KeptBook) -> RunItem:
    """One run as it is listed."""
    return RunItem(
        id=book.id,
        at=book.at,
        command=book.start.command if book.start is not None else None,
        spec=book.start.spec if book.start is not None else None,
        readers=book.start.readers if book.start is not None else (),
        rounds=tuple(_round(line) for line in book.rounds),
        bill=bill_of(book.calls),
        left_out=tuple(book.left_out),
        calls=tuple(book.calls),
        end=book.end,
    )


def bill_of(calls: Iterable[CallLine]) -> Bill:
    """What these calls came to; money is never summed across currencies, and a call without a price is counted as one."""
    listed = list(calls)
    done = [call for call in listed if call.outcome == ANSWERED or call.usage is not None]
    counted = [call.usage for call in listed if call.usage is not None]
    amounts: dict[str, list[float]] = {}
    for call in listed:
        if call.money is not None and call.currency is not None:
            amounts.setdefault(call.currency, []).append(call.money)
    return Bill(
        calls=len(listed),
        failed=sum(call.outcome != ANSWERED for call in listed),
        retries=sum(call.retries for call in listed),
        input=sum(usage.input for usage in counted),
        output=sum(usage.output for usage in counted),
        cached=sum(usage.cached for usage in counted),
        uncounted=len(done) - len(counted),
        money={currency: round(math.fsum(amounts[currency]), 6) for currency in sorted(amounts)},
        unpriced=sum(call.money is None for call in done),
    )


def compare(books: Sequence[KeptBook]) -> tuple[ModelPair, ...]:
    """Agreement of every pair of models, over the books in which both readers were joined; by the names of the models.

    A book that asked nothing and found what an earlier one had found (a compile after answers, a replay) is shown and not summed up: it
    is the same reading once more.
    """
    pairs: dict[tuple[str, str], list[ComparedRun]] = {}
    rounds: dict[tuple[str, str], list[KeptBook]] = {}
    seen: set[tuple[object, ...]] = set()
    for book in books:
        models = {reading.reader: reading.model for reading in book.start.readers} if book.start is not None else {}
        if book.start is None or not book.rounds or set(models) != {"a", "b"}:
            continue
        pair = models["a"], models["b"]
        found = (*pair, book.start.spec, str(book.rounds))
        repeated = found in seen and not _asked(book)
        seen.add(found)
        if not repeated:
            rounds.setdefault(pair, []).append(book)
        run = ComparedRun(
            id=book.id,
            at=book.at,
            spec=book.start.spec,
            repeated=repeated,
            first=_shares([_first(book)]),
            last=_shares([_last(book)]),
        )
        pairs.setdefault(pair, []).append(run)
    return tuple(
        ModelPair(
            a=pair[0],
            b=pair[1],
            runs=tuple(pairs[pair]),
            first=_shares(map(_first, rounds[pair])),
            last=_shares(map(_last, rounds[pair])),
        )
        for pair in sorted(pairs)
    )


def _asked(book: KeptBook) -> bool:
    """Whether a model read anything for this run."""
    return any(call.purpose in _READING and call.outcome == ANSWERED for call in book.calls)


def _first(book: KeptBook) -> RoundLine:
    return min(book.rounds, key=lambda line: line.round)


def _last(book: KeptBook) -> RoundLine:
    return max(book.rounds, key=lambda line: line.round)


def _shares(rounds: Iterable[RoundLine]) -> Shares:
    """The figures of several rounds in one: claims are summed, not shares, so that a long spec weighs more than a short one."""
    listed = list(rounds)
    kinds: dict[AnchorKind, KindShare] = {}
    for kind in ANCHOR_KINDS:
        there = [line.kinds[kind] for line in listed if kind in line.kinds]
        if any(map(_claims, there)):
            kinds[kind] = _share(there)
    return Shares(kinds=kinds, all=_share([figures for line in listed for figures in line.kinds.values()]))


def _share(figures: Sequence[KindFigures]) -> KindShare:
    agreed = sum(one.agreed for one in figures)
    return KindShare(
        agreed=agreed,
        only_a=sum(one.only_a for one in figures),
        only_b=sum(one.only_b for one in figures),
        share=_part(agreed, sum(map(_claims, figures))),
    )


def _round(line: RoundLine) -> RunRound:
    whole = _share(list(line.kinds.values()))
    return RunRound(
        round=line.round,
        agreed=whole.agreed,
        claims=whole.agreed + whole.only_a + whole.only_b,
        share=whole.share,
        difference=line.difference,
        strict=line.strict,
        disputes=line.disputes,
        edges_agreed=line.edges_agreed,
        kinds=line.kinds,
    )


def _claims(figures: KindFigures) -> int:
    return figures.agreed + figures.only_a + figures.only_b


def _part(agreed: int, claims: int) -> float | None:
    return round(agreed / claims, 4) if claims else None
