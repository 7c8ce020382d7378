"""What a card was made from still stands in the spec.

**What** Every claim of an unfinished card is in the spec as it was read: not edited, not lost, not in several places
with nothing to tell them apart. A successor that is live, or a live migration of the lines that hold the claim,
covers a change; an answered question and a replaced decision may leave the spec. On a done card a change is a warning.

**Why** The team builds the card's words while the spec says others. The card is valid, the spec is valid: only both
together show it.

**Bad** The spec says "60 days" since yesterday, and the card in progress was made from:

    - {id: ANC-7Q4M2K9X, kind: constraint, status: live, exact: "A link lives for 30 days from its creation."}

**Good** `isopod compile` has read the section again; the old claim is `edited` and names its successor, which is on a
card.

**Way out** First `isopod compile SPEC`: drafted and planned cards follow the spec; published ones and later keep their
words, and what is new is on a new story. Then, for a card that keeps its words: `isopod move NEW --instead-of OLD` says
which claim the spec says now (with `--to` the card gets it as a line), `isopod migrate ID --line A3` restates a line,
`isopod cut ID` takes the card off the plan.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.claims import Claim, Drafted
from gates.found import Found
from gates.words import command, shown
from schemas.card import Card
from schemas.kinds import OPEN_EDIT_STATES

CODE = "C231"
NAME = "spec-drift"
TIER = "error"
STAGES = ("audit",)
WHY = "filesystem"
ON = "instance"

_SAID = {
    "ambiguous": "stands in several places of {spec} now",
    "edited": "is no longer said so in {spec}, its section says something else",
    "lost": "is gone from {spec}",
    "retired": "was retired: {spec} no longer says it",
}


def check(audited: Audited) -> Iterator[Found]:
    for key, drafted in audited.specs.items():
        # A spec that is gone is one finding (C230), not one a claim.
        if audited.spec(key) is None:
            continue
        for claim in drafted.claims.claims:
            standing = _standing(claim)
            if standing == "live" or claim.discarded:
                continue
            for index, card in audited.holders.get(claim.id, ()):
                if not _covered(audited, card, claim):
                    yield _drift(audited, drafted, card, index, claim, standing)


def _standing(claim: Claim) -> str:
    """How the claim stands today: what the store recorded, else what the spec shows now."""
    return claim.status if claim.status != "live" else claim.found


def _covered(audited: Audited, card: Card, claim: Claim) -> bool:
    """Whether a live successor or a live migration of its lines answers the change of this claim, or nothing rests on it any more."""
    answered = card.gate is not None and card.gate.answer is not None
    if answered or audited.graph.is_superseded(card.id):  # history: the spec need not ask it, or decide it, again
        return True
    successor = audited.today(claim.id)
    if successor is not None and successor.id != claim.id and (claim.status == "retired" or successor.status == "live"):
        return True  # a retired claim whose successor the card does not name yet is C211
    lines = {line.id for line in card.acceptance if claim.id in line.anchors}
    restated = {line for migration in audited.migrations_of.get(card.id, ()) for line in migration.lines}
    return bool(lines) and lines <= restated


def _drift(audited: Audited, drafted: Drafted, card: Card, index: int, claim: Claim, standing: str) -> Found:
    spec = drafted.claims.spec.path
    way_out, fix = _way_out(audited, drafted, card, claim)
    return audited.on_card(
        card,
        ("anchors", index),
        f"{claim.id} {shown(claim.exact)} {_SAID[standing].format(spec=spec)}; {way_out}",
        related=[claim.id],
        fix=fix,
        severity="warn" if card.state == "done" else None,
    )


def _way_out(audited: Audited, drafted: Drafted, card: Card, claim: Claim) -> tuple[str, str]:
    """What a person can do in this state of the card, in words, and the command to begin with."""
    compiled = command("isopod", "compile", drafted.claims.spec.path)
    state = card.state.replace("_", " ")
    if card.state in OPEN_EDIT_STATES:
        return "compile again and the card follows the spec", compiled
    if claim.status == "live":  # it changed since the last compile: what is new has no card yet
        return f"the card is {state} and keeps its words: compile again, and what is new gets a story", compiled
    line = next((line.id for line in card.acceptance if claim.id in line.anchors), None)
    migrate = command("isopod", "migrate", card.id, "--line", line, "--with", "TEXT") if line is not None else None
    cut = None if card.state == "done" else command("isopod", "cut", card.id, "--because", "TEXT")
    last = audited.today(claim.id)
    old = last.id if last is not None and last.status != "retired" else claim.id
    new = audited.successors[drafted.claims.key].get(old)
    move = None if new is None else command("isopod", "move", new, "--instead-of", old)
    ways = [way for way in (move, migrate, cut) if way is not None] or [command("isopod", "show", card.id)]
    stands = f", and {new} stands in its place" if new is not None else ""
    return f"the card is {state} and keeps its words{stands}: {' or '.join(ways)}", ways[0]
