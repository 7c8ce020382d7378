"""What the audits judge: a whole instance, with each spec's claims found in the text of today, once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING

from gates.claims import Drafted
from gates.found import Found
from schemas.anchors import Anchor, AnchorStore
from schemas.card import Card, MigratesPart
from schemas.config import Config
from schemas.finding import FindingPlace
from schemas.kinds import UNORDERED_EDGES, EdgeKind, Severity
from schemas.settlement import Settlement
from store.cards import CardFile
from store.graph import Graph
from store.ledger import Ledger
from store.snapshot import Snapshot
from store.succession import offered_successors

if TYPE_CHECKING:
    from store.past import Past
    from text.coordinates import SpanT, SpecText

CONFIG_FILE = "config.yaml"


@dataclass(frozen=True)
class Audited:
    """An instance under audit: the indexes that rules ask, and the places that findings name."""

    snapshot: Snapshot
    past: Past | None = None
    """What git knows; None where that cannot be asked."""
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    """The moment of the audit, in UTC: ages and dates are measured from it."""

    # --- what is there --------------------------------------------------------------------------------------------

    @property
    def config(self) -> Config:
        return self.snapshot.config

    @property
    def graph(self) -> Graph:
        return self.snapshot.graph

    @property
    def card_files(self) -> tuple[CardFile, ...]:
        """Every card file that can be read, by path."""
        return self.snapshot.card_files

    @property
    def cards(self) -> tuple[Card, ...]:
        return self.snapshot.cards

    @property
    def card_by_id(self) -> Mapping[str, Card]:
        return self.snapshot.card_by_id

    @property
    def anchor_by_id(self) -> Mapping[str, Anchor]:
        return self.snapshot.anchor_by_id

    @property
    def ledger(self) -> Ledger:
        return self.snapshot.ledger

    @property
    def stores(self) -> Mapping[str, AnchorStore]:
        """The anchors files that can be read, by spec key."""
        return self.snapshot.anchor_stores

    def spec(self, key: str) -> SpecText | None:
        """The spec of an anchors file as it is today, None when its file is gone or cannot be read."""
        return self.snapshot.spec(key)

    def is_unreadable(self, key: str) -> bool:
        """Whether the spec is there but cannot be read, which is a finding of its own."""
        path = self.stores[key].spec.path
        return any(problem.where.file == path for problem in self.snapshot.problems)

    @cached_property
    def specs(self) -> Mapping[str, Drafted]:
        """By spec key: the claims of the anchors file, found in the spec of today, and every card of that spec.

        A spec that is gone is read as an empty text: none of its claims is found.
        """
        if not self.stores:
            return {}
        # Parsing Markdown costs a third of an audit's start: only where there are specs.
        from gates.located import claims_today

        owner = {anchor.id: key for key, store in self.stores.items() for anchor in store.anchors}
        carried = frozenset(self.holders)
        structures = self.snapshot.structures
        cards: dict[str | None, dict[int, Card]] = {}
        for card in self.cards:
            for key in (card.spec, *(owner.get(anchor) for anchor in card.anchors)):
                cards.setdefault(key, {})[id(card)] = card
        return {
            key: Drafted(
                claims=claims_today(
                    store,
                    self.spec(key),
                    structures.get(key),
                    anchor_prefix=self.config.anchor_prefix,
                    carried=carried,
                    entry=partial(self.in_store, key, "anchors"),
                ),
                cards=tuple(cards.get(key, {}).values()),
                config=self.config,
                place_of=lambda card, path: self.card_place(card, *path),
            )
            for key, store in self.stores.items()
        }

    @cached_property
    def holders(self) -> Mapping[str, list[tuple[int, Card]]]:
        """By anchor id: the cards, not deleted, that name it, with its index in `anchors`."""
        found: dict[str, list[tuple[int, Card]]] = {}
        for card in self.cards:
            if card.state != "deleted":
                for index, anchor in enumerate(card.anchors):
                    found.setdefault(anchor, []).append((index, card))
        return found

    @cached_property
    def successors(self) -> Mapping[str, Mapping[str, str]]:
        """By spec key: what stands now in the place of claims that are gone, as far as the order of the text shows it."""
        return {key: offered_successors(store, self.snapshot.cards_of_anchor) for key, store in self.stores.items()}

    @cached_property
    def migrations_of(self) -> Mapping[str, list[MigratesPart]]:
        """By card id: what migrations, not deleted, restate of it."""
        found: dict[str, list[MigratesPart]] = {}
        for card in self.cards:
            if card.migrates and card.state != "deleted":
                found.setdefault(card.migrates.card, []).append(card.migrates)
        return found

    @property
    def replaced_by(self) -> Mapping[str, str]:
        """By decision that was replaced: the decision in force in its place."""
        return self.graph.replaced_by

    @cached_property
    def relations(self) -> frozenset[tuple[EdgeKind, str, str]]:
        """The relations that hold today: kind, from, to; unordered ones in both directions.

        Both claims are live, and neither is that of a decision which another one replaced.
        """
        replaced = {anchor for name in self.replaced_by for anchor in self.carried_by(name)}
        fit = {anchor.id for anchor in self.anchor_by_id.values() if anchor.status == "live"} - replaced
        edges = (edge for store in self.stores.values() for edge in store.edges)
        found = {(edge.kind, edge.from_, edge.to) for edge in edges if edge.from_ in fit and edge.to in fit}
        found |= {(kind, to, from_) for kind, from_, to in found if kind in UNORDERED_EDGES}
        return frozenset(found)

    def carried_by(self, card_id: str) -> tuple[str, ...]:
        """The claims that a card, not deleted, carries; none of a card that no file holds."""
        card = self.card_by_id.get(card_id)
        return card.anchors if card is not None and card.state != "deleted" else ()

    def today(self, anchor_id: str) -> Anchor | None:
        """A claim, or the one that took its place; None when no file holds it."""
        anchor = self.anchor_by_id.get(anchor_id)
        passed: set[str] = set()
        while anchor is not None and anchor.successor is not None and anchor.id not in passed:
            passed.add(anchor.id)
            anchor = self.anchor_by_id.get(anchor.successor, anchor)
        return anchor

    def not_claims(self, key: str) -> list[SpanT]:
        """Where a person said that there is no claim, as far as those words still stand there."""
        claims = self.specs[key].claims
        from text.selectors import Finder

        finder = Finder(claims.spec, claims.structure)
        marked = [settled.where for settled in self.snapshot.settlements.get(key, ()) if _says_nothing(settled)]
        standing = (finder.stands(where.exact, where.prefix, where.suffix) for where in marked)
        return [span for span in standing if span is not None]

    def specs_without_claims(self) -> Iterator[tuple[str, SpecText]]:
        """The spec files that no anchors file names, by path."""
        named = {store.spec.path for store in self.stores.values()}
        for path in self.snapshot.spec_paths:
            if path not in named:
                spec = self.snapshot.spec_at(path)
                if spec is not None:
                    yield path, spec

    # --- places ---------------------------------------------------------------------------------------------------

    def file_of(self, card: Card) -> str:
        return self._paths[id(card)]

    def card_place(self, card: Card, *path: str | int) -> FindingPlace:
        return self.snapshot.place(self.file_of(card), path)

    def in_store(self, key: str, *path: str | int) -> FindingPlace:
        """The place of a key of an anchors file."""
        return self.snapshot.place(self.snapshot.anchors[key].path, path)

    def in_config(self, *path: str | int) -> FindingPlace:
        return self.snapshot.place(CONFIG_FILE, path)

    def on_card(
        self,
        card: Card,
        path: tuple[str | int, ...],
        message: str,
        *,
        related: Iterable[str] = (),
        fix: str | None = None,
        severity: Severity | None = None,
    ) -> Found:
        """A finding about a key of a card."""
        return Found(card.id, message, self.card_place(card, *path), tuple(related), fix, severity, card.heuristic)

    @cached_property
    def _paths(self) -> Mapping[int, str]:
        # By identity: of two cards with one id each has its own file.
        return {id(file.card): file.path for file in self.card_files}


def _says_nothing(settled: Settlement) -> bool:
    """Whether an answer says that no claim stands at its place."""
    asked = settled.type in ("missing", "kind", "granularity", "cut")
    return settled.type == "not-a-claim" or (asked and not settled.anchors)
