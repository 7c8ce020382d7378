"""Words that people use for what the records say."""

from __future__ import annotations

from schemas.card import EdgeReason, PersonReason, Reason


def reason_words(reason: Reason) -> str:
    """Why one card waits for another."""
    if isinstance(reason, EdgeReason):
        return f'the spec says "{reason.cue}"'
    if isinstance(reason, PersonReason):
        return f"{reason.person}: {reason.text}"
    return f"{reason.text} ({reason.rule})"


def one_line(text: str, limit: int = 300) -> str:
    """`text` with every run of whitespace as one space, cut to `limit` characters."""
    joined = " ".join(text.split())
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"


def number_of(count: int, thing: str, things: str | None = None) -> str:
    """`1 card`, `2 cards`."""
    return f"{count} {thing if count == 1 else things or thing + 's'}"
