"""isopod contract: what we expect of another team's card."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import Exit, RefusedError

if TYPE_CHECKING:
    from isopod.looking import Looking
    from schemas.card import Card


@options.command(
    "contract",
    examples=[
        ("isopod contract pin EXT-7Q4M2K9X --by Kim", "what the request says that its issue took over"),
        (
            "isopod contract pin EXT-7Q4M2K9X --text 'An endpoint' --line '2,000 events a second' --by Kim",
            "in words of your own",
        ),
        ("isopod contract show EXT-7Q4M2K9X", "every version"),
        ("isopod contract diff EXT-7Q4M2K9X", "the last two versions, and the last with what we ask for today"),
    ],
)
@click.argument("action", type=click.Choice(["pin", "show", "diff"]))
@click.argument("card_id", metavar="ID")
@click.option("--for", "request", default=None, metavar="REQUEST", help="pin: what this request says.")
@click.option("--text", default=None, metavar="TEXT", help="pin: what is expected, in one sentence.")
@click.option("--line", "lines", multiple=True, metavar="TEXT", help="pin: a line of it, with --text.")
@click.option("--from", "before", type=int, default=None, metavar="N", help="diff: this version.")
@click.option("--to", "after", type=int, default=None, metavar="N", help="diff: with this one.")
@options.by
@options.yes
@options.dry_run
def command(
    face: Face,
    action: str,
    card_id: str,
    request: str | None,
    text: str | None,
    lines: tuple[str, ...],
    before: int | None,
    after: int | None,
    by: str | None,
    yes: bool,
    dry_run: bool,
) -> Exit:
    """Pin, show or compare what we expect of ID, another team's card. Their words are theirs; the contract is ours.

    Versions only grow, and each is an entry of the ledger. A card that waits for ID is asked to look again when a version comes (C251).
    `diff` compares the last two, and the last with what our request says today; exit 1 when that is something else.
    """
    _refuse_idle(action, pin=(request, text, lines or None, by, yes or None, dry_run or None), diff=(before, after))
    if action == "pin":
        return _pin(face, card_id, request, text, lines, by, yes=yes, dry_run=dry_run)
    from isopod.looking import look

    looking = look(face)
    card = _external(looking, card_id)
    return _show(face, looking, card) if action == "show" else _diff(face, looking, card, before, after)


def _refuse_idle(action: str, **given: tuple[object, ...]) -> None:
    """Raises RefusedError for options that the action does not have."""
    for other, values in given.items():
        if other != action and any(value is not None for value in values):
            raise RefusedError("usage", f"that option belongs to contract {other}", fix="isopod contract --help")


def _external(looking: Looking, word: str) -> Card:
    from pipeline.deeds.contract import external
    from pipeline.deeds.hand import Hand
    from pipeline.said import Said

    return external(Hand(looking.snapshot, Said("", ""), "contract"), looking.card(word).id)


def _pin(
    face: Face,
    word: str,
    request: str | None,
    text: str | None,
    lines: tuple[str, ...],
    by: str | None,
    *,
    yes: bool,
    dry_run: bool,
) -> Exit:
    from isopod.deeds import at_hand
    from isopod.render.contract import version_lines
    from isopod.workplace import said
    from isopod.writing import ask_and_commit
    from pipeline.deeds.contract import pin

    looking = at_hand(face)
    asked = looking.card(request).id if request is not None else None
    made = pin(looking.snapshot, looking.card(word).id, said(by, None), request=asked, text=text, lines=lines)
    told = [*version_lines(made.version, face)] if made.is_new else []
    ask_and_commit(face, made.hand.transaction, command="contract", dry_run=dry_run, yes=yes, told=told)
    return Exit.HOLDS


def _show(face: Face, looking: Looking, card: Card) -> Exit:
    from isopod.render.contract import contract_lines
    from pipeline.deeds.contract import requests_of
    from schemas.contract import ContractOutput

    found = ContractOutput(
        card=card.id,
        title=card.title,
        team=card.team,
        requests=tuple(one.id for one in requests_of(looking.snapshot, card.id)),
        contract=card.consumer_contract,
    )
    face.give(found, lambda: contract_lines(found, face))
    return Exit.HOLDS


def _diff(face: Face, looking: Looking, card: Card, before: int | None, after: int | None) -> Exit:
    from isopod.render.contract import difference_lines
    from pipeline.deeds.contract import differences, requests_of
    from schemas.contract import ContractDiffOutput

    found = ContractDiffOutput(
        card=card.id,
        requests=tuple(one.id for one in requests_of(looking.snapshot, card.id)),
        diff=differences(looking.snapshot, card, before, after),
    )
    face.give(found, lambda: difference_lines(found, face))
    return Exit.DOES_NOT_HOLD if any(one.differs for one in found.diff if one.after is None) else Exit.HOLDS
