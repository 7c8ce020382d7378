"""The trace of an instance: claim -> acceptance line -> card -> issue, with what has no counterpart on either side.

Nothing is judged here: rules do that. Cards that were cut from the plan are no part of it, nor are claims that a successor replaced, unless
a card still names them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from schemas.anchors import Anchor, AnchorStore, Discarded
from schemas.card import AcceptanceLine, Card
from schemas.outputs import Passage
from schemas.trace import (
    TraceCounts,
    TracedCard,
    TracedClaim,
    TracedIssue,
    TracedLine,
    TraceOutput,
    TraceRow,
)
from store.snapshot import Snapshot

_HOMES = {"card": "a card, and none has it", "glossary": "the glossary", "epic": "its epic"}


PassageOf = Callable[[str], Passage]
"""Where the claim of an id stands in its spec today."""


def trace(snapshot: Snapshot, passage: PassageOf, spec: str | None = None) -> TraceOutput:
    """The trace of every spec, or of one (its key) with the cards that were made of it."""
    found = _Trace(snapshot, passage, spec)
    rows = tuple(found.rows())
    return TraceOutput(project=snapshot.config.project, spec=spec, trace=rows, counts=found.counts(rows))


class _Trace:
    def __init__(self, snapshot: Snapshot, passage: PassageOf, spec: str | None) -> None:
        self._snapshot = snapshot
        self._passage = passage
        self._spec = spec
        self._cards = [card for card in snapshot.cards if card.state != "deleted"]
        self._by_claim: dict[str, list[tuple[Card, AcceptanceLine | None]]] = {}
        for card in self._cards:
            for claim, line in _pairs(card):
                self._by_claim.setdefault(claim, []).append((card, line))

    def rows(self) -> Iterator[TraceRow]:
        for key, store in self._snapshot.anchor_stores.items():
            if self._spec in (None, key):
                for anchor in store.anchors:
                    yield from self._of_claim(store, anchor)
        for card in self._own_cards:
            yield from self._without_claim(card)

    @property
    def _own_cards(self) -> list[Card]:
        """The cards that are asked for; a claim of the spec may be on another one too, and is told there."""
        return [card for card in self._cards if self._spec in (None, card.spec)]

    def _of_claim(self, store: AnchorStore, anchor: Anchor) -> Iterator[TraceRow]:
        pairs = self._by_claim.get(anchor.id, [])
        if not pairs and anchor.status == "retired":
            return
        claim = self._claim(store, anchor, on_card=bool(pairs))
        if not pairs:
            yield TraceRow(link="no-card" if anchor.home == "card" else "elsewhere", claim=claim)
        for card, line in pairs:
            yield _row(card, line, claim)

    def _without_claim(self, card: Card) -> Iterator[TraceRow]:
        """Lines that no claim is behind, claims that are not there, and a card that has neither lines nor claims."""
        for line in card.acceptance:
            if not line.anchors:
                yield _row(card, line, None)
        for claim, on_line in _pairs(card):
            if claim not in self._snapshot.anchor_by_id:
                yield _row(card, on_line, TracedClaim(id=claim))
        if not card.acceptance and not card.anchors:
            yield _row(card, None, None)

    def _claim(self, store: AnchorStore, anchor: Anchor, *, on_card: bool) -> TracedClaim:
        stands = self._passage(anchor.id)
        return TracedClaim(
            id=anchor.id,
            spec=store.spec.key,
            kind=anchor.kind,
            status=stands.status,
            words=" ".join(anchor.exact.split()),
            section=anchor.section,
            file=stands.file,
            lines=stands.lines,
            home="" if on_card else _home(anchor),
        )

    def counts(self, rows: Iterable[TraceRow]) -> TraceCounts:
        """Each claim, line and card counted once, on however many rows it stands."""
        claims: dict[str, set[str]] = {}
        for row in rows:
            if row.claim is not None and row.link != "unknown-claim":
                claims.setdefault(
                    "elsewhere" if row.link == "elsewhere" else "card" if row.card else "none", set()
                ).add(row.claim.id)
        cards = self._own_cards
        lines = [line for card in cards for line in card.acceptance]
        return TraceCounts(
            claims=sum(map(len, claims.values())),
            claims_on_cards=len(claims.get("card", ())),
            claims_elsewhere=len(claims.get("elsewhere", ())),
            lines=len(lines),
            lines_with_claims=sum(bool(line.anchors) for line in lines),
            cards=len(cards),
            cards_with_issues=sum(card.tracker is not None for card in cards),
        )


def _pairs(card: Card) -> Iterator[tuple[str, AcceptanceLine | None]]:
    """Each claim of a card with each line that says it; a claim that no line says with none."""
    said: set[str] = set()
    for line in card.acceptance:
        for claim in dict.fromkeys(line.anchors):
            said.add(claim)
            yield claim, line
    for claim in dict.fromkeys(card.anchors):
        if claim not in said:
            yield claim, None


def _row(card: Card, line: AcceptanceLine | None, claim: TracedClaim | None) -> TraceRow:
    issue = card.tracker
    return TraceRow(
        link="no-claim"
        if claim is None
        else "unknown-claim"
        if claim.kind is None
        else "traced"
        if line
        else "no-line",
        claim=claim,
        line=None if line is None else TracedLine(id=line.id, text=line.text),
        card=TracedCard(id=card.id, kind=card.kind, title=card.title, state=card.state, team=card.team, spec=card.spec),
        issue=None
        if issue is None
        else TracedIssue(provider=issue.provider, site=issue.site, key=issue.key, url=issue.url, status=issue.status),
    )


def _home(anchor: Anchor) -> str:
    if isinstance(anchor.home, Discarded):
        return f"left out ({anchor.home.discarded}): {anchor.home.because}"
    return _HOMES[anchor.home]
