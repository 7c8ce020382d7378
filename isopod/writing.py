"""How a command that writes ends: a dry run shows the difference, a real run says which files changed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from isopod.escape import escape, escape_block
from isopod.face import Face
from schemas.errors import RefusedError
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


def ask_and_commit(
    face: Face,
    transaction: Transaction,
    *,
    command: str,
    dry_run: bool,
    yes: bool,
    told: Sequence[str] = (),
) -> tuple[str, ...]:
    """Show what a command would write, ask, and commit: for commands whose consequences reach other cards, or cannot be taken back.

    `told` are lines, already escaped, that say in words what happens. With `yes` nobody is asked and the difference is shown after
    it was made. Gives the paths that changed (or would). Raises RefusedError when nobody can be asked and `yes` was not said; what the
    person does not want is not written, and no error.
    """
    diff = transaction.diff()
    if transaction.changed and not dry_run and not yes:
        if face.as_json or not sys.stdin.isatty():
            raise RefusedError("not-confirmed", "nobody is there to be asked", fix="--yes to write, --dry-run to look")
        face.give_text([*told, *diff_lines(face, diff)])
        if not click.confirm("Write this?", err=True):
            face.note("nothing was written")
            return ()
    shown = not dry_run and not yes
    changed = transaction.changed if dry_run else transaction.commit()

    def lines() -> Iterator[str]:
        if not shown:
            yield from told
            yield from diff_lines(face, diff) if diff else ()
        yield from changed_lines(changed, dry_run)

    face.give(WrittenOutput(command=command, dry_run=dry_run, changed=changed), lines)
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
