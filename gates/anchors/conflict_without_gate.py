"""Claims that cannot both hold wait for the same answer.

**What** For each `conflicts_with` pair the cards of both claims depend on one gate, or on the decision that answered
it, and give the pair as their reason. An answer is enough: what leans on it then is no concern of this rule. Where only cards
lack the edge that were published before the contradiction came, it is a warning: no compile rewrites them.

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

**Way out** `isopod compile SPEC` makes the gate and both edges; `isopod depend CARD --on GATE` lets a published card wait for
it. A gate that was answered leaves a decision in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from gates.claims import Claim, ClaimEdge, Drafted
from gates.found import Found
from gates.words import command, listed, shown
from schemas.card import Card, EdgeReason
from schemas.ids import conflict_series
from schemas.kinds import OPEN_EDIT_STATES, WORK_KINDS

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
        cards = list({card.id: card for claim in (one, other) for card in drafted.cards_of.get(claim.id, ())}.values())
        if _waits(drafted, cards, pair):
            continue
        gate = _gate_of(drafted, (one.id, other.id))
        if gate is None:
            yield _without_gate(drafted, edge, one, other, cards)
        elif gate.state != "done" and (lacking := _lacking(cards, gate)):
            yield _not_waiting(drafted, edge, one, other, gate, lacking)


def _waits(drafted: Drafted, cards: Sequence[Card], pair: frozenset[str]) -> bool:
    """Whether the cards of both claims wait for one gate of this pair, or lean on the decision that answered it.

    Only work waits (DRAFTING.md D13): a decision, gate, request or epic is `related` to the gate.
    """
    work = [card for card in cards if card.kind in WORK_KINDS]
    answers = [_waited_for(card, pair) for card in work] or [set(card.related) for card in cards]
    return not cards or any(_kind(drafted, card) in ("gate", "decision") for card in set.intersection(*answers))


def _gate_of(drafted: Drafted, ends: tuple[str, str]) -> Card | None:
    """The gate that the drafter made for the pair: its tail is one of a series, of which deleted gates may have taken the first."""
    gates = {card.id.rpartition("-")[2]: card for card in drafted.live_cards if card.kind == "gate"}
    series = islice(conflict_series(ends), len(drafted.cards) + 1) if gates else ()
    return next((gates[one] for one in series if one in gates), None)


def _lacking(cards: Sequence[Card], gate: Card) -> list[Card]:
    """The cards that can wait for the gate, for whatever reason, and do not: what is done waits for nothing any more."""
    work = [card for card in cards if card.kind in WORK_KINDS]
    related = [card for card in cards if card.state in OPEN_EDIT_STATES and gate.id not in card.related]
    waiting = [card for card in work if card.state != "done" and gate.id not in {entry.card for entry in card.depends_on}]
    return waiting if work else related


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


def _without_gate(drafted: Drafted, edge: ClaimEdge, one: Claim, other: Claim, cards: Sequence[Card]) -> Found:
    names = sorted(card.id for card in cards)
    return drafted.claims.report(
        one,
        f"{_contradiction(edge, one, other)}, but {listed(names)} {_do(names)} not wait for one gate that asks which: compile makes it",
        related=[other.id, *names],
        fix=command("isopod", "compile", drafted.claims.spec.path),
    )


def _not_waiting(
    drafted: Drafted, edge: ClaimEdge, one: Claim, other: Claim, gate: Card, lacking: Sequence[Card]
) -> Found:
    """The gate is there; what was published meanwhile is not rewritten by a compile, so a person lets it wait."""
    names = sorted(card.id for card in lacking)
    found = drafted.claims.report(
        one,
        f"{_contradiction(edge, one, other)}, but {listed(names)} {_do(names)} not wait for {gate.id}, which asks which: let "
        f"{'it' if len(names) == 1 else 'them'} wait, or answer the question",
        related=[other.id, gate.id, *names],
        fix=command("isopod", "depend", names[0], "--on", gate.id) + ' --by NAME --because "..."',
    )
    may_wait_by_itself = any(card.state in OPEN_EDIT_STATES for card in lacking)
    return found if may_wait_by_itself else replace(found, severity="warn")


def _contradiction(edge: ClaimEdge, one: Claim, other: Claim) -> str:
    return f"{shown(one.exact)} and {shown(other.exact)} cannot both hold ({shown(edge.cue)})"


def _do(names: Sequence[str]) -> str:
    return "does" if len(names) == 1 else "do"
