"""isopod supersede: a decision replaces another one, and every edge that leaned on the old one is looked at."""

from __future__ import annotations

import click

from isopod import options, replacing
from isopod.face import Face


@options.command(
    "supersede",
    examples=[
        ("isopod supersede DEC-CGXNM6HH --by DEC-7Q4M2K9X --who Kim", "asks for each edge: move, drop or keep"),
        ("isopod supersede DEC-CGXNM6HH --by DEC-7Q4M2K9X --who Kim --all move --yes", "for a script"),
        (
            "isopod supersede DEC-CGXNM6HH --by DEC-7Q4M2K9X --all move --keep STY-2F81ZD3A='ships first'",
            "every edge moves but one, which is kept for a reason",
        ),
    ],
)
@click.argument("old", metavar="OLD")
@click.option("--by", "new", required=True, metavar="NEW", help="The decision that replaces OLD (not a person's name).")
@click.option("--who", default=None, metavar="NAME", help="Who says so; the name is kept on the edges.")
@replacing.verdicts
@options.because
@options.yes
@options.dry_run
def command(
    face: Face,
    old: str,
    new: str,
    who: str | None,
    because: str | None,
    yes: bool,
    dry_run: bool,
    **given: replacing.Given,
) -> None:
    """Let the decision NEW replace OLD. Each card that leans on OLD is shown, and you say what becomes of its edge.

    It moves (the card leans on NEW), goes, or is kept for a reason. A kept edge leans on what is no longer true: it is an exemption in
    the ledger, every audit shows it, and the card is not ready before the edge is turned. It is all one write, or none. Where the
    cards say already that NEW replaced OLD, only the edges are left to look at. A card that is done keeps what it leans on.
    """
    from isopod.deeds import at_hand, ids_of
    from isopod.writing import ask_and_commit
    from pipeline.deeds.supersede import leaning_on, supersede

    looking = at_hand(face)
    (before,), (after,) = ids_of(looking, [old]), ids_of(looking, [new])
    said = replacing.who_says(face, who, because, option="--who")
    verdicts = replacing.Verdicts.of(looking, **given)
    if verdicts.rest is None and replacing.may_ask(face):
        verdicts = replacing.ask(face, looking, leaning_on(looking.snapshot, before), after, verdicts)
    done = supersede(
        looking.snapshot, before, after, verdicts.by_card, said, rest=verdicts.rest, keeping=verdicts.keeping
    )
    told = [*replacing.told(done, looking, face)]
    ask_and_commit(face, done.hand.transaction, command="supersede", dry_run=dry_run, yes=yes, told=told)
