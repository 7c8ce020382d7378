"""isopod depend: a person lets one card wait for another."""

from __future__ import annotations

from collections.abc import Iterator

import click

from isopod import options
from isopod.face import Face


@options.command(
    "depend",
    examples=[
        (
            'isopod depend STY-7Q4M2K9X --on DEC-CGXNM6HH --by Kim --because "both speak of 302"',
            "take a suggestion of a preview",
        ),
    ],
)
@click.argument("card_id", metavar="CARD")
@click.option("--on", required=True, metavar="OTHER", help="The card that CARD is to wait for.")
@options.by
@options.because
@options.dry_run
def command(face: Face, card_id: str, on: str, by: str | None, because: str | None, dry_run: bool) -> None:
    """Let CARD wait for OTHER, or lean on it when it is a decision, for a reason that is kept with a name.

    An edge that would let cards wait for each other in a circle is refused.
    """
    from isopod.words import one_line
    from isopod.workplace import said
    from isopod.writing import changed_lines, diff_lines
    from pipeline.depend import depend
    from schemas.outputs import WrittenOutput

    snapshot = face.snapshot()
    drawn = depend(snapshot, card_id, on, said(by, because))
    diff = drawn.transaction.diff() if dry_run else ""
    changed = drawn.transaction.changed if dry_run else drawn.transaction.commit()

    def lines() -> Iterator[str]:
        from isopod.escape import escape

        other = snapshot.card_by_id[on]
        verb = "leans on" if snapshot.graph.satisfied(on) else "waits for"
        yield f"{escape(card_id)} {verb} {escape(on)}  {escape(one_line(other.title, 120))}"
        yield from diff_lines(face, diff) if dry_run else changed_lines(changed, dry_run)

    face.give(WrittenOutput(command="depend", dry_run=dry_run, changed=changed), lines)
