"""What a person says is kept with a name, a time and a reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Said:
    """Who says it, when (UTC, to the second) and why."""

    by: str
    at: str
    because: str | None = None
