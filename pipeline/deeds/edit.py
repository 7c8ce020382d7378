"""A person edits one card: fields that are named, or the whole card as a text (DESIGN.md section 7, "What may be edited")."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.deeds.circles import new_circles
from pipeline.deeds.contradictions import contradictions, still_asked
from pipeline.deeds.fields import refuse_other_hand
from pipeline.deeds.hand import Hand
from pipeline.said import Said
from schemas.card import Card, EdgeReason
from schemas.errors import ManyErrors, RefusedError
from schemas.kinds import FINAL_STATES
from store.permission import changed_paths
from store.snapshot import Snapshot


def edit(snapshot: Snapshot, after: Card, said: Said) -> Hand:
    """The card of this id becomes `after`; nothing is written when it is the same.

    A title is that person's from then on. Raises RefusedError for fields that have a command
    of their own, ManyErrors for every link that would lead nowhere and every circle of waiting, and as
    `store.cards.edit` for what state or ownership do not allow.
    """
    hand = Hand(snapshot, said, f"edit {after.id}")
    before = hand.card(after.id)
    patch = after.differing(before)
    for path in sorted({path.partition(".")[0] for path in changed_paths(before, after)}):
        refuse_other_hand(before.id, path)
    problems = [*_loose_ends(snapshot, before, after)]
    if "depends_on" in patch:
        problems += [*new_circles(snapshot, after), *_still_asked(snapshot, before, after)]
    if problems:
        raise ManyErrors(problems)
    hand.change(after.id, patch)
    return hand


def _still_asked(snapshot: Snapshot, before: Card, after: Card) -> Iterator[RefusedError]:
    """The questions about a contradiction for which the card would no longer wait, while it carries a side."""
    asked = contradictions(snapshot)
    left = {entry.card for entry in before.depends_on} - {entry.card for entry in after.depends_on}
    for gate in sorted(left & asked.keys()):
        if snapshot.card_by_id[gate].state not in FINAL_STATES and asked[gate] & set(after.anchors):
            yield still_asked(gate, after.id)


def _loose_ends(snapshot: Snapshot, before: Card, after: Card) -> Iterator[RefusedError]:
    """What the edit newly names and nothing holds."""
    cards = snapshot.card_by_id
    leaned = {entry.card for entry in before.depends_on}
    new_edges = [entry.card for entry in after.depends_on if entry.card not in leaned]
    for other in dict.fromkeys((*new_edges, *(one for one in after.related if one not in before.related))):
        if other not in cards or cards[other].state == "deleted":
            gone = "was cut from the plan" if other in cards else "is no card"
            yield RefusedError("unknown-card", f"{after.id}: {other} {gone}", fix="isopod cards")
        elif other in new_edges and snapshot.graph.is_superseded(other):
            words = f"{after.id}: {other} was replaced by another decision: lean on that one"
            yield RefusedError("replaced", words, fix=f"isopod show {other}")
    if after.parent != before.parent and after.parent is not None and not _is_epic(snapshot, after.parent):
        yield RefusedError(
            "no-epic", f"{after.id}: {after.parent} is no epic that stands", fix="isopod cards --kind epic"
        )
    claims = {*before.anchors, *_claims_named(before)}
    for claim in dict.fromkeys(_claims_named(after)):
        if claim not in claims and claim not in snapshot.anchor_by_id:
            yield RefusedError(
                "unknown-claim", f"{after.id}: no claim is called {claim}", fix=f"isopod show {after.id}"
            )
        elif claim not in claims and claim not in _of_edges(after):
            words = f"{after.id}: {claim} is no claim of this card"
            yield RefusedError("other-claim", words, fix=f"isopod move {claim} --to {after.id}")


def _is_epic(snapshot: Snapshot, card_id: str) -> bool:
    card = snapshot.card_by_id.get(card_id)
    outside = {spec.epic for spec in snapshot.config.specs.values() if spec.epic}
    return card_id in outside or (card is not None and card.kind == "epic" and card.state != "deleted")


def _claims_named(card: Card) -> Iterator[str]:
    """The claims of its lines and of its edges."""
    for line in card.acceptance:
        yield from line.anchors
    yield from _of_edges(card)


def _of_edges(card: Card) -> tuple[str, ...]:
    reasons = (reason for entry in card.depends_on for reason in entry.because if isinstance(reason, EdgeReason))
    return tuple(end for reason in reasons for end in (reason.from_, reason.to))
