"""Claims that cannot both hold wait for the same answer.

**What** For each `conflicts_with` pair the cards of both claims depend on one gate, or on the decision that answered
it, and give the pair as their reason.

**Why** Two cards that contradict each other are each valid and each ready: the second one to be built breaks the
first. The pair is in the anchors file, the gate and its edges are in three cards.

**Bad**

    edges: [{kind: conflicts_with, from: ANC-7Q4M2K9X, to: ANC-2F81ZD3A, cue: "but"}]
    (STY-7Q4M2K9X and STY-2F81ZD3A depend on nothing)

**Good**

    cards/STY-7Q4M2K9X.yaml and cards/STY-2F81ZD3A.yaml:
    depends_on:
      - card: GAT-M1X9QE7B
        because: [{edge: conflicts_with, from: ANC-7Q4M2K9X, to: ANC-2F81ZD3A, cue: "but"}]

**Way out** `isopod compile SPEC` makes the gate and both edges. A gate that was answered leaves a decision in its
place.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.claims import Claim, ClaimEdge, Drafted
from gates.found import Found
from gates.words import command, listed, shown
from schemas.card import Card, EdgeReason
from schemas.kinds import WORK_KINDS

CODE = "A145"
NAME = "conflict-without-gate"
TIER = "error"
STAGES = ("draft", "audit")
WHY = "graph"
ON = "drafted"


def check(drafted: Drafted) -> Iterator[Found]:
    pairs: set[frozenset[str]] = set()
    for edge in drafted.claims.edges:
        pair = frozenset((edge.from_id, edge.to_id))
        if edge.kind != "conflicts_with" or pair in pairs or not pair <= drafted.claims.by_id.keys():
            continue
        pairs.add(pair)
        one, other = (drafted.claims.by_id[end] for end in (edge.from_id, edge.to_id))
        # What is discarded or gone is built by nobody and contradicts nothing; A130 says so while its edges stand.
        if any(claim.discarded or claim.status != "live" for claim in (one, other)):
            continue
        if not _waits(drafted, one, other):
            yield _without_gate(drafted, edge, one, other)


def _waits(drafted: Drafted, one: Claim, other: Claim) -> bool:
    """Whether the cards of both claims wait for one gate of this pair, or lean on the decision that answered it.

    Only work waits (DRAFTING.md D13): a decision, gate, request or epic is `related` to the gate.
    """
    cards = [card for claim in (one, other) for card in drafted.cards_of.get(claim.id, ())]
    work = [card for card in cards if card.kind in WORK_KINDS]
    pair = frozenset((one.id, other.id))
    answers = [_waited_for(card, pair) for card in work] or [set(card.related) for card in cards]
    return not cards or any(_kind(drafted, card) in ("gate", "decision") for card in set.intersection(*answers))


def _waited_for(card: Card, pair: frozenset[str]) -> set[str]:
    """What the card depends on because of this pair."""
    return {
        entry.card
        for entry in card.depends_on
        for reason in entry.because
        if isinstance(reason, EdgeReason) and reason.edge == "conflicts_with" and {reason.from_, reason.to} == pair
    }


def _kind(drafted: Drafted, card: str) -> str | None:
    """The kind of a card by its prefix: a decision that answered may belong to no spec."""
    prefix = card.rpartition("-")[0]
    return next((known.kind for known in drafted.config.prefixes if known.prefix == prefix), None)


def _without_gate(drafted: Drafted, edge: ClaimEdge, one: Claim, other: Claim) -> Found:
    cards = sorted({card.id for claim in (one, other) for card in drafted.cards_of.get(claim.id, ())})
    return drafted.claims.report(
        one,
        f"{shown(one.exact)} and {shown(other.exact)} cannot both hold ({shown(edge.cue)}), but {listed(cards)} "
        f"{'does' if len(cards) == 1 else 'do'} not wait for one gate that asks which: compile makes it",
        related=[other.id, *cards],
        fix=command("isopod", "compile", drafted.claims.spec.path),
    )
