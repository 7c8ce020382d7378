"""Who drafts: the rules, or the model that config names (`draft.drafter`), and what is asked of it."""

from __future__ import annotations

from dataclasses import replace

from pipeline.draft.ask import Drafter, Placed, Standing, judge_by_model
from pipeline.draft.grouped import grouped, put
from pipeline.draft.judge import judge
from pipeline.draft.sheet import Sheet
from pipeline.extract import ReaderSeat
from pipeline.models.pending import PendingError
from pipeline.readers.registry import reader_of
from pipeline.room import Room, Say
from pipeline.workspace import Workspace
from schemas.errors import Place, RefusedError

RULES = "set draft: {drafter: rules} in config.yaml"


def place(sheet: Sheet, workspace: Workspace, room: Room | None, say: Say, *, again: bool = False) -> Placed:
    """Judgements on every claim of the sheet: by the model of `draft.reader` when config says so and there is a room, else by the rules.

    What people grouped stays together, whoever judges.
    With `again` drafted cards are dissolved, so their claims are judged anew. Raises RefusedError when that reader asks no model or
    nothing was recorded for it, and as `judge_by_model`.
    """
    groups = workspace.groups(sheet.key)
    placed = _judged(sheet, workspace, room, say, frozenset(put(sheet, groups)), again=again)
    judgements = grouped(sheet, placed.judged.judgements, groups)
    return replace(placed, judged=replace(placed.judged, judgements=judgements))


def _judged(
    sheet: Sheet, workspace: Workspace, room: Room | None, say: Say, settled: frozenset[str], *, again: bool
) -> Placed:
    if workspace.config.draft.drafter == "rules" or room is None:
        return Placed(judge(sheet))
    seat = _seat(workspace)
    standing = Standing.of(sheet, workspace.cards(sheet.key), workspace.store(sheet.key), again=again)
    try:
        return judge_by_model(sheet, Drafter(room.desk(seat), room.executor, say), standing, settled)
    except PendingError:
        if seat.reader.calls_model:
            raise
        raise RefusedError(
            "not-recorded",
            f"no judgements on the claims of {sheet.spec.path} by the drafter (reader {seat.name}) are recorded",
            where=Place(sheet.spec.path),
            fix=RULES,
        ) from None


def _seat(workspace: Workspace) -> ReaderSeat:
    """The seat of the reader whose model drafts."""
    name = workspace.config.draft.reader
    config = workspace.config.both_readers[name]
    seat = ReaderSeat(name, reader_of(config.provider), config.model)
    if seat.reader.heuristic:
        raise RefusedError(
            "drafter-asks-no-model",
            f"draft.drafter is model, and reader {name} ({config.provider}) asks none",
            where=Place("config.yaml"),
            fix=f"{RULES}, or name a reader that asks a model in draft.reader",
        )
    return seat
