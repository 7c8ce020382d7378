"""What an instance held at a commit, and what the history of its cards knows: records, nothing on disk is touched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from schemas.anchors import AnchorStore
from schemas.base import Record
from schemas.card import Card
from schemas.errors import IsopodError
from schemas.ledger import LedgerEntry
from store.git import Base, Blob, Repository
from store.instance import Instance
from store.ledger import CHECKPOINT
from store.records import ENDING, digest, record_of, without_gc
from store.snapshot import Snapshot
from store.yamlio import load_json

R = TypeVar("R", bound=Record)

_ENTRY = ".json"


class Version:
    """The instance as a commit holds it, each part read when it is first asked for.

    `known` are cards by the sha256 (hex) of their bytes, or by the name that git gives to these: what has not changed since
    is not parsed again, and by git's name not even read. `unreadable`
    are the paths of what was read so far and is not what it should be; it is nowhere else.
    """

    def __init__(
        self, repository: Repository, instance: Instance, commit: str, known: Mapping[str, Card] | None = None
    ) -> None:
        self.commit = commit
        self.unreadable: list[str] = []
        self._repository = repository
        self._instance = instance
        self._known = known or {}

    @cached_property
    def cards(self) -> Mapping[str, Card]:
        """Cards by id; of two with one id the first by file name."""
        found: dict[str, Card] = {}
        for card in self._records(self._in(self._instance.cards_dir, ENDING), Card):
            found.setdefault(card.id, card)
        return found

    @cached_property
    def anchor_stores(self) -> Mapping[str, AnchorStore]:
        """The claims of each spec, by spec key."""
        stores = self._records(self._in(self._instance.anchors_dir, ENDING), AnchorStore)
        return {store.spec.key: store for store in stores}

    @cached_property
    def ledger(self) -> Mapping[str, LedgerEntry]:
        """The entries of the ledger by name, the sha256 (hex) of their bytes."""
        contents = self._repository.contents(blob.id for blob in self._entries.values())
        found = {}
        for name, blob in self._entries.items():
            try:
                found[name] = LedgerEntry.parse(load_json(contents[blob.id], blob.path), source=blob.path)
            except IsopodError:
                self.unreadable.append(blob.path)
        return found

    @property
    def ledger_names(self) -> Iterable[str]:
        """The names of the entries of the ledger, none of which is read for this."""
        return self._entries.keys()

    @cached_property
    def _entries(self) -> dict[str, Blob]:
        found = self._in(self._instance.ledger_dir, _ENTRY)
        return {
            name.removesuffix(_ENTRY): blob
            for name, blob in ((blob.path.rpartition("/")[2], blob) for blob in found)
            if name != CHECKPOINT
        }

    @cached_property
    def _files(self) -> tuple[Blob, ...]:
        return self._repository.files(self.commit, self._instance.relative(self._instance.cards_dir))

    def _in(self, folder: Path, ending: str) -> list[Blob]:
        """The files directly in a folder, as a folder of the instance is read: hidden ones are passed by."""
        wanted = self._instance.relative(folder)
        split = ((blob, *blob.path.rpartition("/")) for blob in self._files)
        return [
            blob
            for blob, inside, _, name in split
            if inside == wanted and name.endswith(ending) and not name.startswith(".")
        ]

    def _records(self, blobs: list[Blob], kind: type[R]) -> Iterator[R]:
        """The records in the order of their files, with two of the same bytes parsed once."""
        parsed: dict[str, R | None] = {}
        path_of = {blob.id: blob.path for blob in reversed(blobs)}
        for blob in blobs:
            same = self._known.get(blob.id)
            if isinstance(same, kind):
                parsed[blob.id] = same
        with without_gc():
            for blob_id, data in self._repository.stream(blob.id for blob in blobs if blob.id not in parsed):
                known = self._known.get(digest(data)) if self._known else None
                parsed[blob_id] = known if isinstance(known, kind) else self._record(data, path_of[blob_id], kind)
        for blob in blobs:
            record = parsed[blob.id]
            if record is not None:
                yield record

    def _record(self, data: bytes, path: str, kind: type[R]) -> R | None:
        try:
            return record_of(data, path, kind)
        except IsopodError:
            self.unreadable.append(path)
            return None


class Past:
    """The base that an instance is compared with, and the copies of cards that its history knows."""

    def __init__(self, repository: Repository, snapshot: Snapshot, base: Base) -> None:
        self.base = base
        known = {name: file.card for file in snapshot.card_files for name in (file.sha256, file.blob)}
        self.version = Version(repository, snapshot.instance, base.commit, known)
        self._repository = repository
        self._instance = snapshot.instance

    @property
    def cards(self) -> Mapping[str, Card]:
        """The cards at the base, by id."""
        return self.version.cards

    def first_copies(self, ids: Iterable[str]) -> Mapping[str, Card]:
        """Of each card that history knows: the copy that its file came with, the earliest time."""
        return self._copies(ids, self._walked[0])

    def removed_copies(self, ids: Iterable[str]) -> Mapping[str, Card]:
        """Of each card whose file was taken away some time: the copy that it held last, the latest time."""
        return self._copies(ids, self._walked[1])

    @cached_property
    def _walked(self) -> tuple[dict[str, str], dict[str, str]]:
        """By path: the content that a file first came with, and the one that it held when it last went."""
        came: dict[str, str] = {}
        went: dict[str, str] = {}
        for change in self._repository.comings_and_goings(self._instance.relative(self._instance.cards_dir)):
            if change.kind == "added":
                came[change.blob.path] = change.blob.id
            else:
                went.setdefault(change.blob.path, change.blob.id)
        return came, went

    def _copies(self, ids: Iterable[str], blobs: Mapping[str, str]) -> Mapping[str, Card]:
        folder = self._instance.relative(self._instance.cards_dir)
        paths = {card_id: f"{folder}/{card_id}{ENDING}" for card_id in ids}
        wanted = {card_id: blobs[path] for card_id, path in paths.items() if path in blobs}
        contents = self._repository.contents(wanted.values())
        found = {}
        for card_id, blob in wanted.items():
            try:
                found[card_id] = record_of(contents[blob], paths[card_id], Card)
            except IsopodError:
                self.version.unreadable.append(paths[card_id])
        return found


def past_of(snapshot: Snapshot, base: str | None = None) -> Past:
    """What an instance is compared with: `base`, any name of a commit, else what `Repository.base` says.

    Raises NoHistoryError where there is nothing to compare with, RefusedError for a base that git does not know.
    """
    repository = Repository(snapshot.instance.root)
    return Past(repository, snapshot, repository.base(base))
