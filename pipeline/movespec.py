"""A spec that was renamed keeps its key, its ids and its cards: `isopod spec mv` (DESIGN.md section 6)."""

from __future__ import annotations

from pipeline.bench import Bench
from pipeline.rounds import located
from pipeline.workspace import Workspace
from schemas.anchors import AnchorStore
from schemas.errors import Place, RefusedError
from store import anchors as anchor_files
from store.snapshot import Snapshot
from store.transaction import Transaction
from store.yamlio import edit_keeping_comments, load
from text.coordinates import SpecText


def move_spec(snapshot: Snapshot, old: str, new: str) -> Transaction:
    """Say that the adopted spec `old` now lies at `new` (both relative to the instance, with `/`); uncommitted.

    The file itself was moved by a person. Config follows where it names the old path.

    Raises RefusedError when nothing is adopted from `old`, its file is still there, `new` is no file of the instance, another spec has
    it, or it holds none of the claims.
    """
    instance = snapshot.instance
    file = next((one for one in snapshot.anchors.values() if one.store.spec.path == old), None)
    if file is None:
        known = ", ".join(sorted(one.store.spec.path for one in snapshot.anchors.values())) or "none"
        raise RefusedError("unknown-spec", f"nothing is adopted from this spec; adopted are: {known}", where=Place(old))
    workspace = Workspace.of(snapshot)
    path = instance.root / new
    if not workspace.is_inside(path) or not path.is_file():
        raise RefusedError(
            "missing-spec", "there is no such file in the instance", where=Place(new), fix=f"git mv {old} {new}"
        )
    if (instance.root / old).exists():
        raise RefusedError(
            "spec-there", "this file is still there: the spec was not moved", where=Place(old), fix=f"git mv {old} {new}"
        )
    taken = next((one for one in snapshot.anchors.values() if one.store.spec.path == new), None)
    if taken is not None:
        raise RefusedError("spec-path-taken", f"this is the spec of {taken.store.spec.key} already", where=Place(new))
    _refuse_other_text(workspace.read(path), file.store, old)
    transaction = Transaction(instance.root, instance.state_dir, command=f"spec mv {old} {new}")
    moved = file.store.spec.model_copy(update={"path": new})
    anchor_files.write(transaction, instance, file.store.model_copy(update={"spec": moved}), file.sha256)
    _move_in_config(transaction, snapshot, file.store.spec.key, old, new)
    return transaction


def _refuse_other_text(spec: SpecText, store: AnchorStore, old: str) -> None:
    """A file in which not one claim stands is no renamed spec: all of its cards would be told that their words are gone."""
    bench = Bench.of(spec)
    claims = tuple(anchor for anchor in store.anchors if anchor.status == "live")
    if claims and not located(bench, claims, store.sections):
        raise RefusedError(
            "other-spec",
            f"this file holds not one of the {len(claims)} claims of {old}: it is another spec",
            where=Place(spec.path),
            fix=f"isopod compile {spec.path}",
        )


def _move_in_config(transaction: Transaction, snapshot: Snapshot, key: str, old: str, new: str) -> None:
    entry = snapshot.config.specs.get(key)
    if entry is None or entry.path != old:
        return
    instance = snapshot.instance
    said = load(instance.config_text, instance.relative(instance.config_path))
    said["specs"][key]["path"] = new
    transaction.write(instance.config_path, edit_keeping_comments(instance.config_text, said).encode())
