"""isopod approve: a person looked at cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import RefusedError

if TYPE_CHECKING:
    from schemas.card import Card


@options.command(
    "approve",
    examples=[
        ("isopod approve STY-7Q4M2K9X", "this story is planned"),
        ("isopod approve --spec link-shortener", "every card of this spec that is drafted"),
        ("isopod approve STY-7Q4M2K9X STY-V0C3TNQ1 --yes", "for a script"),
    ],
)
@click.argument("cards", nargs=-1, metavar="ID...")
@click.option("--spec", default=None, metavar="SPEC", help="All drafted cards of this spec: its key, or its file.")
@options.named
@options.yes
@options.dry_run
def command(face: Face, cards: tuple[str, ...], spec: str | None, by: str | None, yes: bool, dry_run: bool) -> None:
    """Say that you looked at cards: they go from drafted to planned, and may be published.

    An edit of a card's title, lines or claims, or of what it waits for, takes it back to drafted: nobody looked at that yet.
    """
    from isopod.deeds import anybody, at_hand, hand_lines, ids_of, spec_key
    from isopod.writing import ask_and_commit
    from pipeline.deeds.states import approve, approve_spec

    if bool(cards) == (spec is not None):
        raise RefusedError("usage", "name cards, or a spec with --spec", fix="isopod approve --help")
    looking = at_hand(face)
    left: tuple[Card, ...] = ()
    if spec is None:
        hand = approve(looking.snapshot, ids_of(looking, cards), anybody(by))
    else:
        approved = approve_spec(looking.snapshot, spec_key(looking, spec), anybody(by))
        hand, left = approved.hand, approved.left
    told = [*hand_lines(hand, face), *_left_lines(left, face)]
    ask_and_commit(face, hand.transaction, command="approve", dry_run=dry_run, yes=yes, told=told)


def _left_lines(left: tuple[Card, ...], face: Face) -> Iterator[str]:
    """What of a spec was not drafted, or is history, and stays as it is."""
    from itertools import groupby

    from isopod.deeds import STATE_WORDS
    from isopod.render.columns import wrap

    def state(card: Card) -> str:
        return "replaced by another decision" if card.state == "drafted" else STATE_WORDS[card.state]

    for words, group in groupby(sorted(left, key=state), key=state):
        yield from wrap(
            f"as it is, {words}: {', '.join(card.id for card in group)}", face.width, indent="    ", first=""
        )
