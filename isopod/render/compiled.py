"""The report of one compile: how the readings met, what waits for a person, what the rules say, what was written."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from isopod.escape import escape
from isopod.face import Face
from isopod.render.columns import wrap
from isopod.render.findings import finding_lines
from isopod.render.joined import coverage_lines, dispute_lines, figures, violation_lines
from isopod.render.preview import board_of, card_lines, suggestion_lines
from isopod.render.status import AGREEMENT
from isopod.words import number_of
from isopod.writing import changed_lines
from schemas.kinds import CARD_KINDS
from store.graph import Graph

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.compile import Outcome
    from pipeline.models.budget import Bill
    from pipeline.table import Table
    from schemas.card import Card

SAME_MODEL: Final = "Both readings are by one model: they prove less than two models agreeing."
_DISPUTES_SHOWN: Final = 5


def compile_lines(outcome: Outcome, face: Face, *, preview: bool, offline: bool, root: Path) -> Iterator[str]:
    """The whole report. A preview shows every card and what a person may want to do; else only the counts."""
    compiled = outcome.compiled
    settle = f"isopod settle {escape(compiled.spec.path)}{' --offline' if offline else ''}"
    if not (root / "config.yaml").is_file():
        settle = "isopod init, then compile and settle the spec in its specs/"
    yield from round_lines(outcome, face)
    if compiled.disputes:
        yield from _disputes(outcome, face, settle)
    shown = tuple(finding for finding in outcome.findings if finding.code not in _AS_DISPUTES or not compiled.disputes)
    if shown:
        yield ""
        yield from finding_lines(shown, root, face)
    if preview and compiled.anchors:
        yield ""
        yield from card_lines(board_of(compiled), face)
        yield from suggestion_lines(compiled.suggestions, face)
        if compiled.rounds:
            yield from coverage_lines(compiled.rounds[-1].join.coverage, face)
    else:
        yield from suggestion_lines(tuple(one for one in compiled.suggestions if one.rule in _ALWAYS), face)
    yield ""
    yield from _ending(outcome, face, settle, preview=preview)


_ALWAYS: Final = frozenset({"D14"})
"""What a model that drafts did otherwise than it was asked, or doubts, is said also where suggestions are not shown."""

_AS_DISPUTES: Final = frozenset({"A101", "A110", "A144"})
"""An error of these opened a dispute, which is shown as such."""


def round_lines(outcome: Outcome, face: Face) -> Iterator[str]:
    """The figures of each round, and what agreement is worth."""
    rounds = outcome.compiled.rounds
    if not rounds:
        yield f"{escape(outcome.compiled.spec.path)}: no section changed since it was read; nothing is read again."
    for one in rounds:
        name = "First reading" if one.round == 0 else f"Round {one.round}, disputed places again"
        yield from wrap(f"{name}: {figures(one.join)}.", face.width, indent="  ", first="")
    if rounds:
        yield AGREEMENT
    if outcome.same_model:
        yield SAME_MODEL
    if outcome.room is not None and outcome.compiled.calls:
        yield from wrap(bill_text(outcome.room.budget.bill, outcome.room.config.models.currency), face.width)
    if outcome.reached is not None:
        for reading in outcome.reached.readings:
            name = reading.reader.name
            everything = f"isopod extract {escape(shlex.quote(outcome.compiled.spec.path))} --reader {name}"
            yield from violation_lines(
                reading.reading.violations, f"Reader {name}: left out", face, all_of_them=everything
            )


def bill_text(bill: Bill, currency: str) -> str:
    """What a command asked of models: calls, tokens, money where every price is known."""
    cached = f" ({bill.cached:,} from the provider's cache)" if bill.cached else ""
    money = f", {bill.money:.4f} {currency}" if bill.money is not None else "; config has no price for it all"
    return f"{number_of(bill.calls, 'call')} of language models: {bill.input:,} tokens in{cached}, {bill.output:,} out{money}."


def _disputes(outcome: Outcome, face: Face, settle: str) -> Iterator[str]:
    disputes = outcome.compiled.disputes
    yield ""
    yield face.paint(f"A person must decide ({len(disputes)})", "bold")
    for dispute in disputes[:_DISPUTES_SHOWN]:
        yield ""
        yield from table_dispute(outcome.table, dispute.id, face)
    if len(disputes) > _DISPUTES_SHOWN:
        yield ""
        yield f"and {len(disputes) - _DISPUTES_SHOWN} more: {settle}"


def table_dispute(table: Table, dispute_id: str, face: Face) -> Iterator[str]:
    """One open dispute with both cuts, and for a rule's objection what it says."""
    dispute = table.disputes[dispute_id]
    yield from dispute_lines(dispute, table.bench.spec, table.sides[0].anchors, table.sides[1].anchors, face)
    if dispute_id in table.reasons:
        yield from wrap(table.reasons[dispute_id], face.width, indent="  ")


def _ending(outcome: Outcome, face: Face, settle: str, *, preview: bool) -> Iterator[str]:
    compiled = outcome.compiled
    yield from wrap(f"{number_of(len(compiled.anchors), 'claim')}: {counts(compiled.cards)}.", face.width)
    if outcome.settlement is not None:
        left_out = len(outcome.settlement.left_out)
        yield f"All that was open is answered by {escape(outcome.settlement.by)}; {number_of(left_out, 'claim')} left out."
    if outcome.waits and compiled.disputes:
        yield f"Nothing is written until these are decided: {settle}"
    elif outcome.waits:
        yield "Nothing was claimed in this spec, so there is nothing to make cards of."
    elif outcome.transaction is None and not preview:
        yield "Nothing is written while an error stands."
    elif preview:
        yield "A preview: nothing was written."
    else:
        yield from changed_lines(compiled.changed, dry_run=False)


def counts(cards: tuple[Card, ...]) -> str:
    """`6 stories with 19 lines, 1 question, 1 request, 3 decisions and 1 replaced, 1 epic`."""
    live = [card for card in cards if card.state != "deleted"]
    replaced = Graph.of(live).is_superseded
    of = {kind: [card for card in live if card.kind == kind] for kind in CARD_KINDS}
    lines = sum(len(card.acceptance) for card in of["story"])
    old = sum(replaced(card.id) for card in of["decision"])
    several = (
        f"{number_of(len(of['story']), 'story', 'stories')} with {number_of(lines, 'line')}",
        number_of(len(of["gate"]), "question"),
        number_of(len(of["request"]), "request"),
        number_of(len(of["decision"]) - old, "decision") + (f" and {old} replaced" if old else ""),
        number_of(len(of["epic"]), "epic"),
    )
    return ", ".join(several)
