"""isopod ledger: whether the ledger holds; and its heads named again after a merge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import Exit

if TYPE_CHECKING:
    from schemas.exempted import LedgerStateOutput


@options.command(
    "ledger",
    examples=[
        ("isopod ledger", "how many entries, which heads, and whether any was changed, lost or cut"),
        ("isopod ledger checkpoint", "after a merge of two branches: name the heads of both"),
        ("isopod ledger --format json", "for a script"),
    ],
)
@click.argument("action", metavar="[checkpoint]", type=click.Choice(["show", "checkpoint"]), default="show")
@options.dry_run
def command(face: Face, action: str, dry_run: bool) -> Exit:
    """Verify the ledger of seals, attestations, exemptions and contracts, and show its heads. Exit 1 when it does not hold.

    Every entry names those that it was written on, so two branches join as a union. The checkpoint names the heads: an entry that it
    names and that is not there was cut. Nothing is written on a ledger that does not hold.
    """
    from schemas.exempted import LedgerFault, LedgerStateOutput

    if action == "checkpoint":
        return _checkpoint(face, dry_run=dry_run)
    ledger = face.snapshot().ledger
    found = LedgerStateOutput(
        entries=dict(sorted(Counter(file.entry.type for file in ledger.entries).items())),
        heads=ledger.heads,
        unnamed=tuple(head for head in ledger.heads if head not in ledger.named),
        problems=tuple(LedgerFault(kind=one.kind, file=one.path, message=one.message) for one in ledger.problems),
    )
    face.give(found, lambda: _lines(found, face))
    return Exit.DOES_NOT_HOLD if found.problems else Exit.HOLDS


def _checkpoint(face: Face, *, dry_run: bool) -> Exit:
    from isopod.writing import commit_or_show
    from store.ledger import checkpoint
    from store.transaction import Transaction

    instance = face.instance()
    transaction = Transaction(instance.root, instance.state_dir, command="ledger checkpoint")
    checkpoint(transaction, instance)
    commit_or_show(face, transaction, command="ledger", dry_run=dry_run)
    return Exit.HOLDS


def _lines(found: LedgerStateOutput, face: Face) -> Iterator[str]:
    from isopod.render.columns import wrap
    from isopod.words import number_of

    kinds = ", ".join(f"{count} {kind}" for kind, count in found.entries.items())
    total = number_of(sum(found.entries.values()), "entry", "entries")
    yield f"{total}: {kinds}" if kinds else "The ledger is empty."
    for head in found.heads:
        yield f"head {head}{'  (the checkpoint does not name it)' if head in found.unnamed else ''}"
    for one in found.problems:
        yield from wrap(f"{one.file}: {one.message}", face.width, indent="    ", first="")
    if found.problems:
        yield "The ledger does not hold: bring the entries back from git as they were."
    elif found.unnamed:
        yield "try: isopod ledger checkpoint"
