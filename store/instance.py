"""The instance: a folder with a config.yaml, and where everything lies below it."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from schemas.config import Config
from schemas.errors import OutsideError, Place, RefusedError
from store.config import CONFIG_NAME, parse_config
from store.disk import read_regular
from store.paths import ensure_within, relative
from store.yamlio import decode, load

_OURS = re.compile(rb"""^(?:\xef\xbb\xbf)?["']?schema["']?[ \t]*:[ \t]*["']?isopod\.config/""", re.MULTILINE)
_SCHEMA_LINE = "schema: isopod.config/1"


@dataclass(frozen=True, slots=True)
class Instance:
    """An opened instance: `root` is absolute, without symbolic links; `config_text` is the text of its config.yaml."""

    root: Path
    config: Config
    config_text: str

    @property
    def config_path(self) -> Path:
        return self.root / CONFIG_NAME

    @property
    def specs_dir(self) -> Path:
        return self.root / self.config.paths.specs

    @property
    def cards_dir(self) -> Path:
        return self.root / self.config.paths.cards

    @property
    def anchors_dir(self) -> Path:
        return self.cards_dir / "anchors"

    @property
    def settlements_dir(self) -> Path:
        return self.cards_dir / "settlements"

    @property
    def groups_dir(self) -> Path:
        return self.cards_dir / "groups"

    @property
    def ledger_dir(self) -> Path:
        return self.cards_dir / "ledger"

    @property
    def recorded_dir(self) -> Path:
        return self.root / self.config.paths.recorded

    @property
    def state_dir(self) -> Path:
        """Journal, lock, cache and runs: on this machine only, never committed."""
        return self.root / self.config.paths.state

    @property
    def runs_dir(self) -> Path:
        return self.state_dir / "runs"

    def owns(self, path: Path) -> bool:
        """Whether `path` lies in one of the folders of specs, cards, recordings or state: files with other names lie elsewhere."""
        folders = (self.specs_dir, self.cards_dir, self.recorded_dir, self.state_dir)
        return any(path.is_relative_to(folder) or path.is_relative_to(folder.resolve()) for folder in folders)

    def relative(self, path: Path) -> str:
        """`path` relative to the root, with `/`."""
        return relative(self.root, path)

    def within(self, path: Path | str) -> Path:
        """`path` as a path that surely stays in this instance. Raises RefusedError `unsafe-path`."""
        return ensure_within(self.root, path)


def find(start: Path) -> Path:
    """The root of the instance that `start` lies in: the nearest folder upwards whose config.yaml is one of isopod's.

    Other programs' files of that name are passed by. Raises RefusedError `no-instance`; when there was such a file, it
    names the nearest and says why that is none of isopod's.
    """
    start = start.resolve()
    folders = (start, *start.parents)
    for folder in folders:
        if _is_root(folder):
            return folder
    for folder in folders:
        if (folder / CONFIG_NAME).is_file():
            raise _not_ours(folder / CONFIG_NAME)
    raise RefusedError(
        "no-instance",
        f"no config.yaml of isopod in {start} or above it",
        where=Place(str(start)),
        fix="isopod init (or -C DIR to name the folder of an instance)",
    )


def open_instance(root: Path) -> Instance:
    """The instance whose config.yaml lies in `root`.

    Raises RefusedError or ManyErrors naming what is wrong in config.yaml, OutsideError when it cannot be read.
    """
    root = root.resolve()
    try:
        data = read_regular(root / CONFIG_NAME)
    except (FileNotFoundError, NotADirectoryError):
        raise RefusedError(
            "no-instance", f"{root} holds no config.yaml", where=Place(str(root)), fix="isopod init"
        ) from None
    except OSError as error:
        raise OutsideError(
            "cannot-read", f"config.yaml cannot be read: {error.strerror}", where=Place(str(root / CONFIG_NAME))
        ) from None
    return Instance(root, parse_config(data), decode(data, CONFIG_NAME))


def _is_root(folder: Path) -> bool:
    try:
        return bool(_OURS.search(read_regular(folder / CONFIG_NAME)))
    except OSError:
        return False


def _not_ours(path: Path) -> RefusedError:
    """Why a config.yaml is not taken for one of isopod's, and how it would become one."""
    where, fix = Place(str(path)), f"give it the line {_SCHEMA_LINE!r}; if it is another program's, isopod -C DIR init"
    try:
        if not load(decode(read_regular(path), str(path)), str(path)):
            why, fix = "the file is empty", f"rm {shlex.quote(str(path))} && isopod init"
        else:
            why = f"no line of it is {_SCHEMA_LINE!r}"
    except OSError as error:
        why, fix = f"it cannot be read: {error.strerror}", f"chmod u+r {shlex.quote(str(path))}"
    except RefusedError as error:
        why, where, fix = error.message, error.where or where, error.fix or "mend the YAML at that place"
    return RefusedError("no-instance", f"this is not a config of isopod: {why}", where=where, fix=fix)
