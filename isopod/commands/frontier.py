"""isopod frontier: what is ready."""

from __future__ import annotations

import click

from isopod import options
from isopod.face import Face
from schemas.kinds import CARD_STATES


@options.command(
    "frontier",
    examples=[
        ("isopod frontier", "every card that is ready, by state"),
        ("isopod frontier --team growth", "what the growth team could start now"),
        ("isopod frontier --format json", "for a script"),
    ],
)
@click.option("--team", metavar="ID", help="Only cards of this team.")
def command(face: Face, team: str | None) -> None:
    """List the cards that are ready: stories and migrations, not done, that wait for nothing.

    Ready says that nothing stands in the way; whether a card was looked at or published is its state.
    """
    from isopod.looking import look
    from isopod.render.cards import frontier
    from schemas.outputs import FrontierOutput

    looking = look(face)
    looking.refuse_unknown_team(team)
    ready = [
        card
        for card in looking.snapshot.cards
        if looking.graph.is_ready(card.id) and (team is None or card.team == team)
    ]
    items = tuple(sorted(looking.items(ready), key=lambda item: CARD_STATES.index(item.state)))
    face.give(FrontierOutput(frontier=items), lambda: frontier(items, face))
