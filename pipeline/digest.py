"""What changed in an instance between a commit and now: claims, cards, decisions, edges, mirrors, exemptions.

Both sides are records; no text is compared line by line. Who only wants the words renders what this finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from pipeline.cardchanges import changes_of
from schemas.anchors import Anchor, AnchorStore, Discarded
from schemas.card import Card, EdgeReason, PersonReason, Reason
from schemas.digest import (
    CardChange,
    CardTurn,
    ClaimChange,
    DecisionChange,
    Digest,
    EdgeChange,
    ExemptionChange,
    MirrorChange,
)
from schemas.ledger import ExemptionBody, LedgerEntry
from store.past import Version
from store.snapshot import Snapshot
from text.folding import fold


@dataclass(frozen=True)
class Held:
    """What an instance holds at one moment, as far as a digest goes."""

    cards: Mapping[str, Card] = field(default_factory=dict)
    anchor_stores: Mapping[str, AnchorStore] = field(default_factory=dict)
    ledger: Mapping[str, LedgerEntry] = field(default_factory=dict)

    @classmethod
    def at(cls, version: Version) -> Held:
        """The instance as a commit holds it."""
        return cls(version.cards, version.anchor_stores, version.ledger)

    @classmethod
    def now(cls, snapshot: Snapshot) -> Held:
        """The instance as it lies in its folder, committed or not."""
        entries = {file.name: file.entry for file in snapshot.ledger.entries}
        return cls(snapshot.card_by_id, snapshot.anchor_stores, entries)


def digest(before: Held, after: Held, reason_words: Callable[[Reason], str]) -> Digest:
    """What became of each thing that differs; `reason_words` says why a card waits for another."""
    return Digest(
        claims=tuple(_claims(before, after)),
        cards=tuple(_cards(before, after)),
        decisions=tuple(_decisions(before, after)),
        edges=tuple(_edges(before, after, reason_words)),
        mirrors=tuple(_mirrors(before, after)),
        exemptions=tuple(_exemptions(before, after)),
    )


def _pairs(before: Held, after: Held) -> Iterator[tuple[Card | None, Card | None]]:
    """Every card of both sides, in the order of ids."""
    for card_id in sorted({*before.cards, *after.cards}):
        yield before.cards.get(card_id), after.cards.get(card_id)


# --- claims -----------------------------------------------------------------------------------------------------------


def _claims(before: Held, after: Held) -> Iterator[ClaimChange]:
    """Spec by spec as the claims stand in the text; what is no longer in the store comes last.

    A claim that a successor took the place of is one that was reworded.
    """
    was, now = _anchors(before), _anchors(after)
    followed = {
        anchor.successor: was[claim_id][1]
        for claim_id, (_, anchor) in now.items()
        if anchor.successor is not None and claim_id in was and _stands(was[claim_id][1])
    }
    for claim_id, (spec, anchor) in now.items():
        old = was[claim_id][1] if claim_id in was else followed.get(claim_id)
        if not (anchor.successor in now and claim_id in was and not _stands(anchor)):
            change = _claim(spec, old, anchor)
            if change is not None:
                yield change
    for claim_id, (spec, anchor) in was.items():
        if claim_id not in now and _stands(anchor):
            yield ClaimChange(turn="gone", claim=claim_id, spec=spec, kind=anchor.kind, before=_words(anchor))


def _anchors(held: Held) -> dict[str, tuple[str, Anchor]]:
    """Claims by id, with the key of their spec; of two with one id the first."""
    found: dict[str, tuple[str, Anchor]] = {}
    for key, store in held.anchor_stores.items():
        for anchor in store.anchors:
            found.setdefault(anchor.id, (key, anchor))
    return found


def _claim(spec: str, was: Anchor | None, now: Anchor) -> ClaimChange | None:
    about = {"claim": now.id, "spec": spec, "kind": now.kind}
    stood, stands = was is not None and _stands(was), _stands(now)
    if stands and not stood:
        return ClaimChange(turn="back" if was is not None else "new", after=_words(now), **about)
    if stood and not stands and was is not None:
        if isinstance(now.home, Discarded):
            return ClaimChange(
                turn="left-out", before=_words(was), because=f"{now.home.because} ({now.home.by})", **about
            )
        return ClaimChange(turn="gone", before=_words(was), **about)
    if stands and was is not None and fold(was.exact) != fold(now.exact):
        return ClaimChange(turn="reworded", before=_words(was), after=_words(now), **about)
    return None


def _stands(anchor: Anchor) -> bool:
    """Whether a claim is one that the spec makes and somebody is to carry."""
    return anchor.status == "live" and not isinstance(anchor.home, Discarded)


def _words(anchor: Anchor) -> str:
    return " ".join(anchor.exact.split())


# --- cards ------------------------------------------------------------------------------------------------------------


def _cards(before: Held, after: Held) -> Iterator[CardChange]:
    """Our own cards, and mirrors that are gone: what another team's cards say is told with the mirrors."""
    for was, now in _pairs(before, after):
        card = now or was
        if card is None or (was is None and card.state == "deleted"):
            continue
        details = tuple(changes_of(was, now)) if was is not None and now is not None else ()
        turn = _turn(was, now, changed=bool(details))
        if turn is not None and (card.kind != "external" or turn in ("cut", "removed")):
            yield CardChange(
                turn=turn,
                card=card.id,
                kind=card.kind,
                title=card.title,
                before=was.state if was else None,
                after=now.state if now else None,
                details=details,
            )


def _turn(was: Card | None, now: Card | None, *, changed: bool) -> CardTurn | None:
    if now is None:
        return "removed"
    if was is None:
        return "new"
    if was.state != now.state:
        return "done" if now.state == "done" else "cut" if now.state == "deleted" else "moved"
    return "changed" if changed else None


# --- decisions --------------------------------------------------------------------------------------------------------


def _decisions(before: Held, after: Held) -> Iterator[DecisionChange]:
    replaced_before, replaced_now = _replaced(before), _replaced(after)
    for card_id in sorted(replaced_now.keys() - replaced_before.keys()):
        by = replaced_now[card_id]
        title = after.cards[card_id].title if card_id in after.cards else ""
        words = after.cards[by].title if by in after.cards else ""
        yield DecisionChange(turn="replaced", card=card_id, title=title, by=by, words=words)
    for was, now in _pairs(before, after):
        if now is None or now.gate is None:
            continue
        gate, old = now.gate, was.gate if was is not None else None
        if gate.answer is not None and (old is None or old.answer is None):
            yield DecisionChange(turn="answered", card=now.id, title=now.title, words=gate.answer)
        if gate.opened is not None and (old is None or old.opened is None):
            yield DecisionChange(
                turn="opened", card=now.id, title=now.title, by=gate.opened.by, words=gate.opened.because
            )


def _replaced(held: Held) -> dict[str, str]:
    """By decision: the one that replaced it; either of the two cards may say so, none that was cut."""
    found: dict[str, str] = {}
    for card in held.cards.values():
        if card.decision is None or card.state == "deleted":
            continue
        found |= dict.fromkeys(card.decision.supersedes, card.id)
        if card.decision.superseded_by is not None:
            found[card.id] = card.decision.superseded_by
    return found


# --- edges ------------------------------------------------------------------------------------------------------------


def _edges(before: Held, after: Held, reason_words: Callable[[Reason], str]) -> Iterator[EdgeChange]:
    """Edges of cards that are there on both sides and were not cut: those of a new card come with it."""
    for was, now in _pairs(before, after):
        if was is None or now is None or now.state == "deleted":
            continue
        old = {entry.card: entry for entry in was.depends_on}
        new = {entry.card: entry for entry in now.depends_on}
        for on in sorted({*old, *new}):
            entry = new.get(on) or old[on]
            if on in old and on in new:
                same = [_plain(reason) for reason in old[on].because] == [_plain(reason) for reason in new[on].because]
                if same and old[on].seen == new[on].seen:
                    continue
            target = after.cards.get(on) or before.cards.get(on)
            yield EdgeChange(
                turn="new"
                if on not in old
                else "gone"
                if on not in new
                else "confirmed"
                if same
                else "for-other-reasons",
                card=now.id,
                title=now.title,
                on=on,
                on_title=target.title if target else "",
                because=tuple(map(reason_words, entry.because)),
            )


def _plain(reason: Reason) -> tuple[str, ...]:
    """A reason without the time at which it was said."""
    if isinstance(reason, PersonReason):
        return reason.person, reason.text
    return (
        (reason.edge, reason.from_, reason.to, reason.cue)
        if isinstance(reason, EdgeReason)
        else (reason.rule, reason.text)
    )


# --- other teams ------------------------------------------------------------------------------------------------------


def _mirrors(before: Held, after: Held) -> Iterator[MirrorChange]:
    for was, now in _pairs(before, after):
        if now is None or now.state == "deleted":
            continue
        if now.kind == "external":
            yield from _mirror(was, now)
        elif now.request is not None and now.request.external is not None:
            old = was.request.external if was is not None and was.request is not None else None
            if old != now.request.external:
                about = {"card": now.request.external, "title": now.title, "team": now.request.team}
                yield MirrorChange(turn="requested", before=now.id, **about)


def _mirror(was: Card | None, now: Card) -> Iterator[MirrorChange]:
    about = {"card": now.id, "title": now.title, "team": now.team}
    if was is None:
        yield MirrorChange(turn="new", after=now.state, **about)
        return
    if was.state != now.state:
        yield MirrorChange(turn="state", before=was.state, after=now.state, **about)
    if was.due != now.due:
        yield MirrorChange(turn="due", before=was.due or "", after=now.due or "", **about)
    for version in now.consumer_contract[len(was.consumer_contract) :]:
        yield MirrorChange(turn="contract", before=version.by, after=version.text, **about)
    old, new = was.tracker, now.tracker
    if old is None or new is None:
        return
    for one, other in ((old.title, new.title), (old.status, new.status)):
        if one != other:
            yield MirrorChange(turn="issue", before=one or "", after=other or "", **about)
    if (old.sync == "ok") != (new.sync == "ok"):
        yield MirrorChange(turn="reachable" if new.sync == "ok" else "unreachable", after=new.sync, **about)


# --- the ledger -------------------------------------------------------------------------------------------------------


def _exemptions(before: Held, after: Held) -> Iterator[ExemptionChange]:
    """The overrides that are new, by time."""
    new = [(entry.at, name, entry) for name, entry in after.ledger.items() if name not in before.ledger]
    for at, name, entry in sorted(new, key=lambda one: one[:2]):
        if entry.type != "exemption":
            continue
        body = ExemptionBody.parse(entry.body, source=name)
        yield ExemptionChange(
            subject=entry.subject,
            rule=body.rule,
            reason_kind=body.reason_kind,
            because=body.because,
            by=entry.by,
            at=at,
            until=body.until,
        )
