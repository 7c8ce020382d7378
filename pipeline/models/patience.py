"""The one retry loop: what may pass is tried again, as long as the deadline and the provider allow (DESIGN.md section 9).

The SDKs' own retries are off. Waits grow by doubling from one second with full jitter (AWS Architecture Blog, "Exponential Backoff And
Jitter"), unless the provider says how long.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pipeline.models.protocol import Model, Received, TransientError
from schemas.call import Call
from schemas.config import Models, ReaderConfig, seconds_of
from schemas.errors import OutsideError

MOST_TRIES: Final = 5
_FIRST_WAIT: Final = 1.0
_LONGEST_WAIT: Final = 30.0

_SAID_AGAIN: Final = 60.0
"""Seconds after which the same reason to wait is said again."""

Say = Callable[[str], None]


@dataclass
class Clock:
    """Time as the loop sees it; tests have one that does not wait."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True)
class Sent:
    """An answer with how long it took, waits included, and how many tries it took beyond the first."""

    received: Received
    seconds: float
    retries: int


@dataclass(slots=True)
class Tries:
    """How often a call was sent so far, and how many of these tries were `lost` after they went out: who asks can still say it when the
    call fails."""

    count: int = 0
    lost: int = 0

    @property
    def retries(self) -> int:
        """Those beyond the first."""
        return max(0, self.count - 1)


class Patience:
    """Retries for one command, `tries` at most for one call: `deadline` counts from when this is made."""

    def __init__(self, limits: Models, say: Say, clock: Clock | None = None, *, tries: int = MOST_TRIES) -> None:
        self._clock = clock or Clock()
        self._tries = tries
        self._say = say
        self._most_wait = seconds_of(limits.patience)
        self._deadline_text = limits.deadline
        self._end = self._clock.now() + seconds_of(limits.deadline)
        self._said: dict[str, float] = {}
        self._unsaid: Counter[str] = Counter()

    def now(self) -> float:
        """Seconds on the clock that the deadline counts by."""
        return self._clock.now()

    def send(self, model: Model, call: Call, config: ReaderConfig, tries: Tries | None = None) -> Sent:
        """Send a call until it is answered; `tries` counts along.

        Raises OutsideError `deadline`, `model-busy` (the provider wants a longer wait than `models.patience`) or the last failure when
        all tries failed; CutOffError and what cannot pass at once.
        """
        started = self._clock.now()
        tries = tries or Tries()
        while True:
            left = self._end - self._clock.now()
            if left <= 0:
                raise self._too_late(call)
            tries.count += 1
            try:
                received = model.send(call, config, min(left, seconds_of(config.time_limit)))
                return Sent(received, self._clock.now() - started, tries.retries)
            except TransientError as error:
                tries.lost += error.sent
                if tries.count >= self._tries:
                    raise OutsideError(
                        error.code,
                        f"{_asked(call)}: {error.message} ({tries.count} tries; {call.place})",
                        fix=error.fix or "what was answered is kept: run the same command again later",
                    ) from error
                self._wait(self._how_long(error, tries.count, call), call, error)

    def _how_long(self, error: TransientError, tries: int, call: Call) -> float:
        if error.retry_after is None:
            return min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** (tries - 1)) * self._clock.jitter()
        if error.retry_after > self._most_wait:
            raise OutsideError(
                "model-busy",
                f"{_asked(call)} asks to wait {error.retry_after:.0f} s, longer than models.patience allows: "
                f"{error.message} ({call.place})",
                fix="what was answered is kept: run the same command again after that time",
            ) from error
        return error.retry_after

    def _wait(self, seconds: float, call: Call, error: TransientError) -> None:
        if self._clock.now() + seconds >= self._end:
            raise self._too_late(call) from error
        if seconds >= 1:
            self._say_waiting(f"{_asked(call)}: {error.message}", seconds)
        self._clock.sleep(seconds)

    def _say_waiting(self, why: str, seconds: float) -> None:
        """Once a minute for the same reason: many calls wait for one busy server."""
        now = self._clock.now()
        if now - self._said.get(why, -_SAID_AGAIN) < _SAID_AGAIN:
            self._unsaid[why] += 1
            return
        self._said[why] = now
        unsaid = self._unsaid.pop(why, 0)
        self._say(f"{why}; waiting {seconds:.0f} s{f' ({unsaid} more waits since this was said)' if unsaid else ''}")

    def _too_late(self, call: Call) -> OutsideError:
        return OutsideError(
            "deadline",
            f"{_asked(call)} did not answer within models.deadline ({self._deadline_text}; {call.place})",
            fix="what was answered is kept: run the same command again, or raise models.deadline",
        )


def _asked(call: Call) -> str:
    """Who was asked, as people tell the two apart: by the reader and its model."""
    return f"reader {call.reader} ({call.model})"
