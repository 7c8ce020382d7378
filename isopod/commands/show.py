"""isopod show: one card or one claim."""

from __future__ import annotations

import click

from isopod import options
from isopod.face import Face


@options.command(
    "show",
    examples=[
        ("isopod show STY-7Q4M2K9X", "a card with the lines of the spec behind it"),
        ("isopod show ANC-7Q4M2K9X", "a claim: where it stands, which card carries it"),
        ("isopod show STY-7Q4M2K9X --format json", "for a script"),
    ],
)
@click.argument("name", metavar="ID")
def command(face: Face, name: str) -> None:
    """Show the card or the claim ID with the lines of the spec that it comes from, marked under the exact words."""
    from isopod.looking import look
    from isopod.render.cards import one_card, one_claim
    from schemas.outputs import ShowOutput

    looking = look(face)
    card = looking.find_card(name)
    if card is None:
        claim = looking.claim(name)
        face.give(ShowOutput(anchor=claim, passages=(claim.passage,)), lambda: one_claim(claim, looking, face))
        return
    item, passages = looking.item(card), looking.passages(card.anchors)
    face.give(
        ShowOutput(card=card, listed=item, passages=passages), lambda: one_card(card, item, passages, looking, face)
    )
