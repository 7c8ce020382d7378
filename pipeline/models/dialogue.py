"""A dialogue with one model about one task: ask, check, say what is wrong, ask again; three calls at most (DESIGN.md section 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from pipeline.models.desk import Desk
from pipeline.models.envelope import unwrap
from pipeline.models.prompt import LEAVE_OUT, complaint
from schemas.call import Answer, Call
from schemas.errors import OutsideError
from schemas.run import Violation

MOST_CALLS: Final = 3
"""The first and two retries."""

NO_ENVELOPE: Final = "no-envelope"
"""The code of a failure that says nothing of other tasks: a model never answered this one in form."""

_WHY: Final = 5
"""Of what was wrong with an answer so many things are told to people; the model is told more."""

CallOf = Callable[[str], Call]
"""The call of a task with this added at its end: nothing at first, then what was wrong with the last answer."""

Made = TypeVar("Made")

Judge = Callable[[dict[str, Any]], tuple[Made, Sequence[Violation]]]
"""What is made of an envelope, and what is wrong with it."""


class NeverInFormError(OutsideError):
    """A model answered a task as often as it is asked, never in form. `calls` are its questions, in that order."""

    def __init__(self, message: str, calls: Sequence[Call], *, fix: str) -> None:
        super().__init__(NO_ENVELOPE, message, fix=fix)
        self.calls = tuple(calls)


@dataclass(frozen=True, slots=True)
class Concluded(Generic[Made]):
    """What was made of the last envelope that validated, what is still wrong in it, and the answer that it came in."""

    made: Made
    violations: tuple[Violation, ...]
    answer: Answer


def converse(
    desk: Desk,
    call_of: CallOf,
    keys: tuple[str, ...],
    judge: Judge[Made],
    *,
    most: int = MOST_CALLS,
    ending: str = LEAVE_OUT,
    forgets: bool = True,
) -> Concluded[Made]:
    """Ask until nothing is wrong, at most `most` times; `ending` closes each complaint.

    Raises NeverInFormError (`no-envelope`) when no answer had a valid envelope. Such answers are not kept, so that running again asks
    again; without `forgets` they are: for a caller that goes on without an answer. Raises as `Desk.ask`.
    """
    asked: list[Call] = []
    concluded: Concluded[Made] | None = None
    added, why, place, wrong = "", "", "", ""
    for attempt in range(1, most + 1):
        # The number is part of the request: the same wrong answer twice is asked about twice.
        call = call_of(added).model_copy(update={"attempt": attempt, "why": why})
        place = call.place
        answer = desk.ask(call)
        asked.append(call)
        envelope = unwrap(answer.content, keys)
        violations: Sequence[Violation]
        if isinstance(envelope, Violation):
            violations, wrong = [envelope], envelope.message
        else:
            made, violations = judge(envelope)
            concluded = Concluded(made, tuple(violations), answer)
            if not violations:
                return concluded
        added, why = complaint(answer.content, violations, ending), _why(violations)
    if concluded is None:
        if forgets:
            desk.shelf.forget(call.request for call in asked)
        raise NeverInFormError(
            f"{desk.config.model} answered {most} times about {place}, never in the form that was asked for: {wrong}",
            asked,
            fix="run the same command again; the other parts are kept. If it stays, choose another model",
        )
    return concluded


def _why(violations: Sequence[Violation]) -> str:
    """What was wrong with an answer, in one line for people."""
    shown = [f"{one.path}: {one.message} ({one.code})" for one in violations[:_WHY]]
    more = len(violations) - len(shown)
    return "; ".join([*shown, f"and {more} more"] if more else shown)
