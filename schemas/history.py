"""isopod.runs/1 and isopod.comparison/1: what the commands that read specs did, what it cost, and how far readers agreed over time."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool

from schemas.anchors import Reading
from schemas.base import Record
from schemas.bookline import Amount, CallLine, Count, End, KindFigures, LeftOutLine
from schemas.kinds import AnchorKind
from schemas.outputs import ErrorItem
from schemas.reading import Difference
from schemas.spans import Timestamp

Share = Annotated[float, Field(ge=0, le=1)]
"""Of the claims that either reader sees, how many both see: agreed / (agreed + only_a + only_b)."""


class Bill(Record):
    """What calls came to. `failed` of the `calls` brought no answer that can be used, and may have been paid all the same.

    Tokens are summed over the calls whose provider counts them, money by currency over the calls that have a price; `uncounted` and
    `unpriced` are the others, those left out that failed before anything came back.
    """

    calls: Count = 0
    failed: Count = 0
    retries: Count = 0
    input: Count = 0
    output: Count = 0
    cached: Count = 0
    uncounted: Count = 0
    money: dict[str, Amount] = Field(default_factory=dict)
    unpriced: Count = 0


class RunRound(Record):
    """How far the readings agreed after a round: `agreed` of `claims`; `share` is null where nobody sees a claim."""

    round: Count
    agreed: Count
    claims: Count
    share: Share | None
    difference: Difference
    strict: Difference
    disputes: Count
    edges_agreed: Count
    kinds: dict[AnchorKind, KindFigures]


class RunItem(Record):
    """One command that read a spec. Without `end` it was cut off, or still runs; without `command` its first line is broken."""

    id: str
    at: Timestamp | None
    command: str | None
    spec: str | None
    readers: tuple[Reading, ...]
    rounds: tuple[RunRound, ...]
    bill: Bill
    left_out: tuple[LeftOutLine, ...]
    calls: tuple[CallLine, ...]
    end: End | None


class RunsOutput(Record):
    """The runs of an instance, the oldest first; `total` is of those that are listed."""

    schema_id: Literal["isopod.runs/1"] = Field(default="isopod.runs/1", alias="schema")
    runs: tuple[RunItem, ...]
    total: Bill
    problems: tuple[ErrorItem, ...] = ()


class KindShare(Record):
    """Claims of one kind: both readers', and those that only one of them sees; `share` is null where there is none."""

    agreed: Count
    only_a: Count
    only_b: Count
    share: Share | None


class Shares(Record):
    """Agreement by kind, and over all kinds."""

    kinds: dict[AnchorKind, KindShare]
    all: KindShare


class ComparedRun(Record):
    """Agreement in one run. `repeated`: it asked nothing and found what an earlier run had found, so that it is not summed up."""

    id: str
    at: Timestamp | None
    spec: str
    repeated: StrictBool
    first: Shares
    last: Shares


class ModelPair(Record):
    """Two models as readers a and b: agreement at the first reading and after the last round, run by run and summed up."""

    a: str
    b: str
    runs: tuple[ComparedRun, ...]
    first: Shares
    last: Shares


class ComparisonOutput(Record):
    """How far pairs of models agree. Agreement is not correctness: two readings agreeing proves agreement, not a right reading."""

    schema_id: Literal["isopod.comparison/1"] = Field(default="isopod.comparison/1", alias="schema")
    pairs: tuple[ModelPair, ...]
    problems: tuple[ErrorItem, ...] = ()
