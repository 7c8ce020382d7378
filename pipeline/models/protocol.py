"""What carries a call to a language model. A provider sends one call once; retries, caps and records are not its business."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

from schemas.call import Call, Usage
from schemas.config import ReaderConfig
from schemas.errors import OutsideError


@dataclass(frozen=True, slots=True)
class Received:
    """What came back, before anyone looked at it.

    `content` is the envelope: the JSON text of the tool call's arguments, or the text that the model wrote instead of one. `stop` is the
    provider's word for why it stopped.
    """

    content: str
    stop: str
    usage: Usage | None = None


class TransientError(OutsideError):
    """A failure that may pass: 429, 5xx, 529, a dropped connection, a time-out, a body that is no JSON.

    `retry_after` is what the provider asked for, in seconds; None when it asked for nothing. `sent` says whether the model may have
    worked (and may be paid) although nothing came back.
    """

    def __init__(
        self, code: str, message: str, *, retry_after: float | None = None, sent: bool = False, fix: str | None = None
    ) -> None:
        super().__init__(code, message, fix=fix)
        self.retry_after = retry_after
        self.sent = sent


class CutOffError(OutsideError):
    """The model answered, but not to the end, or it refused: the stop reason is not on the allow-list. The tokens are paid.

    `received` is what came, for the record of calls.
    """

    def __init__(self, code: str, message: str, received: Received, *, fix: str | None = None) -> None:
        super().__init__(code, message, fix=fix)
        self.received = received


@runtime_checkable
class Model(Protocol):
    """Carries calls to the model that a reader's config names."""

    provider: ClassVar[str]

    def missing(self, config: ReaderConfig) -> list[str]:
        """What keeps this provider from working here, one sentence each (no key, no program, package not installed).

        Opens no connection and never shows a secret. Empty when nothing is missing.
        """
        ...

    def send(self, call: Call, config: ReaderConfig, seconds: float) -> Received:
        """Send one call once and wait at most `seconds` (wall clock, the whole body included).

        Raises TransientError for what may pass, CutOffError when the stop reason is not allowed, OutsideError for the rest (wrong key,
        unknown model, refused request), RefusedError when something is missing. No message holds a key.
        """
        ...


BatchState = Literal["waiting", "ended", "failed", "expired", "cancelled"]


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """Where a batch stands: how many of its calls are done, how many failed, in the provider's own `word`."""

    state: BatchState
    done: int
    failed: int
    total: int
    word: str


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result of one call of a batch, by its request hash: what came back, or why nothing that can be used did.

    `code` is that of the failure where there is one, `usage` what an answer cost that cannot be used.
    """

    request: str
    received: Received | None
    error: str | None = None
    code: str | None = None
    usage: Usage | None = None


@runtime_checkable
class Batches(Protocol):
    """The optional ability to send many calls at half the price and to fetch the answers later."""

    def submit(self, calls: Iterable[Call], config: ReaderConfig) -> str:
        """Send the calls as one batch and return the provider's id of it. Raises as `Model.send`."""
        ...

    def status(self, batch: str, config: ReaderConfig) -> BatchStatus:
        """Where the batch stands. Raises as `Model.send`."""
        ...

    def results(self, batch: str, config: ReaderConfig) -> Iterator[BatchResult]:
        """Every result of a batch that ended, in any order. Raises as `Model.send`."""
        ...
