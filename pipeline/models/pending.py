"""Questions whose answers are not here yet: they are handed over as files, sent as a batch, or only counted."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.call import Call
from schemas.errors import WaitsError


class PendingError(WaitsError):
    """These calls have no kept answer, and this command sends none by itself. `calls` are in the order of the text."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self.calls = tuple(calls)
        count = len(self.calls)
        super().__init__(
            "answers-wait",
            f"{count} question{'' if count == 1 else 's'} to a language model wait{'s' if count == 1 else ''} for an answer",
        )


def merged(errors: Iterable[PendingError]) -> PendingError:
    """One error for the pending calls of several, each call once."""
    return PendingError({call.request: call for error in errors for call in error.calls}.values())
