"""The few operations on the disk that transactions are made of.

They stand in one class, so that a test can put a disk in its place that fails or dies at any of them.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from pathlib import Path

TEMPORARY = ".isopod-tmp-"
"""What the names of half-written files start with. Readers pass them by, the next writer sweeps them."""


class NotAFileError(OSError):
    """A pipe, a socket or a device stands where a file should be: reading it may wait for ever."""


def read_regular(path: Path, limit: int = -1, *, follow: bool = True) -> bytes:
    """The bytes of a regular file, at most `limit` of them (-1: all).

    Raises NotAFileError for what is neither file nor folder, else OSError as the system does (ELOOP for a symbolic link
    unless `follow`).
    """
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags if follow else flags | getattr(os, "O_NOFOLLOW", 0))
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket cannot even be opened
            raise NotAFileError(errno.ENXIO, "not a file", str(path)) from None
        raise
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise NotAFileError(errno.EINVAL, "not a file", str(path))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(limit)
    finally:
        os.close(descriptor)


class Disk:
    """The real disk. Every method raises OSError as the system does."""

    def read(self, path: Path) -> bytes | None:
        """The bytes of a regular file, None when there is none. A symbolic link is not followed (OSError ELOOP)."""
        try:
            return read_regular(path, follow=False)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write_temporary(self, folder: Path, content: bytes, mode: int | None) -> Path:
        """A new file with a temporary name; `mode` None leaves it to the umask. Not yet synced."""
        path = folder / f"{TEMPORARY}{secrets.token_hex(8)}"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                if mode is not None:
                    path.chmod(mode)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path

    def sync(self, path: Path) -> None:
        """Wait until the content of a file, or the names in a folder, are on the medium."""
        if os.name == "nt" and path.is_dir():
            return  # Windows cannot open folders; its renames are journalled by the file system
        descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def replace(self, source: Path, target: Path) -> None:
        source.replace(target)

    def remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def make_folder(self, path: Path) -> None:
        path.mkdir(exist_ok=True)

    def remove_folder(self, path: Path) -> None:
        path.rmdir()


def mode_of(path: Path) -> int | None:
    """The permission bits of a file, None when there is none."""
    try:
        return stat.S_IMODE(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return None
