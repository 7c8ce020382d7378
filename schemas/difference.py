"""isopod.diff/1: what a spec says now where its claims said something else."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from schemas.base import Record
from schemas.kinds import AnchorKind, CardKind, CardState
from schemas.refs import AnchorId


class DiffWords(Record):
    """A run of words that both texts have, that only the old one has, or only the new one."""

    op: Literal["same", "gone", "new"]
    text: str


class DiffCard(Record):
    """A card that leans on the claim, with its lines that quote it; `do` is the way out in its state, null when none is needed."""

    card: str
    kind: CardKind
    title: str
    state: CardState
    lines: tuple[str, ...] = ()
    do: str | None = None


class DiffClaim(Record):
    """One claim that the spec says otherwise or no more.

    `new` is what stands there now: the words of `new_claim` where the spec was compiled since, else the nearest words of the section,
    which are a suggestion. `lines` are those of `new`; `settled` says that no card needs anything.
    """

    claim: AnchorId
    kind: AnchorKind
    standing: Literal["edited", "lost", "ambiguous"]
    section: str
    old: str
    new: str | None = None
    new_claim: AnchorId | None = None
    lines: tuple[StrictInt, StrictInt] | None = None
    words: tuple[DiffWords, ...] = ()
    cards: tuple[DiffCard, ...] = ()
    settled: StrictBool = False


class DiffSection(Record):
    """A section that was not read as it is now; one that is gone has no lines."""

    path: str
    change: Literal["new", "changed", "gone"]
    lines: tuple[StrictInt, StrictInt] | None = None


class DiffOutput(Record):
    """Each claim that the spec says otherwise, with the cards that lean on it, and the sections that nobody has read."""

    schema_id: Literal["isopod.diff/1"] = Field(default="isopod.diff/1", alias="schema")
    spec: str
    path: str
    diff: tuple[DiffClaim, ...]
    sections: tuple[DiffSection, ...] = ()
