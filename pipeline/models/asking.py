"""What a reader that asks a model is given beside the spec: its desk, who works tasks off, which sections to read, what stands already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pipeline.models.desk import Desk
from pipeline.models.dialogue import NO_ENVELOPE
from pipeline.models.executor import Executor
from pipeline.models.parts import codes
from pipeline.models.pending import PendingError, merged
from pipeline.models.prompt import SHAPES, SYSTEM, version
from schemas.bookline import LeftOutLine
from schemas.call import Call, Purpose
from schemas.config import Models
from schemas.errors import IsopodError, OutsideError
from schemas.kinds import AnchorKind
from schemas.run import Violation
from text.coordinates import SpanT
from text.grounding import Grounder

Say = Callable[[str], None]
Task = TypeVar("Task")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class StoredClaim:
    """A claim that was adopted from a section that is not read again."""

    kind: AnchorKind
    span: SpanT


@dataclass(frozen=True, slots=True)
class Asking:
    """`name` is the reader's, `changed` the sections to read (None: all), `stored` the claims that stand in the other ones, `terms` the
    adopted glossary."""

    name: str
    desk: Desk
    executor: Executor
    models: Models
    grounder: Grounder
    say: Say
    changed: frozenset[int] | None = None
    stored: Sequence[StoredClaim] = ()
    terms: Sequence[str] = ()

    def call(self, round_: int, purpose: Purpose, task: str, place: str) -> Call:
        """The call that puts this task to the reader's model."""
        return Call(
            reader=self.name,
            model=self.desk.config.model,
            purpose=purpose,
            round=round_,
            prompt=version(purpose),
            shape=SHAPES[purpose],
            system=SYSTEM[purpose],
            user=task,
            max_tokens=self.desk.config.max_tokens,
            place=place,
        )

    def note_left_out(self, place: str, violations: Sequence[Violation]) -> None:
        """Say, and put on record, what is still wrong after all tries and is left out; nothing when nothing is."""
        if not violations:
            return
        count = len(violations)
        things = "1 thing is" if count == 1 else f"{count} things are"
        self.say(f"reader {self.name}: {things} still wrong in {place} after all tries, and left out")
        if self.desk.book is not None:
            self.desk.book.remember(LeftOutLine(reader=self.name, place=place, codes=codes(violations)))

    def all_of(self, work: Callable[[Task], Made], tasks: Sequence[Task]) -> list[Made]:
        """`work` of every task through the executor, in the order of the tasks.

        A task that waits for an answer, or that was never answered in form, does not keep the others from being done: that is raised
        at the end, all that waits as one PendingError. Any other failure ends the handing out.
        """

        def tried(task: Task) -> Made | IsopodError:
            try:
                return work(task)
            except PendingError as error:
                return error
            except OutsideError as error:
                if error.code != NO_ENVELOPE:
                    raise
                return error

        results = self.executor.run(tried, tasks)
        failed = [one for one in results if isinstance(one, IsopodError)]
        for error in failed:
            if not isinstance(error, PendingError):
                raise error
        if failed:
            raise merged(error for error in failed if isinstance(error, PendingError))
        return [one for one in results if not isinstance(one, IsopodError)]
