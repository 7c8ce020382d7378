"""isopod split: a person makes two cards of one."""

from __future__ import annotations

import click

from isopod import options
from isopod.face import Face


@options.command(
    "split",
    examples=[
        ("isopod split STY-7Q4M2K9X --lines A3,A4 --by Kim", "these lines become a story of their own"),
        ('isopod split STY-7Q4M2K9X --lines A3 --title "Rate limits" --by Kim', "with a title of your own"),
        ("isopod split STY-7Q4M2K9X --claims ANC-9CB33FJ8 --dry-run", "by claims; only show it"),
    ],
)
@click.argument("card_id", metavar="CARD")
@click.option("--lines", multiple=True, metavar="A3,A4", help="The lines that go; may be repeated.")
@click.option("--claims", multiple=True, metavar="CLAIM,...", help="The claims that go; may be repeated.")
@click.option("--title", default=None, metavar="TEXT", help="What the new story is called.")
@options.by
@options.because
@options.yes
@options.dry_run
def command(
    face: Face,
    card_id: str,
    lines: tuple[str, ...],
    claims: tuple[str, ...],
    title: str | None,
    by: str | None,
    because: str | None,
    yes: bool,
    dry_run: bool,
) -> None:
    """Make a new story of some lines of CARD. Edges follow the claims; the new story stays, whatever is compiled later.

    Only a drafted or planned card can be split: what was published is kept as it was read.
    """
    from isopod.deeds import anybody, at_hand, ids_of
    from isopod.render.regrouped import regrouped_lines
    from isopod.writing import ask_and_commit
    from pipeline.deeds.regroup import split

    looking = at_hand(face)
    (card,) = ids_of(looking, [card_id])
    done = split(
        looking.snapshot,
        card,
        anybody(by, because),
        lines=[line.upper() for line in _listed(lines)],
        claims=[looking.claim_id(claim) for claim in _listed(claims)],
        title=title,
    )
    told = [*regrouped_lines(done, face)]
    ask_and_commit(face, done.hand.transaction, command="split", dry_run=dry_run, yes=yes, told=told)


def _listed(given: tuple[str, ...]) -> list[str]:
    return [one.strip() for several in given for one in several.split(",") if one.strip()]
