"""isopod depend: a person lets one card wait for another."""

from __future__ import annotations

import sys

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
@options.yes
@options.dry_run
def command(face: Face, card_id: str, on: str, by: str | None, because: str | None, yes: bool, dry_run: bool) -> None:
    """Let CARD wait for OTHER, or lean on it when it is a decision, for a reason that is kept with a name.

    An edge that would let cards wait for each other in a circle is refused. Where nobody can be asked it is drawn at once.
    """
    from isopod.deeds import at_hand, ids_of
    from isopod.render.columns import wrap
    from isopod.words import one_line
    from isopod.workplace import said
    from isopod.writing import ask_and_commit
    from pipeline.deeds.depend import depend

    looking = at_hand(face)
    (card,), (other,) = ids_of(looking, [card_id]), ids_of(looking, [on])
    hand = depend(looking.snapshot, card, other, said(by, because))
    verb = "leans on" if looking.graph.satisfied(other) else "waits for"
    title = one_line(looking.snapshot.card_by_id[other].title, 120)
    told = [*wrap(f"{card} {verb} {other}  {title}", face.width, indent="    ", first="")]
    nobody = not sys.stdin.isatty()
    ask_and_commit(face, hand.transaction, command="depend", dry_run=dry_run, yes=yes or nobody, told=told)
