"""isopod.group/1: the claims that people put on one card, `cards/groups/<card id>.yaml`; every draft puts them there again."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.base import Record
from schemas.refs import AnchorId
from schemas.spans import Timestamp


class GroupedClaim(Record):
    """A claim that `by` put on the card; of two cards that hold one claim after a merge the later `at` has it."""

    claim: AnchorId
    by: str = Field(min_length=1)
    at: Timestamp
    because: str | None = None


class Group(Record):
    """One card's claims by people's word. `leader` is the claim that these go with: one that the card has by itself, else one of them."""

    schema_id: Literal["isopod.group/1"] = Field(default="isopod.group/1", alias="schema")
    card: str = Field(min_length=1)
    spec: str = Field(min_length=1)
    leader: AnchorId
    claims: tuple[GroupedClaim, ...] = Field(min_length=1)
