"""What a compile would cost: the calls that wait are counted as they would be sent, later ones are guessed from their size.

The factors were measured on the recorded readings of six specs (benchmarks/cost.py): an answer holds 0.7 to 2.1 times the bytes of the
task, the listed claims about as many as the text, the disputed lines of a first round 0.03 to 0.19 of it. The guesses take the upper end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from pipeline.compile import CompileOptions, compile_spec
from pipeline.models.budget import BATCH_FACTOR, money_of, tokens_in, tokens_of
from pipeline.models.pending import PendingError
from pipeline.models.prompt import SHAPES, SYSTEM
from pipeline.models.shapes import schema_of
from pipeline.room import can_batch
from pipeline.rounds import Say, silent
from pipeline.workspace import Workspace
from schemas.call import Call, Purpose, Usage
from schemas.config import Config
from schemas.estimate import EstimateOutput, EstimateRow
from store.batches import waiting

_ANSWER: Final[dict[Purpose, float]] = {"read": 2.2, "repair": 1.5, "edges": 0.2, "draft": 0.8, "check": 0.1}
"""Tokens of an answer for each token of the task that was sent beside our own words."""

_DISPUTED: Final = 0.2
_CLAIMS: Final = 1.0
_REPAIRED: Final = _DISPUTED * (1 + _ANSWER["read"])
"""Disputed lines and what the reader said there."""


def estimate(workspace: Workspace, path: Path, options: CompileOptions, say: Say = silent) -> EstimateOutput:
    """Count what is to be asked; nothing is sent, nothing is written.

    Raises as `pipeline.compile.compile_spec`.
    """
    batch = options.models.batch
    quiet = replace(options, models=replace(options.models, mode="kept", record=None))
    rows: list[EstimateRow] = []
    under_way = 0
    sent = waiting(workspace.snapshot.instance) if workspace.snapshot is not None else {}
    try:
        compile_spec(workspace, path, quiet, preview=True, say=say)
    except PendingError as error:
        fresh = [call for call in error.calls if call.request not in sent]
        under_way = len(error.calls) - len(fresh)
        rows = [*_exact(workspace, fresh, batch=batch), *_later(workspace, error.calls, batch=batch)]
    rows.sort(key=lambda row: row.reader)
    return EstimateOutput(
        spec=workspace.name_of(path),
        estimate=tuple(rows),
        currency=workspace.config.models.currency,
        batch=batch,
        waiting=under_way,
    )


def _exact(workspace: Workspace, calls: Iterable[Call], *, batch: bool) -> Iterator[EstimateRow]:
    groups: dict[tuple[str, str, Purpose], list[Call]] = {}
    for call in calls:
        groups.setdefault((call.reader, call.model, call.purpose), []).append(call)
    for (reader, model, purpose), group in sorted(groups.items()):
        sent = sum(map(tokens_in, group))
        back = sum(min(call.max_tokens, round(tokens_of(call.user) * _ANSWER[purpose])) for call in group)
        yield _row(workspace, reader, model, purpose, len(group), sent, back, exact=True, batch=batch)


def _later(workspace: Workspace, calls: Iterable[Call], *, batch: bool) -> Iterator[EstimateRow]:
    """What follows the calls that stand ready: relations across parts, one repair round, the drafter.

    A reader without a call has read already, and decides again what the other one sees otherwise.
    """
    asked: dict[str, dict[Purpose, list[Call]]] = {}
    for call in calls:
        asked.setdefault(call.reader, {}).setdefault(call.purpose, []).append(call)
    text = max(map(_text, asked.values()), default=0)
    if not text:
        return
    for seat in workspace.seats(offline=False):
        own = asked.get(seat.name, {})
        if not seat.reader.calls_model or "repair" in own:
            continue
        if len(own.get("read", ())) > 1:
            sent, back = _words("edges") + round(text * _CLAIMS), round(text * _CLAIMS * _ANSWER["edges"])
            yield _row(workspace, seat.name, seat.model, "edges", 1, sent, back, exact=False, batch=batch)
        if workspace.config.repair_rounds and not any("repair" in one for one in asked.values()):
            sent = _words("repair") + round(text * _REPAIRED)
            back = round(text * _DISPUTED * _ANSWER["read"])
            yield _row(workspace, seat.name, seat.model, "repair", 1, sent, back, exact=False, batch=batch)
    draft = workspace.config.draft
    if draft.drafter == "model":
        model = workspace.config.both_readers[draft.reader].model
        back = round(text * _ANSWER["draft"])
        yield _row(workspace, draft.reader, model, "draft", 1, round(text * 1.5), back, exact=False, batch=batch)


def _text(asked: Mapping[Purpose, Sequence[Call]]) -> float:
    """About how many tokens the text has that one reader is asked about; 0 where only judgements are asked for."""
    share: dict[Purpose, float] = {"read": 1.0, "edges": _CLAIMS, "repair": _REPAIRED}
    for purpose, part in share.items():
        if purpose in asked:
            return sum(tokens_of(call.user) for call in asked[purpose]) / part
    return 0.0


def _words(purpose: Purpose) -> int:
    """The tokens of what is the same in every call of a purpose."""
    return tokens_of(SYSTEM[purpose]) + tokens_of(json.dumps(schema_of(SHAPES[purpose])))


def _row(
    workspace: Workspace,
    reader: str,
    model: str,
    purpose: Purpose,
    calls: int,
    sent: int,
    back: int,
    *,
    exact: bool,
    batch: bool,
) -> EstimateRow:
    config: Config = workspace.config
    price = config.models.prices.get(model)
    money = money_of(Usage(input=sent, output=back), price) if price is not None else None
    half = batch and any(seat.name == reader and can_batch(seat) for seat in workspace.seats(offline=False))
    return EstimateRow(
        reader=reader,
        provider=config.both_readers[reader].provider,
        model=model,
        purpose=purpose,
        exact=exact,
        calls=calls,
        input=sent,
        output=back,
        money=None if money is None else round(money * (BATCH_FACTOR if half else 1), 4),
    )
