"""Batches that were sent: one file a batch in the state folder, `batches/<name>.json`. It holds no text of a spec.

It is written before its batch is sent, so that no crash makes a batch that nobody knows of.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from schemas.batch import Batch
from schemas.call import Call
from schemas.errors import OutsideError, Place, RefusedError
from store.disk import Disk
from store.files import read_file
from store.instance import Instance
from store.jsonio import load_json
from store.lock import make_state_dir
from store.paths import ensure_within

FOLDER = "batches"
"""Below the state folder."""


def load(instance: Instance) -> tuple[Batch, ...]:
    """Every batch that was ever sent from here, the oldest first.

    Raises RefusedError for a file that is no batch: what it holds may be paid for, so nothing may be sent past it; OutsideError when
    the folder cannot be read.
    """
    folder = instance.state_dir / FOLDER
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".json")
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise _outside(error, "cannot be read", instance, folder) from None
    batches = [batch for path in paths if (batch := _read(instance, path)) is not None]
    return tuple(sorted(batches, key=lambda batch: (batch.at, batch.name)))


def load_one(instance: Instance, name: str) -> Batch:
    """The batch of that name, or the only one whose name begins so. Raises RefusedError when there is none, or several are meant."""
    batches = load(instance)
    found = [one for one in batches if one.name == name] or [
        one for one in batches if name and one.name.startswith(name)
    ]
    if len(found) != 1:
        several = f"several batches begin with {name!r}: {', '.join(one.name for one in found[:5])}"
        raise RefusedError("unknown-id", several if found else f"no batch is called {name!r}", fix="isopod batches")
    return found[0]


def waiting(instance: Instance) -> dict[str, Batch]:
    """The batch that each question waits in, by request hash."""
    return {request: batch for batch in load(instance) if batch.is_waiting for request in batch.requests}


def fresh_name(instance: Instance, calls: Sequence[Call], at: str) -> str:
    """A name that no batch has yet, for one with these calls. The caller holds the lock."""
    number = 0
    while True:
        words = [at, str(number), *sorted(call.request for call in calls)]
        name = f"{calls[0].reader}-{hashlib.sha256(' '.join(words).encode()).hexdigest()[:8]}"
        if not _path(instance, name).exists():
            return name
        number += 1


def put(instance: Instance, batch: Batch) -> None:
    """Write a batch: whole or not at all, on the medium before this returns. The caller holds the lock.

    Raises OutsideError when the disk refuses.
    """
    path, disk = _path(instance, batch.name), Disk()
    data = json.dumps(batch.to_data(), ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace") + b"\n"
    try:
        make_state_dir(instance.state_dir)
        disk.make_folder(path.parent)
        temporary = disk.write_temporary(path.parent, data, None)
        try:
            disk.sync(temporary)
            disk.replace(temporary, path)
        except BaseException:
            disk.remove(temporary)
            raise
        disk.sync(path.parent)
        disk.sync(instance.state_dir)
    except OSError as error:
        raise _outside(error, "cannot be written", instance, path) from None


def remove(instance: Instance, batch: Batch) -> None:
    """Forget a batch that surely never reached its provider. The caller holds the lock. Raises OutsideError when the disk refuses."""
    path = _path(instance, batch.name)
    try:
        Disk().remove(path)
        Disk().sync(path.parent)
    except OSError as error:
        raise _outside(error, "cannot be removed", instance, path) from None


def _read(instance: Instance, path: Path) -> Batch | None:
    source = instance.relative(path)
    data = read_file(path, source)
    if data is None:
        return None
    try:
        batch = Batch.parse(load_json(data, source), source=source, code="invalid-batch")
    except RefusedError as error:
        raise RefusedError(
            "invalid-batch",
            f"this is no batch as isopod writes it: {error.message}",
            where=error.where,
            fix=f"mend it; or look at the provider's console that nothing of yours waits there, then rm {source}",
        ) from None
    if batch.name != path.stem:
        raise RefusedError("invalid-batch", f"the file holds the batch {batch.name}", where=Place(source))
    return batch


def _path(instance: Instance, name: str) -> Path:
    folder = instance.state_dir / FOLDER
    return ensure_within(folder, folder / f"{name}.json")


def _outside(error: OSError, what: str, instance: Instance, path: Path) -> OutsideError:
    return OutsideError("cannot-write", f"{what}: {error.strerror}", where=Place(instance.relative(path)))
