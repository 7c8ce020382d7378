"""Every edge of a live card has a reason that still holds.

**What** At least one reason of each entry of `depends_on` holds. An edge that the readers agreed on holds while both
claims are live (or live on as their successors) and the anchors file still has that relation between them: a claim that
is edited, lost or retired, and a cue that is gone, end it. A reason of the drafter's holds while the claims that it
leaned on are live. A person's reason holds. None holds when the other card is a decision that was replaced (unless a
person keeps the edge all the same, which is C222's), when a claim of the edge is such a decision's, or when `scope` of an
edge to a gate names no acceptance line that the card has.

**Why** The edge exists, has no cycle and leads somewhere, and still says a plan that is no longer true: the card waits
for nothing. What the edge leaned on is in the anchors files and on other cards.

**Bad** The sentence "cannot ship before that" is gone from the spec, and with it the relation in
cards/anchors/links.yaml:

    cards/STY-7Q4M2K9X.yaml:   - card: GAT-2F81ZD3A
                                 because: [{edge: blocked_by, from: ANC-7Q4M2K9X, to: ANC-2F81ZD3A, cue: "cannot ship before that"}]

**Good** The entry is gone; or a person said why the card waits all the same:

    cards/STY-7Q4M2K9X.yaml:     because: [{person: Kim, text: "the committee asked for it", at: 2026-11-30T09:00:00Z}]

**Way out** Take the entry out. If the card waits all the same, `isopod depend A --on B --because TEXT` gives the edge a
reason. For a decision that was replaced, `isopod supersede OLD --by NEW` shows every edge that leans on it.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command, counted, listed, shown
from schemas.anchors import Anchor
from schemas.card import Card, Dependency, EdgeReason, Reason, RuleReason
from schemas.kinds import FINAL_STATES
from store.ledger import edge_exemption

CODE = "C250"
NAME = "stale-edge"
TIER = "error"
STAGES = ("audit",)
WHY = "reference"
ON = "instance"

_GONE = {
    "edited": "says something else now",
    "lost": "is gone from the spec",
    "retired": "was retired",
}


def check(audited: Audited) -> Iterator[Found]:
    cards, replaced_by = audited.card_by_id, audited.replaced_by
    for card in audited.cards:
        if card.state in FINAL_STATES:
            continue
        for index, entry in enumerate(card.depends_on):
            other = cards.get(entry.card)
            if other is None or other.state == "deleted":  # C210
                continue
            newer = replaced_by.get(other.id)
            if newer is not None and edge_exemption(audited.ledger, card.id, entry) is not None:
                continue  # a person keeps it and said why: C222 and C263 tell of it
            failed = (
                f"{newer} has replaced it; lean on that one, or take the entry out"
                if newer is not None
                else _failed(audited, card, entry, other)
            )
            if failed is not None:
                yield audited.on_card(
                    card,
                    ("depends_on", index),
                    f"nothing says any more that this card waits for {other.id}: {failed}",
                    related=[other.id] if newer is None else [other.id, newer],
                    fix=command("isopod", "show", card.id)
                    if newer is None
                    else command("isopod", "supersede", other.id, "--by", newer),
                )


def _failed(audited: Audited, card: Card, entry: Dependency, other: Card) -> str | None:
    """Why no reason of an edge holds; None when one does."""
    if other.kind == "gate" and isinstance(entry.scope, tuple) and not _covers(card, entry.scope):
        named = listed(entry.scope) or "no line"
        return f"its scope names {named}, and the card has no such line; take the entry out, or let it name lines of the card"
    said = []
    for reason in entry.because:
        why = _reason_failed(audited, card, other, reason)
        if why is None:
            return None
        said.append(why)
    more = f" ({counted(len(said) - 1, 'other reason')} failed too)" if len(said) > 1 else ""
    return f"{said[0]}{more}; take the entry out, or give it a reason that holds"


def _covers(card: Card, scope: tuple[str, ...]) -> bool:
    lines = {line.id for line in card.acceptance}
    return not lines.isdisjoint(scope)


def _reason_failed(audited: Audited, card: Card, other: Card, reason: Reason) -> str | None:
    if isinstance(reason, EdgeReason):
        return _relation_failed(audited, reason)
    if isinstance(reason, RuleReason):
        return _rule_failed(audited, card, other, reason)
    return None


def _relation_failed(audited: Audited, reason: EdgeReason) -> str | None:
    """Why a relation between two claims no longer holds. A claim that no file holds is C211, and fails nothing here."""
    if (reason.edge, reason.from_, reason.to) in audited.relations:
        return None
    from_, to = audited.today(reason.from_), audited.today(reason.to)
    if from_ is None or to is None or (reason.edge, from_.id, to.id) in audited.relations:
        return None
    for end in (from_, to):
        if end.status != "live":
            return f"the claim {end.id} {shown(end.exact)} {_GONE[end.status]}"
        decision = _replaced_holder(audited, end)
        if decision is not None:
            return f"{audited.replaced_by[decision]} has replaced the decision {decision}, which the edge leans on"
    return f"{shown(reason.cue)} no longer ties {from_.id} to {to.id}"


def _replaced_holder(audited: Audited, anchor: Anchor) -> str | None:
    """The decision that carries a claim and that another one replaced."""
    holders = (card.id for _, card in audited.holders.get(anchor.id, ()))
    return next((name for name in holders if name in audited.replaced_by), None)


def _rule_failed(audited: Audited, card: Card, other: Card, reason: RuleReason) -> str | None:
    """Why the drafter would not draw an edge any more (DRAFTING.md).

    By D13 an epic leans on a decision that the spec states, by D15 a card leans on another one because of a claim of its
    own. A card without claims was made by people and is not the drafter's to judge.
    """
    if reason.rule == "D13" and other.kind == "decision":
        leaned_on = other
    elif reason.rule == "D15":
        leaned_on = card
    else:
        return None
    claims = [anchor for anchor in map(audited.today, leaned_on.anchors) if anchor is not None]
    if not claims or any(anchor.status == "live" for anchor in claims):
        return None
    return f"no claim of {leaned_on.id}, which the drafter leaned on, is live ({reason.rule})"
