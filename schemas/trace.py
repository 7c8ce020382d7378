"""isopod.trace/1: from each claim over the line and the card that carry it to the issue, and whatever has no counterpart."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictInt

from schemas.base import Record
from schemas.kinds import AnchorKind, AnchorStatus, CardKind, CardState
from schemas.spans import Lines

Link = Literal["traced", "no-line", "elsewhere", "no-card", "no-claim", "unknown-claim"]
"""`traced`: a line of a card says the claim; `no-line`: a card carries it whole, as decisions and questions do; `elsewhere`: its home is
no card; `no-card`: it should be on one and is not; `no-claim`: a line, or a card without lines, that no claim is behind;
`unknown-claim`: a line or a card names a claim that is not there."""


class TracedClaim(Record):
    """A claim; `lines` are those of the spec today, null when its words do not stand there any more.

    `home` says in words where a claim belongs that is on no card. Of an unknown claim only the id is known.
    """

    id: str
    spec: str | None = None
    kind: AnchorKind | None = None
    status: AnchorStatus | Literal["ambiguous"] | None = None
    words: str = ""
    section: str = ""
    file: str | None = None
    lines: Lines | None = None
    home: str = ""


class TracedLine(Record):
    id: str
    text: str


class TracedCard(Record):
    id: str
    kind: CardKind
    title: str
    state: CardState
    team: str
    spec: str | None = None


class TracedIssue(Record):
    """The issue of a card; `url` is null when the tracker told none."""

    provider: str
    site: str
    key: str
    url: str | None = None
    status: str | None = None


class TraceRow(Record):
    link: Link
    claim: TracedClaim | None = None
    line: TracedLine | None = None
    card: TracedCard | None = None
    issue: TracedIssue | None = None


class TraceCounts(Record):
    """Claims that are not retired, those of them on a card; lines of live cards, those of them with a claim; cards, those with an issue."""

    claims: StrictInt = 0
    claims_on_cards: StrictInt = 0
    claims_elsewhere: StrictInt = 0
    lines: StrictInt = 0
    lines_with_claims: StrictInt = 0
    cards: StrictInt = 0
    cards_with_issues: StrictInt = 0


class TraceOutput(Record):
    """One row a claim and line: claims as they stand in the specs, then what no claim is behind, by card."""

    schema_id: Literal["isopod.trace/1"] = Field(default="isopod.trace/1", alias="schema")
    project: str
    spec: str | None = None
    trace: tuple[TraceRow, ...]
    counts: TraceCounts
