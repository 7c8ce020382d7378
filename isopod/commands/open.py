"""isopod open: a person made the observation that a gate waits for."""

from __future__ import annotations

import click

from isopod import options
from isopod.face import Face


@options.command(
    "open",
    examples=[
        (
            'isopod open GAT-7Q4M2K9X --by Kim --because "50 ms held for a week under full load"',
            "what waits for this observation may go on",
        ),
    ],
)
@click.argument("card_id", metavar="GATE")
@options.by
@options.because
@options.yes
@options.dry_run
def command(face: Face, card_id: str, by: str | None, because: str | None, yes: bool, dry_run: bool) -> None:
    """Open GATE: what it waits to see was seen. A gate that asks a question is answered instead (isopod answer).

    Only a person opens a gate; no run of the program does.
    """
    from isopod.deeds import at_hand, hand_lines, ids_of
    from isopod.workplace import said
    from isopod.writing import ask_and_commit
    from pipeline.deeds.states import open_gate

    looking = at_hand(face)
    (known,) = ids_of(looking, [card_id])
    hand = open_gate(looking.snapshot, known, said(by, because))
    ask_and_commit(face, hand.transaction, command="open", dry_run=dry_run, yes=yes, told=[*hand_lines(hand, face)])
