"""What people put together is kept: the groups of cards after claims were moved, or after the spec lost some (`cards/groups/`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from pipeline.draft.sheet import Sheet
from pipeline.draft.standing import leader_of
from pipeline.said import Said
from schemas.card import Card
from schemas.grouping import Group, GroupedClaim
from store import groupings
from store.groupings import GroupFile
from store.instance import Instance
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Moves:
    """Claims that `said` puts on cards; nothing when nobody says anything."""

    wanted: Mapping[str, str] = field(default_factory=dict)
    said: Said | None = None

    def onto(self, card_id: str) -> dict[str, GroupedClaim]:
        if self.said is None:
            return {}
        by, at, because = self.said.by, self.said.at, self.said.because
        return {
            claim: GroupedClaim(claim=claim, by=by, at=at, because=because)
            for claim, target in self.wanted.items()
            if target == card_id
        }


@dataclass(frozen=True, slots=True)
class Pin:
    """The group of one card as it was and as it is to be; None where there is none."""

    before: GroupFile | None
    after: Group | None


def pins(
    sheet: Sheet, files: Iterable[GroupFile], card_of: Callable[[str], Card | None], moves: Moves | None = None
) -> list[Pin]:
    """The groups of the sheet's spec that differ once `moves` are made.

    `files` are the groups so far, `card_of` gives a card as it is to be. A claim that people put on a card before stays in its group
    while the card holds it; the group of a card that is gone goes.
    """
    moves = moves or Moves()
    before = {file.group.card: file for file in files if file.group.spec == sheet.key}
    found = []
    for card_id in sorted({*moves.wanted.values(), *before}):
        file, card = before.get(card_id), card_of(card_id)
        known = {one.claim: one for one in file.group.claims} if file is not None else {}
        group = _group(sheet, card, known | moves.onto(card_id)) if card is not None else None
        if group != (file.group if file is not None else None):
            found.append(Pin(file, group))
    return found


def write(transaction: Transaction, instance: Instance, found: Iterable[Pin]) -> None:
    """Collect the groups in a transaction. Raises ConflictError when a file is not the one that was read."""
    for pin in found:
        if pin.after is not None:
            groupings.write(transaction, instance, pin.after, pin.before.sha256 if pin.before is not None else None)
        elif pin.before is not None:
            groupings.remove(transaction, instance, pin.before)


def _group(sheet: Sheet, card: Card, known: Mapping[str, GroupedClaim]) -> Group | None:
    """The group of a card: of the claims that people put there those that it still holds, led by one that it holds by itself."""
    held = [claim for claim in sheet.claims if claim.id in card.anchors]
    inside = [claim for claim in held if claim.id in known]
    if not inside or card.state == "deleted":
        return None
    by_itself = [claim for claim in held if claim.id not in known]
    leader = leader_of(sheet, card.kind, by_itself or inside)
    return Group(card=card.id, spec=sheet.key, leader=leader.id, claims=tuple(known[claim.id] for claim in inside))
