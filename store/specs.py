"""The specs of an instance: their files, their text and their keys. People own specs; nothing here writes one."""

from __future__ import annotations

import errno
import os
import shlex
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from schemas.anchors import AnchorStore
from schemas.config import Config
from schemas.errors import OutsideError, Place, RefusedError
from store.disk import NotAFileError, read_regular
from store.instance import Instance
from store.paths import is_device
from store.staging import not_a_file
from text.coordinates import SpecText, decode

SPEC_ENDINGS: Final = (".md", ".markdown", ".mdx", ".txt", ".text", ".rst", ".adoc", ".bs", ".html", ".htm")
"""What `list_specs` takes for a spec in the folder of specs; a command that names a file takes any."""

_MAX_KEY_BYTES: Final = 200
"""A key becomes a file name, with an ending; file systems take 255 bytes."""


class SpecFile(NamedTuple):
    """A spec of the instance: its key, and its path relative to the instance with `/`."""

    key: str
    path: str


def read_spec(path: Path, *, max_bytes: int, source: str | None = None) -> SpecText:
    """The text of a spec file; `source` names it in errors and in the result (default: the path as given).

    Raises RefusedError when it is missing, not a file, larger than `max_bytes` or not UTF-8, OutsideError when it
    cannot be read.
    """
    name = source or str(path)
    place = Place(name)
    if not _is_utf8(name):
        raise RefusedError("spec-name", "the name of the file is not UTF-8", where=place, fix="rename it")
    try:
        data = read_regular(path, max_bytes + 1)
    except FileNotFoundError:
        raise RefusedError("missing-spec", "there is no such file", where=place, fix="isopod status") from None
    except IsADirectoryError:
        raise RefusedError("spec-is-folder", "this is a folder, a spec is a file", where=place) from None
    except NotADirectoryError:
        raise RefusedError("missing-spec", "there is no such file: a part of the path is a file", where=place) from None
    except NotAFileError:
        raise not_a_file(place) from None
    except PermissionError:
        raise OutsideError("unreadable-file", "no right to read it", where=place, fix=f"chmod u+r {name}") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            fix = "put the file in its place"
            raise RefusedError("spec-link", "a link that leads in a circle", where=place, fix=fix) from None
        if error.errno == errno.ENAMETOOLONG:
            raise RefusedError("missing-spec", "no file can have so long a name", where=place) from None
        raise OutsideError("unreadable-file", f"cannot be read: {error.strerror}", where=place) from None
    if len(data) > max_bytes:
        raise RefusedError(
            "spec-too-big",
            f"the file is larger than {max_bytes} bytes",
            where=place,
            fix="set limits.spec_bytes in config.yaml, or cut the spec in two",
        )
    return decode(data, name)


def _is_utf8(name: str) -> bool:
    """Whether a name of a file is text: Python reads other bytes as lone surrogates."""
    return not any("\ud800" <= char <= "\udfff" for char in name)


def slug(text: str) -> str:
    """Letters, marks and digits of any script, casefolded and in NFC; everything else, in runs, one `-`."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    kept = "".join(char if unicodedata.category(char)[0] in "LMN" else "-" for char in folded)
    return "-".join(part for part in kept.split("-") if part)


def derive_key(path: str, specs_folder: str) -> str:
    """The key of a spec at first adopt: its path below the folder of specs without the ending, slugged.

    Source: DESIGN.md section 6.
    Both paths are relative to the instance, with `/`; a spec elsewhere gets its key from its file name.

    Raises RefusedError when nothing is left to make a key of, or no file may have the key's name.
    """
    inside = path.removeprefix(specs_folder + "/") if path.startswith(specs_folder + "/") else path.rsplit("/", 1)[-1]
    folder, _, name = inside.rpartition("/")
    stem = name.rsplit(".", 1)[0] if "." in name.strip(".") else name
    key = slug(f"{folder}/{stem}")
    why = "holds no letter or digit" if not key else _why_no_file_name(key)
    if why is not None:
        fix = f"isopod compile {shlex.quote(path)} --key KEY"
        raise RefusedError("spec-key", f"the name of the spec {why}", where=Place(path), fix=fix)
    return key


def _why_no_file_name(key: str) -> str | None:
    if is_device(key):
        return f"gives the key {key}, the name of a device on Windows"
    return f"gives a key of more than {_MAX_KEY_BYTES} bytes" if len(key.encode()) > _MAX_KEY_BYTES else None


def key_of(path: str, config: Config, stores: Iterable[AnchorStore]) -> str:
    """The key of the spec at `path`: the one that is stored, else the one in config, else one derived from the path."""
    for store in stores:
        if store.spec.path == path:
            return store.spec.key
    for key, entry in config.specs.items():
        if entry.path == path:
            return key
    return derive_key(path, config.paths.specs)


def refuse_taken_key(key: str, path: str, stores: Iterable[AnchorStore]) -> None:
    """Raise RefusedError when another spec has this key, or one that differs only by case or Unicode form."""
    for store in stores:
        if slug(store.spec.key) == slug(key) and store.spec.path != path:
            old, new = shlex.quote(store.spec.path), shlex.quote(path)
            raise RefusedError(
                "spec-key-taken",
                f"the key {key} is that of {store.spec.path}",
                where=Place(path),
                fix=f"isopod compile {new} --key KEY, or isopod spec mv {old} {new} if it was renamed",
            )


def list_specs(instance: Instance, stores: Iterable[AnchorStore] = ()) -> tuple[SpecFile, ...]:
    """The specs of the instance, sorted by path: files below the folder of specs, those named in config, those adopted.

    Hidden files and the folder of recorded runs are left out; an adopted spec whose file is gone is not listed. Nor is
    a file that a compile would refuse for its name, nor a link that leads nowhere or out of the instance. Two files may
    have one key: see `equal_keys`.
    """
    known = tuple(stores)
    paths = set(_spec_paths(instance))
    named = [entry.path for entry in instance.config.specs.values()] + [store.spec.path for store in known]
    paths.update(path for path in named if (instance.root / path).is_file())
    found = []
    for path in sorted(paths):
        with suppress(RefusedError):  # no key can be made of its name; compile says so
            found.append(SpecFile(key_of(path, instance.config, known), path))
    return tuple(found)


def _spec_paths(instance: Instance) -> Iterable[str]:
    recorded = instance.relative(instance.recorded_dir)
    for folder, folders, names in os.walk(instance.specs_dir):
        here = Path(folder)
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and instance.relative(here / name) != recorded
        )
        for name in sorted(names):
            if name.startswith(".") or not name.lower().endswith(SPEC_ENDINGS) or not _is_utf8(name):
                continue
            path = here / name
            if path.is_file() and (not path.is_symlink() or _leads_inside(path, instance.root)):
                yield instance.relative(path)


def _leads_inside(link: Path, root: Path) -> bool:
    return Path(os.path.realpath(link)).is_relative_to(root)


def equal_keys(specs: Iterable[SpecFile]) -> Mapping[str, tuple[str, ...]]:
    """The keys that more than one spec has, with the paths of those specs."""
    paths: dict[str, list[str]] = defaultdict(list)
    for spec in specs:
        paths[spec.key].append(spec.path)
    return {key: tuple(found) for key, found in sorted(paths.items()) if len(found) > 1}
