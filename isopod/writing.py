"""How a command that writes ends: a dry run shows the difference, a real run says which files changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from isopod.escape import escape, escape_block
from isopod.face import Face
from schemas.outputs import WrittenOutput

if TYPE_CHECKING:
    from store.transaction import Transaction


def commit_or_show(face: Face, transaction: Transaction, *, command: str, dry_run: bool) -> tuple[str, ...]:
    """Commit, or with `dry_run` only show. Gives the paths that changed (or would)."""
    changed = transaction.changed if dry_run else transaction.commit()
    record = WrittenOutput(command=command, dry_run=dry_run, changed=changed)
    face.give(
        record, lambda: diff_lines(face, transaction.diff()) if dry_run and changed else changed_lines(changed, dry_run)
    )
    return changed


def changed_lines(changed: Iterable[str], dry_run: bool) -> Iterator[str]:
    """One line a file."""
    any_changed = False
    for path in changed:
        any_changed = True
        yield f"{'would write' if dry_run else 'wrote'} {escape(path)}"
    if not any_changed:
        yield "Nothing to write: everything is as it should be."


def diff_lines(face: Face, diff: str) -> Iterator[str]:
    """A unified diff, coloured on a terminal."""
    for line in escape_block(diff).rstrip("\n").split("\n"):
        if line.startswith("+"):
            yield face.paint(line, "green")
        elif line.startswith("-"):
            yield face.paint(line, "red")
        else:
            yield line
