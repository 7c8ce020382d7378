"""isopod merge: a person makes one card of several."""

from __future__ import annotations

import click

from isopod import options
from isopod.face import Face


@options.command(
    "merge",
    examples=[
        ("isopod merge STY-7Q4M2K9X STY-V0C3TNQ1 --by Kim", "the first takes over the second"),
        ("isopod merge STY-7Q4M2K9X STY-V0C3TNQ1 STY-9CB33FJ8 --dry-run", "several; only show it"),
    ],
)
@click.argument("card_id", metavar="CARD")
@click.argument("others", nargs=-1, required=True, metavar="OTHER...")
@options.by
@options.because
@options.yes
@options.dry_run
def command(
    face: Face,
    card_id: str,
    others: tuple[str, ...],
    by: str | None,
    because: str | None,
    yes: bool,
    dry_run: bool,
) -> None:
    """Let CARD take over the OTHER cards: claims, lines, subtasks, notes and all that waits for them; the others go.

    CARD keeps its id. When it is published the claims become new lines of it, and what it says already stays word for word.
    """
    from isopod.deeds import anybody, at_hand, ids_of
    from isopod.render.regrouped import regrouped_lines
    from isopod.writing import ask_and_commit
    from pipeline.deeds.regroup import merge

    looking = at_hand(face)
    (card,) = ids_of(looking, [card_id])
    done = merge(looking.snapshot, card, ids_of(looking, others), anybody(by, because))
    told = [*regrouped_lines(done, face)]
    ask_and_commit(face, done.hand.transaction, command="merge", dry_run=dry_run, yes=yes, told=told)
