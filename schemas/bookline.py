"""isopod.record/1: the lines of a run record, one JSON object each. The first is a `start`; a record that was cut off has no `end`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictInt

from schemas.anchors import Reading
from schemas.base import Record
from schemas.call import Purpose, Usage
from schemas.kinds import AnchorKind
from schemas.reading import Difference
from schemas.spans import Timestamp


class Start(Record):
    """Which command read which spec, when, and with which readers."""

    schema_id: Literal["isopod.record/1"] = Field(default="isopod.record/1", alias="schema")
    line: Literal["start"] = "start"
    at: Timestamp
    command: str
    spec: str
    readers: tuple[Reading, ...]


class CallLine(Record):
    """One call. `request` is the request hash; `seconds` holds all tries and waits; `money` is null without a price.

    `outcome` is `answered`, or the code of the failure; a failed call may have been paid.
    """

    line: Literal["call"] = "call"
    at: Timestamp
    request: str
    reader: str
    provider: str
    model: str
    purpose: Purpose
    round: StrictInt
    place: str
    outcome: str
    stop: str | None = None
    usage: Usage | None = None
    money: float | None = None
    currency: str | None = None
    seconds: float
    retries: StrictInt = 0
    batch: str | None = None


class LeftOutLine(Record):
    """What a reader could not get right in all its tries, by the codes of the violations."""

    line: Literal["left-out"] = "left-out"
    reader: str
    place: str
    codes: dict[str, StrictInt]


class KindFigures(Record):
    """Of one kind: claims that both readers see, and those of A's and of B's that are in no agreed pair."""

    agreed: StrictInt = 0
    only_a: StrictInt = 0
    only_b: StrictInt = 0


class RoundLine(Record):
    """How far the readings agree after a round."""

    line: Literal["round"] = "round"
    round: StrictInt
    difference: Difference
    strict: Difference
    disputes: StrictInt
    edges_agreed: StrictInt
    kinds: dict[AnchorKind, KindFigures]


class End(Record):
    """How the command ended."""

    line: Literal["end"] = "end"
    at: Timestamp
    exit_code: StrictInt


BookLine = Start | CallLine | LeftOutLine | RoundLine | End
