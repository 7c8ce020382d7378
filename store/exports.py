"""Files that people ask for under a name of their own: exports. They are no part of the store and never written over it."""

from __future__ import annotations

from pathlib import Path

from schemas.errors import OutsideError, Place, RefusedError
from store.config import CONFIG_NAME
from store.disk import Disk
from store.instance import Instance


def write_export(instance: Instance, path: Path, data: bytes, source: str, *, anew: bool) -> None:
    """Write a file whole or not at all; `source` names it in errors, `anew` lets it replace one that says something else.

    Raises RefusedError for a place that belongs to the instance, for a folder, and for a file that is there when `anew` was not said;
    OutsideError when the disk refuses.
    """
    target, place = path.resolve(), Place(source)
    if target == instance.root / CONFIG_NAME or instance.owns(target):
        raise RefusedError("unsafe-path", "files of the instance lie there", where=place, fix="name another place")
    if target.is_dir():
        raise RefusedError("not-a-file", "this is a folder", where=place, fix="name a file in it")
    try:
        if target.exists() and not anew and target.read_bytes() != data:
            raise RefusedError("file-exists", "there is a file already", where=place, fix="--yes to replace it")
        temporary = Disk().write_temporary(target.parent, data, None)
        try:
            temporary.replace(target)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OutsideError("unwritable-file", f"cannot be written: {error.strerror}", where=place) from None
