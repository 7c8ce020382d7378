"""Where a compile stands: an instance as it was read, or a file alone with nothing around it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.extract import ReaderSeat
from pipeline.readers.registry import reader_of
from schemas.anchors import AnchorStore
from schemas.card import Card
from schemas.config import Capabilities, Config, ReaderConfig, Readers, Team, one_model
from schemas.errors import Place, RefusedError
from schemas.grouping import Group
from schemas.settlement import Settlement
from store.snapshot import Snapshot
from store.specs import derive_key, key_of, read_spec, refuse_taken_key
from text.coordinates import SpecText

OFFLINE = ("lexicon", "structure")


@dataclass(frozen=True)
class Workspace:
    """`snapshot` is None for a file outside any instance: it can be read, joined and previewed, not compiled."""

    config: Config
    snapshot: Snapshot | None = None

    @classmethod
    def alone(cls) -> Workspace:
        """No instance: the default config with one team."""
        capabilities = Capabilities(manages_tracker=True, writes_cards=True, renders=True, schema_="own")
        offline = [ReaderConfig(provider=name, model=name) for name in OFFLINE]
        return cls(
            Config(
                project="preview",
                teams=(Team(id="team", name="Team", capabilities=capabilities),),
                default_team="team",
                readers=Readers(a=offline[0], b=offline[1]),
            )
        )

    @classmethod
    def of(cls, snapshot: Snapshot) -> Workspace:
        return cls(snapshot.config, snapshot)

    @property
    def recorded(self) -> tuple[Path, ...]:
        """The folders of recorded runs."""
        return (self.snapshot.instance.recorded_dir,) if self.snapshot is not None else ()

    def is_inside(self, path: Path) -> bool:
        """Whether a spec lies in the instance."""
        return self.snapshot is not None and _real(path).is_relative_to(self.snapshot.instance.root)

    def name_of(self, path: Path) -> str:
        """How a spec is named in files and findings: relative to the instance, else as it was given."""
        if self.snapshot is not None and self.is_inside(path):
            return self.snapshot.instance.relative(_real(path))
        return path.as_posix()

    def read(self, path: Path) -> SpecText:
        """The text of a spec. Raises as `store.specs.read_spec`."""
        return read_spec(path, max_bytes=self.config.limits.spec_bytes, source=self.name_of(path))

    def key_of(self, name: str, given: str | None = None) -> str:
        """The key of a spec: stored, in config, given or derived.

        Raises RefusedError when another spec has it.
        """
        stores = self.stores
        if given is None:
            key = (
                key_of(name, self.config, stores)
                if self.snapshot is not None
                else derive_key(name, self.config.paths.specs)
            )
        else:
            key = derive_key(f"{given}.md", self.config.paths.specs)
        refuse_taken_key(key, name, stores)
        return key

    @property
    def stores(self) -> tuple[AnchorStore, ...]:
        return tuple(file.store for file in self.snapshot.anchors.values()) if self.snapshot is not None else ()

    def store(self, key: str) -> AnchorStore | None:
        """What was adopted from a spec, None when nothing was."""
        file = self.snapshot.anchors.get(key) if self.snapshot is not None else None
        return file.store if file is not None else None

    def settlements(self, key: str) -> tuple[Settlement, ...]:
        return self.snapshot.settlements.get(key, ()) if self.snapshot is not None else ()

    def groups(self, key: str) -> tuple[Group, ...]:
        """What people put together of a spec's claims, by card id."""
        files = self.snapshot.group_files.values() if self.snapshot is not None else ()
        return tuple(file.group for file in files if file.group.spec == key)

    def cards(self, key: str) -> tuple[Card, ...]:
        """The cards of a spec, in any state."""
        return tuple(card for card in self.snapshot.cards if card.spec == key) if self.snapshot is not None else ()

    def replaced(self) -> frozenset[str]:
        """Every decision that another one replaced, by the spec's word or a person's."""
        return frozenset(self.snapshot.graph.replaced_by) if self.snapshot is not None else frozenset()

    def issued(self) -> frozenset[str]:
        """Every id that was ever given: cards in any state and anchors, retired ones too."""
        cards = self.snapshot.cards if self.snapshot is not None else ()
        return frozenset(
            [*(card.id for card in cards), *(anchor.id for store in self.stores for anchor in store.anchors)]
        )

    def seats(self, *, offline: bool) -> tuple[ReaderSeat, ReaderSeat]:
        """The two readers of a compile.

        Raises RefusedError when both are the same model and config does not allow that, or a reader is not known.
        """
        if offline:
            a, b = (
                ReaderSeat(name, reader_of(provider), provider) for name, provider in zip("ab", OFFLINE, strict=True)
            )
            return a, b
        if self.snapshot is None:
            raise RefusedError(
                "no-readers",
                "outside an instance there is no config that names two readers",
                fix="add --offline, or run isopod init",
            )
        both = self.config.readers
        if one_model(both.a.model, both.b.model) and not self.config.allow_same_model:
            raise RefusedError(
                "same-model",
                f"both readers are {both.a.model}: two readings by one model prove less than two models agreeing",
                where=Place("config.yaml"),
                fix="name two different models, or set allow_same_model: true (every report then says so)",
            )
        return (
            ReaderSeat("a", reader_of(both.a.provider), both.a.model),
            ReaderSeat("b", reader_of(both.b.provider), both.b.model),
        )


def _real(path: Path) -> Path:
    """The path without links; unlike `Path.resolve` it leaves one that leads in a circle to whoever opens the file."""
    return Path(os.path.realpath(path))


def same_model(seats: Sequence[ReaderSeat]) -> bool:
    """Whether both readers of a compile are one model."""
    return one_model(seats[0].model, seats[1].model)
