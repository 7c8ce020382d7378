"""isopod discard: a person says that no card is to carry a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import RefusedError

if TYPE_CHECKING:
    from schemas.kinds import DiscardReason


@options.command(
    "discard",
    examples=[
        (
            'isopod discard ANC-7Q4M2K9X --reason out_of_scope --by Kim --because "next year"',
            "no card carries this claim any more",
        ),
    ],
)
@click.argument("claim_id", metavar="CLAIM")
@click.option(
    "--reason",
    type=click.Choice(["out_of_scope", "duplicate_of", "background"]),
    required=True,
    help="Why no card is to carry it.",
)
@options.by
@options.because
@options.offline
@options.dry_run
def command(
    face: Face, claim_id: str, reason: DiscardReason, by: str | None, because: str | None, offline: bool, dry_run: bool
) -> None:
    """Say that no card is to carry CLAIM, and why. The next compile takes it off its card; the answer is kept."""
    from isopod.saying import say
    from isopod.workplace import said
    from pipeline.answers import say_discard

    if because is None or not because.strip():
        raise RefusedError("reason-missing", "a claim is discarded with a reason", fix='--because "..."')
    who = said(by, because)
    say(
        face,
        "discard",
        lambda docket, _: say_discard(docket, claim_id, reason, who),
        claim=claim_id,
        offline=offline,
        dry_run=dry_run,
    )
