"""isopod confirm: a person looked at an edge, and it still holds."""

from __future__ import annotations

import click

from isopod import options
from isopod.face import Face


@options.command(
    "confirm",
    examples=[
        ("isopod confirm STY-7Q4M2K9X EXT-CGXNM6HH", "what it promises now still fits"),
        (
            'isopod confirm STY-7Q4M2K9X STY-V0C3TNQ1 --by Kim --because "the new words need it too"',
            "the card's own words changed; the reason is kept on the edge",
        ),
    ],
)
@click.argument("card_id", metavar="CARD")
@click.argument("on", metavar="OTHER")
@options.named
@options.because
@options.yes
@options.dry_run
def command(face: Face, card_id: str, on: str, by: str | None, because: str | None, yes: bool, dry_run: bool) -> None:
    """Say that you looked at what CARD waits for: OTHER promises something else than before, and it still fits (C251).

    When CARD's own words changed (C243), say why it still waits: with --because the reason is kept on the edge, with your name, and
    holds the edge from then on, whatever becomes of the words of the spec that drew it.
    """
    from isopod.deeds import anybody, at_hand, ids_of
    from isopod.render.columns import wrap
    from isopod.words import one_line
    from isopod.workplace import said
    from isopod.writing import ask_and_commit
    from pipeline.deeds.confirm import confirm

    looking = at_hand(face)
    (card,), (other,) = ids_of(looking, [card_id]), ids_of(looking, [on])
    who = said(by, because) if because is not None else anybody(by)
    hand = confirm(looking.snapshot, card, other, who)
    title = one_line(looking.snapshot.card_by_id[other].title, 120)
    told = [*wrap(f"{card} still waits for {other}  {title}", face.width, indent="    ", first="")]
    ask_and_commit(face, hand.transaction, command="confirm", dry_run=dry_run, yes=yes, told=told)
