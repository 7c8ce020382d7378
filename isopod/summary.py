"""What `isopod status` counts."""

from __future__ import annotations

import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from isopod.looking import Looking
from schemas.anchors import AnchorStore
from schemas.card import Card
from schemas.kinds import CARD_STATES, WORK_KINDS
from schemas.outputs import SpecStatus, Status
from store.transaction import unfinished
from text.coordinates import SpecText
from text.sections import sections_of
from text.structure import structure


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
        last_reading=_last_reading(snapshot.instance.runs_dir),
        unfinished_write=unfinished(snapshot.instance.state_dir) is not None,
    )


def _by_state(cards: list[Card], kind: str) -> dict[str, int]:
    counts = Counter(card.state for card in cards if card.kind == kind)
    return {state: counts[state] for state in CARD_STATES if counts[state]}


def _specs(looking: Looking, live: list[Card]) -> list[SpecStatus]:
    """The compiled specs, then the files that nobody compiled yet."""
    snapshot = looking.snapshot
    cards: dict[str | None, list[Card]] = {}
    for card in live:
        cards.setdefault(card.spec, []).append(card)
    compiled = [_spec(looking, key, store, cards.get(key, [])) for key, store in sorted(snapshot.anchor_stores.items())]
    known = {spec.path for spec in compiled}
    return compiled + [
        SpecStatus(key=file.key, path=file.path, present=True) for file in snapshot.spec_files if file.path not in known
    ]


def _spec(looking: Looking, key: str, store: AnchorStore, cards: list[Card]) -> SpecStatus:
    spec = looking.snapshot.spec(key)
    changed = _changed(spec, store) if spec is not None else 0
    # Where no section changed every claim stands as it was adopted: looking for each of them would say the same.
    statuses = (
        [passage.status for passage in looking.passages(anchor.id for anchor in store.anchors)]
        if changed or spec is None
        else [anchor.status for anchor in store.anchors]
    )
    return SpecStatus(
        key=key,
        path=store.spec.path,
        present=spec is not None,
        changed_sections=changed,
        readings=store.readings,
        heuristic=store.heuristic,
        claims=dict(Counter(statuses)),
        answers=len(looking.snapshot.settlements.get(key, ())),
        cards=len(cards),
        ready=sum(looking.graph.is_ready(card.id) for card in cards),
    )


def _changed(spec: SpecText, store: AnchorStore) -> int:
    """How many sections are new or other than when they were read, or are gone."""
    now = {section.path: section.digest for section in sections_of(spec, structure(spec))}
    then = {section.path: section.digest for section in store.sections}
    return sum(now.get(path) != then.get(path) for path in now | then)


def _last_reading(folder: Path) -> str | None:
    """When the newest run was kept; the state folder is not committed, so this is about this machine."""
    try:
        times = [entry.stat().st_mtime for entry in os.scandir(folder) if entry.is_file()]
    except OSError:
        return None
    return f"{datetime.fromtimestamp(max(times), UTC):%Y-%m-%dT%H:%M:%SZ}" if times else None
