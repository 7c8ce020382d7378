"""What went wrong on the way to a model and back, in words for people: by status, without secrets, with how long to wait.

Knows no SDK; the statuses are HTTP's and those that the providers' documentation names (529 overloaded, `insufficient_quota`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from pipeline.models.protocol import TransientError
from schemas.errors import OutsideError

MOST_SHOWN: Final = 300
"""Characters of a provider's own message that are shown."""

_CODES: Final = {429: "rate-limited", 529: "overloaded", 503: "overloaded"}
_MAY_PASS: Final = frozenset({408, 409, 429})
_WORD: Final = re.compile(r"[^\s\"'`<>(){}\[\],;=]{8,}")
_LIKE_A_KEY: Final = re.compile(r"\b(?:sk|pk|rk|gsk|xai)[-_][\w*.…-]{4,}|\bAIza[\w-]{6,}|(?i:bearer)\s+\S+")
_OVERLAP: Final = 8
_NO_CREDIT: Final = re.compile(r"credit balance|insufficient_quota|exceeded your current quota", re.IGNORECASE)
_TOO_LONG: Final = re.compile(
    r"too long|too large|context.?(?:length|window|size)|maximum context|exceeds? the .{0,30}(?:limit|size)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a reader's calls go: `who` is the host for messages, `key` what opens it (None: none is set), `key_name` its variable."""

    url: str
    who: str
    key_name: str
    key: str | None


def shown(text: str, key: str | None) -> str:
    """A provider's words on one line, bounded, without control characters and without the key, or a piece of it, or a like of it."""
    flat = " ".join("".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in text[:20_000]).split())
    if key:
        flat = flat.replace(key, "***")
        pieces = {key[start : start + _OVERLAP] for start in range(len(key) - _OVERLAP + 1)}
        flat = _WORD.sub(lambda word: "***" if _holds_one(word[0], pieces) else word[0], flat)
    flat = _LIKE_A_KEY.sub("***", flat)
    return flat if len(flat) <= MOST_SHOWN else flat[: MOST_SHOWN - 1] + "…"


def message_in(body: Any) -> str:
    """The message in the body of a failure, as both providers and the servers that are like them write it; empty without one."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, dict):
        words = [error.get(name) for name in ("message", "detail", "code", "type")]
        return next((word for word in words if isinstance(word, str) and word), "")
    return error if isinstance(error, str) else ""


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds that a provider asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date; None without a usable one."""
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        number = _number(headers.get(name, ""))
        if number is not None:
            return max(0.0, number * factor)
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, OverflowError, IndexError):
        return None
    date = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())


def by_status(
    status: int, body: Any, headers: Mapping[str, str], endpoint: Endpoint, model: str | None
) -> OutsideError:
    """The failure that an HTTP status of 300 or more means.

    TransientError for 408, 409, 429 and 5xx, unless the account has no credit.
    """
    who, key = endpoint.who, endpoint.key
    raw = message_in(body)
    code = body.get("error", body) if isinstance(body, dict) else {}
    words = f"{raw} {code.get('code')} {code.get('type')}" if isinstance(code, dict) else raw
    said = shown(raw, key) or f"status {status}"
    if status == 402 or (status < 500 and _NO_CREDIT.search(words)):
        return OutsideError(
            "no-credit",
            f"the account at {who} has no credit left: {said}",
            fix="add credit at the provider; what was answered is kept, then run the same command again",
        )
    if status in _MAY_PASS or status >= 500:
        return TransientError(
            _CODES.get(status, "model-failed"),
            f"{who} answers {status}: {said}",
            retry_after=retry_after(headers),
            sent=True,
        )
    if status in (401, 403):
        return OutsideError(
            "key-refused",
            f"{who} refuses the key: {said}" if key else f"{who} wants a key: {said}",
            fix=f"put a valid key into the environment variable {endpoint.key_name}",
        )
    if status == 404:
        asked = f"the model {model!r} or the address" if model else "that"
        return OutsideError(
            "unknown-model",
            f"{who} does not know {asked}: {said}",
            fix="look at model and base_url of the reader in config.yaml",
        )
    if status < 400:
        return OutsideError(
            "moved",
            f"{who} sends to another address, where a key is not taken along ({status})",
            fix="set base_url to that address",
        )
    return OutsideError(
        "request-refused",
        f"{who} refuses the request ({status}): {said}",
        fix="lower models.section_chars in config.yaml"
        if status == 413 or _TOO_LONG.search(words)
        else "look at model, max_tokens and base_url of the reader in config.yaml",
    )


def bad_body(who: str, what: str) -> TransientError:
    """An answer with a good status whose body is none that this provider sends."""
    return TransientError("bad-body", f"{who} sent an answer that cannot be read: {what}", sent=True)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < 1e12 else None


def _holds_one(word: str, pieces: set[str]) -> bool:
    return any(word[start : start + _OVERLAP] in pieces for start in range(len(word) - _OVERLAP + 1))
