"""Which words of other tools mean that work is open, underway, done or dropped. A word that is not here is refused, never guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, get_args

from schemas.errors import RefusedError
from schemas.imported import Stage

_WORDS: Final[Mapping[Stage, tuple[str, ...]]] = {
    "open": (
        "", "to do", "todo", "open", "new", "backlog", "draft", "pending", "ready", "planned", "selected for development",
        "blocked", "deferred", "on hold", "paused", "reopened", "triage", "unstarted", "pinned", "proposed",
    ),
    "underway": (
        "in progress", "doing", "started", "active", "wip", "underway", "in review", "review", "code review", "testing",
        "in testing", "hooked",
    ),
    "done": (
        "done", "closed", "resolved", "completed", "complete", "finished", "fixed", "merged", "released", "accepted",
    ),
    "dropped": (
        "cancelled", "canceled", "won't do", "wont do", "won't fix", "wontfix", "rejected", "abandoned", "duplicate",
        "invalid", "obsolete", "tombstone", "deleted", "archived",
    ),
}  # fmt: skip
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)


@dataclass(frozen=True, slots=True)
class Stages:
    """Knows the stage of a status; `said` are statuses that the person explained."""

    said: Mapping[str, Stage] = field(default_factory=dict)

    @classmethod
    def of(cls, words: Iterable[str]) -> Stages:
        """From words such as `Waiting for legal=open`.

        Raises RefusedError for what is no such word.
        """
        said: dict[str, Stage] = {}
        for word in words:
            status, equals, given = word.rpartition("=")
            stage = next((one for one in STAGES if one == given), None)
            if not equals or stage is None:
                raise RefusedError(
                    "unknown-stage",
                    f"{word!r} does not say what a status means: STATUS=STAGE with one of {', '.join(STAGES)}",
                    fix='--status "Waiting for legal=open"',
                )
            said[_plain(status)] = stage
        return cls(said)

    def of_status(self, status: str) -> Stage | None:
        """The stage, None for a word that nobody explained."""
        word = _plain(status)
        return self.said.get(word) or next((stage for stage, words in _WORDS.items() if word in words), None)


def _plain(status: str) -> str:
    """In small letters, `_` and `-` as spaces, a typographic apostrophe as a plain one."""
    return " ".join(re.sub(r"[_\-\s]+", " ", status.casefold().replace("’", "'")).split())
