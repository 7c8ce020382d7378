"""isopod move: a person puts claims on another card."""

from __future__ import annotations

import click

from isopod import options
from isopod.face import Face
from schemas.errors import RefusedError


@options.command(
    "move",
    examples=[
        ("isopod move ANC-7Q4M2K9X --to STY-V0C3TNQ1 --by Kim", "its line goes along, and the edges follow"),
        ("isopod move ANC-7Q4M2K9X ANC-9CB33FJ8 --to STY-V0C3TNQ1 --dry-run", "only show it"),
        (
            "isopod move ANC-7Q4M2K9X --instead-of ANC-6BPAAGYA --by Kim",
            "the new words of a claim under a published card; its new story holds them",
        ),
        (
            "isopod move ANC-7Q4M2K9X --to STY-V0C3TNQ1 --instead-of ANC-6BPAAGYA --by Kim",
            "and they become a line of that card",
        ),
    ],
)
@click.argument("claims", nargs=-1, required=True, metavar="CLAIM...")
@click.option("--to", default=None, metavar="CARD", help="The card that is to hold them.")
@click.option(
    "--instead-of", default=None, metavar="OLD", help="A claim that the spec says no more; CLAIM is what it says now."
)
@options.by
@options.because
@options.yes
@options.dry_run
def command(
    face: Face,
    claims: tuple[str, ...],
    to: str | None,
    instead_of: str | None,
    by: str | None,
    because: str | None,
    yes: bool,
    dry_run: bool,
) -> None:
    """Put claims on another card of their spec: the acceptance lines go along, what waits follows, an empty card goes.

    What you group stays grouped, whatever is compiled or drafted later. A published card only gets lines, it gives none; a card
    that is done is left alone. With --instead-of you say that a claim has new words now: the card that was made of the old ones,
    and may not be rewritten, is answered for.
    """
    from isopod.deeds import anybody, at_hand, hand_lines, ids_of
    from isopod.render.regrouped import regrouped_lines
    from isopod.writing import ask_and_commit
    from pipeline.deeds.regroup import move, succeed

    if to is None and instead_of is None:
        raise RefusedError("usage", "say where the claims go", fix="isopod move CLAIM --to CARD")
    looking = at_hand(face)
    names = [looking.claim_id(claim) for claim in claims]
    old = looking.claim_id(instead_of) if instead_of is not None else None
    said = anybody(by, because)
    if to is None and old is not None:
        if len(names) != 1:
            raise RefusedError("usage", f"one claim takes the place of {old}", fix="isopod move --help")
        hand = succeed(looking.snapshot, old, names[0], said)
        told = [*hand_lines(hand, face), f"{names[0]} is what the spec says now instead of {old}"]
    else:
        (target,) = ids_of(looking, [to or ""])
        done = move(looking.snapshot, names, target, said, instead_of=old)
        hand, told = done.hand, [*regrouped_lines(done, face)]
    ask_and_commit(face, hand.transaction, command="move", dry_run=dry_run, yes=yes, told=told)
