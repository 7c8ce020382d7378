"""What a served model does with one request: it answers, or something goes wrong on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Reply:
    """The model answers.

    `tools` are the arguments of its tool calls, `text` is what it writes beside or instead of them. A string among `tools` is sent as
    the arguments as they are (OpenAI), whether that is JSON or not. `stop` is the face's own word, None for the usual one. `refusal` is
    OpenAI's `message.refusal`. `sent` counts all tokens of the question, `cached` those of them from the provider's cache.
    """

    tools: tuple[Mapping[str, Any] | str, ...] = ()
    text: str | None = None
    stop: str | None = None
    refusal: str | None = None
    sent: int = 1200
    got: int = 300
    cached: int = 0
    counted: bool = True


@dataclass(frozen=True)
class Status:
    """An HTTP error. Without `body` the face's own error body, with `kind` and `message` where given."""

    code: int
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str | None = None
    message: str | None = None
    body: bytes | None = None


@dataclass(frozen=True)
class Raw:
    """These bytes with status 200, whatever they are."""

    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Mangled:
    """The body of what the brain answers, changed on its way."""

    change: Callable[[bytes], bytes]


@dataclass(frozen=True)
class Drop:
    """The connection is reset: before anything was sent, or in the middle of the body."""

    midway: bool = False


@dataclass(frozen=True)
class Huge:
    """A body of `size` bytes; `declared` says whether its length is told beforehand. JSON begins in it but never ends."""

    size: int = 50_000_000
    declared: bool = True


@dataclass(frozen=True)
class Drip:
    """A body that comes byte by byte, for ever: spaces before the JSON."""

    pause: float = 0.02


@dataclass(frozen=True)
class Stall:
    """Headers and the first bytes of the body, then nothing more."""


@dataclass(frozen=True)
class Unfinished:
    """In a batch: the request was not worked off (`expired` or `canceled`, in Anthropic's words)."""

    word: str = "expired"


Fault = Status | Raw | Mangled | Drop | Huge | Drip | Stall | Unfinished
Outcome = Reply | Fault
