"""Answers of people on disk: one file an answer, `cards/settlements/<spec key>/<id>.yaml`, so that branches merge."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.finding import Finding
from schemas.settlement import Settlement
from store.cache import ParseCache
from store.instance import Instance
from store.records import digest, load_folder, names_in, record_of
from store.view import View
from store.yamlio import dump

if TYPE_CHECKING:
    from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class SettlementFile:
    """An answer as it lies on disk, with the sha256 (hex) of the bytes that were read."""

    path: str
    settlement: Settlement
    sha256: str


def path_of(instance: Instance, key: str, settlement_id: str) -> Path:
    """The file of an answer.

    Raises RefusedError when key or id would lead out of the folder.
    """
    return instance.within(instance.settlements_dir / key / f"{settlement_id}.yaml")


def to_text(settlement: Settlement) -> str:
    """The canonical text; keys that hold nothing are left out."""
    return dump({key: value for key, value in settlement.to_data().items() if value not in (None, [])})


def load_all(
    view: View, instance: Instance, cache: ParseCache | None = None
) -> tuple[dict[str, tuple[SettlementFile, ...]], list[Finding]]:
    """Every answer by spec key, in the order in which they were given (time, id); a finding for each invalid file."""
    answers: dict[str, tuple[SettlementFile, ...]] = {}
    problems: list[Finding] = []
    for key in sorted(view.list_dir(instance.settlements_dir)):
        if key.startswith("."):
            continue
        files, found = load_folder(view, instance.settlements_dir / key, Settlement, cache)
        problems.extend(found)
        if files:
            given = [SettlementFile(file.path, file.record, file.sha256) for file in files]
            answers[key] = tuple(sorted(given, key=lambda file: (file.settlement.at, file.settlement.id)))
    return answers, problems


def load(view: View, instance: Instance, key: str) -> tuple[SettlementFile, ...]:
    """The answers about one spec, in the order in which they were given.

    Raises ManyErrors when a file is not valid: an answer that cannot be read must not be passed over.
    """
    folder = instance.within(instance.settlements_dir / key)
    files = []
    for name in names_in(view, folder):
        path = folder / name
        source = instance.relative(path)
        data = view.read(path)
        if data is not None:
            files.append(SettlementFile(source, record_of(data, source, Settlement), digest(data)))
    return tuple(sorted(files, key=lambda file: (file.settlement.at, file.settlement.id)))


def write(
    tx: Transaction, instance: Instance, key: str, settlement: Settlement, *, expected: str | None = None
) -> None:
    """Collect an answer in `tx`; `expected` is the sha256 of the answer that it takes the place of, None for a new
    file.

    Raises RefusedError when key or id cannot be a file name, ConflictError when the file is not the expected one.
    """
    tx.write(path_of(instance, key, settlement.id), to_text(settlement).encode(), expected=expected)


def take_back(tx: Transaction, instance: Instance, file: SettlementFile) -> None:
    """Collect the removal of an answer, so that the one before it stands again.

    Raises ConflictError when the file is not the one that was read.
    """
    tx.delete(instance.within(instance.root / file.path), expected=file.sha256)
