"""Every claim that a card names is in an anchors file, and is the one that stands today.

**What** Each anchor id on a card (its claims, those of its lines, of its contract and of its reasons) is in an
anchors file, and so is each in the group that people made of a card's claims. A live card names no retired claim
that has a successor: it names the successor.

**Why** A card whose claim nobody knows has lost its tie to the spec: no quote, no line, no drift. Ids are strings to
a schema; the claims are in other files.

**Bad**

    cards/STY-7Q4M2K9X.yaml:       anchors: [ANC-00000000]

**Good**

    cards/STY-7Q4M2K9X.yaml:       anchors: [ANC-7Q4M2K9X]
    cards/anchors/links.yaml:      - {id: ANC-7Q4M2K9X, ...}

**Way out** `isopod compile SPEC` moves drafted and planned cards to the successor and frees groups of what is gone; an
id that no file ever held is put right with git.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command
from schemas.card import Card, EdgeReason
from schemas.kinds import FINAL_STATES

CODE = "C211"
NAME = "unknown-anchor"
TIER = "error"
STAGES = ("audit",)
WHY = "reference"
ON = "instance"
NEEDS = "anchors"


Path = tuple[str | int, ...]


def check(audited: Audited) -> Iterator[Found]:
    for card in audited.cards:
        if card.state == "deleted":
            continue
        unknown: set[str] = set()
        for path, identifier in _named(card):
            if identifier not in audited.anchor_by_id and identifier not in unknown:
                unknown.add(identifier)
                yield audited.on_card(
                    card,
                    path,
                    f"names the claim {identifier}, which no anchors file holds: put the id right, or take it off",
                    related=[identifier],
                    fix=command("isopod", "show", card.id),
                )
        yield from _replaced(audited, card)
    yield from _grouped(audited)


def _grouped(audited: Audited) -> Iterator[Found]:
    """Claims that people put on a card and that no anchors file holds."""
    for card_id, file in audited.snapshot.group_files.items():
        for index, one in enumerate(file.group.claims):
            if one.claim not in audited.anchor_by_id:
                store = audited.stores.get(file.group.spec)
                yield Found(
                    card_id,
                    f"the group of {card_id} names the claim {one.claim}, which no anchors file holds: compile again",
                    audited.snapshot.place(file.path, ("claims", index, "claim")),
                    (one.claim,),
                    command("isopod", "compile", store.spec.path) if store else command("isopod", "show", card_id),
                )


def _named(card: Card) -> Iterator[tuple[Path, str]]:
    """Every anchor id that the card names, with its path in the file."""
    for index, anchor in enumerate(card.anchors):
        yield ("anchors", index), anchor
    for number, line in enumerate(card.acceptance):
        for index, anchor in enumerate(line.anchors):
            yield ("acceptance", number, "anchors", index), anchor
    for number, version in enumerate(card.consumer_contract):
        for index, anchor in enumerate(version.anchors):
            yield ("consumer_contract", number, "anchors", index), anchor
    for number, entry in enumerate(card.depends_on):
        for index, reason in enumerate(entry.because):
            if isinstance(reason, EdgeReason):
                yield ("depends_on", number, "because", index, "from"), reason.from_
                yield ("depends_on", number, "because", index, "to"), reason.to


def _replaced(audited: Audited, card: Card) -> Iterator[Found]:
    """The card's own claims that another claim has taken the place of."""
    if card.state in FINAL_STATES:  # a done card is not rewritten: it keeps what it was built from
        return
    for index, identifier in enumerate(card.anchors):
        anchor = audited.anchor_by_id.get(identifier)
        if anchor is not None and anchor.status == "retired" and anchor.successor:
            yield audited.on_card(
                card,
                ("anchors", index),
                f"names the claim {identifier}, which {anchor.successor} has replaced: name that one",
                related=[identifier, anchor.successor],
                fix=command("isopod", "show", anchor.successor),
            )
