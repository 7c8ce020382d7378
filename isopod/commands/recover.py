"""isopod recover: resolve a write that was cut off and then edited by hand."""

from __future__ import annotations

from collections.abc import Iterator

import click

from isopod import options
from isopod.escape import escape
from isopod.face import Face
from schemas.errors import RefusedError


@options.command(
    "recover",
    examples=[
        ("isopod recover", "say what was cut off"),
        ("isopod recover --keep mine", "keep the files as they are now, forget the rest of the write"),
        ("isopod recover --keep journal", "finish the write; what was edited by hand since is overwritten"),
        ("isopod recover --keep journal --dry-run", "show which files that would change"),
    ],
)
@click.option("--keep", type=click.Choice(["mine", "journal"]), help="Keep the files as they are, or finish the write.")
@options.dry_run
def command(face: Face, keep: str | None, dry_run: bool) -> None:
    """Resolve a write that was cut off in its middle, when a file of it was edited by hand afterwards.

    Without such an edit nothing has to be done: the next command that writes finishes the write by itself.
    """
    from store.transaction import recover, unfinished

    from isopod.writing import changed_lines
    from schemas.outputs import WrittenOutput

    instance = face.instance()
    journal = unfinished(instance.state_dir)
    paths = () if journal is None else tuple(entry.path for entry in journal.entries)
    if journal is not None and keep is not None and not dry_run:
        changed: tuple[str, ...] = tuple(recover(instance.root, instance.state_dir, keep))
        face.give(
            WrittenOutput(command="recover", dry_run=False, changed=changed),
            lambda: changed_lines(changed, dry_run=False),
        )
        return

    def lines() -> Iterator[str]:
        if journal is None:
            yield "No write was cut off: there is nothing to recover."
            return
        yield f"A write of `isopod {escape(journal.command)}` was cut off. It was to change:"
        yield from (f"  {escape(path)}" for path in paths)
        yield "`--keep mine` keeps these files as they are now, `--keep journal` finishes that write."

    if keep is None and dry_run:
        raise RefusedError("usage", "--dry-run goes with --keep", fix="isopod recover --keep journal --dry-run")
    face.give(WrittenOutput(command="recover", dry_run=True, changed=paths), lines)
