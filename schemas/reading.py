"""isopod.ground/1 and isopod.join/1: a grounded run, and what two of them agree and differ on."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from schemas.base import Record
from schemas.kinds import AnchorKind, DisputeType, EdgeKind, GroundStep
from schemas.run import Violation
from schemas.spans import Lines, Span


class GroundedAnchor(Record):
    """A claim with its place: `span` of the quote, `core` that the join compares, `step` that found it."""

    ref: str
    kind: AnchorKind
    span: Span
    core: Span
    step: GroundStep
    lines: Lines
    relocated: StrictBool = False


class Grounded(Record):
    """isopod.ground/1."""

    schema_id: Literal["isopod.ground/1"] = Field(default="isopod.ground/1", alias="schema")
    anchors: tuple[GroundedAnchor, ...]
    violations: tuple[Violation, ...]


Relation = Literal[
    "precedes", "meets", "overlaps", "finished-by", "contains", "starts", "equals",
    "started-by", "during", "finishes", "overlapped-by", "met-by", "preceded-by",
]  # fmt: skip


class AgreedAnchor(Record):
    """A pair of claims that the readers agree on; `relation` is Allen's, of A's core to B's."""

    a: str
    b: str
    kind: AnchorKind
    labels: tuple[AnchorKind, AnchorKind] | None = None
    span: Span
    lines: Lines
    relation: Relation


class Part(Record):
    """An unpaired claim inside an agreed one; `of` is the ref of the other reader's member of that pair."""

    ref: str
    of: str


class Parts(Record):
    a: tuple[Part, ...] = ()
    b: tuple[Part, ...] = ()


class Dispute(Record):
    """A place where the readings differ. For type `edge` both lists hold `["a1 requires a2"]`, else refs."""

    id: str
    type: DisputeType
    a: tuple[str, ...] = ()
    b: tuple[str, ...] = ()
    covered_by: tuple[str, ...] = ()
    span: Span
    lines: Lines


class JoinEdge(Record):
    """An edge between agreed anchors, named by A's refs; an end that is not agreed keeps its own reader's ref."""

    kind: EdgeKind
    from_: str = Field(alias="from")
    to: str


class JoinHints(Record):
    """`refines` edges."""

    agreed: tuple[JoinEdge, ...] = ()
    only_a: tuple[JoinEdge, ...] = ()
    only_b: tuple[JoinEdge, ...] = ()


class JoinEdges(Record):
    agreed: tuple[JoinEdge, ...] = ()
    only_a: tuple[JoinEdge, ...] = ()
    only_b: tuple[JoinEdge, ...] = ()
    hints: JoinHints = JoinHints()


class Difference(Record):
    """A symmetric difference in anchors and in ordering edges."""

    anchors: StrictInt
    edges: StrictInt


class SideViolations(Record):
    a: tuple[Violation, ...] = ()
    b: tuple[Violation, ...] = ()


class Unclaimed(Record):
    """A unit that looks like a claim and that no agreed anchor touches."""

    lines: Lines
    text: str
    why: str


class Coverage(Record):
    """`units`: claim-bearing units of the spec; `claimed`: those that an agreed anchor touches."""

    units: StrictInt
    claimed: StrictInt
    unclaimed: tuple[Unclaimed, ...]


Verdict = Literal["agree", "dispute", "no-claims", "refused"]


class Join(Record):
    """isopod.join/1."""

    schema_id: Literal["isopod.join/1"] = Field(default="isopod.join/1", alias="schema")
    verdict: Verdict
    agreed: tuple[AgreedAnchor, ...]
    parts: Parts
    disputes: tuple[Dispute, ...]
    edges: JoinEdges
    symmetric_difference: Difference
    strict: Difference
    violations: SideViolations
    coverage: Coverage
