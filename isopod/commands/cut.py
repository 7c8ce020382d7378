"""isopod cut: a person cuts cards from the plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import RefusedError

if TYPE_CHECKING:
    from isopod.looking import Looking
    from pipeline.deeds.cut import Cut, Lost


@options.command(
    "cut",
    examples=[
        ('isopod cut STY-7Q4M2K9X --because "not this year" --by Kim', "this story, its claims, every edge to it"),
        (
            'isopod cut --lost "Statistics" --because "the section was taken out" --by Kim',
            "what a section no longer asks",
        ),
        ('isopod cut STY-7Q4M2K9X STY-V0C3TNQ1 --because "scope" --dry-run', "only show it"),
    ],
)
@click.argument("cards", nargs=-1, metavar="ID...")
@click.option(
    "--lost", default=None, metavar="SECTION", help="The cards all of whose claims the spec has lost in this section."
)
@click.option("--spec", default=None, metavar="SPEC", help="With --lost: the spec of the section, its key or its file.")
@options.by
@options.because
@options.yes
@options.dry_run
def command(
    face: Face,
    cards: tuple[str, ...],
    lost: str | None,
    spec: str | None,
    by: str | None,
    because: str | None,
    yes: bool,
    dry_run: bool,
) -> None:
    """Cut cards from the plan. Their files stay, deleted; nothing that is not over depends on them any more.

    Their claims are out of scope from then on: no compile makes a card of them while the answer is kept. A card that is done is
    never cut. With --lost: what was published from a section that the spec no longer holds.
    """
    from isopod.deeds import anybody, at_hand, ids_of, spec_key
    from isopod.writing import ask_and_commit
    from pipeline.deeds.cut import cut, lost_in

    if bool(cards) == (lost is not None):
        raise RefusedError("usage", "name cards, or a section with --lost", fix="isopod cut --help")
    looking = at_hand(face)
    found: Lost | None = None
    if lost is not None:
        found = lost_in(looking.snapshot, lost, spec_key(looking, spec) if spec is not None else None)
    done = cut(looking.snapshot, found.ids if found else ids_of(looking, cards), anybody(by, because))
    told = [*_lines(done, looking, face), *(_partly_lines(found, face) if found else ())]
    ask_and_commit(face, done.hand.transaction, command="cut", dry_run=dry_run, yes=yes, told=told)


def _lines(done: Cut, looking: Looking, face: Face) -> Iterator[str]:
    """The cut cards, what was cleaned for them, and what publish still has to tell the tracker."""
    from isopod.deeds import hand_lines
    from isopod.render.columns import wrap
    from isopod.words import number_of

    yield from hand_lines(done.hand, face)
    if done.claims:
        words = f"{number_of(len(done.claims), 'claim')} out of scope: {', '.join(done.claims)}"
        yield from wrap(words, face.width, indent="    ", first="")
    if done.edges:
        yield f"{number_of(done.edges, 'relation')} between claims went with them."
    for card_id in done.ids:
        tracker = looking.snapshot.card_by_id[card_id].tracker
        if tracker is not None:
            words = f"{card_id} has the issue {tracker.key}: the next publish comments on it and closes it"
            yield from wrap(words, face.width, indent="    ", first="")


def _partly_lines(found: Lost, face: Face) -> Iterator[str]:
    """Cards of the section that stay, since some of their claims stand."""
    from isopod.render.columns import wrap

    for card_id, left in found.partly.items():
        words = f"{card_id} stays: the spec still holds {', '.join(left)}"
        yield from wrap(words, face.width, indent="    ", first="")
