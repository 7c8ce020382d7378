"""isopod compile: one spec goes down the whole line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import IsopodError, RefusedError

if TYPE_CHECKING:
    from pipeline.compile import CompileOptions
    from pipeline.models.pending import PendingError
    from pipeline.room import RoomOptions
    from pipeline.settle import BulkAnswer
    from pipeline.workspace import Workspace

Say = Callable[[str], None]


@options.command(
    "compile",
    examples=[
        ("isopod compile specs/links.md --preview", "see the cards that it would make; nothing is written"),
        ("isopod compile specs/links.md", "make the cards"),
        ("isopod compile README.md --offline --preview", "any file, with the readers that need no key"),
        ("isopod compile specs/links.md --estimate", "what two models would cost; nothing is sent"),
        ("isopod compile specs/links.md --batch", "ask them for half the price, and come back later"),
        ("isopod compile specs/links.md --record answers", "keep every answer there, to replay it without network"),
        (
            'isopod compile specs/links.md --offline --accept union --by Kim --because "first draft"',
            "take what either of them says",
        ),
    ],
)
@click.argument("spec", required=False)
@click.option("--preview", is_flag=True, help="Show the cards and what you may want to do; write no card.")
@options.dry_run
@options.offline
@options.strict
@click.option("--estimate", is_flag=True, help="Show calls, tokens and money before anything is sent, and stop.")
@click.option("--batch", is_flag=True, help="Send the questions as batches: half the price, answers within a day.")
@click.option("--record", metavar="DIR", help="Keep every answer of a model in this folder too.")
@click.option("--replay", metavar="DIR", help="Take every answer from this folder; nothing is sent.")
@click.option(
    "--accept",
    type=click.Choice(["a", "b", "union", "agreed"]),
    help="Answer all that is open at once; with --by and --because.",
)
@options.by
@options.because
@click.option("--key", metavar="KEY", help="The name of a new spec among the cards, instead of its file's name.")
def command(
    face: Face,
    spec: str | None,
    preview: bool,
    dry_run: bool,
    offline: bool,
    strict: bool,
    estimate: bool,
    batch: bool,
    record: str | None,
    replay: str | None,
    accept: BulkAnswer | None,
    by: str | None,
    because: str | None,
    key: str | None,
) -> int:
    """Compile SPEC into cards: two readers read it alone, differences are decided, what is agreed becomes cards.

    Exit 0 when the cards are made, 3 when a person must decide something first (`isopod settle` lists it) or answers of models are still
    to come, 1 when a rule finds an error in the cards. An open question among the cards changes nothing of that. Compiling again changes
    no byte, and asks no model what was answered before: what a compile that was stopped has paid for is kept.
    """
    from isopod.render.compiled import compile_lines
    from isopod.workplace import any_workspace, refuse_unreadable, spec_path
    from isopod.writing import diff_lines
    from pipeline.compile import commit, compile_spec, note
    from pipeline.models.pending import PendingError

    chosen = _options(offline, strict, accept, by, because, key, _models(offline, batch, record, replay))
    place = any_workspace(face)
    if place.snapshot is not None and not preview:
        refuse_unreadable(place.snapshot)
    path = spec_path(place, spec)

    def say(message: str) -> None:
        face.note(f"isopod: {message}")

    if estimate:
        from isopod.render.estimate import estimate_lines
        from pipeline.estimate import estimate as estimated

        record_ = estimated(place, path, chosen, say)
        face.give(record_, lambda: estimate_lines(record_, face))
        return 0
    if batch:
        chosen = _with_answers(place, path, chosen, say)
    try:
        outcome = compile_spec(place, path, chosen, preview=preview, say=say)
    except PendingError as error:
        raise _waits(place, path, chosen, error, say) from None
    if preview or dry_run:
        note(outcome)
    else:
        commit(place, outcome)
    if record is not None and (outcome.room is None or not outcome.room.shelf.seen):
        say(f"nothing was asked of a model, so nothing was recorded in {record}")
    root = place.snapshot.instance.root if place.snapshot is not None else Path.cwd()

    def lines() -> Iterator[str]:
        yield from compile_lines(outcome, face, preview=preview or dry_run, offline=offline, root=root)
        if dry_run and outcome.transaction is not None:
            yield from diff_lines(face, outcome.transaction.diff())

    face.give(outcome.compiled, lines)
    return int(outcome.exit_code)


def _with_answers(place: Workspace, path: Path, chosen: CompileOptions, say: Say) -> CompileOptions:
    """Fetch the answers of batches about this spec that are over; the options with the budget that this command keeps to.

    Raises RefusedError where no reader takes batches, OutsideError when a provider fails.
    """
    from pipeline.batching import refuse_batch
    from pipeline.collecting import look
    from pipeline.models.budget import Budget

    refuse_batch(place)
    if place.snapshot is not None:
        looked = look(place.snapshot.instance, say, spec=place.name_of(path))
        if looked.failures:
            raise looked.failures[0].error
        for item in looked.items:
            if item.standing == "collected":
                say(f"batch {item.name}: {item.done} of {item.calls} questions answered")
    return replace(chosen, models=replace(chosen.models, budget=Budget(place.config.models)))


def _waits(place: Workspace, path: Path, chosen: CompileOptions, error: PendingError, say: Say) -> IsopodError:
    """What a compile ends with whose answers are still to come; with --batch the questions are sent first."""
    from pipeline.batching import explained, hand_over, outcome_of
    from pipeline.handing import with_ways_on

    name = place.name_of(path)
    if chosen.models.budget is None:
        waits = explained(place.snapshot.instance if place.snapshot is not None else None, error)
    else:
        waits = outcome_of(hand_over(place, name, error.calls, chosen.models.budget, say))
    return with_ways_on(place, name, error.calls, waits)


def _options(
    offline: bool,
    strict: bool,
    accept: BulkAnswer | None,
    by: str | None,
    because: str | None,
    key: str | None,
    models: RoomOptions,
) -> CompileOptions:
    from isopod.workplace import said
    from pipeline.compile import CompileOptions

    if accept is None:
        if by is not None or because is not None:
            raise RefusedError("usage", "--by and --because go with --accept", fix="isopod compile --help")
        return CompileOptions(offline=offline, strict=strict, key=key, models=models)
    if because is None or not because.strip():
        raise RefusedError("reason-missing", "an answer to everything at once needs a reason", fix='--because "..."')
    return CompileOptions(offline=offline, strict=strict, accept=accept, said=said(by, because), key=key, models=models)


def _models(offline: bool, batch: bool, record: str | None, replay: str | None) -> RoomOptions:
    """How models are asked.

    Raises RefusedError for options that contradict each other, or a folder to replay that is not there.
    """
    from pipeline.room import RoomOptions

    if offline and (batch or record is not None or replay is not None):
        raise RefusedError("usage", "--offline asks no model: it goes with no --batch, --record or --replay")
    if replay is not None and (batch or record is not None):
        raise RefusedError("usage", "--replay sends nothing: it goes with no --batch or --record")
    if "" in (record, replay):
        raise RefusedError("usage", "--record and --replay name a folder", fix="isopod compile --help")
    if record is not None and Path(record).exists() and not Path(record).is_dir():
        raise RefusedError("no-folder", f"{record} is no folder to record in", fix="name a folder; it is made if need be")
    if replay is not None and not Path(replay).is_dir():
        raise RefusedError("no-folder", f"there is no folder {replay} to replay", fix="name the folder of --record")
    return RoomOptions(
        record=Path(record).absolute() if record is not None else None,
        replay=Path(replay).absolute() if replay is not None else None,
        batch=batch,
    )
