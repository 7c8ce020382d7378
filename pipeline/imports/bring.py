"""Cards from the items of another tool: born drafted, by a person, in one transaction; what was imported before stays as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from pipeline.deeds.hand import Hand
from pipeline.draft.wording import capped
from pipeline.imports.placing import Placed, place
from pipeline.imports.protocol import Foreigners, ForeignKind, Importer, ImportRequest, refusal
from pipeline.imports.stages import Stages
from pipeline.settle import Said
from schemas import ownership
from schemas.card import AcceptanceLine, Card, DecisionPart, Dependency, GatePart, PersonReason, Subtask
from schemas.errors import OwnershipError, Place, RefusedError
from schemas.ids import tail
from schemas.imported import ImportedItem, ImportRefusal
from schemas.kinds import CARD_KINDS, CardKind
from schemas.outputs import ErrorPlace
from store.promises import promise_of
from store.snapshot import Snapshot

_TITLE: Final = 300
"""Characters of a title; a longer one stands whole in the notes."""

_KIND: Final[Mapping[ForeignKind, CardKind]] = {
    "story": "story",
    "epic": "epic",
    "decision": "decision",
    "question": "gate",
}
_STAGE_WORDS: Final = {
    "done": "there; a card becomes done by evidence, so it is drafted here",
    "underway": "there; it is drafted here until somebody has looked at it",
}


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the person said of an import. `name` tells two sources of one kind apart."""

    team: str
    name: str = ""
    stages: Stages = field(default_factory=Stages)
    open_only: bool = False


@dataclass(frozen=True)
class Brought:
    """What became of each item; the writes are collected in `hand` and not committed."""

    hand: Hand
    items: tuple[ImportedItem, ...]
    refused: tuple[ImportRefusal, ...]
    passed_by: int


def bring(
    snapshot: Snapshot, importer: Importer, request: ImportRequest, options: ImportOptions, said: Said
) -> Brought:
    """Make cards of what `importer` finds.

    Raises RefusedError when the source holds nothing that could become a card, and as the importer and `store.cards.edit`;
    OwnershipError for a team whose cards are not written here.
    """
    _refuse_team(snapshot, options.team)
    found = importer.read(request)
    _refuse_empty(found, importer, request)
    placing = place(found, options.stages, open_only=options.open_only)
    refused = list(placing.refused)
    bringing = _Bringing(snapshot, importer, request, options, said)
    items = tuple(bringing.items(placing.placed, refused))
    return Brought(bringing.hand, items, tuple(refused), found.passed_by)


def _refuse_team(snapshot: Snapshot, team_id: str) -> None:
    team = snapshot.config.team(team_id)
    if team is None:
        known = ", ".join(one.id for one in snapshot.config.teams)
        raise RefusedError("unknown-team", f"no team is called {team_id!r}; there are: {known}", fix="--team TEAM")
    if not ownership.fits_team("story", team):
        raise OwnershipError(
            "team-owns-cards",
            f"the cards of team {team_id} are written by that team, in its own tracker",
            fix="--team with a team whose cards are written here",
        )


def _refuse_empty(found: Foreigners, importer: Importer, request: ImportRequest) -> None:
    if not found.items and not found.refused:
        raise RefusedError(
            "nothing-to-import",
            f"there is no item of {importer.tool} in it",
            where=Place(request.shown),
            fix=f"name {importer.takes}",
        )


class _Bringing:
    """One import: which card each item is, and the hand that makes those that are new."""

    def __init__(
        self, snapshot: Snapshot, importer: Importer, request: ImportRequest, options: ImportOptions, said: Said
    ) -> None:
        self.hand = Hand(snapshot, said, f"import {importer.kind}")
        self._snapshot = snapshot
        self._importer = importer
        self._options = options
        self._said = said
        self._source = request.path.resolve().name
        self._given: set[str] = set()
        self._ids: dict[int, str] = {}
        self._cards: dict[int, Card] = {}

    def items(self, placed: Sequence[Placed], refused: list[ImportRefusal]) -> Iterator[ImportedItem]:
        """What becomes of each item, in the order of the source; a new one becomes a card. Edges may lead either way."""
        taken = [one for one in placed if one.left_out is None]
        for one in taken:
            self._ids[id(one)] = self._id(one)
        for one in taken:
            known = self._snapshot.card_by_id.get(self._ids[id(one)])
            self._cards[id(one)] = known if known is not None else self._card(one, refused)
        for one in placed:
            card = self._cards.get(id(one))
            if card is None:
                yield self._told(one, None, [one.left_out or ""])
            elif card.id in self._snapshot.card_by_id:
                yield self._told(one, card, [*_unlike(card, one), *one.remarks])
            else:
                edges = tuple(sorted(self._edges(one, refused), key=lambda entry: entry.card))
                made = self.hand.make(card.model_copy(update={"depends_on": edges}))
                yield self._told(one, made, one.remarks, is_new=True)

    def _id(self, one: Placed) -> str:
        """The card that the item became before, of whatever kind it is now; else the id of a new one."""
        born = ["import", self._importer.kind, self._options.name, one.item.id.casefold()]
        ending, number = tail(born), 0
        while ending in self._given:
            number += 1
            ending = tail([*born, number])
        self._given.add(ending)
        config = self._snapshot.config
        ids = [f"{entry.prefix}-{ending}" for entry in config.prefixes if entry.kind in CARD_KINDS]
        here = next((card_id for card_id in ids if card_id in self._snapshot.card_by_id), None)
        return here or f"{config.prefix_of(_kind(one))}-{ending}"

    def _told(self, one: Placed, card: Card | None, remarks: list[str], *, is_new: bool = False) -> ImportedItem:
        where = one.item.where
        return ImportedItem(
            theirs=one.item.id,
            where=ErrorPlace(file=where.file, line=where.line, column=where.column),
            title=one.item.title,
            says=one.item.status,
            stage=one.stage,
            outcome="left-out" if card is None else "new" if is_new else "here",
            card=card.id if card else None,
            kind=card.kind if card else None,
            parent=card.parent if card else None,
            waits_for=tuple(entry.card for entry in card.depends_on) if card else (),
            related=card.related if card else (),
            lines=len(card.acceptance) if card else 0,
            subtasks=len(card.subtasks) if card else 0,
            renamed=tuple(one.renamed),
            remarks=tuple(remarks),
        )

    def _card(self, one: Placed, refused: list[ImportRefusal]) -> Card:
        """A new card without its edges."""
        item, kind = one.item, _kind(one)
        return Card(
            id=self._ids[id(one)],
            kind=kind,
            title=capped(item.title, _TITLE),
            title_by=self._said.by,
            team=self._options.team,
            parent=self._parent(one, refused),
            acceptance=tuple(AcceptanceLine(id=f"A{n}", text=text) for n, text in enumerate(item.lines, 1)),
            subtasks=tuple(Subtask(id=f"S{n}", text=s.text, done=s.done) for n, s in enumerate(item.subtasks, 1)),
            related=tuple(sorted({self._ids[id(other)] for other in one.related})),
            due=self._due(one, refused),
            gate=GatePart(waits_for="answer") if kind == "gate" else None,
            decision=DecisionPart() if kind == "decision" else None,
            notes=self._notes(one),
        )

    def _parent(self, one: Placed, refused: list[ImportRefusal]) -> str | None:
        if one.parent is None:
            return None
        parent = self._ids[id(one.parent)]
        known = self._snapshot.card_by_id.get(parent)
        if known is None or (known.kind == "epic" and known.state != "deleted"):
            return parent
        what = "was cut from the plan" if known.state == "deleted" else f"is a {known.kind} here"
        message = f"{one.item.id} is part of {one.parent.item.id}, which {what}: {parent}"
        refused.append(refusal("no-parent", message, one.item.where, theirs=one.item.id, fix=f"isopod show {parent}"))
        return None

    def _edges(self, one: Placed, refused: list[ImportRefusal]) -> Iterator[Dependency]:
        for other in one.waits_for:
            target = self._cards[id(other)]
            if target.state == "deleted":
                message = f"{one.item.id} waits for {other.item.id}, which was cut from the plan here: {target.id}"
                refused.append(refusal("dangling-edge", message, one.item.where, theirs=one.item.id))
                continue
            text = f"imported from {self._importer.tool}: {one.item.id} waits for {other.item.id}"
            yield Dependency(
                card=target.id,
                because=(PersonReason(person=self._said.by, text=text, at=self._said.at),),
                seen=promise_of(target, self._snapshot.anchor_by_id),
                scope="all" if target.kind == "gate" else None,
            )

    def _due(self, one: Placed, refused: list[ImportRefusal]) -> str | None:
        """The due of an item when it is one for us: a milestone of config, or a date."""
        due = one.item.due
        if due is None or due in self._snapshot.config.milestones or _is_date(due):
            return due
        message = f"{one.item.id} is due {due!r}, which is neither a milestone of config nor a date such as 2026-11-30"
        fix = f"isopod edit {self._ids[id(one)]} due=..."
        refused.append(refusal("unknown-date", message, one.item.where, theirs=one.item.id, fix=fix))
        return None

    def _notes(self, one: Placed) -> str:
        """Where the card comes from, what they say of it, what we have no field for, and their own text."""
        item = one.item
        head = [f"Imported from {self._importer.tool}, {self._source}: {item.id}"]
        if one.stage in _STAGE_WORDS and one.kind != "decision":
            head.append(f"It is {item.status} {_STAGE_WORDS[one.stage]}.")
        head += [f"{name}: {' '.join(text.split())}" for name, text in item.facts.items()]
        title = item.title if len(item.title) > _TITLE else ""
        return "\n\n".join(filter(None, ("\n".join(head), title, item.notes)))


def _kind(one: Placed) -> CardKind:
    return _KIND[one.kind]


def _is_date(text: str) -> bool:
    try:
        return len(text) == len("YYYY-MM-DD") and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _unlike(known: Card, one: Placed) -> Iterator[str]:
    """What says that the card may have come from another source."""
    if known.title != capped(one.item.title, _TITLE):
        yield "another title here: an item of another project? --name tells two sources apart"
