"""isopod.digest/1: what changed in an instance since a commit, in the order in which a person reads it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictInt

from schemas.base import Record
from schemas.kinds import AnchorKind, CardKind, CardState
from schemas.spans import Date, Timestamp

ClaimTurn = Literal["new", "reworded", "gone", "left-out", "back"]
"""`gone`: no longer in the spec, or replaced by a successor; `left-out`: discarded with a reason; `back`: live again."""

CardTurn = Literal["new", "done", "cut", "removed", "moved", "changed"]
"""`moved`: another state; `removed`: its file is gone, which no command does; `changed`: what it says, in the same state."""

DecisionTurn = Literal["replaced", "answered", "opened"]
EdgeTurn = Literal["new", "gone", "for-other-reasons", "confirmed"]
MirrorTurn = Literal["new", "state", "due", "contract", "issue", "unreachable", "reachable", "requested"]
"""`requested`: a request of ours became this card."""


class ClaimChange(Record):
    """A claim of a spec; `before` and `after` are its words, `because` the reason of whoever left it out."""

    turn: ClaimTurn
    claim: str
    spec: str
    kind: AnchorKind
    before: str | None = None
    after: str | None = None
    because: str = ""


class CardChange(Record):
    """A card; `details` says in words what of it changed, one change each."""

    turn: CardTurn
    card: str
    kind: CardKind
    title: str
    before: CardState | None = None
    after: CardState | None = None
    details: tuple[str, ...] = ()


class DecisionChange(Record):
    """A decision that another one (`by`) replaced, a question that was answered, an observation that was made; `words` says what with."""

    turn: DecisionTurn
    card: str
    title: str
    by: str = ""
    words: str = ""


class EdgeChange(Record):
    """`card` waits for `on`, or did; `because` are the reasons that hold now, of an edge that is gone those that held."""

    turn: EdgeTurn
    card: str
    title: str
    on: str
    on_title: str
    because: tuple[str, ...] = ()


class MirrorChange(Record):
    """A card of another team, or what we expect of it."""

    turn: MirrorTurn
    card: str
    title: str
    team: str
    before: str = ""
    after: str = ""


class ExemptionChange(Record):
    """A rule was overridden."""

    subject: str
    rule: str
    reason_kind: str
    because: str
    by: str
    at: Timestamp
    until: Date | None = None


class Digest(Record):
    claims: tuple[ClaimChange, ...] = ()
    cards: tuple[CardChange, ...] = ()
    decisions: tuple[DecisionChange, ...] = ()
    edges: tuple[EdgeChange, ...] = ()
    mirrors: tuple[MirrorChange, ...] = ()
    exemptions: tuple[ExemptionChange, ...] = ()


class DigestOutput(Record):
    """`since` is what was asked, `commit` what it means, null for a time before the first commit: then everything is new.

    `unreadable`: files of that commit, or of now, that could not be read and are in nothing here.
    """

    schema_id: Literal["isopod.digest/1"] = Field(default="isopod.digest/1", alias="schema")
    project: str
    since: str
    commit: str | None = None
    digest: Digest
    changes: StrictInt = 0
    unreadable: tuple[str, ...] = ()
