"""Spans and lines as records share them."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, StrictInt

Offset = Annotated[StrictInt, Field(ge=0)]
LineNumber = Annotated[StrictInt, Field(ge=1)]


def _ordered(value: tuple[int, int]) -> tuple[int, int]:
    if value[0] > value[1]:
        raise ValueError("the first number is larger than the second")
    return value


Span = Annotated[tuple[Offset, Offset], AfterValidator(_ordered)]
"""Half-open `[start, end)` in code points of the spec's text."""

Lines = Annotated[tuple[LineNumber, LineNumber], AfterValidator(_ordered)]
"""First and last line, 1-based, both included."""

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
TaggedSha256 = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
Timestamp = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
Date = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$")]
