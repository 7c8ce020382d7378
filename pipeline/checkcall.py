"""One tiny question to the model of a reader, to see that it answers at all, in the form that is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from pipeline.checkup import destination, model_of
from pipeline.models.budget import Budget
from pipeline.models.desk import Desk, now
from pipeline.models.patience import Clock, Patience
from pipeline.models.prompt import SHAPES, SYSTEM, version
from pipeline.models.protocol import CutOffError
from schemas.anchors import Reading
from schemas.bookline import End, Start
from schemas.call import Answer, Call
from schemas.config import ReaderConfig
from schemas.doctor import Check, CheckedCall
from schemas.errors import Exit, IsopodError
from store.answers import AnswerShelf
from store.book import Book
from store.instance import Instance

Say = Callable[[str], None]

_TRIES: Final = 2
_LIMITS: Final = {"deadline": "2m", "patience": "10s"}
_ANSWER_TOKENS: Final = 1_000
"""A model that thinks before it answers needs some hundred tokens for a word."""

_NO_SPEC: Final = "(no spec)"


class Checking:
    """The checks of one command: one question a reader, no kept answer is taken, each is a line of the run record."""

    def __init__(self, instance: Instance, say: Say, clock: Clock | None = None) -> None:
        self._config = instance.config
        self._say = say
        self._patience = Patience(instance.config.models.model_copy(update=_LIMITS), say, clock, tries=_TRIES)
        self._budget = Budget(instance.config.models)
        readings = (
            Reading(reader=name, provider=one.provider, model=one.model)
            for name, one in instance.config.both_readers.items()
        )
        start = Start(at=now(), command="doctor", spec=_NO_SPEC, readers=tuple(readings))
        self._book = Book(instance.state_dir, start)
        self._asked = False

    def ask(self, name: str, config: ReaderConfig) -> Check | None:
        """Ask the model of a reader; None when isopod sends it nothing. Says first what is sent, and where."""
        model = model_of(config)
        if model is None:
            return None
        call = question(name, config)
        size = len((call.system + call.user).encode())
        self._say(
            f"reader {name}: sends one question of {size} bytes, nothing of a spec, to {config.model} ({destination(config)})"
        )
        self._asked = True
        desk = Desk(
            provider=config.provider,
            config=config,
            shelf=AnswerShelf(home=None),
            model=model,
            budget=self._budget,
            patience=self._patience,
            book=self._book,
            currency=self._config.models.currency,
        )
        title, started = f"call of reader {name}", self._patience.now()
        try:
            answer = desk.ask(call)
        except CutOffError as error:
            seconds = self._patience.now() - started
            made = CheckedCall(seconds=round(seconds, 3), stop=error.received.stop, usage=error.received.usage)
            return Check(
                name=title, state="failed", message=f"{error.message} ({error.code})", fix=error.fix, call=made
            )
        except IsopodError as error:
            made = CheckedCall(seconds=round(self._patience.now() - started, 3))
            return Check(
                name=title, state="failed", message=f"{error.message} ({error.code})", fix=error.fix, call=made
            )
        return _judged(title, config, answer, self._patience.now() - started)

    def close(self, exit_code: Exit) -> None:
        """End the record, when anything was asked."""
        if self._asked:
            self._book.write(End(at=now(), exit_code=exit_code))


def question(name: str, config: ReaderConfig) -> Call:
    """The question: our own fixed words, and the smallest answer that there is."""
    return Call(
        reader=name,
        model=config.model,
        purpose="check",
        round=0,
        prompt=version("check"),
        shape=SHAPES["check"],
        system=SYSTEM["check"],
        user="Are you ready?",
        max_tokens=min(config.max_tokens, _ANSWER_TOKENS),
        place="a check of the connection",
    )


def _judged(title: str, config: ReaderConfig, answer: Answer, seconds: float) -> Check:
    made = CheckedCall(seconds=round(seconds, 3), stop=answer.stop, usage=answer.usage)
    if _in_form(answer.content):
        return Check(name=title, state="ok", message=f"{config.model} answers in the form that is asked for", call=made)
    return Check(
        name=title,
        state="failed",
        message=f"{config.model} answers, but not in the form that is asked for: its readings would be refused",
        fix="let the program print the model's last answer alone, and nothing else"
        if config.provider == "command"
        else "choose a model that makes tool calls, and for a server of your own see what it needs for them",
        call=made,
    )


def _in_form(content: str) -> bool:
    """Whether the answer is, or holds, the object that was asked for."""
    for text in (content, content[content.find("{") : content.rfind("}") + 1]):
        with suppress(ValueError, RecursionError):
            data = json.loads(text)
            if isinstance(data, dict) and isinstance(data.get("ready"), bool):
                return True
    return False
