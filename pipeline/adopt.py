"""Adopt: what stands becomes anchors with ids given by code; a changed spec meets its own store (DESIGN.md section 6).

Pure code, no model call. An id is derived once, at birth; after that the stored id stands, whatever moves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, Literal

from pipeline.bench import Bench, EdgeKey, Key, StandingClaim, in_text_order
from pipeline.pairing import TWO_STAGE, pair
from pipeline.standing import StandingClaims
from schemas.anchors import Anchor, AnchorEdge, Discarded
from schemas.ids import tail
from schemas.kinds import AnchorKind, kind_class
from schemas.reading import GroundedAnchor
from text.coordinates import SpanT
from text.cores import core
from text.folding import fold
from text.intervals import holds
from text.selectors import Located

CONFIG: Final = "config.yaml"
"""Who discards what config calls background."""


@dataclass(frozen=True, slots=True)
class PlacedAnchor:
    """An anchor with its place in the current text; None when the text no longer holds it."""

    anchor: Anchor
    span: SpanT | None


@dataclass(frozen=True, slots=True)
class Adopted:
    """The anchors of a spec after adopting.

    `placed` are all of them in the order of the file, `fresh` the ids born now, `reworded` those whose words changed, `gone` those
    that no longer stand (retired, or edited and lost under a card that may not be rewritten).
    """

    placed: tuple[PlacedAnchor, ...]
    edges: tuple[AnchorEdge, ...]
    fresh: frozenset[str]
    reworded: frozenset[str]
    gone: frozenset[str]


def adopt(
    bench: Bench,
    key: str,
    prefix: str,
    claims: Iterable[StandingClaim],
    edges: Iterable[tuple[EdgeKey, SpanT]],
    *,
    issued: Collection[str],
    old: Sequence[Anchor] = (),
    old_edges: Sequence[AnchorEdge] = (),
    changed: Collection[int] = (),
    frozen: Collection[str] = (),
    discarded: Mapping[Key, Discarded] | None = None,
    discards: Collection[str] = (),
    decided: Collection[SpanT] = (),
    asked_again: Collection[str] = (),
    refused: Collection[Key] = (),
) -> Adopted:
    """Give ids to what stands.

    `claims` are those of the whole spec, `old` the stored anchors, `changed` the sections that were read afresh (with an empty
    store: all), `frozen` the stored anchors on cards which may not be rewritten: they are marked, never retired. `discarded` and
    `decided` (places where an answer says all that stands there) are what people said, `asked_again` the sections whose answers
    they took back: there a stored anchor stands only if it is claimed again, `refused` the stored anchors that no gate lets stand
    beside what is claimed now.
    """
    claims = sorted(claims, key=in_text_order)
    meeting = _Meeting(bench, old, changed, {one.key for one in claims})
    kept = {one.anchor.id for one in meeting.kept}
    claims = [one for one in claims if one.key not in meeting.kept_keys]
    matched = meeting.match(claims)
    ids: dict[Key, str] = {}
    placed: list[PlacedAnchor] = list(meeting.kept)
    fresh, reworded = set(), set()
    births = _Births(bench, key, prefix, {*issued, *(anchor.id for anchor in old)})
    for one in claims:
        before = matched.get(one.key)
        identity = before.id if before is not None else births.give(one)
        ids[one.key] = identity
        anchor = _anchor(bench, identity, one, before)
        if before is None:
            fresh.add(identity)
        elif fold(before.exact) != fold(anchor.exact):
            reworded.add(identity)
        placed.append(PlacedAnchor(anchor, one.span))
    left = meeting.left(matched, claims, decided, asked_again, refused)
    placed += left.standing
    gone = [_gone(anchor, meeting.located[anchor.id], frozen) for anchor in left.gone]
    keys = {one.anchor.id: _key_of(bench, one) for one in placed if one.span is not None}
    ids = {stored: identity for identity, stored in keys.items()} | ids
    placed = [_at_home(one, keys[one.anchor.id], discarded or {}, discards) for one in sorted(placed, key=_place)]
    standing = {one.anchor.id for one in placed if not isinstance(one.anchor.home, Discarded)}
    edges = [(edge, cue) for edge, cue in edges if not kept.issuperset((ids.get(edge[1], ""), ids.get(edge[2], "")))]
    return Adopted(
        placed=tuple(_with_gone(placed, gone, old)),
        edges=_edges(bench, edges, ids, old_edges, standing, placed),
        fresh=frozenset(fresh),
        reworded=frozenset(reworded),
        gone=frozenset(anchor.id for anchor in gone),
    )


def _place(one: PlacedAnchor) -> tuple[int, int, str]:
    start, end = one.span or (0, 0)
    return start, -end, one.anchor.id


@dataclass(frozen=True, slots=True)
class _Left:
    standing: list[PlacedAnchor]
    gone: list[Anchor]


class _Meeting:
    """The stored anchors in the new text: which are untouched, which meet the new reading."""

    def __init__(self, bench: Bench, old: Sequence[Anchor], changed: Collection[int], claimed: Collection[Key]) -> None:
        self._bench = bench
        self._changed = frozenset(changed)
        self.kept: list[PlacedAnchor] = []
        self.kept_keys: set[Key] = set()
        self._taken_away: list[Anchor] = []
        self._candidates: list[tuple[Anchor, SpanT | None]] = []
        standing = [anchor for anchor in old if anchor.status != "retired"]
        names = {section.name for section in bench.structure.sections if section.index not in self._changed}
        places = bench.finder.locate_all(standing, names)
        self.located = {anchor.id: place for anchor, place in zip(standing, places, strict=True)}
        holders = self._holders(standing)
        for anchor in standing:
            found = self.located[anchor.id]
            key = None if found.span is None else _key_of(bench, PlacedAnchor(anchor, found.span))
            if key is not None and holders[key] != anchor.id:
                self._taken_away.append(anchor)
            elif found.span is None or key is None or anchor.status != "live" or self.was_read(found.span):
                self._candidates.append((anchor, found.span))
            elif key in claimed:
                self.kept.append(PlacedAnchor(anchor, found.span))
                self.kept_keys.add(key)
            else:
                self._taken_away.append(anchor)

    def _holders(self, standing: Sequence[Anchor]) -> dict[Key, str]:
        """Whose a place is when the words of two stored anchors now stand there alone: one that stood, of that section, else the first."""
        holders: dict[Key, tuple[bool, bool, int, str]] = {}
        for number, anchor in enumerate(standing):
            span = self.located[anchor.id].span
            if span is not None:
                key = _key_of(self._bench, PlacedAnchor(anchor, span))
                elsewhere = self._bench.structure.section_at(span[0]).name != anchor.section
                claimant = (anchor.status != "live", elsewhere, number, anchor.id)
                holders[key] = min(holders.get(key, claimant), claimant)
        return {key: identity for key, (_, _, _, identity) in holders.items()}

    def was_read(self, span: SpanT) -> bool:
        return self._bench.structure.section_at(span[0]).index in self._changed

    def match(self, claims: Sequence[StandingClaim]) -> dict[Key, Anchor]:
        """The new claims that are stored ones, by section 5's rules for the two readings."""
        standing = [(anchor, span) for anchor, span in self._candidates if span is not None]
        new = [_grounded(self._bench, str(index), one.kind, one.span) for index, one in enumerate(claims)]
        old = [_grounded(self._bench, anchor.id, anchor.kind, span) for anchor, span in standing]
        return {claims[i].key: standing[j][0] for i, j in pair(new, old, TWO_STAGE).items()}

    def left(
        self,
        matched: Mapping[Key, Anchor],
        claims: Sequence[StandingClaim],
        decided: Collection[SpanT],
        asked_again: Collection[str],
        refused: Collection[Key],
    ) -> _Left:
        """Stored anchors that met no new claim: those whose words still stand and fit stay, the others are gone."""
        met = {anchor.id for anchor in matched.values()}
        ground = StandingClaims([*claims, *(_standing_claim(self._bench, one) for one in self.kept)])
        standing: list[PlacedAnchor] = []
        gone = list(self._taken_away)
        for anchor, span in self._candidates:
            if anchor.id in met:
                continue
            barred = anchor.section in asked_again or (
                span is not None
                and (
                    (anchor.status != "live" and not self.was_read(span))
                    or _key_of(self._bench, PlacedAnchor(anchor, span)) in refused
                    or any(holds(place, core(self._bench.spec.text, span)) for place in decided)
                )
            )
            placed = None if span is None else PlacedAnchor(anchor, span)
            if span is None or placed is None or barred or ground.clash(_standing_claim(self._bench, placed)):
                gone.append(anchor)
                continue
            ground.put(_standing_claim(self._bench, placed))
            found = anchor.model_copy(update={"status": "live", "successor": None, **_selectors(self._bench, span)})
            standing.append(PlacedAnchor(found, span))
        return _Left(standing, gone)


def _key_of(bench: Bench, one: PlacedAnchor) -> Key:
    span = one.span or (0, 0)
    return kind_class(one.anchor.kind), core(bench.spec.text, span)


def _at_home(
    one: PlacedAnchor, key: Key, discarded: Mapping[Key, Discarded], discards: Collection[str]
) -> PlacedAnchor:
    """What people discarded has its reason for a home; what they took back from there has its card again.

    A stored claim stays discarded while an answer that discards its words (`discards`) is kept, also when the words beside it changed.
    """
    home = one.anchor.home
    if key in discarded:
        home = discarded[key]
    elif isinstance(home, Discarded) and home.by != CONFIG and fold(one.anchor.exact) not in discards:
        home = _first_home(one.anchor.kind)
    return one if home == one.anchor.home else PlacedAnchor(one.anchor.model_copy(update={"home": home}), one.span)


def _first_home(kind: AnchorKind) -> Literal["card", "glossary", "epic"]:
    return "glossary" if kind == "term" else "epic" if kind == "exclusion" else "card"


def _standing_claim(bench: Bench, one: PlacedAnchor) -> StandingClaim:
    span = one.span or (0, 0)
    return StandingClaim(one.anchor.kind, span, core(bench.spec.text, span), one.anchor.labels)


def _grounded(bench: Bench, ref: str, kind: AnchorKind, span: SpanT) -> GroundedAnchor:
    return GroundedAnchor(
        ref=ref, kind=kind, span=span, core=core(bench.spec.text, span), step="exact", lines=bench.spec.lines_of(span)
    )


class _Births:
    """Gives ids: sha256 over spec key, class, folded text and the smallest n from 0 whose id was never issued."""

    def __init__(self, bench: Bench, key: str, prefix: str, issued: set[str]) -> None:
        self._bench = bench
        self._key = key
        self._prefix = prefix
        self._issued = issued
        # Ids are never taken back, so the search goes on where it stopped: equal sentences are many in some specs.
        self._next: dict[tuple[str, str], int] = {}

    def give(self, one: StandingClaim) -> str:
        """A new id for a claim."""
        words = (kind_class(one.kind), fold(self._bench.spec.quoted(one.span)))
        n = self._next.get(words, 0)
        while True:
            identity = f"{self._prefix}-{tail([self._key, *words, n])}"
            n += 1
            if identity not in self._issued:
                break
        self._next[words] = n
        self._issued.add(identity)
        return identity


def _selectors(bench: Bench, span: SpanT) -> dict[str, str]:
    found = bench.finder.select(span)
    return {"exact": found.exact, "prefix": found.prefix, "suffix": found.suffix, "section": found.section}


def _anchor(bench: Bench, identity: str, one: StandingClaim, before: Anchor | None) -> Anchor:
    home = before.home if before is not None else _first_home(one.kind)
    return Anchor(
        id=identity, kind=one.kind, labels=one.labels, status="live", home=home, **_selectors(bench, one.span)
    )


def _gone(anchor: Anchor, found: Located, frozen: Collection[str]) -> Anchor:
    if anchor.id in frozen:
        # What another claim took the place of was edited, also where its section is gone.
        is_lost = found.status == "lost" and anchor.successor is None
        return anchor.model_copy(update={"status": "lost" if is_lost else "edited"})
    return anchor.model_copy(update={"status": "retired"})


def _with_gone(placed: list[PlacedAnchor], gone: Sequence[Anchor], old: Sequence[Anchor]) -> list[PlacedAnchor]:
    """Anchors without a place stay behind the stored one that they stood behind, so that two branches merge."""
    unplaced = {anchor.id: anchor for anchor in old if anchor.status == "retired"} | {
        anchor.id: anchor for anchor in gone
    }
    behind: dict[str | None, list[Anchor]] = {}
    last: str | None = None
    for anchor in old:
        if anchor.id in unplaced:
            behind.setdefault(last, []).append(unplaced[anchor.id])
        else:
            last = anchor.id
    result = [PlacedAnchor(anchor, None) for anchor in behind.get(None, [])]
    for one in placed:
        result.append(one)
        result += [PlacedAnchor(anchor, None) for anchor in behind.get(one.anchor.id, [])]
    return result


def _edges(
    bench: Bench,
    edges: Iterable[tuple[EdgeKey, SpanT]],
    ids: Mapping[Key, str],
    old: Sequence[AnchorEdge],
    standing: AbstractSet[str],
    placed: Sequence[PlacedAnchor],
) -> tuple[AnchorEdge, ...]:
    """Stored edges whose ends and cue still stand, and those of the new reading, in text order of their ends.

    `standing` are the anchors that stand and that nobody discarded: no edge leads to another one.
    """
    order = {one.anchor.id: index for index, one in enumerate(placed)}
    kept: dict[tuple[str, str, str], AnchorEdge] = {}
    for edge in old:
        if edge.from_ in standing and edge.to in standing and bench.grounder.find(edge.cue, (0, len(bench.spec.text))):
            kept[edge.kind, edge.from_, edge.to] = edge
    for (kind, from_, to), cue in edges:
        if from_ in ids and to in ids and {ids[from_], ids[to]} <= standing:
            new = AnchorEdge(kind=kind, from_=ids[from_], to=ids[to], cue=fold(bench.spec.quoted(cue)))
            kept.setdefault((kind, new.from_, new.to), new)
    return tuple(sorted(kept.values(), key=lambda edge: (order[edge.from_], order[edge.to], edge.kind)))
