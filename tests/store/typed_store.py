"""A small instance on disk for the tests of the typed store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schemas.card import Card
from store.cards import Actor, edit
from store.instance import Instance, open_instance
from store.records import digest
from store.transaction import Transaction, View

CONFIG = """\
schema: isopod.config/1
project: test
teams:
  - {id: growth, name: Growth, capabilities: {manages_tracker: true, writes_cards: true, renders: true, schema: own}}
  - {id: web, name: Web, capabilities: {manages_tracker: true, writes_cards: true, renders: true, schema: own}}
  - {id: data, name: Data team, capabilities: {manages_tracker: false, writes_cards: false, renders: false, schema: mirror}}
default_team: growth
milestones: [2026-Q4]
readers:
  a: {provider: lexicon, model: lexicon-1}
  b: {provider: structure, model: structure-1}
"""

DRAFT = Actor("rules", "draft")
ADA = Actor("Ada", "person")
MIRROR = Actor("isopod", "mirror")


def make_instance(root: Path, config: str = CONFIG) -> Instance:
    (root / "config.yaml").write_text(config, encoding="utf-8")
    (root / "cards").mkdir(exist_ok=True)
    (root / "specs").mkdir(exist_ok=True)
    return open_instance(root)


def transaction(instance: Instance) -> Transaction:
    return Transaction(instance.root, instance.state_dir, command="test")


def view(instance: Instance) -> View:
    return View(instance.root, instance.state_dir)


def story(number: int = 1, **more: Any) -> Card:
    data = {"id": f"STY-{number:08d}", "kind": "story", "title": f"Story {number}", "team": "growth"}
    return Card.model_validate({**data, **more})


def make(instance: Instance, card: Card, actor: Actor = DRAFT) -> str:
    """Write a new card; returns the sha256 of its bytes."""
    tx = transaction(instance)
    edit(tx, instance, card, {}, actor=actor, expected=None)
    tx.commit()
    return digest((instance.cards_dir / f"{card.id}.yaml").read_bytes())


def put(instance: Instance, card: Card) -> str:
    """Lay a card on disk in whatever state, past the rules; returns the sha256 of its bytes."""
    from store.cards import to_text

    content = to_text(card, instance.config).encode()
    (instance.cards_dir / f"{card.id}.yaml").write_bytes(content)
    return digest(content)


def change(instance: Instance, card: Card, expected: str, actor: Actor = ADA, **patch: Any) -> Card:
    """Edit one card and commit."""
    tx = transaction(instance)
    after = edit(tx, instance, card, patch, actor=actor, expected=expected)
    tx.commit()
    return after
