"""isopod graph: how the cards wait for each other, drawn by others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face

if TYPE_CHECKING:
    from isopod.looking import Looking
    from schemas.card import Card
    from schemas.outputs import GraphEdge


@options.command(
    "graph",
    examples=[
        ("isopod graph", "every card with what it waits for"),
        ("isopod graph --spec link-shortener --format mermaid", "for a Markdown page"),
        ("isopod graph --card STY-7Q4M2K9X", "what one card waits for, and what waits for it"),
        ("isopod graph --format dot | dot -Tsvg > plan.svg", "a picture"),
    ],
    formats=("text", "json", "mermaid", "dot", "graphml"),
)
@click.option("--spec", metavar="KEY", help="Only cards of this spec, and what they wait for.")
@click.option(
    "--card", "card_id", metavar="ID", help="Only what this card waits for and what waits for it, all the way."
)
def command(face: Face, spec: str | None, card_id: str | None) -> None:
    """Draw how the cards wait for each other: an arrow goes from a card to what it waits for."""
    from isopod.looking import look
    from isopod.render.graph import DRAWINGS
    from schemas.outputs import GraphOutput

    looking = look(face)
    looking.refuse_unknown_spec(spec)
    chosen = [
        card for card in looking.snapshot.cards if card.state != "deleted" and (spec is None or card.spec == spec)
    ]
    if spec is not None:
        chosen += [card for card in _beyond(looking, chosen) if card.spec != spec]
    if card_id is not None:
        around = looking.around(looking.card(card_id))
        chosen = [card for card in chosen if card.id in around]
    shown = {card.id for card in chosen}
    edges = tuple(edge for card in chosen for edge in _edges(card) if edge.to in shown)
    graph = GraphOutput(nodes=looking.items(chosen), edges=edges)
    face.give(graph, lambda: DRAWINGS[face.format](graph, face.width))


def _beyond(looking: Looking, cards: list[Card]) -> Iterator[Card]:
    """What cards of a spec wait for outside of it."""
    for card_id in dict.fromkeys(entry.card for card in cards for entry in card.depends_on):
        card = looking.snapshot.card_by_id.get(card_id)
        if card is not None and card.state != "deleted":
            yield card


def _edges(card: Card) -> Iterator[GraphEdge]:
    from isopod.words import reason_words
    from schemas.outputs import GraphEdge

    for entry in card.depends_on:
        yield GraphEdge(
            kind="waits_for", from_=card.id, to=entry.card, label="; ".join(map(reason_words, entry.because))
        )
    for other in card.decision.supersedes if card.decision else ():
        yield GraphEdge(kind="replaces", from_=card.id, to=other)
    for other in card.related:
        yield GraphEdge(kind="related", from_=card.id, to=other)
