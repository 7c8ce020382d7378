"""isopod undo: take the last write of this instance back."""

from __future__ import annotations

from isopod import options
from isopod.face import Face


@options.command(
    "undo",
    examples=[
        ("isopod undo --dry-run", "what was written last, and what taking it back would change"),
        ("isopod undo", "show it, ask, take it back"),
        ("isopod undo --yes", "for a script"),
    ],
)
@options.yes
@options.dry_run
def command(face: Face, yes: bool, dry_run: bool) -> None:
    """Take back what the last command wrote on this machine: every file is as it was before.

    Refused when a file of it was changed since, and when the ledger has it: what is sealed is never taken away. A second undo takes
    back the first. An answer to a dispute is also taken back by `isopod settle --undo`, however old.
    """
    from isopod.render.columns import wrap
    from isopod.writing import ask_and_commit
    from store.transaction import Transaction

    instance = face.instance()
    last, transaction = Transaction.taking_back(instance.root, instance.state_dir, instance.ledger_dir)
    told = wrap(f"takes back: isopod {last.command}, {last.at}", face.width, indent="    ", first="")
    ask_and_commit(face, transaction, command="undo", dry_run=dry_run, yes=yes, told=[*told])
