"""isopod answer: a person answers a question of the spec."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face

if TYPE_CHECKING:
    from isopod.looking import Looking
    from pipeline.deeds.answer import Answered


@options.command(
    "answer",
    examples=[
        (
            'isopod answer GAT-7Q4M2K9X --with "A paid plan gets 365 days" --by Kim',
            "the answer is a decision; what waited leans on it",
        ),
        ('isopod answer GAT-7Q4M2K9X --with "No" --by Kim --because "costs" --dry-run', "only show it"),
    ],
)
@click.argument("card_id", metavar="QUESTION")
@click.option("--with", "text", required=True, metavar="TEXT", help="The answer, in words.")
@options.by
@options.because
@options.yes
@options.dry_run
def command(face: Face, card_id: str, text: str, by: str | None, because: str | None, yes: bool, dry_run: bool) -> None:
    """Answer QUESTION, or say which side of a contradiction holds.

    The answer becomes a decision card, the question is done, and every card that waited for it leans on the decision: its
    reasons are kept. A gate that waits to see something is opened instead (isopod open).
    """
    from isopod.deeds import at_hand, ids_of
    from isopod.workplace import said
    from isopod.writing import ask_and_commit
    from pipeline.deeds.answer import answer

    looking = at_hand(face)
    (known,) = ids_of(looking, [card_id])
    answered = answer(looking.snapshot, known, text, said(by, because))
    told = [*_lines(answered, looking, face)]
    ask_and_commit(face, answered.hand.transaction, command="answer", dry_run=dry_run, yes=yes, told=told)


def _lines(answered: Answered, looking: Looking, face: Face) -> Iterator[str]:
    """What became of each card, and what those that waited still wait for."""
    from isopod.deeds import hand_lines
    from isopod.render.columns import wrap
    from store.graph import Graph

    yield from hand_lines(answered.hand, face)
    now = {card.id: card for card in looking.snapshot.cards} | {after.id: after for _, after in answered.hand.changes}
    graph = Graph.of(now.values())
    for card_id in answered.waited:
        left = graph.unsatisfied(card_id)
        if left:
            words = f"still waits for {', '.join(left)}"
        else:
            words = "is ready" if graph.is_ready(card_id) else "waits for nothing else"
        yield from wrap(f"{card_id} {words}", face.width, indent="    ", first="")
    if not answered.waited:
        yield "No card waited for it."
