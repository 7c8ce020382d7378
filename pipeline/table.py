"""What lies on the table after the join: claims that stand, their edges, and the disputes that wait for an answer.

A recorded answer is replayed by place, not by id: it stands over whatever dispute or agreement lies on its text while that text
and its context are unchanged (DESIGN.md section 5 "Settling").
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from pipeline.bench import Bench, EdgeKey, Key, StandingClaim, ordered_key
from pipeline.join import Joined, SideEdges
from pipeline.standing import StandingClaims
from schemas.anchors import Discarded
from schemas.kinds import EDGE_KINDS
from schemas.reading import Dispute, GroundedAnchor
from schemas.settlement import SettledAnchor, SettledEdge, SettledEnd, Settlement, Where
from text.coordinates import SpanT, SpecText
from text.cores import core
from text.folding import fold
from text.grounding import Reading
from text.intervals import cross, holds


@dataclass(frozen=True, slots=True)
class Side:
    """One reader's claims by its own refs, where those that are agreed or parts stand, and the edges that it alone drew."""

    anchors: dict[str, GroundedAnchor]
    homes: dict[str, Key]
    edges: SideEdges


@dataclass
class Table:
    """The state that answers change.

    `kept` are places where a person let a gate error through, `decided` those where an answer says all that stands there (also
    that nothing does), `unclaimable` those that a person marked as no claim, `stale` the ids of answers that say nothing any more
    because their text or context changed, `reasons` what each open gate dispute is about.
    """

    bench: Bench
    claims: StandingClaims
    edges: dict[EdgeKey, SpanT]
    disputes: dict[str, Dispute]
    sides: tuple[Side, Side]
    kept: list[SpanT] = field(default_factory=list)
    decided: list[SpanT] = field(default_factory=list)
    discarded: dict[Key, Discarded] = field(default_factory=dict)
    unclaimable: list[SpanT] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)

    @classmethod
    def lay(cls, bench: Bench, joined: Joined, a: Reading, b: Reading) -> Table:
        """The table as the join leaves it."""
        stand = [StandingClaim(one.kind, one.span, core(bench.spec.text, one.span), one.labels) for one in joined.pairs]
        homes_a = {one.a.ref: stand[index].key for index, one in enumerate(joined.pairs)}
        homes_b = {one.b.ref: stand[index].key for index, one in enumerate(joined.pairs)}
        homes_a |= {anchor.ref: stand[whole].key for anchor, whole in joined.parts_a}
        homes_b |= {anchor.ref: stand[whole].key for anchor, whole in joined.parts_b}
        return cls(
            bench,
            StandingClaims(stand),
            {(edge.kind, stand[edge.from_].key, stand[edge.to].key): edge.cue_span for edge in joined.agreed_edges},
            {one.id: one for one in joined.disputes},
            (
                Side({anchor.ref: anchor for anchor in a.anchors}, homes_a, joined.only_a),
                Side({anchor.ref: anchor for anchor in b.anchors}, homes_b, joined.only_b),
            ),
        )

    @classmethod
    def empty(cls, bench: Bench) -> Table:
        """A table without readings: what only a person claims can be put on it."""
        nothing = Side({}, {}, SideEdges((), ()))
        return cls(bench, StandingClaims(), {}, {}, (nothing, nothing))

    def stand_on(
        self, changed: Collection[int], stored: Iterable[StandingClaim], edges: Iterable[tuple[EdgeKey, SpanT]]
    ) -> None:
        """Sections that are not `changed` are never read again: there the stored claims and edges stand, and nothing is in dispute."""

        def was_read(offset: int) -> bool:
            return self.bench.structure.section_at(offset).index in changed

        for claim in list(self.claims):
            if not was_read(claim.span[0]):
                self.claims.drop(claim.key)
        self.disputes = {name: one for name, one in self.disputes.items() if was_read(one.span[0])}
        for claim in stored:
            if not was_read(claim.span[0]):
                self.claims.put(claim)
        read = {edge: cue for edge, cue in self.edges.items() if was_read(edge[1][1][0]) or was_read(edge[2][1][0])}
        self.edges = dict(edges) | read

    def standing_edges(self) -> list[tuple[EdgeKey, SpanT]]:
        """The edges whose ends both stand, in text order of their ends."""
        live = [entry for entry in self.edges.items() if entry[0][1] in self.claims and entry[0][2] in self.claims]
        return sorted(live, key=lambda entry: (entry[0][1][1], entry[0][2][1], entry[0][0]))

    def open(self) -> tuple[Dispute, ...]:
        """The disputes that wait, by place."""
        return tuple(sorted(self.disputes.values(), key=lambda one: (one.span, one.type, one.id)))

    def claim_of(self, number: int, ref: str) -> StandingClaim:
        """A reader's claim as it would stand; `number` is 0 for A and 1 for B."""
        anchor = self.sides[number].anchors[ref]
        return self.bench.claim(anchor.kind, anchor.span)

    def disputed_edge(self, dispute: Dispute) -> EdgeKey:
        """The edge that one reader alone drew between two agreed claims."""
        homes = self.sides[0 if dispute.a else 1].homes
        words = (dispute.a or dispute.b)[0]
        for kind in EDGE_KINDS:
            from_, found, to = words.partition(f" {kind} ")
            if found and from_ in homes and to in homes:
                return ordered_key(kind, homes[from_], homes[to])
        raise AssertionError(f"dispute {dispute.id} names no edge: {words}")

    def disputed_places(self) -> list[SpanT]:
        """Where readers must decide again: the words of every dispute, of an edge also both its ends."""
        places = [one.span for one in self.disputes.values()]
        for dispute in self.disputes.values():
            if dispute.type == "edge":
                _, from_, to = self.disputed_edge(dispute)
                places += [from_[1], to[1]]
        return places

    def copy(self) -> Table:
        """The same table to try an answer on."""
        return replace(
            self,
            claims=StandingClaims(self.claims),
            edges=dict(self.edges),
            disputes=dict(self.disputes),
            kept=list(self.kept),
            decided=list(self.decided),
            discarded=dict(self.discarded),
            unclaimable=list(self.unclaimable),
            stale=list(self.stale),
            reasons=dict(self.reasons),
        )

    # Replay.

    def take_bulk(self, settlement: Settlement) -> None:
        """Apply an answer to all that is open, as it was just given: nothing is in dispute afterwards."""
        self._leave_out(self._located(settlement.left_out))
        self.put(self._located(settlement.anchors, new=True))
        self._put_edges(settlement.edges)
        self.disputes.clear()

    def replay(self, settlements: Iterable[Settlement]) -> None:
        """Apply recorded answers in the order in which they were given."""
        for settlement in sorted(settlements, key=lambda one: (one.at, one.id)):
            if not self.apply(settlement):
                self.stale.append(settlement.id)

    def apply(self, settlement: Settlement) -> bool:
        """Apply one answer; False when its text or context is no longer there, so that it says nothing."""
        if settlement.type == "bulk":
            return self._apply_bulk(settlement)
        if settlement.type == "edge":
            return self._apply_edge(settlement)
        where = settlement.where
        region = self._region(where)
        if region is None:
            return False
        if settlement.type == "discard":
            return self._apply_discard(settlement)
        if settlement.type == "gate" and settlement.answer == "keep":
            self.kept.append(region)
            return True
        if settlement.type == "not-a-claim" or (settlement.type not in ("claim", "gate") and not settlement.anchors):
            self.unclaimable.append(region)
        if settlement.type != "claim":
            self._clear(region)
            self.decided.append(region)
        self.put(self._located(settlement.anchors))
        self._put_edges(settlement.edges)
        return True

    def put(self, claims: Iterable[StandingClaim]) -> None:
        """Put claims on the table; one that crosses what stands is not put: a later reading cut it otherwise."""
        for claim in claims:
            if not any(cross(claim.core, other.core) for other in self.claims.near(claim.core)):
                self.claims.put(claim)

    def _leave_out(self, claims: Iterable[StandingClaim]) -> None:
        for claim in claims:
            self.decided.append(claim.core)
            if claim.key in self.claims:
                self.claims.drop(claim.key)

    def _apply_bulk(self, settlement: Settlement) -> bool:
        taken = self._located(settlement.anchors)
        left_out = self._located(settlement.left_out)
        self._leave_out(left_out)
        known = {claim.key for claim in (*taken, *left_out)}
        unchanged = settlement.where.exact == folded_digest(self.bench.spec)
        for dispute in list(self.disputes.values()):
            own = [
                self.claim_of(number, ref).key
                for number, refs in enumerate((dispute.a, dispute.b))
                for ref in refs
                if dispute.type != "edge"
            ]
            if unchanged if dispute.type == "edge" else known.issuperset(own):
                del self.disputes[dispute.id]
        self.put(taken)
        self._put_edges(settlement.edges)
        return unchanged or bool(known)

    def _apply_edge(self, settlement: Settlement) -> bool:
        applied = False
        for edge in settlement.edges:
            key = self._edge_key(edge)
            if key is None:
                continue
            applied = True
            if settlement.answer == "keep":
                self.edges[key] = self._cue_of(edge) or self.claims[key[1]].span
            else:
                self.edges.pop(key, None)
            for dispute in list(self.disputes.values()):
                if dispute.type == "edge" and self.disputed_edge(dispute) == key:
                    del self.disputes[dispute.id]
        return applied

    def _apply_discard(self, settlement: Settlement) -> bool:
        standing = [claim for claim in self._located(settlement.anchors) if claim.key in self.claims]
        for claim in standing:
            self.discarded[claim.key] = Discarded(
                discarded=settlement.reason or "background", because=settlement.because or "", by=settlement.by
            )
        return bool(standing)

    def _clear(self, region: SpanT) -> None:
        """An answer stands over whatever claims and disputes lie on its text."""
        for claim in self.claims.near(region):
            if holds(region, claim.core):
                self.claims.drop(claim.key)
        for dispute in list(self.disputes.values()):
            if dispute.type != "edge" and holds(region, core(self.bench.spec.text, dispute.span)):
                del self.disputes[dispute.id]

    def _region(self, where: Where) -> SpanT | None:
        """The place of an answer. Of several that look alike it is the first that holds an open dispute."""
        places = self.bench.finder.places(where.exact, where.prefix, where.suffix)
        if len(places) < 2:
            return places[0] if places else None
        cores = [core(self.bench.spec.text, one.span) for one in self.disputes.values() if one.type != "edge"]
        return next((place for place in places if any(holds(place, inner) for inner in cores)), None)

    def _located(self, anchors: Sequence[SettledAnchor], *, new: bool = False) -> list[StandingClaim]:
        """The claims of an answer where their words and context stand unchanged.

        Where equal words with equal context stand more often than the answer says, an answer that is `new` means places where no
        such claim stands yet, and one that is replayed those where it does.
        """
        found: list[StandingClaim] = []
        for anchor, count in Counter(anchors).items():
            places = self.bench.finder.places(anchor.exact, anchor.prefix, anchor.suffix)
            claims = [self.bench.claim(anchor.kind, span) for span in places]
            if len(claims) > count:
                claims.sort(key=lambda claim: (claim.key in self.claims) == new)
            found += claims[:count]
        return found

    def _put_edges(self, edges: Iterable[SettledEdge]) -> None:
        for edge in edges:
            key = self._edge_key(edge)
            if key is not None:
                self.edges[key] = self._cue_of(edge) or self.claims[key[1]].span

    def _edge_key(self, edge: SettledEdge) -> EdgeKey | None:
        from_, to = self._end(edge.from_), self._end(edge.to)
        return None if from_ is None or to is None else ordered_key(edge.kind, from_, to)

    def _end(self, end: SettledEnd) -> Key | None:
        keys = (self.bench.claim(end.kind, span).key for span in self.bench.finder.places(end.exact, end.prefix))
        return next((key for key in keys if key in self.claims), None)

    def _cue_of(self, edge: SettledEdge) -> SpanT | None:
        found = self.bench.grounder.find(edge.cue, (0, len(self.bench.spec.text)))
        return found[1][0] if found else None


def folded_digest(spec: SpecText) -> str:
    """The digest of a spec's folded text: what a bulk answer over the whole of it stands on."""
    return "sha256:" + hashlib.sha256(fold(spec.text).encode("utf-8", "surrogatepass")).hexdigest()
