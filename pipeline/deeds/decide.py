"""A person decides something that no spec says, and which cards lean on it (DESIGN.md section 7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pipeline.deeds.circles import new_circles
from pipeline.deeds.hand import Hand
from pipeline.deeds.supersede import PLAINLY, Keeping, Superseded, Turn, Verdict, replaced
from pipeline.draft.build import free_id
from pipeline.draft.wording import capped, plain
from pipeline.said import Said
from pipeline.workspace import Workspace
from schemas.card import AcceptanceLine, Card, DecisionPart, Dependency, PersonReason
from schemas.errors import ManyErrors, RefusedError
from schemas.ids import tail
from schemas.kinds import FINAL_STATES, WORK_KINDS
from store.promises import promise_of
from store.snapshot import Snapshot

Affects: TypeAlias = Literal["all"] | tuple[str, ...]
"""Which cards lean on a decision: those named, or all of them, without an edge each."""


@dataclass(frozen=True)
class Replacing:
    """The decision that a new one replaces, and what becomes of the edges that lean on it (`pipeline.deeds.supersede`)."""

    old: str
    verdicts: Mapping[str, Verdict]
    rest: Turn | None = None
    keeping: Keeping = PLAINLY


@dataclass(frozen=True)
class Decided:
    """`leaning` are the cards that lean on the decision by this deed, `superseded` is what it replaced."""

    hand: Hand
    decision: Card
    leaning: tuple[str, ...]
    superseded: Superseded | None = None


def decide(
    snapshot: Snapshot,
    text: str,
    said: Said,
    *,
    spec: str | None = None,
    affects: Affects = (),
    replacing: Replacing | None = None,
) -> Decided:
    """Make a decision card without a claim, by a person, for a reason.

    `spec` is the key of the spec that it belongs to, else it is that of the decision which it replaces. Its id comes from the spec and
    its words. Every card in `affects` gets an edge to it; what it replaces is replaced in the same transaction. Raises RefusedError
    without words or a reason, for a card that is over, or that would wait for itself then; and as
    `pipeline.deeds.supersede.supersede`.
    """
    words = " ".join(text.split())
    if not plain(words):
        raise RefusedError("words-missing", "a decision has words", fix='isopod decide "..."')
    if not (said.because or "").strip():
        raise RefusedError("reason-missing", "a decision is kept with its reason", fix='--because "..."')
    hand = Hand(snapshot, said, "decide")
    old = hand.card(replacing.old) if replacing is not None else None
    if old is not None:
        _refuse_unfit(snapshot, old)
        spec = spec or old.spec
    decision = hand.make(_card(snapshot, words, said, spec, affects))
    done = None
    if replacing is not None and old is not None:
        done = replaced(hand, old, decision, replacing.verdicts, rest=replacing.rest, keeping=replacing.keeping)
    return _leaned_on(hand, decision.id, affects, done)


def lean_on(snapshot: Snapshot, decision_id: str, affects: Affects, said: Said) -> Decided:
    """Let cards lean on a decision that is there already, of a spec or a person's. Raises as `decide`."""
    hand = Hand(snapshot, said, f"decide {decision_id}")
    decision = hand.card(decision_id)
    _refuse_unfit(snapshot, decision)
    if affects == "all":
        part = decision.decision or DecisionPart()
        hand.change(decision_id, {"decision": part.model_copy(update={"affects": "all"})})
    elif not (said.because or "").strip():
        raise RefusedError("reason-missing", "an edge by a person needs a reason", fix='--because "..."')
    return _leaned_on(hand, decision_id, affects, None)


def candidates(snapshot: Snapshot, decision: str, spec: str | None) -> tuple[Card, ...]:
    """Stories and migrations that may lean on a decision of these words: those that name a literal of it, else those of its spec."""
    from pipeline.draft.suggest import literals

    live = [card for card in snapshot.cards if card.kind in WORK_KINDS and card.state not in FINAL_STATES]
    said = literals(decision)
    sharing = [card for card in live if said & literals("\n".join(line.text for line in card.acceptance))]
    return tuple(sharing or [card for card in live if spec is not None and card.spec == spec])


def _card(snapshot: Snapshot, words: str, said: Said, spec: str | None, affects: Affects) -> Card:
    """The decision as a card. What a title cannot hold is its line."""
    title = capped(plain(words))
    epic = next(
        (card for card in snapshot.cards if card.kind == "epic" and card.spec == spec and card.state != "deleted"),
        None,
    )
    of_spec = snapshot.config.specs.get(spec) if spec is not None else None
    team = epic.team if epic is not None and spec is not None else (of_spec.team if of_spec is not None else None)
    born = f"decide {spec or ''} {words}"
    return Card(
        id=free_id(
            snapshot.config.prefix_of("decision"), born, tail(["decide", spec, words]), Workspace.of(snapshot).issued()
        ),
        kind="decision",
        title=title,
        title_by=said.by,
        team=team or snapshot.config.default_team,
        parent=epic.id if epic is not None and spec is not None else None,
        spec=spec,
        acceptance=() if title == plain(words) else (AcceptanceLine(id="A1", text=words),),
        decision=DecisionPart(affects="all" if affects == "all" else ()),
        notes=(said.because or "").strip(),
    )


def _refuse_unfit(snapshot: Snapshot, card: Card) -> None:
    if card.kind != "decision":
        raise RefusedError("no-decision", f"{card.id} is a {card.kind}", fix="isopod cards --kind decision")
    if card.state == "deleted":
        raise RefusedError("cut-card", f"{card.id} was cut from the plan", fix=f"isopod show {card.id}")
    last = snapshot.graph.replaced_by.get(card.id)
    if last is not None:
        raise RefusedError("replaced", f"{last} replaced {card.id} already", fix=f"isopod show {last}")


def _leaned_on(hand: Hand, decision_id: str, affects: Affects, done: Superseded | None) -> Decided:
    """Draw the edges, one a card that is named."""
    named = () if affects == "all" else tuple(dict.fromkeys(affects))
    errors = list(_over(hand, named, decision_id))
    if errors:
        raise ManyErrors(errors)
    decision = hand.card(decision_id)
    reason = PersonReason(person=hand.said.by, text=(hand.said.because or "").strip() or "leans on it", at=hand.said.at)
    for card_id in named:
        entries = {entry.card: entry for entry in hand.card(card_id).depends_on}
        known = entries.get(decision_id)
        entries[decision_id] = Dependency(
            card=decision_id,
            because=(*(known.because if known is not None else ()), reason),
            seen=promise_of(decision, hand.snapshot.anchor_by_id),
        )
        hand.change(card_id, {"depends_on": tuple(entries[one] for one in sorted(entries))})
    circles = list(new_circles(hand.snapshot, *(after for _, after in hand.changes)))
    if circles:
        raise ManyErrors(circles)
    return Decided(hand, hand.card(decision_id), named, done)


def _over(hand: Hand, named: Iterable[str], decision_id: str) -> Iterable[RefusedError]:
    for card_id in named:
        card = hand.card(card_id)
        if card.state in FINAL_STATES:
            words = f"{card_id} is {card.state}: it leans on nothing new"
            yield RefusedError("final-state", words, fix=f"isopod show {card_id}")
        elif card_id == decision_id:
            yield RefusedError("self-edge", f"{card_id} cannot lean on itself")
