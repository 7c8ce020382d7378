"""Where a dialogue asks: a kept answer is taken, else the call is sent, kept, billed and put on record, in that order."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from datetime import UTC, datetime

from pipeline.models.budget import Budget
from pipeline.models.patience import Patience, Tries
from pipeline.models.pending import PendingError
from pipeline.models.protocol import CutOffError, Model
from schemas.bookline import CallLine
from schemas.call import Answer, Call, Usage
from schemas.config import ReaderConfig
from schemas.errors import IsopodError, Place, RefusedError
from store.answers import AnswerShelf
from store.book import Book


def now() -> str:
    """The time as records write it."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


@dataclass(frozen=True)
class Desk:
    """One reader's desk: nothing on it ever comes from the other reader.

    `model` is None where this command sends nothing by itself: then a call without a kept answer is pending. `provider` is the name
    under which answers are kept. `replay` names the folder that alone answers. `batched` are requests that wait in a batch: they are paid
    for, so they are never sent a second time.
    """

    provider: str
    config: ReaderConfig
    shelf: AnswerShelf
    model: Model | None
    budget: Budget
    patience: Patience
    book: Book | None
    currency: str
    replay: str | None = None
    batched: Container[str] = ()

    def ask(self, call: Call) -> Answer:
        """The answer to a call.

        Raises PendingError without a kept answer and a model to ask, or where it waits in a batch, RefusedError `not-recorded` in a
        replay, and as `Patience.send` and `Budget.reserve`.
        """
        kept = self.shelf.get(call.request)
        if kept is not None:
            return kept
        if self.replay is not None:
            raise RefusedError(
                "not-recorded",
                f"no answer to this question of reader {call.reader} is recorded there ({call.place})",
                where=Place(self.replay),
                fix="record it with --record; the text, config.yaml and isopod must be those of the recording",
            )
        if self.model is None or call.request in self.batched:
            raise PendingError([call])
        self.budget.reserve(call)
        started, tries = self.patience.now(), Tries()
        try:
            sent = self.patience.send(self.model, call, self.config, tries)
        except CutOffError as error:
            came, seconds = error.received, self.patience.now() - started
            money = self.budget.settle(call, came.usage)
            self._note(call, error.code, came.stop, came.usage, money, seconds, tries.retries)
            raise
        except BaseException as error:
            self.budget.release(call)
            self._charge_lost(call, tries)
            # Of what was refused before it was sent there is nothing to record.
            if isinstance(error, IsopodError) and not isinstance(error, RefusedError):
                self._note(call, error.code, None, None, None, self.patience.now() - started, tries.retries)
            raise
        answer = self.answer(call, sent.received.content, sent.received.stop, sent.received.usage)
        self.shelf.put(answer)
        self._charge_lost(call, tries)
        money = self.budget.settle(call, answer.usage)
        self._note(call, "answered", answer.stop, answer.usage, money, sent.seconds, sent.retries)
        return answer

    def answer(self, call: Call, content: str, stop: str, usage: Usage | None) -> Answer:
        """What came back, as it is kept."""
        return Answer(
            request=call.request,
            reader=call.reader,
            provider=self.provider,
            model=call.model,
            purpose=call.purpose,
            stop=stop,
            content=content,
            usage=usage,
        )

    def _charge_lost(self, call: Call, tries: Tries) -> None:
        for _ in range(tries.lost):
            self.budget.lose(call)

    def _note(
        self,
        call: Call,
        outcome: str,
        stop: str | None,
        usage: Usage | None,
        money: float | None,
        seconds: float,
        retries: int,
    ) -> None:
        if self.book is None:
            return
        self.book.write(
            CallLine(
                at=now(),
                request=call.request,
                reader=call.reader,
                provider=self.provider,
                model=call.model,
                purpose=call.purpose,
                round=call.round,
                place=call.place,
                outcome=outcome,
                stop=stop,
                usage=usage,
                money=None if money is None else round(money, 6),
                currency=None if money is None else self.currency,
                seconds=round(seconds, 3),
                retries=retries,
            )
        )
