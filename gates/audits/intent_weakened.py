"""What was published only gets tighter.

**What** Every acceptance line that the last published copy of a card had still stands on it, word for word (blanks and
typographic marks aside). That copy is the one at the base, when the card was published there; a card that was cut
since lost nothing, its work was dropped in the open.

**Why** Somebody builds and somebody else accepts by those lines; a line that goes silently, or says less, changes what
was agreed with nobody noticing. The card of today is valid: the line that is missing is in the history only.

**Bad** The card is in progress:

    -  - {id: A2, text: The redirect is served within 50 ms.}
    +  - {id: A2, text: The redirect is served quickly.}

**Good** A2 stays, and a line comes after it:

    +  - {id: A3, text: The redirect is served within 40 ms., tightens: A2}

**Way out** Put the line back. What must change is a tighter line, `isopod migrate` for a line that no longer holds, or
`isopod cut` for the whole card.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command, shown
from schemas.card import AcceptanceLine, Card
from schemas.finding import FindingPlace
from schemas.kinds import PUBLISHED_STATES

CODE = "C245"
NAME = "intent-weakened"
TIER = "error"
STAGES = ("audit",)
WHY = "git"
ON = "instance"
NEEDS = "cards"  # a card that cannot be read is not called gone
HISTORY = "all"


def check(audited: Audited) -> Iterator[Found]:
    past = audited.past
    if past is None:
        return
    for card_id, copy in past.cards.items():
        if copy.state not in PUBLISHED_STATES or copy.kind == "external":
            continue
        card = audited.card_by_id.get(card_id)
        if card is None:
            yield _gone(audited, card_id, past.base.words)
        elif card is not copy and card.state != "deleted":
            for line in _missing(copy, card):
                yield _weakened(audited, card, line, past.base.words)


def _missing(before: Card, now: Card) -> Iterator[AcceptanceLine]:
    """The lines of the copy whose words stand nowhere on the card."""
    if before.acceptance == now.acceptance:
        return
    from text.folding import fold

    said = {fold(line.text) for line in now.acceptance}
    yield from (line for line in before.acceptance if fold(line.text) not in said)


def _weakened(audited: Audited, card: Card, line: AcceptanceLine, since: str) -> Found:
    index = next((index for index, other in enumerate(card.acceptance) if other.id == line.id), None)
    how = "is gone" if index is None else f"now says {shown(card.acceptance[index].text)}"
    return audited.on_card(
        card,
        ("acceptance",) if index is None else ("acceptance", index),
        f"line {line.id} {shown(line.text)} was published, and {how} since {since}: put it back; a tighter line may come "
        "after it, a migration answers what no longer holds",
        related=line.anchors,
        fix=command("git", "log", "-p", "--", audited.file_of(card)),
    )


def _gone(audited: Audited, card_id: str, since: str) -> Found:
    instance = audited.snapshot.instance
    path = f"{instance.relative(instance.cards_dir)}/{card_id}.yaml"
    return Found(
        card_id,
        f"was published, and its file is gone since {since}: bring it back; work that is dropped is cut",
        FindingPlace(file=path),
        fix=command("isopod", "cut", card_id, "--because", "TEXT"),
    )
