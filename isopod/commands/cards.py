"""isopod cards: the list of cards, with filters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.kinds import CARD_KINDS, CARD_STATES

if TYPE_CHECKING:
    from schemas.card import Card
    from schemas.outputs import CardItem


@options.command(
    "cards",
    examples=[
        ("isopod cards", "all cards but those that were cut"),
        ("isopod cards --waits --team growth", "what the growth team cannot start yet"),
        ("isopod cards --kind gate --kind request", "open questions, and what we need from others"),
        ("isopod cards --search expiry --format json", "cards that name a word, for a script"),
    ],
)
@click.option(
    "--state", "states", multiple=True, type=click.Choice(CARD_STATES), help="Only this state; may be repeated."
)
@click.option("--kind", "kinds", multiple=True, type=click.Choice(CARD_KINDS), help="Only this kind; may be repeated.")
@click.option("--team", "teams", multiple=True, metavar="ID", help="Only this team; may be repeated.")
@click.option("--spec", metavar="KEY", help="Only cards of this spec.")
@click.option("--ready/--waits", default=None, help="Only stories that are ready, or only cards that wait.")
@click.option("--search", metavar="WORDS", help="Only cards that hold these words in id, title, lines or notes.")
def command(
    face: Face,
    states: tuple[str, ...],
    kinds: tuple[str, ...],
    teams: tuple[str, ...],
    spec: str | None,
    ready: bool | None,
    search: str | None,
) -> None:
    """List the cards.

    Cards that were cut from the plan are listed with `--state deleted` only.
    """
    from isopod.looking import look
    from isopod.render.cards import NO_CARDS, card_list
    from schemas.outputs import CardsOutput

    looking = look(face)
    looking.refuse_unknown_team(*teams)
    looking.refuse_unknown_spec(spec)
    chosen = [
        card
        for card in looking.snapshot.cards
        if (card.state in states if states else card.state != "deleted")
        and (not kinds or card.kind in kinds)
        and (not teams or card.team in teams)
        and (spec is None or card.spec == spec)
        and (search is None or search.casefold() in _words(card))
    ]
    items = tuple(item for item in looking.items(chosen) if ready is None or _is(item, ready))
    filtered = len(chosen) < len(looking.snapshot.cards) or ready is not None

    def lines() -> Iterator[str]:
        if items:
            yield from card_list(items, face)
        else:
            yield "No card is like that." if filtered else NO_CARDS

    face.give(CardsOutput(cards=items), lines)


def _is(item: CardItem, ready: bool) -> bool:
    return item.ready if ready else bool(item.waits_for)


def _words(card: Card) -> str:
    return "\n".join((card.id, card.title, card.notes, *(line.text for line in card.acceptance))).casefold()
