"""Cards on disk, `cards/<ID>.yaml`: load them, and `edit`, the only way to write one (DESIGN.md section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas import lifecycle
from schemas.base import Record
from schemas.card import Card
from schemas.config import Config
from schemas.errors import ConflictError, OwnershipError, Place, RefusedError
from schemas.finding import Finding
from store.cache import ParseCache
from store.instance import Instance
from store.permission import Actor, changed_paths, refuse_birth, refuse_edit
from store.records import Reads, digest, load_folder, record_of, text_over
from store.view import View
from store.yamlio import dump

if TYPE_CHECKING:
    from store.transaction import Transaction

__all__ = ["Actor", "CardFile", "current", "edit", "load", "load_all", "path_of", "to_text"]


@dataclass(frozen=True, slots=True)
class CardFile:
    """A card as it lies on disk: its path relative to the instance, the sha256 (hex) of the bytes that were read.

    `blob` is the name that git gives to those bytes, "" for a card that was read alone.
    """

    path: str
    card: Card
    sha256: str
    blob: str = field(default="", compare=False)


def path_of(instance: Instance, card_id: str) -> Path:
    """The file of a card.

    Raises RefusedError when the id would lead out of the folder of cards.
    """
    return instance.within(instance.cards_dir / f"{card_id}.yaml")


def to_text(card: Card, config: Config) -> str:
    """The canonical text of a card's file; its first line tells editors where the schema of cards is."""
    up = "../" * (config.paths.cards.count("/") + 1)
    return f"# yaml-language-server: $schema={up}docs/schemas/card.json\n{dump(card.to_file())}"


def load_all(view: View, instance: Instance, cache: ParseCache | None = None) -> tuple[list[CardFile], list[Finding]]:
    """Every card of the instance, sorted by file name, and a finding for each file that holds none."""
    files, problems = load_folder(view, instance.cards_dir, Card, cache)
    return [CardFile(file.path, file.record, file.sha256, file.blob) for file in files], problems


def load(sees: Reads, instance: Instance, card_id: str) -> CardFile:
    """One card, as `sees` sees it; a transaction sees its own pending writes.

    Raises RefusedError when there is no such card or its file is not valid.
    """
    found = current(sees, instance, card_id)
    if found is None:
        path = instance.relative(path_of(instance, card_id))
        raise RefusedError("unknown-card", f"no file holds {card_id}", where=Place(path), fix="isopod cards")
    return found


def current(sees: Reads, instance: Instance, card_id: str) -> CardFile | None:
    """One card, as `sees` sees it, None when it has no file.

    Raises RefusedError when its file is not valid.
    """
    path = path_of(instance, card_id)
    source = instance.relative(path)
    data = sees.read(path)
    return None if data is None else CardFile(source, record_of(data, source, Card), digest(data))


def edit(
    tx: Transaction, instance: Instance, card: Card, patch: Mapping[str, Any], *, actor: Actor, expected: str | None
) -> Card:
    """Change a card, or make one: the only way to write below the folder of cards.

    `card` is the card as it was read and `expected` the sha256 (hex) of the bytes that were read; `patch` maps keys
    of the card to new values (records or plain data). With `expected=None` the card must not exist and `card` is the
    new one. The write is collected in `tx`, and only after everything was checked: the tables of the lifecycle and of
    ownership, the schema, what config knows, and that the file still is what was read. An edit that changes nothing
    writes nothing.

    Two consequences follow by themselves: a planned card whose title, acceptance, depends_on (other than `seen`) or
    anchors change falls back to drafted, and a title that a person gives is that person's (`title_by`).

    Returns the card as it now is. Raises ImmutableCardError, OwnershipError, ConflictError or RefusedError; each
    names the card, the field, its owner or state, and a way out.
    """
    path = path_of(instance, card.id)
    source = instance.relative(path)
    data = tx.read(path)
    _refuse_moved(data, card, expected, source)
    after = _patched(card, patch, actor, source)
    if data is None:
        refuse_birth(after, instance.config, actor, source)
        tx.write(path, to_text(after, instance.config).encode(), expected=expected)
        return after
    after = _fallen_back(card, after, actor)
    if after == card:
        return card
    refuse_edit(card, after, instance.config, actor, source)
    tx.write(path, text_over(data, to_text(after, instance.config), after.to_file()).encode(), expected=expected)
    return after


def _refuse_moved(data: bytes | None, card: Card, expected: str | None, source: str) -> None:
    """Raise ConflictError unless the file holds the very card that was read, or nothing for a birth."""
    place = Place(source)
    if expected is None:
        if data is not None:
            raise ConflictError("card-exists", f"{card.id} is there already", where=place, fix="run the command again")
        return
    if data is None:
        raise ConflictError("card-gone", f"the file of {card.id} was there and is gone", where=place, fix="git status")
    if digest(data) != expected or record_of(data, source, Card) != card:
        raise ConflictError(
            "card-changed",
            f"{card.id} was changed since it was read; nothing was written",
            where=place,
            fix="run the command again",
        )


def _patched(card: Card, patch: Mapping[str, Any], actor: Actor, source: str) -> Card:
    """The card with the patch applied and validated; an unknown key belongs to nobody."""
    known = {field.alias or name for name, field in Card.model_fields.items()}
    for key in patch:
        if key not in known:
            raise OwnershipError(
                "unknown-field",
                f"{card.id}: no card has a field `{key}`, so it belongs to nobody",
                where=Place(source),
                fix="isopod schema card",
            )
    after = Card.parse({**card.to_data(), **{key: _plain(value) for key, value in patch.items()}}, source=source)
    if actor.by == "person" and after.title != card.title and "title_by" not in patch:
        return after.model_copy(update={"title_by": actor.name})
    return after


def _plain(value: Any) -> Any:
    """Records and tuples as plain JSON values."""
    if isinstance(value, Record):
        return value.to_data()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _fallen_back(before: Card, after: Card, actor: Actor) -> Card:
    if before.state != "planned" or after.state != "planned":
        return after
    paths = changed_paths(before, after)
    if _without_seen(before) == _without_seen(after):
        paths -= {"depends_on"}
    return after.model_copy(update={"state": "drafted"}) if lifecycle.falls_back("planned", paths, actor.by) else after


def _without_seen(card: Card) -> tuple[object, ...]:
    return tuple((entry.card, entry.because, entry.scope) for entry in card.depends_on)
