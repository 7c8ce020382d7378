"""One instance, read once: what every check, list and page looks at (DESIGN.md section 10).

A snapshot never writes and never changes. Card, claim and answer files are read at once; specs, their structure, the
graph and the places of findings only when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from schemas.anchors import Anchor, AnchorStore
from schemas.card import Card
from schemas.config import Config
from schemas.errors import IsopodError, RefusedError
from schemas.finding import Finding, FindingPlace
from schemas.settlement import Settlement
from store import anchors, cards, groupings, ledger, settlements
from store.anchors import AnchorsFile
from store.cache import ParseCache
from store.cards import CardFile
from store.graph import Graph
from store.groupings import GroupFile
from store.instance import Instance
from store.ledger import Ledger
from store.records import findings_of, without_gc
from store.specs import SpecFile, list_specs, read_spec
from store.structures import structures
from store.view import View
from store.yamlio import Positions, decode, positions
from text.coordinates import SpecText

if TYPE_CHECKING:
    from text.structure import Structure

_ATTEMPTS = 5
"""How often to read again when another process wrote meanwhile; then the last reading stands."""


@dataclass(frozen=True)
class Snapshot:
    """An instance at one moment: `card_files` by file name, `anchors` and `settlements` by spec key, `group_files` by card id.

    `file_problems` are the findings of files that could not be read as what they should be.
    """

    instance: Instance
    view: View = field(repr=False)
    card_files: tuple[CardFile, ...] = field(repr=False)
    anchors: Mapping[str, AnchorsFile] = field(repr=False)
    settlements: Mapping[str, tuple[Settlement, ...]] = field(repr=False)
    group_files: Mapping[str, GroupFile] = field(repr=False)
    file_problems: tuple[Finding, ...] = field(repr=False)
    cache: bool = True
    """Whether parses are kept in the state folder, and taken from there."""

    @property
    def config(self) -> Config:
        return self.instance.config

    # --- cards ----------------------------------------------------------------------------------------------------

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """Every card, by file name."""
        return tuple(file.card for file in self.card_files)

    @cached_property
    def card_by_id(self) -> Mapping[str, Card]:
        """Cards by id; of two with one id the first by file name."""
        return MappingProxyType({card.id: card for card in reversed(self.cards)})

    @cached_property
    def _file_by_id(self) -> dict[str, str]:
        return {file.card.id: file.path for file in reversed(self.card_files)}

    def file_of(self, card_id: str) -> str:
        """The path, relative to the instance, of the file that holds this card."""
        return self._file_by_id[card_id]

    @cached_property
    def cards_of_anchor(self) -> Mapping[str, tuple[Card, ...]]:
        """By claim id: the cards, in any state, that name it, by file name."""
        found: dict[str, list[Card]] = {}
        for card in self.cards:
            for anchor in dict.fromkeys(card.anchors):
                found.setdefault(anchor, []).append(card)
        return MappingProxyType({anchor: tuple(holders) for anchor, holders in found.items()})

    @cached_property
    def graph(self) -> Graph:
        """The graph of all cards."""
        return Graph.of(self.cards)

    # --- claims ---------------------------------------------------------------------------------------------------

    @cached_property
    def anchor_stores(self) -> Mapping[str, AnchorStore]:
        """The claims of each spec, by spec key."""
        return MappingProxyType({key: file.store for key, file in self.anchors.items()})

    @cached_property
    def anchor_by_id(self) -> Mapping[str, Anchor]:
        """Claims by id; of two with one id the first by spec key and place in the text."""
        found: dict[str, Anchor] = {}
        for store in self.anchor_stores.values():
            for anchor in store.anchors:
                found.setdefault(anchor.id, anchor)
        return MappingProxyType(found)

    # --- the ledger -----------------------------------------------------------------------------------------------

    @cached_property
    def ledger(self) -> Ledger:
        """The whole ledger with what does not hold in it."""
        return ledger.read(self.view, self.instance)

    # --- specs ----------------------------------------------------------------------------------------------------

    @cached_property
    def spec_files(self) -> tuple[SpecFile, ...]:
        """Every spec whose file is there, adopted or not, by path."""
        return list_specs(self.instance, self.anchor_stores.values())

    @cached_property
    def spec_paths(self) -> tuple[str, ...]:
        """The paths of `spec_files`."""
        return tuple(file.path for file in self.spec_files)

    @cached_property
    def _specs(self) -> dict[str, SpecText | IsopodError]:
        return {}

    def _read(self, path: str) -> SpecText | IsopodError:
        if path not in self._specs:
            try:
                limit = self.config.limits.spec_bytes
                self._specs[path] = read_spec(self.instance.root / path, max_bytes=limit, source=path)
            except IsopodError as error:
                self._specs[path] = error
        return self._specs[path]

    def spec_at(self, path: str) -> SpecText | None:
        """The text of the spec at this path (relative to the instance), None when it is gone or cannot be read."""
        found = self._read(path)
        return found if isinstance(found, SpecText) else None

    def spec(self, key: str) -> SpecText | None:
        """The text today of the spec with this key, None when it is not adopted, gone, or cannot be read."""
        store = self.anchor_stores.get(key)
        return None if store is None else self.spec_at(store.spec.path)

    @cached_property
    def _structures(self) -> dict[str, Structure]:
        return {}

    def structure(self, key: str) -> Structure | None:
        """The structure of `spec(key)`, computed once."""
        self._know_structures([key])
        return self._structures.get(key)

    @cached_property
    def structures(self) -> Mapping[str, Structure]:
        """The structure of every adopted spec that can be read, by spec key; faster than one after the other."""
        self._know_structures(self.anchor_stores)
        return MappingProxyType(self._structures)

    def _know_structures(self, keys: Iterable[str]) -> None:
        specs = {key: self.spec(key) for key in keys if key not in self._structures}
        wanted = {key: spec for key, spec in specs.items() if spec is not None}
        if wanted:
            with ParseCache(self.instance.state_dir) if self.cache else nullcontext() as kept:
                self._structures.update(structures(wanted, kept))

    # --- findings -------------------------------------------------------------------------------------------------

    @cached_property
    def problems(self) -> tuple[Finding, ...]:
        """A finding for whatever cannot be read as what it should be: files of the store, and adopted specs.

        A spec that is gone is no problem here: a rule says so (C230).
        """
        found = list(self.file_problems)
        for store in self.anchor_stores.values():
            error = self._read(store.spec.path)
            if isinstance(error, IsopodError) and error.code != "missing-spec":
                found.extend(findings_of(error, store.spec.path))
        return tuple(sorted(found, key=lambda one: (one.where.file, one.where.line or 0, one.where.column or 0)))

    @cached_property
    def _positions(self) -> dict[str, Positions]:
        return {}

    def place(self, file: str, path: tuple[str | int, ...] = ()) -> FindingPlace:
        """Where the value at `path` stands in a YAML file of the instance; the file alone when it cannot be read.

        A key that the file does not hold has the place of the nearest value around it.
        """
        if file not in self._positions:
            data = self.view.read(self.instance.root / file)
            try:
                self._positions[file] = positions("" if data is None else decode(data, file))
            except RefusedError:
                self._positions[file] = positions("")
        found = self._positions[file]
        if not len(found):
            return FindingPlace(file=file)
        line, column = found.nearest(path)
        return FindingPlace(file=file, line=line, column=column)


def load(instance: Instance, *, hash_mode: bool = False, cache: bool = True) -> Snapshot:
    """Read the whole instance, through an unfinished journal and without writing to it.

    `cache` lets parses of unchanged files be taken from the state folder; `hash_mode` trusts no time stamp for that and
    compares content. What is returned is the same either way.
    """
    for _ in range(_ATTEMPTS):
        view = View(instance.root, instance.state_dir)
        parses = ParseCache(instance.state_dir, by_content=hash_mode) if cache else nullcontext()
        with without_gc(), parses as opened:
            snapshot = _read(instance, view, opened, cache)
        if view.is_current():
            break
    return snapshot


def _read(instance: Instance, view: View, parses: ParseCache | None, cache: bool) -> Snapshot:
    card_files, problems = cards.load_all(view, instance, parses)
    anchor_files, anchor_problems = anchors.load_all(view, instance, parses)
    answers, answer_problems = settlements.load_all(view, instance, parses)
    groups, group_problems = groupings.load_all(view, instance, parses)
    return Snapshot(
        instance=instance,
        view=view,
        card_files=tuple(card_files),
        anchors=MappingProxyType({file.store.spec.key: file for file in anchor_files}),
        settlements=MappingProxyType({key: tuple(one.settlement for one in files) for key, files in answers.items()}),
        group_files=MappingProxyType({file.group.card: file for file in groups}),
        file_problems=(*problems, *anchor_problems, *answer_problems, *group_problems),
    )
