"""Where a command asks models: the desks of both readers, their shared caps, patience and record. Each desk belongs to one reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from pipeline.extract import ReaderSeat
from pipeline.models.asking import Asking, StoredClaim
from pipeline.models.budget import Budget
from pipeline.models.desk import Desk, now
from pipeline.models.executor import Executor, Threads
from pipeline.models.patience import Clock, Patience
from pipeline.models.protocol import Batches, Model
from pipeline.workspace import Workspace
from schemas.anchors import Reading
from schemas.bookline import Start
from schemas.config import Config, ReaderConfig
from schemas.errors import Exit, IsopodError, OutsideError
from schemas.stopping import StoppedBySignalError
from store.answers import FOLDER, AnswerShelf
from store.batches import waiting
from store.book import Book
from store.instance import Instance
from store.lock import in_turn
from text.grounding import Grounder

Say = Callable[[str], None]
_INTERRUPTED: Final = 130

Mode = Literal["live", "kept"]
"""`live` sends what has no kept answer; `kept` sends nothing: such a call is pending."""


@dataclass(frozen=True, slots=True)
class RoomOptions:
    """What a person asks of a command that may ask models.

    `record` is a folder that every answer is also written to, `replay` the only folder that answers come from, `batch` says that
    providers which can are sent no single call.
    """

    mode: Mode = "live"
    record: Path | None = None
    replay: Path | None = None
    batch: bool = False
    budget: Budget | None = None


@dataclass
class Room:
    """One command's way to models. `calls` counts what was really sent by it; `sends` says whether it may send anything at all."""

    config: Config
    executor: Executor
    shelf: AnswerShelf
    budget: Budget
    patience: Patience
    book: Book | None
    options: RoomOptions
    instance: Instance
    spec: str
    say: Say
    sends: bool
    readers: dict[str, ReaderConfig] = field(default_factory=dict)
    batched: frozenset[str] = frozenset()

    @classmethod
    def open(
        cls,
        instance: Instance,
        seats: Sequence[ReaderSeat],
        *,
        command: str,
        spec: str,
        options: RoomOptions | None = None,
        say: Say,
        clock: Clock | None = None,
        drafts: bool = False,
    ) -> Room:
        """The room of one command on one spec. Nothing is made on disk before the first answer."""
        options = options or RoomOptions()
        config = instance.config
        readings = tuple(Reading(reader=seat.name, provider=seat.reader.provider, model=seat.model) for seat in seats)
        start = Start(at=now(), command=command, spec=spec, readers=readings)
        return cls(
            config=config,
            executor=Threads(config.models.at_once, say),
            shelf=_shelf(instance, options),
            budget=options.budget or Budget(config.models),
            patience=Patience(config.models, say, clock),
            book=Book(instance.state_dir, start) if options.mode == "live" else None,
            options=options,
            instance=instance,
            spec=spec,
            say=say,
            sends=options.mode == "live" and options.replay is None and _asks(config, seats, drafts=drafts),
            readers=config.both_readers,
            batched=frozenset(waiting(instance)) if options.replay is None else frozenset(),
        )

    @property
    def calls(self) -> int:
        """How many calls this command sent and got an answer to."""
        return self.budget.bill.calls

    def desk(self, seat: ReaderSeat) -> Desk:
        """The desk of one reader."""
        config = self.readers.get(seat.name) or ReaderConfig(provider=seat.reader.provider, model=seat.model)
        return Desk(
            provider=seat.reader.provider,
            config=config,
            shelf=self.shelf,
            model=self._model(seat),
            budget=self.budget,
            patience=self.patience,
            book=self.book,
            currency=self.config.models.currency,
            replay=str(self.options.replay) if self.options.replay is not None else None,
            batched=self.batched,
        )

    def _model(self, seat: ReaderSeat) -> Model | None:
        if self.options.mode == "kept" or self.options.replay is not None:
            return None
        if not isinstance(seat.reader, Model):
            return None
        return None if self.options.batch and can_batch(seat) else seat.reader

    def asking(
        self,
        seat: ReaderSeat,
        grounder: Grounder,
        changed: frozenset[int] | None,
        stored: Sequence[StoredClaim],
        terms: Sequence[str],
        say: Say,
    ) -> Asking:
        """What a reader needs beside the text to ask its model."""
        return Asking(
            name=seat.name,
            desk=self.desk(seat),
            executor=self.executor,
            models=self.config.models,
            grounder=grounder,
            say=say,
            changed=changed,
            stored=tuple(stored),
            terms=tuple(terms),
        )


@contextmanager
def asking_alone(room: Room | None) -> Iterator[None]:
    """Where a command may send questions, no other one sends any about the same spec meanwhile: each would pay for the same answers.

    Waits for the other one, and says so. Raises OutsideError when answers or records could not be kept: before anything is paid for.
    """
    if room is None or not room.sends:
        yield
        return

    def waits() -> None:
        room.say(f"another command is asking models about {room.spec}: waiting until it ends (Ctrl-C stops waiting)")

    state_dir = room.instance.state_dir
    with in_turn(state_dir, room.spec, waits):
        room.shelf.refuse_unwritable()
        if room.book is not None:
            room.book.refuse_unwritable()
        # What the other one has sent as a batch meanwhile is not sent by us.
        room.batched = frozenset(waiting(room.instance))
        yield


@contextmanager
def failure_on_record(room: Room | None) -> Iterator[None]:
    """What ends a command ends its record too, when it has one: a failure, a bug or Ctrl-C."""
    try:
        yield
    except BaseException as error:
        if room is not None and room.book is not None:
            # What went wrong first is what the person is told, also on a disk that takes no more.
            with suppress(OutsideError):
                room.book.end(_exit_code(error), now())
        raise


def _exit_code(error: BaseException) -> int:
    """The exit code of a command that this ends (docs/exit-codes.md)."""
    if isinstance(error, IsopodError):
        return int(error.exit_code)
    if isinstance(error, StoppedBySignalError):
        return error.exit_code
    if isinstance(error, KeyboardInterrupt):
        return _INTERRUPTED
    return int(Exit.OUTSIDE if isinstance(error, OSError) else Exit.BUG)


def open_room(
    workspace: Workspace,
    spec: str,
    seats: Sequence[ReaderSeat] | None,
    options: RoomOptions,
    *,
    command: str,
    say: Say,
    clock: Clock | None = None,
    drafts: bool = False,
) -> Room | None:
    """The room of a command; None outside an instance, where no config names a model. `drafts`: it may ask the drafter's model."""
    if workspace.snapshot is None:
        return None
    instance = workspace.snapshot.instance
    return Room.open(
        instance, seats or (), command=command, spec=spec, options=options, say=say, clock=clock, drafts=drafts
    )


def _asks(config: Config, seats: Sequence[ReaderSeat], *, drafts: bool) -> bool:
    return any(isinstance(seat.reader, Model) for seat in seats) or (drafts and config.draft.drafter == "model")


def can_batch(seat: ReaderSeat) -> bool:
    """Whether a reader's provider takes many calls at once for half the price."""
    return isinstance(seat.reader, Batches)


def _shelf(instance: Instance, options: RoomOptions) -> AnswerShelf:
    if options.replay is not None:
        return AnswerShelf(home=None, sources=(options.replay,))
    copies = (options.record,) if options.record is not None else ()
    return AnswerShelf(
        home=instance.state_dir / FOLDER,
        state=instance.state_dir,
        copies=copies,
        sources=(instance.recorded_dir,),
        forgets=options.mode == "live",
    )
