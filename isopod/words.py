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
