"""isopod impact: what slips when a card slips."""

from __future__ import annotations

import click

from isopod import options
from isopod.face import Face


@options.command(
    "impact",
    examples=[
        ("isopod impact GAT-7Q4M2K9X", "all that waits for this answer, what is due too early first"),
        ("isopod impact STY-7Q4M2K9X --format json", "for a script"),
    ],
)
@click.argument("card_id", metavar="ID")
def command(face: Face, card_id: str) -> None:
    """Say what slips when the card ID slips: every card that waits for it, directly or over others.

    First come cards that are due before something that they wait for. `isopod why ID` is the other direction.
    """
    from isopod.looking import look
    from isopod.render.impact import impact_lines
    from pipeline.deeds.impact import impact
    from schemas.outputs import ImpactItem, ImpactOutput

    looking = look(face)
    item = looking.item(looking.card(card_id))
    slips = tuple(
        ImpactItem(
            card=slip.card.id,
            title=slip.card.title,
            kind=slip.card.kind,
            state=slip.card.state,
            team=slip.card.team,
            due=slip.card.due,
            depth=slip.depth,
            through=slip.through,
            before=slip.before,
            alone=slip.alone,
        )
        for slip in impact(looking.snapshot, item.id)
    )
    face.give(ImpactOutput(card=item.id, impact=slips), lambda: impact_lines(item, slips, face))
