"""Each live claim has exactly one home, and a discarded one has none left.

**What** A claim whose home is `card` is named by exactly one card; `glossary` is for terms and no card names them;
`epic` means that the spec's epic names it. A discarded claim has a reason, no card names it and no edge touches it.

**Why** A claim without a home is a part of the spec that nobody builds, and nothing else would ever say so. Home and
cards are in different files: each is valid alone.

**Bad**

    cards/anchors/links.yaml:  - {id: ANC-7Q4M2K9X, kind: requirement, home: card, ...}
    (no card names ANC-7Q4M2K9X)

**Good**

    cards/STY-7Q4M2K9X.yaml:   anchors: [ANC-7Q4M2K9X]

**Way out** `isopod compile SPEC` places what has no card; `isopod discard ANC --because TEXT` says that it is no
work.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gates.claims import Claim, Drafted
from gates.found import Found
from gates.words import command, listed, shown
from schemas.card import Card
from schemas.kinds import OPEN_EDIT_STATES

CODE = "A130"
NAME = "homeless-anchor"
TIER = "error"
STAGES = ("draft", "audit")
WHY = "cross-file"
ON = "drafted"
NEEDS = "cards"


def check(drafted: Drafted) -> Iterator[Found]:
    for claim in drafted.claims.claims:
        if claim.status != "live":
            continue
        kept = _kept_by(drafted, claim) if claim.discarded else None
        if kept is not None:
            yield _discarded_late(drafted, claim, kept)
            continue
        wrong = _discarded(drafted, claim) if claim.discarded else _at_home(drafted, claim)
        if wrong:
            yield drafted.claims.report(
                claim,
                f"{shown(claim.exact)} {wrong}",
                related=[card.id for card in drafted.cards_of.get(claim.id, ())],
                fix=_fix(drafted, claim),
            )


def _kept_by(drafted: Drafted, claim: Claim) -> Card | None:
    """The card that was published before somebody discarded its claim, so that no compile took it off."""
    cards = drafted.cards_of.get(claim.id, ())
    return cards[0] if len(cards) == 1 and cards[0].state not in OPEN_EDIT_STATES else None


def _discarded_late(drafted: Drafted, claim: Claim, card: Card) -> Found:
    spec, state = drafted.claims.spec.path, card.state.replace("_", " ")
    undo = command("isopod", "settle", spec, "--undo")
    way = undo if card.state == "done" else command("isopod", "cut", card.id, "--because", "TEXT")
    found = drafted.claims.report(
        claim,
        f"{shown(claim.exact)} is discarded but on {card.id}, which is {state} and keeps its words: "
        f"{'take the answer back' if card.state == 'done' else f'cut that card, or take the answer back ({undo})'}",
        related=[card.id],
        fix=way,
    )
    return replace(found, severity="warn")


def _fix(drafted: Drafted, claim: Claim) -> str:
    """Compile places what no card holds; what a card holds too much is looked at first."""
    if claim.id in drafted.cards_of:
        return command("isopod", "show", claim.id)
    return command("isopod", "compile", drafted.claims.spec.path)


def _at_home(drafted: Drafted, claim: Claim) -> str | None:
    """What is wrong with the home of a live claim, None when it has exactly one."""
    cards = drafted.cards_of.get(claim.id, ())
    names = listed([card.id for card in cards])
    if claim.home is None:
        return "has no home: no card, glossary or epic took it; place it, or discard it with a reason"
    if claim.home == "glossary":
        if claim.kind != "term":
            return f"is a {claim.kind} in the glossary, which is for terms: place it on a card"
        return f"is in the glossary and on {names} too: take it off the card" if cards else None
    if len(cards) > 1:
        return f"is on {names}: a claim is built once, take it off all but one"
    if claim.home == "epic":
        return _on_the_epic(drafted, claim)
    if not cards:
        return "is on no card: compile places it, or discard it with a reason"
    return None


def _on_the_epic(drafted: Drafted, claim: Claim) -> str | None:
    cards = drafted.cards_of.get(claim.id, ())
    if any(card.kind != "epic" for card in cards):
        return f"belongs to the spec's epic but is on {cards[0].id}: take it off that card"
    spec = drafted.config.specs.get(drafted.claims.key)
    # With `epic: KEY` in config the epic is an issue that exists already, and no card of ours lists its claims. An epic that
    # is published keeps its words: what the spec leaves out since then is its claim without being named on it.
    unnamed = not cards and not (spec and spec.epic)
    late = claim.kind == "exclusion" and any(_keeps_its_words(card, drafted.claims.key) for card in drafted.live_cards)
    if unnamed and not late:
        return "belongs to the spec's epic, which does not name it: compile places it"
    return None


def _keeps_its_words(card: Card, key: str) -> bool:
    return card.kind == "epic" and card.spec == key and card.state not in OPEN_EDIT_STATES


def _discarded(drafted: Drafted, claim: Claim) -> str | None:
    """What still holds on to a discarded claim, None when nothing does."""
    discarded = claim.discarded
    if discarded is not None and not discarded.because.strip():
        return "is discarded without a reason: say why"
    if claim.id in drafted.cards_of:
        return f"is discarded but on {listed([card.id for card in drafted.cards_of[claim.id]])}: take it off"
    if claim.id in drafted.claims.edges_of:
        edge = drafted.claims.edges_of[claim.id][0]
        edge_said = f"{edge.from_id} {edge.kind} {edge.to_id}"
        return f"is discarded but {edge_said} still stands: compile again, or drop the edge"
    return None
