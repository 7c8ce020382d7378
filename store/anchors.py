"""Adopted claims on disk, `cards/anchors/<spec key>.yaml`, and every id that was ever issued (DESIGN.md section 6)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.anchors import AnchorStore
from schemas.config import Config, id_pattern
from schemas.errors import ManyErrors, Place, RefusedError
from schemas.finding import Finding
from store.cache import ParseCache
from store.instance import Instance
from store.records import ENDING, Reads, RecordFile, digest, findings_of, load_folder, names_in, record_of, text_over
from store.view import View
from store.yamlio import dump

if TYPE_CHECKING:
    from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class AnchorsFile:
    """The claims of one spec as they lie on disk, with the sha256 (hex) of the bytes that were read."""

    path: str
    store: AnchorStore
    sha256: str


def path_of(instance: Instance, key: str) -> Path:
    """The file of the claims of the spec with this key.

    Raises RefusedError when the key would lead out of the folder.
    """
    return instance.within(instance.anchors_dir / f"{key}.yaml")


def to_file(store: AnchorStore) -> dict[str, Any]:
    """The claims as their file holds them: `labels` and `successor` only where there are some, all else always."""
    data = store.to_data()
    data["anchors"] = [_shown(anchor) for anchor in data["anchors"]]
    return data


def to_text(store: AnchorStore) -> str:
    """The canonical text of the file."""
    return dump(to_file(store))


def _shown(anchor: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in anchor.items() if value is not None or key not in ("labels", "successor")}


def load_all(
    view: View, instance: Instance, cache: ParseCache | None = None
) -> tuple[list[AnchorsFile], list[Finding]]:
    """The claims of every spec, sorted by file name, and a finding for each file that holds none.

    A file whose spec key is not its name is one of them: two files would then claim one spec.
    """
    files, problems = load_folder(view, instance.anchors_dir, AnchorStore, cache)
    found = []
    for file in files:
        if Path(file.path).stem == file.record.spec.key:
            found.append(AnchorsFile(file.path, file.record, file.sha256))
        else:
            problems.extend(findings_of(_wrong_name(file), file.path))
    return found, problems


def _wrong_name(file: RecordFile[AnchorStore]) -> RefusedError:
    key = file.record.spec.key
    message = f"the file holds the claims of the spec with the key {key}, so its name must be {key}.yaml"
    return RefusedError("invalid-file", message, where=Place(file.path))


def load(sees: Reads, instance: Instance, key: str) -> AnchorsFile | None:
    """The claims of one spec, None when nothing was adopted from it.

    Raises RefusedError or ManyErrors when the file is not valid.
    """
    path = path_of(instance, key)
    source = instance.relative(path)
    data = sees.read(path)
    return None if data is None else AnchorsFile(source, record_of(data, source, AnchorStore), digest(data))


def write(tx: Transaction, instance: Instance, store: AnchorStore, expected: str | None) -> None:
    """Collect the claims of one spec in `tx`; `expected` is the sha256 of the bytes that were read, None for a new
    file.

    Claims that say what the file says already write nothing; a person's comments in the file are kept.

    Raises ManyErrors with every id that does not bear the one prefix of claims or is there twice, and every edge and
    successor that leads to no claim; ConflictError when the file is not the one that was read.
    """
    path = path_of(instance, store.spec.key)
    source = instance.relative(path)
    problems = list(_problems(store, instance.config))
    if problems:
        place = Place(source)
        raise ManyErrors([RefusedError("invalid-anchors", text, where=place, fix="isopod fix") for text in problems])
    data = tx.read(path)
    if data is not None and digest(data) == expected and record_of(data, source, AnchorStore) == store:
        return
    tx.write(path, text_over(data, to_text(store), to_file(store)).encode(), expected=expected)


def _problems(store: AnchorStore, config: Config) -> Iterable[str]:
    pattern = re.compile(id_pattern((config.anchor_prefix,)))
    counts = Counter(anchor.id for anchor in store.anchors)
    for name, count in counts.items():
        if not pattern.fullmatch(name):
            yield f"{name!r} is not the id of a claim: {config.anchor_prefix}-, then 8 characters of Crockford base32"
        if count > 1:
            yield f"the id {name} is that of {count} claims"
    for edge in store.edges:
        for end in (edge.from_, edge.to):
            if end not in counts:
                yield f"the edge {edge.from_} {edge.kind} {edge.to} leads to {end}, which is no claim of this spec"


def issued_ids(view: View, instance: Instance) -> frozenset[str]:
    """Every id that was ever given here: of claims in every state and of cards in every state, by their files.

    Raises ManyErrors when a file of claims cannot be read: an id in it could be given a second time.
    """
    names = names_in(view, instance.cards_dir)
    issued = {name.removesuffix(ENDING) for name in names}
    for name in names_in(view, instance.anchors_dir):
        found = load(view, instance, name.removesuffix(ENDING))
        if found is not None:
            issued.update(anchor.id for anchor in found.store.anchors)
    return frozenset(issued)
