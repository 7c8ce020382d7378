"""One person's hand on several cards: every change through `store.cards.edit`, all of them one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.said import Said
from schemas.card import Card
from schemas.errors import RefusedError
from schemas.lifecycle import By
from store import cards as card_files
from store.cards import Actor, CardFile
from store.instance import Instance
from store.snapshot import Snapshot
from store.transaction import Transaction


class Hand:
    """Collects the edits of one deed. A card may be changed several times; each change sees the ones before it."""

    def __init__(self, snapshot: Snapshot, said: Said, command: str) -> None:
        self.snapshot = snapshot
        self.said = said
        instance = snapshot.instance
        self.transaction = Transaction(instance.root, instance.state_dir, command=command)
        self._files = {file.card.id: file for file in snapshot.card_files}
        self._touched: dict[str, Card | None] = {}

    @property
    def instance(self) -> Instance:
        return self.snapshot.instance

    def card(self, card_id: str) -> Card:
        """A card as it is after the changes so far.

        Raises RefusedError when no file holds it.
        """
        return self._file(card_id).card

    @property
    def changes(self) -> tuple[tuple[Card | None, Card], ...]:
        """What became of each card that was touched and differs: as it was (None for a birth) and as it is now, in the order of touch."""
        now = ((before, self._files[card_id].card) for card_id, before in self._touched.items())
        return tuple((before, after) for before, after in now if before != after)

    def change(self, card_id: str, patch: Mapping[str, Any], *, by: By = "person") -> Card:
        """Change a card. Raises as `store.cards.edit`."""
        file = self._file(card_id)
        actor = self._actor(by)
        self._touched.setdefault(card_id, file.card)
        return self._now(
            card_files.edit(self.transaction, self.instance, file.card, patch, actor=actor, expected=file.sha256)
        )

    def make(self, card: Card, *, by: By = "person") -> Card:
        """Make a new card. Raises as `store.cards.edit`."""
        actor = self._actor(by)
        self._touched.setdefault(card.id, None)
        return self._now(card_files.edit(self.transaction, self.instance, card, {}, actor=actor, expected=None))

    def _actor(self, by: By) -> Actor:
        return Actor(name=self.said.by, by=by)

    def _file(self, card_id: str) -> CardFile:
        """The card as it was read, or as this hand has changed it; a version that came to the disk meanwhile is a conflict."""
        if card_id not in self._files:
            raise RefusedError("unknown-card", f"no card is called {card_id}", fix="isopod cards")
        return self._files[card_id]

    def _now(self, card: Card) -> Card:
        self._files[card.id] = card_files.load(self.transaction, self.instance, card.id)
        return card
