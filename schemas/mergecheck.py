"""isopod.merge-check/1: what two branches changed that meets when they are merged."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from schemas.base import Record


class MergedValue(Record):
    """One thing that both sides changed: `path` such as `title` or `acceptance A3`; null where it is not there."""

    path: str
    base: str | None
    a: str | None
    b: str | None
    same: StrictBool


class MergedCard(Record):
    """A card that both sides changed; `reasons` are collisions that no single field shows."""

    card: str
    title: str
    fields: tuple[MergedValue, ...] = ()
    reasons: tuple[str, ...] = ()
    collides: StrictBool


class MergedClaim(Record):
    """A claim that both sides changed or gave one id; `a` and `b` are its words there."""

    anchor: str
    spec: str
    a: str | None
    b: str | None
    reasons: tuple[str, ...]
    collides: StrictBool


class MergedEdge(Record):
    """What only holds against the graph once both sides are in it: the cards, and what they do together."""

    cards: tuple[str, ...]
    kind: Literal["dangling", "replaced", "cycle", "one-claim"]
    message: str


class MergedLedger(Record):
    """The union of both sides' entries: its heads, how many only one side has, and what a side lost (a collision)."""

    heads: tuple[str, ...] = ()
    only_a: StrictInt = 0
    only_b: StrictInt = 0
    lost: tuple[str, ...] = ()


class MergeCheckOutput(Record):
    """What collides when `a` and `b`, which both come from `base`, are merged; each is named with its commit."""

    schema_id: Literal["isopod.merge-check/1"] = Field(default="isopod.merge-check/1", alias="schema")
    base: str
    a: str
    b: str
    cards: tuple[MergedCard, ...]
    claims: tuple[MergedClaim, ...]
    edges: tuple[MergedEdge, ...]
    ledger: MergedLedger
    unreadable: tuple[str, ...] = ()
    collisions: StrictInt
