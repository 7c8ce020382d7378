"""isopod why: what a card waits for."""

from __future__ import annotations

import click

from isopod import options
from isopod.face import Face


@options.command(
    "why",
    examples=[
        ("isopod why STY-7Q4M2K9X", "the whole chain that keeps this story waiting"),
        ("isopod why ANC-9CB33FJ8", "a claim: the card that carries it"),
        ("isopod why STY-7Q4M2K9X --format json", "for a script"),
    ],
)
@click.argument("card_id", metavar="ID")
def command(face: Face, card_id: str) -> None:
    """Say what the card ID waits for, and what that waits for, each with the words of the spec that say so.

    ID may be a claim too: then it is the card that carries it.
    """
    from isopod.looking import look
    from isopod.render.cards import chain_lines
    from schemas.outputs import WhyOutput

    looking = look(face)
    card = looking.find_card(card_id) or looking.carrier(card_id)
    item = looking.item(card)
    steps = tuple(looking.chain(card))
    on_the_way = {card.id, *(step.card for step in steps)}
    cycle = next((cycle for cycle in looking.graph.cycles if on_the_way.issuperset(cycle)), ())
    face.give(
        WhyOutput(card=card.id, ready=item.ready, why=steps, cycle=cycle), lambda: chain_lines(item, steps, cycle, face)
    )
