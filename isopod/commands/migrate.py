"""isopod migrate: what a card says that may not be rewritten, restated on a card of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.escape import escape
from isopod.face import Face

if TYPE_CHECKING:
    from isopod.looking import Looking
    from pipeline.deeds.migrate import Migrated


@options.command(
    "migrate",
    examples=[
        (
            'isopod migrate STY-7Q4M2K9X --line A3 --with "A link lives for 60 days" --by Kim',
            "a card for the new words; STY-7Q4M2K9X keeps its own",
        ),
        (
            "isopod migrate STY-7Q4M2K9X --line A1 --line A2 --by Kim --dry-run",
            "in the words of the spec; only show it",
        ),
    ],
)
@click.argument("card_id", metavar="ID")
@click.option("--line", "line_ids", multiple=True, required=True, metavar="A3", help="The line that it restates.")
@click.option("--with", "texts", multiple=True, metavar="TEXT", help="What holds instead; a line each.")
@options.by
@options.because
@options.yes
@options.dry_run
def command(
    face: Face,
    card_id: str,
    line_ids: tuple[str, ...],
    texts: tuple[str, ...],
    by: str | None,
    because: str | None,
    yes: bool,
    dry_run: bool,
) -> None:
    """Make a migration card for lines of ID that no longer hold, where ID is published or done and keeps its words.

    Without --with a line is restated in the words that the spec says now in its place, else in its own, to be done again. While ID is
    not done, the migration waits for it. A drafted or planned card is edited itself, or follows the spec on the next compile.
    """
    from isopod.deeds import at_hand, ids_of
    from isopod.workplace import said
    from isopod.writing import ask_and_commit
    from pipeline.deeds.migrate import migrate

    looking = at_hand(face)
    (known,) = ids_of(looking, [card_id])
    made = migrate(looking.snapshot, known, line_ids, _texts(face, looking, known, line_ids, texts), said(by, because))
    told = [*_lines(made, looking, face)]
    ask_and_commit(face, made.hand.transaction, command="migrate", dry_run=dry_run, yes=yes, told=told)


def _texts(face: Face, looking: Looking, card_id: str, line_ids: Sequence[str], given: Sequence[str]) -> Sequence[str]:
    """The new words: as given, or asked for on a terminal where the spec does not say them."""
    from isopod.replacing import may_ask
    from pipeline.deeds.migrate import new_words
    from schemas.errors import RefusedError

    if given or not may_ask(face):
        return given
    card = looking.snapshot.card_by_id[card_id]
    there = {line.id: line for line in card.acceptance}
    lines = [there[name] for name in dict.fromkeys(line_ids) if name in there]
    try:
        return [new_words(looking.snapshot, card, line) for line in lines]
    except RefusedError:
        return [str(click.prompt(escape(f"What holds instead of {line.id} ({line.text})"), err=True)) for line in lines]


def _lines(made: Migrated, looking: Looking, face: Face) -> Iterator[str]:
    from isopod.deeds import hand_lines
    from isopod.render.columns import wrap

    yield from hand_lines(made.hand, face)
    part = made.migration.migrates
    if part is None:
        return
    for line in made.restated:
        yield from wrap(f"restates {line.id} of {part.card}: {line.text}", face.width, indent="    ", first="")
    for line in made.migration.acceptance:
        yield from wrap(f"{line.id}  {line.text}", face.width, indent="        ", first="    ")
    for entry in made.migration.depends_on:
        state = looking.snapshot.card_by_id[entry.card].state.replace("_", " ")
        yield from wrap(f"it waits for {entry.card}, which is {state}", face.width, indent="    ", first="")
