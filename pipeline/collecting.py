"""How sent batches stand, and their answers: fetched once, kept by request hash before anything else is written (DESIGN.md section 9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from pipeline.batching import sent_by_now
from pipeline.models.budget import money_of
from pipeline.models.desk import now
from pipeline.models.patience import Clock
from pipeline.models.protocol import Batches, BatchResult, BatchStatus, TransientError
from pipeline.readers.registry import reader_of
from schemas.anchors import Reading
from schemas.batch import Batch, BatchCall, BatchItem, BatchStanding
from schemas.bookline import CallLine, End, Start
from schemas.call import Answer
from schemas.config import ReaderConfig
from schemas.errors import ConflictError, IsopodError, OutsideError, Place, RefusedError
from store import batches
from store.answers import FOLDER, AnswerShelf
from store.book import Book, load_books
from store.instance import Instance
from store.lock import writing

Say = Callable[[str], None]

ANSWERED: Final = "answered"
_NO_ANSWER: Final = "not-answered"
"""The outcome of a question for which the provider names no code of its own."""

_FIRST_WAIT: Final = 30.0
_LONGEST_WAIT: Final = 300.0
_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a batch could not be looked at."""

    batch: str
    error: IsopodError

    @property
    def message(self) -> str:
        return f"batch {self.batch}: {self.error.message}"


@dataclass(frozen=True, slots=True)
class Looked:
    """How every batch stood that was open, and what kept from looking at some."""

    items: tuple[BatchItem, ...]
    failures: tuple[Failure, ...] = ()

    @property
    def waits(self) -> bool:
        return any(item.standing == "waiting" for item in self.items)

    @property
    def passing(self) -> bool:
        """Whether a failure may pass, so that looking again helps."""
        return any(isinstance(failure.error, TransientError) for failure in self.failures)


def look(instance: Instance, say: Say, *, spec: str | None = None) -> Looked:
    """Ask the providers how the open batches stand (of one spec, when named), and collect those that are over.

    One that cannot be looked at is a failure in the result and keeps no other from it. Raises RefusedError for a broken file of a
    batch, OutsideError when the disk refuses.
    """
    items: list[BatchItem] = []
    failures: list[Failure] = []
    for batch in batches.load(instance):
        if not batch.is_waiting or spec not in (None, batch.spec):
            continue
        try:
            items.append(_look_at(instance, batch, say))
        except (OutsideError, RefusedError) as error:
            failures.append(Failure(batch.name, error))
            items.append(item_of(batch, "unreachable"))
    return Looked(tuple(items), tuple(failures))


def wait(instance: Instance, say: Say, clock: Clock | None = None) -> Looked:
    """As `look`, again and again until no batch waits: every 30 seconds at first, every five minutes in the end.

    Failures that may pass are said and waited out; the others are in the result.
    """
    clock = clock or Clock()
    found: dict[str, BatchItem] = {}
    pause = _FIRST_WAIT
    said: set[str] = set()
    while True:
        looked = look(instance, say)
        found |= {item.name: item for item in looked.items}
        if not looked.waits and not looked.passing:
            return Looked(tuple(found.values()), looked.failures)
        for failure in looked.failures:
            if failure.message not in said:
                said.add(failure.message)
                say(failure.message)
        done = sum(item.done for item in looked.items)
        total = sum(item.calls for item in looked.items)
        say(
            f"{done} of {total} questions answered; looking again in {pause:.0f} s (Ctrl-C stops looking, nothing else)"
        )
        clock.sleep(pause)
        pause = min(_LONGEST_WAIT, pause * 1.5)


def drop(instance: Instance, name: str) -> Batch:
    """Give a batch up: its questions may be asked anew, and what it costs is lost. Raises RefusedError for one that does not wait."""
    with writing(instance.state_dir, "batches"):
        batch = batches.load_one(instance, name)
        if not batch.is_waiting:
            raise RefusedError("not-waiting", f"the batch {batch.name} is {batch.stage} already", fix="isopod batches")
        batch = batch.model_copy(update={"stage": "dropped"})
        batches.put(instance, batch)
        return batch


def found(instance: Instance, name: str, number: str) -> Batch:
    """A person has found the batch at its provider under this id.

    Raises RefusedError when it has an id, when another batch has this one, or when the provider's is of another size; OutsideError
    when the provider does not know it.
    """
    batch = batches.load_one(instance, name)
    if batch.stage != "sending":
        raise RefusedError("not-unknown", f"the batch {batch.name} is {batch.stage}, not unknown", fix="isopod batches")
    holder = next((one for one in batches.load(instance) if one.id == number), None)
    if holder is not None:
        raise RefusedError("another-batch", f"{number} is the batch {holder.name}", fix="isopod batches")
    status = _provider(batch).status(number, config_of(instance, batch))
    if status.total and status.total != len(batch.calls):
        raise RefusedError(
            "another-batch",
            f"{number} holds {status.total} questions, {batch.name} {len(batch.calls)}: it is another batch",
            fix=f"look again; isopod batches --drop {batch.name} when it is not there",
        )
    with writing(instance.state_dir, "batches"):
        if batches.load_one(instance, batch.name).stage != "sending":
            raise RefusedError("not-unknown", f"another command has resolved {batch.name}", fix="isopod batches")
        batch = batch.model_copy(update={"stage": "open", "id": number})
        batches.put(instance, batch)
    return batch


def config_of(instance: Instance, batch: Batch) -> ReaderConfig:
    """The config of a reader that goes where this batch was sent; the keys are those of today.

    Raises RefusedError when no reader of config.yaml goes there: a key is sent nowhere that config does not name.
    """
    both = instance.config.both_readers
    for name in sorted(both, key=lambda name: name != batch.reader):
        config = both[name]
        if (config.provider, config.base_url) == (batch.provider, batch.base_url):
            return config.model_copy(update={"model": batch.model})
    if batch.base_url is None:
        return ReaderConfig(provider=batch.provider, model=batch.model)
    where = urlsplit(batch.base_url).hostname
    raise RefusedError(
        "batch-elsewhere",
        f"it was sent to {where} ({batch.provider}), where no reader of config.yaml goes any more",
        where=Place("config.yaml"),
        fix=f"set provider and base_url of a reader back, or isopod batches --drop {batch.name}",
    )


def item_of(batch: Batch, standing: BatchStanding, status: BatchStatus | None = None) -> BatchItem:
    """How a batch stands, for the output."""
    over = standing == "collected"
    return BatchItem(
        name=batch.name,
        standing=standing,
        reader=batch.reader,
        provider=batch.provider,
        model=batch.model,
        spec=batch.spec,
        at=batch.at,
        id=batch.id,
        calls=len(batch.calls),
        done=batch.answered if over else (status.done if status is not None else 0),
        failed=len(batch.calls) - batch.answered if over else (status.failed if status is not None else 0),
        word=status.word if status is not None else None,
    )


def _look_at(instance: Instance, batch: Batch, say: Say) -> BatchItem:
    if batch.id is None:
        try:
            batch = sent_by_now(instance, batch)
        except ConflictError:
            return item_of(batch, "waiting")
    if batch.id is None:
        return item_of(batch, "unknown")
    provider, config = _provider(batch), config_of(instance, batch)
    status = provider.status(batch.id, config)
    if status.state == "waiting":
        return item_of(batch, "waiting", status)
    results = _results(provider, batch, config, status)
    with writing(instance.state_dir, "batches"):
        current = batches.load_one(instance, batch.name)
        if not current.is_waiting:
            return item_of(current, "collected" if current.stage == "collected" else "dropped", status)
        collected = _keep(instance, current, results)
    _tell(collected, results, say)
    return item_of(collected, "collected", status)


def _results(provider: Batches, batch: Batch, config: ReaderConfig, status: BatchStatus) -> dict[str, BatchResult]:
    """The result of every question of a batch that is over."""
    assert batch.id is not None  # only a batch that the provider has is asked for
    word = f"{status.word}, without a word about this question"
    none = {call.request: BatchResult(call.request, None, word) for call in batch.calls}
    try:
        came = {result.request: result for result in provider.results(batch.id, config)}
    except OutsideError as error:
        if error.code != "batch-failed":
            raise
        # The provider refused all of it: nothing was answered, and nothing more will come.
        return {request: BatchResult(request, None, error.message, error.code) for request in none}
    return {request: came.get(request, nothing) for request, nothing in none.items()}


def _keep(instance: Instance, batch: Batch, results: dict[str, BatchResult]) -> Batch:
    """Keep the answers, put the calls on record, then mark the batch: whatever breaks this off, doing it again changes nothing more."""
    shelf = AnswerShelf(home=instance.state_dir / FOLDER, state=instance.state_dir)
    for call in batch.calls:
        answer = _answer(batch, call, results[call.request])
        # What is kept already may have been used: a second answer to the same question would change what was made of it.
        if answer is not None and shelf.get(call.request) is None:
            shelf.put(answer)
    _record(instance, batch, results)
    calls = tuple(call.model_copy(update={"outcome": _outcome(results[call.request])}) for call in batch.calls)
    batch = batch.model_copy(update={"stage": "collected", "calls": calls})
    batches.put(instance, batch)
    return batch


def _answer(batch: Batch, call: BatchCall, result: BatchResult) -> Answer | None:
    if result.received is None:
        return None
    return Answer(
        request=call.request,
        reader=batch.reader,
        provider=batch.provider,
        model=batch.model,
        purpose=call.purpose,
        stop=result.received.stop,
        content=result.received.content,
        usage=result.received.usage,
    )


def _record(instance: Instance, batch: Batch, results: dict[str, BatchResult]) -> None:
    """One line a call, at half the price. Lines that a command wrote which died before it was done are not written again."""
    noted = {line.request for book in load_books(instance).kept for line in book.calls if line.batch == batch.id}
    reading = Reading(reader=batch.reader, provider=batch.provider, model=batch.model)
    book = Book(instance.state_dir, Start(at=now(), command="batches", spec=batch.spec, readers=(reading,)))
    for line in _lines(instance, batch, results):
        if line.request not in noted:
            book.write(line)
    if book.path is not None:
        book.write(End(at=now(), exit_code=0))


def _lines(instance: Instance, batch: Batch, results: dict[str, BatchResult]) -> Iterator[CallLine]:
    models = instance.config.models
    price = models.prices.get(batch.model)
    for call in batch.calls:
        result = results[call.request]
        usage = result.received.usage if result.received is not None else result.usage
        money = money_of(usage, price, batch=True) if usage is not None and price is not None else None
        yield CallLine(
            at=now(),
            request=call.request,
            reader=batch.reader,
            provider=batch.provider,
            model=batch.model,
            purpose=call.purpose,
            round=call.round,
            place=call.place,
            outcome=_outcome(result),
            stop=result.received.stop if result.received is not None else None,
            usage=usage,
            money=None if money is None else round(money, 6),
            currency=None if money is None else models.currency,
            # A batch has no time of its own for a call: what passed was time in a queue.
            seconds=0.0,
            batch=batch.id,
        )


def _outcome(result: BatchResult) -> str:
    return ANSWERED if result.received is not None else result.code or _NO_ANSWER


def _tell(batch: Batch, results: dict[str, BatchResult], say: Say) -> None:
    failed = [call for call in batch.calls if results[call.request].received is None]
    if not failed:
        return
    questions = (
        "1 question of it has" if len(failed) == 1 else f"{len(failed)} of its {len(batch.calls)} questions have"
    )
    say(f"batch {batch.name}: {questions} no answer; the next compile --batch sends what it still needs again")
    for call in failed[:_SHOWN]:
        say(f"  {call.place}: {results[call.request].error}")
    if len(failed) > _SHOWN:
        say(f"  and {len(failed) - _SHOWN} more")


def _provider(batch: Batch) -> Batches:
    reader = reader_of(batch.provider)
    if not isinstance(reader, Batches):
        raise RefusedError(
            "no-batches", f"{batch.provider} takes no batches", fix=f"isopod batches --drop {batch.name}"
        )
    return reader
