"""isopod recover: resolve a write that was cut off and then edited by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import click

from isopod import options
from isopod.escape import escape
from isopod.face import Face
from schemas.errors import RefusedError


@options.command(
    "recover",
    examples=[
        ("isopod recover", "say what was cut off"),
        ("isopod recover --keep mine", "keep what you edited, finish the rest of the write"),
        ("isopod recover --keep journal", "finish all of the write; your edit is saved in .isopod/recovered/"),
        ("isopod recover --keep journal --dry-run", "show which files that would change"),
    ],
)
@click.option(
    "--keep", type=click.Choice(["mine", "journal"]), help="Which of the two a file keeps that was edited since."
)
@options.dry_run
def command(face: Face, keep: Literal["mine", "journal"] | None, dry_run: bool) -> None:
    """Resolve a write that was cut off in its middle, when a file of it was edited by hand afterwards.

    `--keep mine` keeps what you edited and writes the rest of the files that the write was about; `--keep journal` writes
    all of them. Either way what is given up, your edit or what was to be written over it, is saved in .isopod/recovered/.

    Without such an edit nothing has to be done: the next command that writes finishes the write by itself.
    """
    from isopod.writing import changed_lines
    from schemas.outputs import WrittenOutput
    from store.transaction import recover, unfinished

    instance = face.instance()
    if keep is not None and not dry_run:
        changed = recover(instance.root, instance.state_dir, keep)
        face.give(
            WrittenOutput(command="recover", dry_run=False, changed=changed),
            lambda: changed_lines(changed, dry_run=False),
        )
        return
    if keep is None and dry_run:
        raise RefusedError("usage", "--dry-run goes with --keep", fix="isopod recover --keep journal --dry-run")
    journal = unfinished(instance.state_dir)
    paths = () if journal is None else tuple(entry.path for entry in journal.entries)

    def lines() -> Iterator[str]:
        if journal is None:
            yield "No write was cut off: there is nothing to recover."
            return
        yield f"A write of `isopod {escape(journal.command)}` was cut off. It was to change:"
        yield from (f"  {escape(path)}" for path in paths)
        yield "`--keep mine` keeps what was edited since and writes the rest, `--keep journal` writes all of it; what is"
        yield "given up is saved in .isopod/recovered/."

    face.give(WrittenOutput(command="recover", dry_run=True, changed=paths), lines)
