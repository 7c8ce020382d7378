"""isopod done: a person attests that a card is done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face

if TYPE_CHECKING:
    from isopod.looking import Looking


@options.command(
    "done",
    examples=[
        (
            'isopod done STY-7Q4M2K9X --by Kim --because "seen in the acceptance test of 12 March"',
            "attest it; the card is sealed",
        ),
        ('isopod done DEC-CGXNM6HH --by Kim --because "agreed in the review" --dry-run', "only show it"),
    ],
)
@click.argument("card_id", metavar="ID")
@options.by
@options.because
@options.yes
@options.dry_run
def command(face: Face, card_id: str, by: str | None, because: str | None, yes: bool, dry_run: bool) -> None:
    """Attest that the card ID is done. That is final: a wrong done card is answered by a migration.

    A card becomes done by evidence; a person's word in its place is an exemption, with a name and a reason, and is counted from then
    on. Exemption, attestation and seal are entries of the ledger, and the seal tells every later change of the card.
    """
    from isopod.deeds import at_hand, hand_lines, ids_of
    from isopod.workplace import said
    from isopod.writing import ask_and_commit
    from pipeline.deeds.states import done

    looking = at_hand(face)
    (known,) = ids_of(looking, [card_id])
    hand = done(looking.snapshot, known, said(by, because))
    told = [*hand_lines(hand, face), *_open_lines(known, looking, face)]
    ask_and_commit(face, hand.transaction, command="done", dry_run=dry_run, yes=yes, told=told)


def _open_lines(card_id: str, looking: Looking, face: Face) -> Iterator[str]:
    """An epic can be done before its cards are; then that is said."""
    from isopod.render.columns import wrap
    from schemas.kinds import FINAL_STATES

    left = [card.id for card in looking.snapshot.cards if card.parent == card_id and card.state not in FINAL_STATES]
    if left:
        yield from wrap(f"of its cards these are not done: {', '.join(left)}", face.width, indent="    ", first="")
