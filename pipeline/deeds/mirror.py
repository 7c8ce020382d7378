"""Another team has an issue for what we asked: a card mirrors it, and the request is done (DESIGN.md section 8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.deeds.circles import new_circles
from pipeline.deeds.contract import pinned, wanted_by
from pipeline.deeds.hand import Hand
from pipeline.draft.build import free_id
from pipeline.said import Said
from pipeline.workspace import Workspace
from schemas.card import Card, ContractVersion, Dependency, PersonReason, TrackerPart
from schemas.errors import ManyErrors, RefusedError
from schemas.ids import tail
from schemas.kinds import FINAL_STATES, CardState
from store.promises import promise_of
from store.snapshot import Snapshot


@dataclass(frozen=True)
class Mirrored:
    """The card that mirrors the issue, what is expected of it, and the cards that wait for it instead of for the request."""

    hand: Hand
    card: Card
    contract: ContractVersion
    waiting: tuple[str, ...]


def mirror_for(snapshot: Snapshot, issue: TrackerPart, request_id: str, said: Said) -> Mirrored:
    """Let an issue of another team take over a request of ours, in one transaction.

    A card mirrors the issue (one that mirrors it already is taken), what we expect is pinned from the request's lines, every edge
    of a live card to the request becomes one to that card, its reasons kept, and the request is done. Raises RefusedError when the
    card is no open request, the issue has no title, its status is mapped to no state, or another card of ours has it; as
    `store.cards.edit` when the team's cards are written here.
    """
    hand = Hand(snapshot, said, f"mirror add {issue.key} --for {request_id}")
    request = hand.card(request_id)
    _refuse_unfit(request)
    card = _standing(hand, issue, request) or hand.make(_card(snapshot, issue, request), by="mirror")
    contract = pinned(hand, card.id, wanted_by(request), by="mirror").version
    card = hand.card(card.id)
    waiting = tuple(_waiting(snapshot, request_id))
    for one in waiting:
        hand.change(one.id, {"depends_on": _turned(one, request_id, card, hand)}, by="mirror")
    part = request.request
    if part is not None:
        hand.change(
            request_id, {"state": "done", "request": part.model_copy(update={"external": card.id})}, by="mirror"
        )
    circles = list(new_circles(snapshot, *(after for _, after in hand.changes)))
    if circles:
        raise ManyErrors(circles)
    return Mirrored(hand, card, contract, tuple(one.id for one in waiting))


def state_of(snapshot: Snapshot, status: str | None) -> CardState:
    """The state that a status of the tracker means; an issue of which nobody told the status is there, and so published.

    Raises RefusedError for a status that config maps to no state: it is never guessed.
    """
    mapped = snapshot.config.tracker.status
    if status is None:
        return "published"
    if status not in mapped:
        raise RefusedError(
            "status-unmapped",
            f"the status {status!r} is mapped to no state; tracker.status in config.yaml has {', '.join(mapped) or 'none'}",
            fix="add it to tracker.status in config.yaml",
        )
    return mapped[status]


def _refuse_unfit(request: Card) -> None:
    if request.request is None:
        words = f"{request.id} is a {request.kind}: an issue of another team takes over a request"
        raise RefusedError("no-request", words, fix="isopod cards --kind request")
    if request.state == "deleted":
        raise RefusedError("cut-card", f"{request.id} was cut from the plan", fix=f"isopod show {request.id}")
    if request.state == "done":
        words = f"{request.request.external or 'an issue'} took over {request.id} already"
        raise RefusedError("taken-over", words, fix=f"isopod show {request.id}")


def _standing(hand: Hand, issue: TrackerPart, request: Card) -> Card | None:
    """The card that mirrors the issue already, with what was told of the issue now."""
    there = next((card for card in hand.snapshot.cards if _is_of(card, issue)), None)
    if there is None:
        return None
    if there.kind != "external" or request.request is None or there.team != request.request.team:
        words = f"{there.id} ({there.kind}, team {there.team}) has the issue {issue.key} already"
        raise RefusedError("issue-taken", words, fix=f"isopod show {there.id}")
    patch: dict[str, object] = {"tracker": issue}
    if issue.status is not None:
        patch["state"] = state_of(hand.snapshot, issue.status)
    return hand.change(there.id, patch, by="mirror")


def _is_of(card: Card, issue: TrackerPart) -> bool:
    """Whether a card, not deleted, has this issue: site and the tracker's own id are its identity."""
    part = card.tracker
    return part is not None and card.state != "deleted" and (part.site, part.id) == (issue.site, issue.id)


def _card(snapshot: Snapshot, issue: TrackerPart, request: Card) -> Card:
    title = " ".join((issue.title or "").split())
    if not title:
        raise RefusedError("words-missing", "the issue has no title", fix='--title "..."')
    born = f"mirror {issue.site} {issue.id}"
    return Card(
        id=free_id(
            snapshot.config.prefix_of("external"),
            born,
            tail(["external", issue.site, issue.id]),
            Workspace.of(snapshot).issued(),
        ),
        kind="external",
        title=title,
        state=state_of(snapshot, issue.status),
        team=request.request.team if request.request is not None else request.team,
        tracker=issue,
    )


def _waiting(snapshot: Snapshot, request_id: str) -> Iterator[Card]:
    """The cards that are not over and wait for the request."""
    for card in snapshot.cards:
        if card.state not in FINAL_STATES and any(entry.card == request_id for entry in card.depends_on):
            yield card


def _turned(card: Card, request_id: str, mirror: Card, hand: Hand) -> tuple[Dependency, ...]:
    """The card's edges, the one to the request turned to the mirror; the taking over joins its reasons and outlives those of the spec."""
    entries = {entry.card: entry for entry in card.depends_on}
    entry, known = entries.pop(request_id), entries.get(mirror.id)
    reason = PersonReason(person=hand.said.by, text=f"{mirror.id} took over {request_id}", at=hand.said.at)
    before = known.because if known is not None else ()
    entries[mirror.id] = Dependency(
        card=mirror.id,
        because=(*before, *(one for one in entry.because if one not in before), reason),
        seen=promise_of(mirror, hand.snapshot.anchor_by_id),
    )
    return tuple(entries[card_id] for card_id in sorted(entries))
