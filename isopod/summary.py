"""What `isopod status` counts."""

from __future__ import annotations

from collections import Counter

from isopod.looking import Looking
from schemas.anchors import AnchorStore
from schemas.card import Card
from schemas.kinds import CARD_STATES, WORK_KINDS
from schemas.outputs import SpecStatus, Status
from store.transaction import unfinished


def status_of(looking: Looking) -> Status:
    """Everything that fits one screen."""
    snapshot = looking.snapshot
    live = [card for card in snapshot.cards if card.state != "deleted"]
    work = [card for card in live if card.kind in WORK_KINDS and card.state != "done"]
    ready = sum(looking.graph.is_ready(card.id) for card in work)
    open_ones = [card for card in live if looking.standing(card) == "open"]
    return Status(
        project=snapshot.config.project,
        specs=tuple(_specs(looking, live)),
        cards={kind: _by_state(live, kind) for kind in dict.fromkeys(item.kind for item in looking.items(live))},
        ready=ready,
        waiting=len(work) - ready,
        questions=looking.items(card for card in open_ones if card.kind == "gate"),
        requests=looking.items(card for card in open_ones if card.kind == "request"),
        problems=len(snapshot.problems),
        unfinished_write=unfinished(snapshot.instance.state_dir) is not None,
    )


def _by_state(cards: list[Card], kind: str) -> dict[str, int]:
    counts = Counter(card.state for card in cards if card.kind == kind)
    return {state: counts[state] for state in CARD_STATES if counts[state]}


def _specs(looking: Looking, live: list[Card]) -> list[SpecStatus]:
    """The compiled specs, then the files that nobody compiled yet."""
    snapshot = looking.snapshot
    compiled = [_spec(looking, key, store, live) for key, store in sorted(snapshot.anchor_stores.items())]
    known = {spec.path for spec in compiled}
    return compiled + [
        SpecStatus(key=file.key, path=file.path, present=True) for file in snapshot.spec_files if file.path not in known
    ]


def _spec(looking: Looking, key: str, store: AnchorStore, live: list[Card]) -> SpecStatus:
    cards = [card for card in live if card.spec == key]
    passages = looking.passages(anchor.id for anchor in store.anchors)
    return SpecStatus(
        key=key,
        path=store.spec.path,
        present=looking.snapshot.spec(key) is not None,
        readings=store.readings,
        heuristic=store.heuristic,
        claims=dict(Counter(passage.status for passage in passages)),
        answers=len(looking.snapshot.settlements.get(key, ())),
        cards=len(cards),
        ready=sum(looking.graph.is_ready(card.id) for card in cards),
    )
