"""isopod.record/1: the lines of a run record, one JSON object each. The first is a `start`; a record that was cut off has no `end`."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, StrictInt

from schemas.anchors import Reading
from schemas.base import Record
from schemas.call import Purpose, Usage
from schemas.errors import Place, RefusedError
from schemas.kinds import AnchorKind
from schemas.reading import Difference
from schemas.spans import Timestamp

Count = Annotated[StrictInt, Field(ge=0)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


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
    round: Count
    place: str
    outcome: str
    stop: str | None = None
    usage: Usage | None = None
    money: Amount | None = None
    currency: str | None = None
    seconds: Amount
    retries: Count = 0
    batch: str | None = None


class LeftOutLine(Record):
    """What a reader could not get right in all its tries, by the codes of the violations."""

    line: Literal["left-out"] = "left-out"
    reader: str
    place: str
    codes: dict[str, Count]


class KindFigures(Record):
    """Of one kind: claims that both readers see, and those of A's and of B's that are in no agreed pair."""

    agreed: Count = 0
    only_a: Count = 0
    only_b: Count = 0


class RoundLine(Record):
    """How far the readings agree after a round."""

    line: Literal["round"] = "round"
    round: Count
    difference: Difference
    strict: Difference
    disputes: Count
    edges_agreed: Count
    kinds: dict[AnchorKind, KindFigures]


class End(Record):
    """How the command ended."""

    line: Literal["end"] = "end"
    at: Timestamp
    exit_code: StrictInt


BookLine = Start | CallLine | LeftOutLine | RoundLine | End

_LINES: Final[dict[str, type[BookLine]]] = {
    "start": Start,
    "call": CallLine,
    "left-out": LeftOutLine,
    "round": RoundLine,
    "end": End,
}


def parse_line(data: object, source: str) -> BookLine:
    """One line of a record, from plain JSON; `source` names its file in errors.

    Raises RefusedError `broken-line` for a line of no known sort, ManyErrors naming every key that is wrong.
    """
    sort = data.get("line") if isinstance(data, dict) else None
    record = _LINES.get(sort) if isinstance(sort, str) else None
    if record is None:
        raise RefusedError("broken-line", f"line: must be one of {', '.join(_LINES)}", where=Place(source))
    return record.parse(data, source=source, code="broken-line")
