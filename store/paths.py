"""The one gate through which every path into an instance goes (DESIGN.md section 11)."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

from schemas.errors import Place, RefusedError

_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", *(f"{device}{digit}" for device in ("com", "lpt") for digit in "123456789¹²³")]
)
_MAX_NAME_BYTES = 255


def ensure_within(root: Path, path: Path | str) -> Path:
    """`path` (relative to `root`, or below it) as an absolute path that surely stays below `root`.

    Names come back in Unicode form NFC, unless the file lies on disk under the other spelling. Raises RefusedError
    `unsafe-path` for `..`, a path elsewhere, a symbolic link on the way or at the end, and names that some system
    cannot hold (`CON`, a dot or space at the end, `:`, `\\`, control characters, more than 255 bytes).
    """
    shown = str(path)
    given = Path(path)
    parts = given.parts
    if given.is_absolute():
        try:
            parts = given.relative_to(root).parts
        except ValueError:
            raise _unsafe(shown, "lies outside the instance") from None
    if not parts:
        raise _unsafe(shown, "names the instance itself")
    place = root
    for part in parts:
        _refuse_name(part, shown)
        place = _step(place, part)
        if place.is_symlink():
            raise _unsafe(shown, f"{place.relative_to(root).as_posix()} is a symbolic link")
    return place


def relative(root: Path, path: Path) -> str:
    """`path` below `root` as files and messages name it: with `/`, relative to `root`."""
    return path.relative_to(root).as_posix()


def is_device(name: str) -> bool:
    """Whether Windows takes this name for a device, with any ending."""
    return name.split(".")[0].rstrip().casefold() in _RESERVED


def _step(folder: Path, name: str) -> Path:
    composed = unicodedata.normalize("NFC", name)
    given = folder / name
    return given if composed != name and os.path.lexists(given) else folder / composed


def _refuse_name(name: str, shown: str) -> None:
    if name == "..":
        raise _unsafe(shown, "leads upwards")
    if any(char in '\\:<>"|?*' or unicodedata.category(char) in ("Cc", "Cs") for char in name):
        raise _unsafe(shown, f"{name!r} holds a character that not every system allows in a name")
    if name.endswith((".", " ")):
        raise _unsafe(shown, f"{name!r} ends with a dot or a space")
    if is_device(name):
        raise _unsafe(shown, f"{name!r} is the name of a device on Windows")
    if len(name.encode()) > _MAX_NAME_BYTES:
        raise _unsafe(shown, f"a name of more than {_MAX_NAME_BYTES} bytes")


def _unsafe(shown: str, why: str) -> RefusedError:
    return RefusedError(
        "unsafe-path",
        f"the path {shown!r} {why}",
        where=Place(shown),
        fix="name a file below the folder of config.yaml",
    )
