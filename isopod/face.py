"""One call of the command line: its format, its colours, and the one way in which results leave it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from isopod.escape import escape, escape_json

if TYPE_CHECKING:
    from schemas.base import Record
    from store.instance import Instance
    from store.snapshot import Snapshot

Style = Literal["bold", "dim", "red", "green", "yellow", "cyan"]
_SGR: dict[Style, int] = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33, "cyan": 36}


def wants_colour(stream: Any) -> bool:
    """Colours only on a terminal, and never when NO_COLOR is set (https://no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and bool(stream) and stream.isatty()


@dataclass
class Face:
    """What every command gets. stdout takes the result, stderr takes everything else."""

    format: str = "text"
    colour: bool = True

    @property
    def as_json(self) -> bool:
        return self.format == "json"

    @property
    def width(self) -> int:
        """Columns to draw in: the terminal's, 80 where there is none."""
        return max(40, shutil.get_terminal_size((80, 24)).columns)

    def paint(self, text: str, style: Style) -> str:
        """`text` in a style on a terminal, as it is elsewhere."""
        return f"\x1b[{_SGR[style]}m{text}\x1b[0m" if self.colour and wants_colour(sys.stdout) else text

    def give(self, record: Record | dict[str, Any], lines: Callable[[], Iterable[str]]) -> None:
        """The result: `record` with --format json, else `lines`, which are only made when they are wanted."""
        if self.as_json:
            self.give_json(record if isinstance(record, dict) else record.to_data())
        else:
            self.give_text(lines())

    def give_json(self, data: object) -> None:
        sys.stdout.write(escape_json(json.dumps(data, ensure_ascii=False, indent=2)) + "\n")

    def give_text(self, lines: Iterable[str]) -> None:
        """Lines that are already escaped (`isopod.escape`)."""
        sys.stdout.writelines(f"{line.rstrip()}\n" for line in lines)

    def note(self, message: str) -> None:
        """Progress and remarks, on stderr, in both formats: one line, whatever the names in it hold."""
        sys.stderr.write(f"{escape(message)}\n")

    def instance(self) -> Instance:
        """The instance that this folder belongs to.

        Raises RefusedError (no-instance) outside of one.
        """
        from pathlib import Path

        from store.instance import find, open_instance

        return open_instance(find(Path.cwd()))

    def snapshot(self, *, hash_mode: bool = False) -> Snapshot:
        """Everything that the instance holds, read once."""
        from store.snapshot import load

        return load(self.instance(), hash_mode=hash_mode)
