"""Paths as a build shows them: an instance may lie in a folder of its repository, and a build knows the repository."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from isopod.escape import escape
from schemas.finding import Finding


@dataclass(frozen=True, slots=True)
class InRepository:
    """Names the files of an instance from the top of the repository; `folder` is the way there, "" or with `/` at its end."""

    folder: str

    @classmethod
    def of(cls, root: Path) -> InRepository:
        """The instance at `root`: in the repository around it, else alone."""
        for top in (root, *root.parents):
            if (top / ".git").exists():
                inside = root.relative_to(top).as_posix()
                return cls("" if inside == "." else f"{inside}/")
        return cls("")

    def path(self, file: str) -> str:
        return self.folder + file

    def place(self, finding: Finding) -> str:
        """`plan/cards/STY-....yaml:14:9`, escaped."""
        where = finding.where
        known = (self.path(where.file), where.line, where.column)
        return escape(":".join(str(part) for part in known if part is not None))


def told(finding: Finding) -> str:
    """What is wrong and, on a line of its own, the way out; escaped."""
    fix = f"\ntry: {escape(finding.fix)}" if finding.fix else ""
    guess = " [heuristic readers]" if finding.heuristic else ""
    return f"{escape(finding.message)}{guess}{fix}"
