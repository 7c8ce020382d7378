"""A decision replaces another one: every edge that leaned on the old one is looked at, in one transaction (DESIGN.md section 7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pipeline.deeds.circles import new_circles
from pipeline.deeds.hand import Hand
from pipeline.said import Said
from schemas.card import Card, DecisionPart, Dependency, EdgeReason, PersonReason, Reason
from schemas.errors import ManyErrors, RefusedError
from schemas.kinds import FINAL_STATES, OPEN_EDIT_STATES
from schemas.ledger import ExemptionBody, ReasonKind
from store import ledger
from store.promises import promise_of
from store.snapshot import Snapshot

Turn = Literal["move", "drop", "keep"]


@dataclass(frozen=True, slots=True)
class Leaning:
    """An edge of a card that is not over and that leans on a decision.

    It leads to the decision, or (`through` a claim of the decision's alone) to another card.
    """

    card: Card
    entry: Dependency
    through: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person says of a card that leans on the replaced decision; `because` is why an edge is kept."""

    turn: Turn
    because: str | None = None


@dataclass(frozen=True, slots=True)
class Keeping:
    """How the ledger keeps what is kept: the kind of reason, and until when (a date), if somebody said so."""

    reason_kind: ReasonKind = "other"
    until: str | None = None


PLAINLY: Final = Keeping()
"""For a reason of no particular kind, without a date."""


@dataclass(frozen=True)
class Superseded:
    """`turned` are the edges with what became of them, `history` the done cards that lean on the old decision and stay."""

    hand: Hand
    old: str
    new: str
    turned: tuple[tuple[Leaning, Turn], ...]
    history: tuple[str, ...]


def leaning_on(snapshot: Snapshot, decision_id: str) -> tuple[Leaning, ...]:
    """Every edge that leans on a decision, by card; those that a person keeps already although it was replaced are left out."""
    claims = set(snapshot.card_by_id[decision_id].anchors)
    found = []
    for card in snapshot.cards:
        if card.state in FINAL_STATES:
            continue
        for entry in card.depends_on:
            direct = entry.card == decision_id
            if direct and ledger.edge_exemption(snapshot.ledger, card.id, entry) is not None:
                continue
            if direct or all(_is_of(reason, claims) for reason in entry.because):
                found.append(Leaning(card, entry, through=not direct))
    return tuple(found)


def supersede(
    snapshot: Snapshot,
    old_id: str,
    new_id: str,
    verdicts: Mapping[str, Verdict],
    said: Said,
    *,
    rest: Turn | None = None,
    keeping: Keeping = PLAINLY,
) -> Superseded:
    """Let the decision `new_id` replace `old_id`, and turn every edge that leaned on the old one.

    `verdicts` say by card what becomes of its edges, `rest` of those of every other card: `move` lets them lean on the new
    decision, `drop` takes them out, `keep` leaves them for a reason, which is an exemption of C222 in the ledger. Where the cards
    say already that the one replaced the other, only the edges are turned. Raises ManyErrors for every card without a verdict,
    every verdict on a card that does not lean on the old decision or lacks its reason; RefusedError when one of the two is no
    decision in force; and as `store.cards.edit`.
    """
    hand = Hand(snapshot, said, f"supersede {old_id} --by {new_id}")
    old, new = hand.card(old_id), hand.card(new_id)
    _refuse_unfit(snapshot, old, new)
    return replaced(hand, old, new, verdicts, rest=rest, keeping=keeping)


def replaced(
    hand: Hand, old: Card, new: Card, verdicts: Mapping[str, Verdict], *, rest: Turn | None, keeping: Keeping
) -> Superseded:
    """`supersede` by a hand that may have made `new` just now. Raises as it."""
    snapshot = hand.snapshot
    leaning = leaning_on(snapshot, old.id)
    errors = [*_unanswered(leaning, verdicts, rest, old.id), *_unfounded(leaning, verdicts, old.id)]
    if errors:
        raise ManyErrors(errors)
    _say_replaced(hand, old, new)
    turned = []
    for card_id in dict.fromkeys(one.card.id for one in leaning):
        verdict = verdicts.get(card_id) or Verdict(rest or "drop")
        own = [one for one in leaning if one.card.id == card_id]
        _turn(hand, own, verdict, old, hand.card(new.id), keeping)
        turned += [(one, verdict.turn) for one in own]
    circles = list(new_circles(snapshot, *(after for _, after in hand.changes)))
    if circles:
        raise ManyErrors(circles)
    over = tuple(
        card.id
        for card in snapshot.cards
        if card.state == "done" and any(entry.card == old.id for entry in card.depends_on)
    )
    return Superseded(hand, old.id, new.id, tuple(turned), over)


# --- what may replace what -------------------------------------------------------------------------------------------


def _refuse_unfit(snapshot: Snapshot, old: Card, new: Card) -> None:
    for card in (old, new):
        if card.kind != "decision":
            words = f"{card.id} is a {card.kind}: only a decision is replaced, and only by a decision"
            raise RefusedError("no-decision", words, fix="isopod cards --kind decision")
        if card.state == "deleted":
            raise RefusedError("cut-card", f"{card.id} was cut from the plan", fix=f"isopod show {card.id}")
    if old.id == new.id:
        raise RefusedError("self-edge", f"{old.id} cannot replace itself")
    replaced_by = snapshot.graph.replaced_by
    if new.id in replaced_by:
        last = replaced_by[new.id]
        raise RefusedError(
            "replaced",
            f"{new.id} was itself replaced by another decision: name the one that is in force",
            fix=f"isopod supersede {old.id} --by {last}" if last != old.id else f"isopod show {new.id}",
        )
    last = replaced_by.get(old.id, new.id)
    if last != new.id:
        raise RefusedError(
            "replaced", f"{last} replaced {old.id} already", fix=f"isopod supersede {old.id} --by {last}"
        )


def _say_replaced(hand: Hand, old: Card, new: Card) -> None:
    """Both cards say so. A done one keeps its words, then the other says it alone; a line of several is not made shorter."""
    if hand.snapshot.graph.is_superseded(old.id):
        return
    before, after = old.decision or DecisionPart(), new.decision or DecisionPart()
    if old.state == new.state == "done":
        raise RefusedError(
            "final-state",
            f"{old.id} and {new.id} are both done, and neither can say any more that one replaced the other",
            fix=f'isopod decide TEXT --supersedes {old.id} --by NAME --because "..."',
        )
    if old.state != "done":
        hand.change(old.id, {"decision": before.model_copy(update={"superseded_by": new.id})})
    if new.state != "done":
        update: dict[str, object] = {"supersedes": tuple(dict.fromkeys((*after.supersedes, old.id)))}
        if before.affects == "all" and new.state in OPEN_EDIT_STATES:
            update["affects"] = "all"
        hand.change(new.id, {"decision": after.model_copy(update=update)})


# --- edges -----------------------------------------------------------------------------------------------------------


def _unanswered(
    leaning: Sequence[Leaning], verdicts: Mapping[str, Verdict], rest: Turn | None, old: str
) -> Iterator[RefusedError]:
    for card_id in dict.fromkeys(one.card.id for one in leaning):
        if rest is None and card_id not in verdicts:
            yield RefusedError(
                "edge-open",
                f"{card_id} leans on {old}: say what becomes of that edge",
                fix=f"--move {card_id}, --drop {card_id} or --keep {card_id}=REASON; or --all move for every edge",
            )


def _unfounded(leaning: Sequence[Leaning], verdicts: Mapping[str, Verdict], old: str) -> Iterator[RefusedError]:
    cards = {one.card.id for one in leaning}
    for card_id, verdict in verdicts.items():
        if card_id not in cards:
            yield RefusedError("no-edge", f"{card_id} does not lean on {old}", fix=f"isopod show {card_id}")
        elif verdict.turn == "keep" and not (verdict.because or "").strip():
            words = f"an edge of {card_id} to a replaced decision is kept with a reason"
            yield RefusedError("reason-missing", words, fix=f'--keep {card_id}="..."')


def _turn(hand: Hand, own: Sequence[Leaning], verdict: Verdict, old: Card, new: Card, keeping: Keeping) -> None:
    """Turn the edges of one card. What led through a claim of the old decision's alone needs a person's reason to go on."""
    card = hand.card(own[0].card.id)
    if verdict.turn == "move" and card.id == new.id:
        raise RefusedError(
            "self-edge", f"{card.id} leans on what it replaces, and not on itself then", fix=f"--drop {card.id}"
        )
    entries = {entry.card: entry for entry in card.depends_on}
    text = (verdict.because or "").strip() if verdict.turn == "keep" else _moved_words(hand.said, old, new)
    reason = PersonReason(person=hand.said.by, text=text, at=hand.said.at)
    for one in own:
        entry = entries.pop(one.entry.card)
        if verdict.turn == "keep":
            entries[entry.card] = entry.model_copy(update={"because": (*entry.because, reason)})
        elif verdict.turn == "move" and one.through:
            entries[entry.card] = entry.model_copy(update={"because": (reason,)})
        elif verdict.turn == "move":
            entries[new.id] = _moved(hand, entries.get(new.id), entry, new, reason)
    hand.change(card.id, {"depends_on": tuple(entries[card_id] for card_id in sorted(entries))})
    if verdict.turn == "keep" and not all(one.through for one in own):
        body = ExemptionBody(
            rule=ledger.KEPT_EDGE,
            surface="audit",
            reason_kind=keeping.reason_kind,
            because=text,
            until=keeping.until,
        )
        ledger.exempt(hand.transaction, hand.instance, subject=card.id, body=body, by=hand.said.by, at=hand.said.at)


def _moved(hand: Hand, there: Dependency | None, entry: Dependency, new: Card, reason: PersonReason) -> Dependency:
    """The edge to the new decision. What the spec and the drafter said was said of the old one; what people said goes along."""
    persons = tuple(one for one in entry.because if isinstance(one, PersonReason))
    kept = there.because if there is not None else ()
    return Dependency(
        card=new.id,
        because=(*kept, *(one for one in persons if one not in kept), reason),
        seen=promise_of(new, hand.snapshot.anchor_by_id),
    )


def _moved_words(said: Said, old: Card, new: Card) -> str:
    because = (said.because or "").strip()
    return f"{new.id} replaced {old.id}: {because}" if because else f"{new.id} replaced {old.id}"


def _is_of(reason: Reason, claims: set[str]) -> bool:
    return isinstance(reason, EdgeReason) and not claims.isdisjoint((reason.from_, reason.to))
