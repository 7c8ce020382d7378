"""Files that are written but not yet visible: synced, under temporary names, beside where they are to be."""

from __future__ import annotations

import errno
import json
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import IsopodError, OutsideError, Place, RefusedError
from store.disk import TEMPORARY, Disk, NotAFileError, mode_of, read_regular
from store.paths import ensure_within
from store.yamlio import load_json

STAGING = "staging.json"
"""In the state folder: the folders in which a writer leaves temporary names, should it die."""

_GENERATION = "generation"


@dataclass(slots=True)
class Staged:
    """What is staged: each target with its new content under a temporary name (None: it is to be deleted)."""

    places: list[tuple[Path, Path | None]]
    folders: list[Path]  # made for this, outermost first


def stage(root: Path, state_dir: Path, contents: Iterable[tuple[str, bytes | None]], disk: Disk) -> Staged:
    """Write and sync new contents (None: delete) by their paths relative to `root`.

    Whatever the disk refuses, it refuses here, before anything happens: raises OutsideError and leaves nothing behind.
    """
    staged = Staged([], [])
    place = state_dir
    try:
        targets = [(ensure_within(root, path), content) for path, content in contents]
        folders = sorted({target.parent for target, content in targets if content is not None})
        _say_folders(root, state_dir, folders, disk)
        for folder in folders:
            place = folder
            _make_folders(folder, staged, disk)
        for place, content in (*targets, (state_dir / _GENERATION, secrets.token_hex(8).encode())):
            temporary = None if content is None else disk.write_temporary(place.parent, content, mode_of(place))
            staged.places.append((place, temporary))
        for target, temporary in staged.places:  # after all were written: the first sync takes the others along
            if temporary is not None:
                place = target
                disk.sync(temporary)
    except BaseException as error:
        discard(state_dir, staged, disk)
        if isinstance(error, OSError):
            raise outside(error, place) from None
        raise
    return staged


def put(staged: Staged, disk: Disk) -> None:
    """Give the staged contents their names, and sync the folders that hold them. Raises OSError."""
    for target, temporary in staged.places:
        if temporary is None:
            disk.remove(target)
        else:
            disk.replace(temporary, target)
    holders = {target.parent for target, _ in staged.places} | {folder.parent for folder in staged.folders}
    for folder in sorted(holders):
        if folder.is_dir():
            disk.sync(folder)


def discard(state_dir: Path, staged: Staged, disk: Disk) -> None:
    """Take away what was staged. What cannot be taken away stays under its temporary name for the next writer."""
    for _, temporary in staged.places:
        if temporary is not None:
            with suppress(OSError):
                disk.remove(temporary)
    for folder in reversed(staged.folders):
        with suppress(OSError):
            disk.remove_folder(folder)
    with suppress(OSError):
        _sweep_folder(state_dir, disk)
        disk.remove(state_dir / STAGING)


def sweep(root: Path, state_dir: Path, disk: Disk) -> None:
    """Remove what a writer that died left under temporary names."""
    try:
        listed = load_json(disk.read(state_dir / STAGING) or b"[]", STAGING)
    except (OSError, RefusedError):
        listed = []  # cut off while it was written, and so before anything was staged
    for name in listed if isinstance(listed, list) else []:
        with suppress(OSError, IsopodError):
            _sweep_folder(root if name == "." else ensure_within(root, str(name)), disk)
    with suppress(OSError):
        _sweep_folder(state_dir, disk)
        disk.remove(state_dir / STAGING)


def generation(state_dir: Path) -> str:
    """A word that changes with every transaction that happens; a damaged one is as good, it changes too."""
    try:
        return read_regular(state_dir / _GENERATION).decode("utf-8", "replace")
    except OSError:
        return ""


def read(disk: Disk, path: Path, shown: str) -> bytes | None:
    """The bytes of a file, None when there is none.

    Raises OutsideError, or RefusedError for a symbolic link or another thing that is not a file.
    """
    try:
        return disk.read(path)
    except OSError as error:
        raise outside(error, Path(shown)) from None


def not_a_file(where: Place) -> RefusedError:
    """A pipe, a socket or a device stands at a place."""
    return RefusedError(
        "not-a-file", "this is a pipe, a socket or a device", where=where, fix="put a file in its place"
    )


def outside(error: OSError, path: Path) -> IsopodError:
    """What the system said about a path, for people."""
    where = Place(str(path))
    if isinstance(error, NotAFileError):
        return not_a_file(where)
    if error.errno == errno.ELOOP:
        return RefusedError(
            "unsafe-path", "a symbolic link stands where a file should be", where=where, fix="put a file in its place"
        )
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return OutsideError("disk-full", "the disk is full", where=where, fix="free some space and run this again")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        fix = "give this user the right to read and write there, and run this again"
        return OutsideError("no-permission", f"the system does not allow it: {error.strerror}", where=where, fix=fix)
    said = error.strerror or str(error)
    return OutsideError("disk-error", f"the system says: {said}", where=where, fix="mend it and run this again")


def _say_folders(root: Path, state_dir: Path, folders: Iterable[Path], disk: Disk) -> None:
    names = [folder.relative_to(root).as_posix() for folder in folders]
    disk.replace(disk.write_temporary(state_dir, json.dumps(names).encode(), None), state_dir / STAGING)


def _make_folders(folder: Path, staged: Staged, disk: Disk) -> None:
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for made in reversed(missing):
        disk.make_folder(made)
        staged.folders.append(made)


def _sweep_folder(folder: Path, disk: Disk) -> None:
    with os.scandir(folder) as found:
        names = [entry.name for entry in found if entry.name.startswith(TEMPORARY)]
    for name in names:
        disk.remove(folder / name)
