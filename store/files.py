"""Single files outside transactions: read with errors for people, written once under a name that says their content."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from schemas.errors import OutsideError, Place, RefusedError
from store.disk import TEMPORARY, NotAFileError, read_regular
from store.staging import not_a_file


def read_file(path: Path, source: str) -> bytes | None:
    """The bytes of a file, None when there is none; `source` names it in errors.

    Raises OutsideError when it cannot be read, RefusedError for a folder, a pipe, a socket or a device.
    """
    try:
        return read_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError:
        raise RefusedError("not-a-file", "this is a folder", where=Place(source), fix="name a file") from None
    except NotAFileError:
        raise not_a_file(Place(source)) from None
    except OSError as error:
        raise OutsideError("unreadable-file", f"cannot be read: {error.strerror}", where=Place(source)) from None


def shown(path: Path) -> str:
    """A path as a command may take it that is typed here: from the current folder on where it lies below, else whole."""
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return path.as_posix()


def refuse_unwritable(folder: Path) -> None:
    """Make a folder and write a file there that does not stay, before work is done whose result is to be kept in it.

    Raises OutsideError `cannot-write`.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(prefix=TEMPORARY, dir=folder) as file:
            file.write(b"\n")
            file.flush()
    except OSError as error:
        is_file = isinstance(error, FileExistsError | NotADirectoryError)
        raise OutsideError(
            "cannot-write",
            "nothing can be kept in this folder: " + ("a file is in its place" if is_file else f"{error.strerror}"),
            where=Place(shown(folder)),
            fix="name another folder, or move that file"
            if is_file
            else "give this user the right to write there, or free some space",
        ) from None


def write_by_content(path: Path, data: bytes, source: str) -> None:
    """Write a file whose name is made of its content: whole or not at all, and not again when it is there.

    Raises OutsideError when the disk refuses.
    """
    try:
        if path.is_file() and path.read_bytes() == data:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".isopod-tmp-", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OutsideError("unwritable-file", f"cannot be written: {error.strerror}", where=Place(source)) from None
