"""What a card points to exists.

**What** `parent`, `related`, `decision.supersedes`, `decision.superseded_by`, `decision.affects`, `migrates` (card
and lines) and `request.external` name cards, and lines, that are there.

**Why** A link to nothing is read by people as "there is more" and by code as nothing. Whether a file holds the id is
in the folder.

**Bad**

    cards/STY-7Q4M2K9X.yaml:       parent: EPC-00000000

**Good**

    cards/STY-7Q4M2K9X.yaml:       parent: EPC-2F81ZD3A
    cards/EPC-2F81ZD3A.yaml:       id: EPC-2F81ZD3A

**Way out** Put the id right, take the link out, or bring the card back with git.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command, listed
from schemas.card import Card

CODE = "C213"
NAME = "dangling-link"
TIER = "error"
STAGES = ("audit",)
WHY = "reference"
ON = "instance"
NEEDS = "cards"


Path = tuple[str | int, ...]


def check(audited: Audited) -> Iterator[Found]:
    # `epic: KEY` in config makes an issue that exists already the parent of a spec's cards.
    outside = {spec.epic for spec in audited.config.specs.values() if spec.epic}
    for card in audited.cards:
        if card.state == "deleted":
            continue
        for path, other in _links(card):
            if other not in audited.card_by_id and not (path == ("parent",) and other in outside):
                yield audited.on_card(
                    card,
                    path,
                    f"{path[-1] if isinstance(path[-1], str) else path[-2]} names {other}, which no "
                    "file holds: "
                    "put the id right, or take the link out",
                    related=[other],
                    fix=command("isopod", "show", card.id),
                )
        yield from _lines(audited, card)


def _links(card: Card) -> Iterator[tuple[Path, str]]:
    """Every card id that the card points to, dependencies aside (C210), with its path in the file."""
    if card.parent:
        yield ("parent",), card.parent
    for index, other in enumerate(card.related):
        yield ("related", index), other
    if card.decision:
        for index, other in enumerate(card.decision.supersedes):
            yield ("decision", "supersedes", index), other
        if card.decision.superseded_by:
            yield ("decision", "superseded_by"), card.decision.superseded_by
        if card.decision.affects != "all":
            for index, other in enumerate(card.decision.affects):
                yield ("decision", "affects", index), other
    if card.migrates:
        yield ("migrates", "card"), card.migrates.card
    if card.request and card.request.external:
        yield ("request", "external"), card.request.external


def _lines(audited: Audited, card: Card) -> Iterator[Found]:
    """Lines that a migration restates and that the migrated card does not have."""
    migrated = audited.card_by_id.get(card.migrates.card) if card.migrates else None
    if card.migrates is None or migrated is None:
        return
    missing = [line for line in card.migrates.lines if line not in {known.id for known in migrated.acceptance}]
    if missing:
        yield audited.on_card(
            card,
            ("migrates", "lines"),
            f"migrates the lines {listed(missing)} of {migrated.id}, which has no such line: name lines that it has",
            related=[migrated.id],
            fix=command("isopod", "show", migrated.id),
        )
