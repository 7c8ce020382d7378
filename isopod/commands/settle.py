"""isopod settle: people decide where the readers differ."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import Exit, RefusedError

if TYPE_CHECKING:
    from pipeline.answers import Docket
    from pipeline.settle import BulkAnswer
    from store.transaction import Transaction


@options.command(
    "settle",
    examples=[
        ("isopod settle specs/links.md", "what is open; on a terminal, one key a dispute"),
        ("isopod settle specs/links.md --answer D-7K2MPQ4X=b --by Kim", "take what reader b says there"),
        (
            "isopod settle specs/links.md --cut 'D-7K2MPQ4X=constraint:\"exact words\"' --by Kim",
            "neither: these words are the claim",
        ),
        (
            'isopod settle specs/links.md --all union --by Kim --because "first draft"',
            "everything at once: what either of them says",
        ),
        ("isopod settle specs/links.md --undo", "take the last answer back"),
    ],
)
@click.argument("spec", required=False)
@click.option(
    "--answer", "answers", multiple=True, metavar="ID=ANSWER", help="a, b, both or none; keep or drop. Repeatable."
)
@click.option(
    "--cut",
    "cuts",
    multiple=True,
    metavar='ID=KIND:"WORDS"',
    help="Your own cut: a kind and the exact words. Repeatable.",
)
@click.option(
    "--all", "everything", type=click.Choice(["a", "b", "union", "agreed"]), help="One answer to all that is open."
)
@click.option("--undo", is_flag=True, help="Take the last answer back.")
@options.by
@options.because
@options.offline
@options.strict
@options.dry_run
def command(
    face: Face,
    spec: str | None,
    answers: tuple[str, ...],
    cuts: tuple[str, ...],
    everything: BulkAnswer | None,
    undo: bool,
    by: str | None,
    because: str | None,
    offline: bool,
    strict: bool,
    dry_run: bool,
) -> int:
    """List the open disputes of SPEC with both cuts in context, or answer them.

    Every answer is written at once, as a file of its own, and is replayed on every compile. Exit 3 when the list is not
    empty, 0 when nothing is open or the answers were taken.
    """
    from isopod.disputes import given_answers
    from isopod.workplace import spec_path, workspace
    from pipeline.answers import open_docket

    if sum(map(bool, (answers or cuts, everything, undo))) > 1:
        raise RefusedError("usage", "answer some, or all at once, or undo", fix="isopod settle --help")

    def opened() -> Docket:
        place = workspace(face)
        again = [dispute_id for dispute_id, _, _ in given_answers(answers, cuts)]
        return open_docket(place, spec_path(place, spec), offline=offline, strict=strict, again=again)

    docket = opened()
    if undo:
        return _undo(face, docket, dry_run)
    if everything is not None or answers or cuts:
        return _answer(face, docket, answers, cuts, everything, by, because, dry_run)
    if not face.as_json and docket.disputes and sys.stdin.isatty() and sys.stdout.isatty() and not dry_run:
        from isopod.asking import ask

        return Exit.WAITS if ask(face, docket, opened, by) else Exit.HOLDS
    _list(face, docket)
    return Exit.WAITS if docket.disputes else Exit.HOLDS


def _list(face: Face, docket: Docket) -> None:
    from isopod.disputes import left_lines, settle_output
    from isopod.render.compiled import table_dispute

    def lines() -> Iterator[str]:
        for dispute in docket.disputes:
            yield from table_dispute(docket.table, dispute.id, face)
            yield ""
        yield from left_lines(docket)

    face.give(settle_output(docket, (), dry_run=True), lines)


def _answer(
    face: Face,
    docket: Docket,
    answers: tuple[str, ...],
    cuts: tuple[str, ...],
    everything: BulkAnswer | None,
    by: str | None,
    because: str | None,
    dry_run: bool,
) -> int:
    """Take the answers in their order, each written before the next is looked at."""
    from isopod.disputes import given_answers, left_lines, settle_output
    from isopod.workplace import said
    from isopod.writing import changed_lines, diff_lines
    from pipeline.answers import settle_all, settle_one

    who = said(by, because)
    given = list(given_answers(answers, cuts))
    changed: list[str] = []
    diffs: list[str] = []

    def take(transaction: Transaction) -> None:
        diffs.append(transaction.diff())
        changed.extend(transaction.changed if dry_run else transaction.commit())

    if everything is not None:
        take(settle_all(docket, everything, who))
    for dispute_id, answer, own in given:
        take(settle_one(docket, dispute_id, answer, who, own))

    def lines() -> Iterator[str]:
        yield from diff_lines(face, "".join(diffs)) if dry_run else changed_lines(changed, dry_run)
        yield from left_lines(docket)

    face.give(settle_output(docket, tuple(changed), dry_run=dry_run), lines)
    return Exit.HOLDS


def _undo(face: Face, docket: Docket, dry_run: bool) -> int:
    from isopod.disputes import settle_output
    from isopod.render.columns import wrap
    from isopod.writing import diff_lines
    from pipeline.answers import undo

    taken, transaction = undo(docket)
    diff = transaction.diff()
    changed = transaction.changed if dry_run else transaction.commit()

    def lines() -> Iterator[str]:
        verb = "would take back" if dry_run else "took back"
        answer = taken.settlement
        yield from wrap(f"{verb} {answer.id} ({answer.answer or answer.type}, by {answer.by})", face.width)
        if dry_run:
            yield from diff_lines(face, diff)

    face.give(settle_output(docket, changed, dry_run=dry_run), lines)
    return Exit.HOLDS
