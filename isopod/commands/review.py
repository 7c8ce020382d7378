"""isopod review: the work on a card is looked over."""

from __future__ import annotations

import click

from isopod import options
from isopod.face import Face


@options.command(
    "review",
    examples=[
        ("isopod review STY-7Q4M2K9X", "the work is there, somebody looks at it"),
        ("isopod review STY-7Q4M2K9X --yes", "for a script"),
    ],
)
@click.argument("cards", nargs=-1, required=True, metavar="ID...")
@options.named
@options.yes
@options.dry_run
def command(face: Face, cards: tuple[str, ...], by: str | None, yes: bool, dry_run: bool) -> None:
    """Say that the work on cards is looked over: published or in progress -> in review.

    What its issue says in the tracker wins when both are read the next time.
    """
    from isopod.deeds import anybody, at_hand, hand_lines, ids_of
    from isopod.writing import ask_and_commit
    from pipeline.deeds.states import take_up

    looking = at_hand(face)
    hand = take_up(looking.snapshot, ids_of(looking, cards), "in_review", anybody(by))
    told = [*hand_lines(hand, face)]
    ask_and_commit(face, hand.transaction, command="review", dry_run=dry_run, yes=yes, told=told)
