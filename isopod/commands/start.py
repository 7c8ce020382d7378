"""isopod start: a card is worked on."""

from __future__ import annotations

import click

from isopod import options
from isopod.face import Face


@options.command(
    "start",
    examples=[
        ("isopod start STY-7Q4M2K9X", "work on this story began"),
        ("isopod start STY-7Q4M2K9X --yes", "for a script"),
    ],
)
@click.argument("cards", nargs=-1, required=True, metavar="ID...")
@options.named
@options.yes
@options.dry_run
def command(face: Face, cards: tuple[str, ...], by: str | None, yes: bool, dry_run: bool) -> None:
    """Say that cards are worked on: published or in review -> in progress.

    A card that waits for something may be started; what it waits for is said.
    """
    from isopod.deeds import anybody, at_hand, hand_lines, ids_of, waiting_lines
    from isopod.writing import ask_and_commit
    from pipeline.deeds.states import take_up

    looking = at_hand(face)
    hand = take_up(looking.snapshot, ids_of(looking, cards), "in_progress", anybody(by))
    told = [*hand_lines(hand, face), *waiting_lines(hand, looking, face)]
    ask_and_commit(face, hand.transaction, command="start", dry_run=dry_run, yes=yes, told=told)
