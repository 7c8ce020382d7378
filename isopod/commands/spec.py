"""isopod spec mv: a spec was renamed."""

from __future__ import annotations

import click

from isopod import options
from isopod.face import Face


@options.command(
    "spec",
    examples=[
        ("git mv specs/links.md specs/short-links.md", "first the file itself"),
        ("isopod spec mv specs/links.md specs/short-links.md", "then its claims and cards follow"),
    ],
)
@click.argument("action", metavar="mv", type=click.Choice(["mv"]))
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@options.dry_run
def command(face: Face, action: str, old: str, new: str, dry_run: bool) -> None:
    """Say that the spec OLD is now the file NEW. Its key, its claims, their ids and its cards stay.

    The file itself is yours to move; isopod writes no spec.
    """
    from isopod.workplace import refuse_unreadable
    from isopod.writing import commit_or_show
    from pipeline.movespec import move_spec

    snapshot = face.snapshot()
    refuse_unreadable(snapshot)
    commit_or_show(face, move_spec(snapshot, old, new), command="spec", dry_run=dry_run)
