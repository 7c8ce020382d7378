"""Questions sent as batches, for half the price and answers within a day: each is sent once (DESIGN.md section 9).

A batch is written down before it is sent and completed with the provider's id. Where that id is missing afterwards nobody knows whether
it arrived, and its questions are not sent again until a person says so. Fetching the answers is `pipeline.collecting`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.extract import ReaderSeat
from pipeline.models.budget import Budget
from pipeline.models.desk import now
from pipeline.models.pending import PendingError
from pipeline.models.protocol import Batches, TransientError
from pipeline.room import can_batch
from pipeline.workspace import Workspace
from schemas.batch import Batch
from schemas.call import Call
from schemas.errors import IsopodError, OutsideError, Place, RefusedError, WaitsError
from store import batches
from store.answers import FOLDER, AnswerShelf
from store.instance import Instance
from store.lock import writing

Say = Callable[[str], None]

_NOT_TAKEN: Final = frozenset(
    {
        "rate-limited",
        "overloaded",
        "key-refused",
        "no-credit",
        "unknown-model",
        "request-refused",
        "moved",
        "certificate",
    }
)
"""Codes of failures by which a provider, or the way to it, says that it took nothing."""

_SHOWN: Final = 6


@dataclass(frozen=True, slots=True)
class HandedOver:
    """Where pending questions are now: `batches` hold some of them and wait, `unknown` may have arrived or not.

    `elsewhere` are those that no batch takes, since the provider of their reader knows none; `answered` counts those whose answer came
    meanwhile.
    """

    batches: tuple[Batch, ...]
    unknown: tuple[Batch, ...]
    elsewhere: tuple[Call, ...]
    answered: int


def refuse_batch(workspace: Workspace) -> None:
    """Raises RefusedError when the provider of neither reader takes batches."""
    seats = workspace.seats(offline=False)
    if not any(map(can_batch, seats)):
        named = " and ".join(dict.fromkeys(seat.reader.provider for seat in seats))
        raise RefusedError(
            "no-batches",
            f"neither reader takes batches ({named})",
            where=Place("config.yaml"),
            fix="leave --batch out, or name the provider anthropic or openai",
        )


def hand_over(workspace: Workspace, spec: str, calls: Sequence[Call], budget: Budget, say: Say) -> HandedOver:
    """Send pending questions as batches, one a reader; those that wait in a batch already are not sent again.

    Nothing is sent when all of them together could cross a cap. Raises OutsideError when a provider takes no batch, `batch-unknown` when
    it is not known whether it did, RefusedError when a reader is not ready, ConflictError while another command sends; batches that were
    taken before that are kept.
    """
    seats = {seat.name: seat for seat in workspace.seats(offline=False)}
    assert workspace.snapshot is not None  # outside an instance there are no such seats
    instance = workspace.snapshot.instance
    able = [call for call in calls if can_batch(seats[call.reader])]
    with writing(instance.state_dir, "compile"):
        # What was looked up before the lock may have been sent, or collected, by another command since.
        waiting = batches.waiting(instance)
        shelf = AnswerShelf(home=instance.state_dir / FOLDER)
        kept = {call.request for call in able if call.request not in waiting and shelf.get(call.request) is not None}
        fresh = [call for call in able if call.request not in waiting and call.request not in kept]
        for call in fresh:
            budget.reserve(call, batch=True)
        sent = _send_all(instance, spec, seats, fresh, say)
    old = _distinct(waiting[call.request] for call in able if call.request in waiting)
    return HandedOver(
        batches=(*(one for one in old if one.stage == "open"), *sent),
        unknown=tuple(one for one in old if one.stage == "sending"),
        elsewhere=tuple(call for call in calls if not can_batch(seats[call.reader])),
        answered=len(kept),
    )


def outcome_of(handed: HandedOver) -> IsopodError:
    """What a compile ends with when its questions were handed over: it waits, or somebody must look first."""
    if handed.unknown:
        return unknown_error(handed.unknown[0])
    if handed.elsewhere:
        error = PendingError(handed.elsewhere)
        also = f"; {batch_words(handed.batches)}" if handed.batches else ""
        return WaitsError(error.code, f"{error.message} by hand{also}", fix=error.fix)
    if not handed.batches:
        return WaitsError("answers-wait", "the answers came while this command ran", fix="run the same command again")
    return WaitsError(
        "answers-wait",
        f"{batch_words(handed.batches)}. A batch costs half, and its answers come within a day",
        fix="isopod batches --wait, then the same command again",
    )


def explained(instance: Instance | None, error: PendingError) -> IsopodError:
    """The error of a command that sends call by call, when what it needs waits in a batch; else the error as it is."""
    waiting = batches.waiting(instance) if instance is not None else {}
    holding = _distinct(waiting[call.request] for call in error.calls if call.request in waiting)
    if not holding:
        return error
    unknown = next((one for one in holding if one.stage == "sending"), None)
    # It may be on its way this very moment: who sends holds the lock.
    if unknown is not None and instance is not None and sent_by_now(instance, unknown).stage == "sending":
        return unknown_error(unknown)
    return WaitsError(
        "answers-wait",
        f"{batch_words(holding)}, so none of them is sent a second time",
        fix="isopod batches --wait, then the same command again",
    )


def sent_by_now(instance: Instance, batch: Batch) -> Batch:
    """The batch when no command is sending any more. Raises ConflictError `locked` while one still does after some seconds."""
    with writing(instance.state_dir, "batches"):
        return batches.load_one(instance, batch.name)


def unknown_error(batch: Batch) -> OutsideError:
    """Nobody knows whether this batch arrived, and what to do about it."""
    about = f"{_questions(len(batch.calls))} to {batch.model}, {batch.at}"
    return OutsideError(
        "batch-unknown",
        f"the batch {batch.name} ({about}) was being sent when a command broke off: whether {batch.provider} has it is not known, "
        "so nothing of it is sent again",
        fix=f"look at the provider's console. It is there: isopod batches --found {batch.name} ID. "
        f"It is not: isopod batches --drop {batch.name}",
    )


def batch_words(waiting: Sequence[Batch]) -> str:
    """How many questions wait in which batches."""
    count = sum(len(batch.calls) for batch in waiting)
    shown = [
        f"{batch.name} ({len(batch.calls)} for {batch.provider}, {batch.id or 'no id yet'})"
        for batch in waiting[:_SHOWN]
    ]
    more = [f"and {len(waiting) - _SHOWN} more"] if len(waiting) > _SHOWN else []
    verb = "waits" if count == 1 else "wait"
    batches_ = "a batch" if len(waiting) == 1 else f"{len(waiting)} batches"
    return f"{_questions(count)} {verb} in {batches_}: {', '.join([*shown, *more])}"


def _send_all(
    instance: Instance, spec: str, seats: dict[str, ReaderSeat], calls: Sequence[Call], say: Say
) -> tuple[Batch, ...]:
    """One batch a reader. A reader whose provider fails does not keep the other's from being sent: its failure is raised at the end."""
    by_reader: dict[str, list[Call]] = {}
    for call in calls:
        by_reader.setdefault(call.reader, []).append(call)
    sent: list[Batch] = []
    failures: list[IsopodError] = []
    for name, group in sorted(by_reader.items()):
        try:
            sent.append(_send(instance, spec, seats[name], tuple(group), say))
        except IsopodError as error:
            failures.append(error)
    if failures:
        raise failures[0]
    return tuple(sent)


def _send(instance: Instance, spec: str, seat: ReaderSeat, calls: tuple[Call, ...], say: Say) -> Batch:
    assert isinstance(seat.reader, Batches)  # nothing else is handed over
    config, at = instance.config.both_readers[seat.name], now()
    batch = Batch.of(
        batches.fresh_name(instance, calls, at),
        calls,
        provider=seat.reader.provider,
        base_url=config.base_url,
        spec=spec,
        at=at,
    )
    batches.put(instance, batch)
    say(f"reader {seat.name}: sending {_questions(len(calls))} as the batch {batch.name}")
    try:
        number = seat.reader.submit(calls, config)
    except IsopodError as error:
        if _was_not_taken(error):
            batches.remove(instance, batch)
            raise
        unknown = unknown_error(batch)
        raise OutsideError(unknown.code, f"{unknown.message} ({error.message})", fix=unknown.fix) from error
    batch = batch.model_copy(update={"stage": "open", "id": number})
    batches.put(instance, batch)
    return batch


def _was_not_taken(error: IsopodError) -> bool:
    """Whether it is certain that the provider took nothing; everything that is not certain may have been taken, and paid."""
    if isinstance(error, RefusedError) or error.code in _NOT_TAKEN:
        return True
    return isinstance(error, TransientError) and not error.sent


def _distinct(found: Iterable[Batch]) -> tuple[Batch, ...]:
    return tuple({batch.name: batch for batch in found}.values())


def _questions(count: int) -> str:
    return f"{count} question{'' if count == 1 else 's'}"
