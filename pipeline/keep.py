"""What a compile keeps: claims with their homes, cards and answers, as one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pipeline import pins
from pipeline.adopt import CONFIG, Adopted
from pipeline.draft.redraft import Redrafted
from pipeline.draft.sheet import Sheet
from pipeline.workspace import Workspace
from schemas.anchors import Anchor, AnchorEdge, AnchorStore, Discarded
from schemas.kinds import FINAL_STATES, OPEN_EDIT_STATES
from schemas.settlement import Settlement
from store import anchors as anchor_files
from store import cards as card_files
from store import settlements
from store.cards import Actor
from store.snapshot import Snapshot
from store.transaction import Transaction

DRAFTER: Final = Actor(name="rules", by="draft")
CLEANUP: Final = Actor(name="rules", by="cleanup")


def homed_store(store: AnchorStore, adopted: Adopted, drafted: Redrafted, key: str) -> AnchorStore:
    """The store with the adopted claims, each at the home that the draft gave it."""
    return store.model_copy(
        update={
            "anchors": tuple(_homed(one.anchor, drafted, key) for one in adopted.placed),
            "edges": _without_background(adopted.edges, drafted),
        }
    )


def _homed(anchor: Anchor, drafted: Redrafted, key: str) -> Anchor:
    if isinstance(anchor.home, Discarded) and anchor.home.by != CONFIG:
        return anchor
    home: object = anchor.home
    if anchor.id in drafted.glossary:
        home = "glossary"
    elif anchor.id in drafted.epic:
        home = "epic"
    elif anchor.id in drafted.background:
        home = Discarded(discarded="background", because=f"specs.{key}.sections says draft: background", by=CONFIG)
    elif anchor.id in drafted.carried:
        home = "card"
    return anchor if home == anchor.home else anchor.model_copy(update={"home": home})


def _without_background(edges: Sequence[AnchorEdge], drafted: Redrafted) -> tuple[AnchorEdge, ...]:
    return tuple(edge for edge in edges if not drafted.background.intersection((edge.from_, edge.to)))


def collect(
    workspace: Workspace,
    snapshot: Snapshot,
    sheet: Sheet,
    store: AnchorStore,
    drafted: Redrafted,
    settlement: Settlement | None,
) -> Transaction:
    """All writes of a compile as one transaction, uncommitted; people's groups are freed of claims and cards that are gone.

    Raises ConflictError, ImmutableCardError, OwnershipError or RefusedError when a card may not be written so.
    """
    instance = snapshot.instance
    transaction = Transaction(instance.root, instance.state_dir, command=f"compile {store.spec.path}")
    stored = snapshot.anchors.get(sheet.key)
    read = {file.card.id: file.sha256 for file in snapshot.card_files}
    anchor_files.write(transaction, instance, store, stored.sha256 if stored is not None else None)
    for change in drafted.changes:
        if change.before is None:
            card_files.edit(transaction, instance, change.after, {}, actor=DRAFTER, expected=None)
        else:
            patch = change.after.differing(change.before)
            actor = DRAFTER if change.before.state in OPEN_EDIT_STATES else CLEANUP
            card_files.edit(transaction, instance, change.before, patch, actor=actor, expected=read[change.before.id])
    _let_go(transaction, snapshot, drafted, read)
    cards = {card.id: card for card in drafted.cards}
    pins.write(transaction, instance, pins.pins(sheet, snapshot.group_files.values(), cards.get))
    if settlement is not None:
        settlements.write(transaction, instance, sheet.key, settlement)
    return transaction


def _let_go(transaction: Transaction, snapshot: Snapshot, drafted: Redrafted, read: Mapping[str, str]) -> None:
    """Cards of other specs, and of none, stop waiting for the cards that this compile leaves empty."""
    emptied = {change.after.id for change in drafted.changes if change.after.state == "deleted"}
    own = {card.id for card in drafted.cards}
    for card in snapshot.cards:
        kept = tuple(entry for entry in card.depends_on if entry.card not in emptied)
        if card.id not in own and card.state not in FINAL_STATES and kept != card.depends_on:
            patch = {"depends_on": kept}
            card_files.edit(transaction, snapshot.instance, card, patch, actor=CLEANUP, expected=read[card.id])
