"""Errors for people: what is wrong, where, what to do; each class knows its exit code (DESIGN.md section 10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum


class Exit(IntEnum):
    """The exit codes of every command."""

    HOLDS = 0
    DOES_NOT_HOLD = 1
    REFUSED = 2
    WAITS = 3
    OUTSIDE = 4
    BUG = 5


@dataclass(frozen=True, slots=True)
class Place:
    """A place that a person can open: a file, a 1-based line and a 1-based column in code points."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)


class IsopodError(Exception):
    """A failure that is not a bug.

    `code` is stable and for machines, `message` says what is wrong, `where` is the place, `fix` is what to do (a command that can be
    pasted where there is one).
    """

    exit_code: Exit = Exit.REFUSED

    def __init__(self, code: str, message: str, *, where: Place | None = None, fix: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.where = where
        self.fix = fix


class RefusedError(IsopodError):
    """Input that is not accepted: usage, an invalid file, run or config. Nothing was written."""

    exit_code = Exit.REFUSED


class ConflictError(IsopodError):
    """The store does not hold together: a changed file under a journal, another writer, a card that moved on."""

    exit_code = Exit.DOES_NOT_HOLD


class OutsideError(IsopodError):
    """Something outside failed or its outcome is unknown: a model, a tracker, git, the disk."""

    exit_code = Exit.OUTSIDE


class NoHistoryError(OutsideError):
    """There is no history to compare with: no git, no repository, no commit, or not all of it is here."""

    def __init__(self, why: str, *, fix: str | None = None) -> None:
        super().__init__("no-history", why, fix=fix)


class WaitsError(IsopodError):
    """Something waits for a person, or for an answer that comes later; what is there so far is kept."""

    exit_code = Exit.WAITS


class ImmutableCardError(RefusedError):
    """An edit that the lifecycle table does not allow (DESIGN.md section 7)."""


class OwnershipError(RefusedError):
    """A write to a field that another team owns (DESIGN.md section 8)."""


class ManyErrors(RefusedError):  # noqa: N818 - a bundle of errors
    """All that is wrong with one input, not only the first of it."""

    def __init__(self, errors: Sequence[IsopodError]) -> None:
        first = errors[0]
        super().__init__(first.code, first.message, where=first.where, fix=first.fix)
        self.errors = tuple(errors)
