"""What a reader is: it reads one spec, alone, and returns an isopod.run/1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from pipeline.models.asking import Asking
from schemas.run import Run
from text.coordinates import SpanT, SpecText
from text.grounding import Reading
from text.structure import Structure


@dataclass(frozen=True, slots=True)
class Repair:
    """What a reader is asked to decide again: its own last reading, as it said it and as it stands in the text, and the spans of the
    disputed units; never the other's output."""

    previous: Run
    reading: Reading
    units: tuple[SpanT, ...]


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """One call of a reader. `round` 0 is the first reading; later rounds carry `repair`.

    `recorded` is the folder of recorded runs, `asking` what a reader that asks a model needs beside the text.
    """

    spec: SpecText
    structure: Structure
    name: str
    model: str
    round: int = 0
    repair: Repair | None = None
    recorded: Sequence[Path] = ()
    asking: Asking | None = None


class Reader(Protocol):
    """A reader: `provider` is its name in config, `heuristic` marks all that comes of it, `repairs` says whether asking again helps."""

    provider: ClassVar[str]
    heuristic: ClassVar[bool]
    repairs: ClassVar[bool]
    calls_model: ClassVar[bool]

    def read(self, request: ReadRequest) -> Run | bytes | None:
        """Read the spec: a run of our own making, or the bytes of an isopod.run/1 from outside, which are not trusted.

        None in a repair round: the reader has nothing more to say. Raises RefusedError when the reader cannot read this spec
        (nothing recorded, not configured), OutsideError when a model fails.
        """
        ...
