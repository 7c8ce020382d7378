"""Files of other tools, read within bounds: a source that is too large, too deep or not text is refused, never followed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pipeline.imports.protocol import ImportRequest, refusal, unreadable
from schemas.errors import IsopodError, OutsideError, Place, RefusedError
from schemas.imported import ImportRefusal
from store.disk import NotAFileError, read_regular
from store.yamlio import decode

MAX_SOURCE: Final = 50_000_000
"""Bytes of a whole source, a file or all files of a folder."""
MAX_FILE: Final = 2_000_000
"""Bytes of one file of a folder."""
MAX_ITEMS: Final = 20_000
MAX_DEPTH: Final = 8
MAX_FIELD: Final = 100_000
"""Characters of one field; what is longer is no text that a person reads on a card."""
MAX_LIST: Final = 500
"""Lines, steps or edges of one item."""


def source_bytes(request: ImportRequest) -> bytes:
    """The bytes of a source that is one file.

    Raises RefusedError when there is none or it is too large, OutsideError when it cannot be read.
    """
    place = Place(request.shown)
    try:
        data = read_regular(request.path, MAX_SOURCE + 1)
    except FileNotFoundError:
        raise RefusedError("missing-source", "there is no such file", where=place) from None
    except IsADirectoryError:
        raise RefusedError("not-a-file", "this is a folder", where=place, fix="name the file in it") from None
    except (NotADirectoryError, NotAFileError):
        raise RefusedError("not-a-file", "this is no file", where=place) from None
    except OSError as error:
        raise OutsideError("unreadable-file", f"cannot be read: {error.strerror}", where=place) from None
    if len(data) > MAX_SOURCE:
        raise RefusedError("too-large", f"more than {MAX_SOURCE:,} bytes are not read", where=place)
    return data


def folder_texts(request: ImportRequest, ending: str) -> Iterator[tuple[str, str | ImportRefusal]]:
    """The files of a folder by the way there (with `/`), in order: the text with `\\n` line ends, or why it was not read.

    Hidden files and folders are passed by, symbolic links refused: they lead out of what was named.

    Raises RefusedError when there is no such folder, it holds too much or none of these files.
    """
    place = Place(request.shown)
    if not request.path.is_dir():
        there = "this is no folder" if os.path.lexists(request.path) else "there is no such folder"
        raise RefusedError("missing-source", there, where=place)
    names = sorted(_names(request.path, ending, place))
    if not names:
        raise RefusedError("missing-source", f"no file in this folder ends in {ending}", where=place)
    total = 0
    for name in names:
        text = _text(request.path / name, f"{request.shown.rstrip('/')}/{name}")
        if isinstance(text, str):
            total += len(text)
            if total > MAX_SOURCE:
                raise RefusedError("too-large", f"more than {MAX_SOURCE:,} characters are not read", where=place)
        yield name, text


def _names(folder: Path, ending: str, place: Place) -> Iterator[str]:
    count = 0
    for root, folders, files in os.walk(folder):
        inside = Path(root).relative_to(folder)
        if len(inside.parts) >= MAX_DEPTH and folders:
            raise RefusedError("too-large", f"folders deeper than {MAX_DEPTH} are not read", where=place)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in files:
            if name.lower().endswith(ending) and not name.startswith("."):
                count += 1
                if count > MAX_ITEMS:
                    raise RefusedError("too-large", f"more than {MAX_ITEMS:,} files are not read", where=place)
                yield (inside / name).as_posix()


def _text(path: Path, source: str) -> str | ImportRefusal:
    place = Place(source)
    try:
        data = read_regular(path, MAX_FILE + 1, follow=False)
    except OSError as error:
        why = "is a symbolic link" if path.is_symlink() else f"cannot be read: {error.strerror}"
        return refusal("unreadable", why, place)
    if len(data) > MAX_FILE:
        return refusal("too-large", f"more than {MAX_FILE:,} bytes are not read", place)
    try:
        return decode(data, source).replace("\r\n", "\n")
    except IsopodError as error:
        return unreadable(error, source)


def text_of(value: Any) -> str:
    """A field as text: numbers and words of YAML and JSON as they are written, nothing for what is no single value."""
    if isinstance(value, str):
        return value.replace("\r\n", "\n").strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else ""


def texts_of(value: Any) -> tuple[str, ...]:
    """A field that is a list of texts, or one of them; blank ones are left out."""
    values = value if isinstance(value, list) else [value]
    return tuple(text for text in map(text_of, values) if text)
