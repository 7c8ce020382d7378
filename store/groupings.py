"""People's groups of claims on disk: one file a card, `cards/groups/<card id>.yaml`, so that branches merge (DESIGN.md section 7)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.errors import Place, RefusedError
from schemas.finding import Finding
from schemas.grouping import Group
from store.cache import ParseCache
from store.instance import Instance
from store.records import findings_of, load_folder, text_over
from store.view import View
from store.yamlio import dump

if TYPE_CHECKING:
    from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class GroupFile:
    """A group as it lies on disk, with the sha256 (hex) of the bytes that were read."""

    path: str
    group: Group
    sha256: str


def path_of(instance: Instance, card_id: str) -> Path:
    """The file of a card's group.

    Raises RefusedError when the id would lead out of the folder.
    """
    return instance.within(instance.groups_dir / f"{card_id}.yaml")


def load_all(
    view: View, instance: Instance, cache: ParseCache | None = None
) -> tuple[tuple[GroupFile, ...], list[Finding]]:
    """Every group, by file name, and a finding for each file that holds none or that bears another card's name."""
    files, problems = load_folder(view, instance.groups_dir, Group, cache)
    found = []
    for file in files:
        if Path(file.path).stem == file.record.card:
            found.append(GroupFile(file.path, file.record, file.sha256))
        else:
            message = f"the file holds the group of {file.record.card}, so its name must be {file.record.card}.yaml"
            problems.extend(findings_of(RefusedError("invalid-file", message, where=Place(file.path)), file.path))
    return tuple(found), problems


def write(tx: Transaction, instance: Instance, group: Group, expected: str | None) -> None:
    """Collect a group in `tx`; `expected` is the sha256 of the bytes that were read, None for a new file.

    Raises RefusedError when the card's id cannot be a file name, ConflictError when the file is not the expected one.
    """
    path = path_of(instance, group.card)
    data = _shown(group)
    tx.write(path, text_over(tx.read(path), dump(data), data).encode(), expected=expected)


def remove(tx: Transaction, instance: Instance, file: GroupFile) -> None:
    """Collect the removal of a group. Raises ConflictError when the file is not the one that was read."""
    tx.delete(path_of(instance, file.group.card), expected=file.sha256)


def _shown(group: Group) -> dict[str, Any]:
    """The group as its file holds it: `because` only where somebody said why."""
    data = group.to_data()
    data["claims"] = [{key: value for key, value in one.items() if value is not None} for one in data["claims"]]
    return data
