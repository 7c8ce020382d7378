"""D15: a spec that was compiled before. Cards keep their claims; only what has no card is placed; only drafted and planned are rewritten.

A card that nothing new, reworded or gone touches is left as it is, so a person's edit of it stays and compiling again changes no byte.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipeline.draft.build import build
from pipeline.draft.epics import without_cut_epic
from pipeline.draft.rings import without_rings
from pipeline.draft.sheet import JudgedKind, Judgement, Sheet
from pipeline.draft.standing import CARD_KINDS, StandingCards
from schemas.card import AcceptanceLine, Card, Dependency, EdgeReason, PersonReason, Reason, RuleReason
from schemas.kinds import OPEN_EDIT_STATES, PUBLISHED_STATES
from schemas.promise import promise


@dataclass(frozen=True, slots=True)
class Change:
    """One card as it is to be: `before` is None for a birth."""

    before: Card | None
    after: Card


@dataclass(frozen=True, slots=True)
class Offer:
    """A new story beside a card that may not be rewritten; a person may add its line to that card instead."""

    story: str
    beside: str


@dataclass(frozen=True, slots=True)
class Redrafted:
    """`homes` gives the home of every claim on the sheet, `changes` the cards that differ, in the order of the cards."""

    changes: tuple[Change, ...]
    cards: tuple[Card, ...]
    glossary: frozenset[str]
    background: frozenset[str]
    epic: frozenset[str]
    carried: frozenset[str]
    offers: tuple[Offer, ...]


@dataclass(frozen=True, slots=True)
class Movement:
    """What the new reading did to the claims and edges of the spec."""

    reworded: frozenset[str]
    gone: frozenset[str]
    old_edges: frozenset[tuple[str, str, str]]


def redraft(
    sheet: Sheet,
    judgements: Sequence[Judgement],
    cards: Sequence[Card],
    movement: Movement,
    *,
    heuristic: bool,
    issued: Collection[str],
    again: bool = False,
    replaced: Collection[str] = (),
) -> Redrafted:
    """The cards of the spec after a compile.

    `cards` are those that the spec has now, in any state, `issued` all ids ever given. With `again` drafted cards are dissolved and
    made anew; one whose leading claim leads again keeps its id. `replaced` are decisions that another one replaced: a standing card is
    not led back to them.
    """
    live = [card for card in cards if card.state != "deleted"]
    return without_cut_epic(_Redraft(sheet, judgements, live, movement, heuristic, issued, again, replaced).done(), cards)


@dataclass
class _Redraft:
    sheet: Sheet
    judgements: Sequence[Judgement]
    cards: list[Card]
    movement: Movement
    heuristic: bool
    issued: Collection[str]
    again: bool = False
    replaced: Collection[str] = ()
    beside: dict[str, Card] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.by_id = {card.id: card for card in self.cards}
        self.dissolved = {card.id for card in self.cards if self.again and card.state == "drafted"}
        self.standing = StandingCards(self.sheet, self.cards, self.judgements, self.issued, self.dissolved)
        self.carrier = self.standing.carrier
        self.edges = {(edge.kind, edge.from_, edge.to) for edge in self.sheet.edges}

    def done(self) -> Redrafted:
        placed, named = self._placed()
        built = build(self.sheet, placed, heuristic=self.heuristic, issued=self.issued, named=named)
        touched = self._touched(built.cards)
        changes: list[Change] = []
        final: dict[str, Card] = {}
        for card in built.cards:
            before = self.by_id.get(card.id)
            if before is None:
                final[card.id] = card
            elif card.id in touched and before.state in OPEN_EDIT_STATES:
                final[card.id] = self._merged(before, card)
            else:
                final[card.id] = before
        emptied = []
        for before in self._without_claims(final):
            final[before.id] = after = self._without_claims_left(before)
            if after.state == "deleted":
                emptied.append(before.id)
        for card in self.cards:
            final.setdefault(card.id, card)
        final = {identity: self._closed(card, final, emptied) for identity, card in final.items()}
        if any(self._waits_for_more(card) for card in final.values()):
            final = without_rings(final, self._place)
        for identity, card in final.items():
            if self.by_id.get(identity) != card:
                changes.append(Change(self.by_id.get(identity), card))
        epic = {anchor for card in final.values() if card.kind == "epic" for anchor in card.anchors}
        return Redrafted(
            changes=tuple(changes),
            cards=tuple(final.values()),
            glossary=frozenset(built.homes.glossary),
            background=frozenset(built.homes.background),
            epic=frozenset(epic),
            carried=frozenset(anchor for card in final.values() if card.state != "deleted" for anchor in card.anchors),
            offers=self._offers(final),
        )

    def _waits_for_more(self, card: Card) -> bool:
        before = self.by_id.get(card.id)
        known = {entry.card for entry in before.depends_on} if before is not None else set()
        return any(entry.card not in known for entry in card.depends_on)

    def _place(self, card: Card) -> int:
        return min((self.sheet.order[one] for one in card.anchors if one in self.sheet.order), default=-1)

    def _placed(self) -> tuple[list[Judgement], dict[str, str]]:
        """The judgements with every carried claim back on its own card, and the ids of those cards by their new leaders."""
        found = self.standing.homes()
        homes, named = found.of, found.named
        for (kind, _), members in self._judged_bundles().items():
            fresh = [one for one in members if one.anchor not in homes]
            if not fresh:
                continue
            target = self._target(kind, members)
            if target is not None and target.state in OPEN_EDIT_STATES:
                leader_id = next(leader for leader, identity in named.items() if identity == target.id)
                homes |= {one.anchor: (kind, leader_id) for one in fresh}
            else:
                new_kind: JudgedKind = "story" if target is not None else kind
                new = self.standing.leader(new_kind, [self.sheet.by_id[one.anchor] for one in fresh])
                homes |= {one.anchor: (new_kind, new.id) for one in fresh}
                if target is not None:
                    self.beside[new.id] = target
        homes |= self._late_opening(homes)
        judged = []
        for one in self.judgements:
            kind, leader_id = homes.get(one.anchor, (one.kind, one.leader))
            judged.append(replace(one, kind=kind, leader=leader_id))
        return judged, named

    def _late_opening(self, homes: Mapping[str, tuple[JudgedKind, str]]) -> dict[str, tuple[JudgedKind, str]]:
        """New obligations of the opening, whose epic may not be rewritten any more: they are a story of their own."""
        epic = next((card for card in self.cards if card.kind == "epic"), None)
        if epic is None or epic.state in OPEN_EDIT_STATES:
            return {}
        opening = (self.sheet.by_id[one.anchor] for one in self.judgements if one.kind == "epic" and one.anchor not in homes)
        fresh = [claim for claim in opening if claim.is_obligation]
        if not fresh:
            return {}
        leader = self.standing.leader("story", fresh)
        return {claim.id: ("story", leader.id) for claim in fresh}

    def _judged_bundles(self) -> dict[tuple[JudgedKind, str], list[Judgement]]:
        bundles: dict[tuple[JudgedKind, str], list[Judgement]] = {}
        for one in self.judgements:
            if one.kind in CARD_KINDS:
                bundles.setdefault((one.kind, one.leader), []).append(one)
        return bundles

    def _target(self, kind: JudgedKind, members: Sequence[Judgement]) -> Card | None:
        """The standing card of a group: the one that carries most of it, the first in text order among equals."""
        carried = [self.carrier[one.anchor] for one in members if one.anchor in self.carrier]
        counts = Counter(card.id for card in carried if card.kind == kind)
        return self.by_id[max(counts, key=lambda identity: counts[identity])] if counts else None

    def _touched(self, built: Iterable[Card]) -> set[str]:
        """Cards with a claim or an edge that is new, reworded or gone."""
        touched = self.dissolved | {card.id for card in self.cards if self.movement.gone.intersection(card.anchors)}
        touched |= {card.id for card in self.cards if self.movement.reworded.intersection(card.anchors)}
        carriers = {anchor: card.id for card in built for anchor in card.anchors}
        for card in built:
            before = self.by_id.get(card.id)
            if before is not None and set(before.anchors) != set(card.anchors):
                touched.add(card.id)
        for _, from_, to in self.movement.old_edges ^ self.edges:
            touched |= {carriers[end] for end in (from_, to) if end in carriers}
        return touched

    def _merged(self, before: Card, built: Card) -> Card:
        part = before.decision
        if part is not None and built.decision is not None:
            supersedes = tuple(sorted({*part.supersedes, *built.decision.supersedes}))
            part = part.model_copy(
                update={"supersedes": supersedes, "superseded_by": part.superseded_by or built.decision.superseded_by}
            )
        return before.model_copy(
            update={
                "title": built.title if before.title_by == "rules" else before.title,
                "anchors": built.anchors,
                "acceptance": self._lines(before, built),
                "depends_on": self._dependencies(before, built),
                "related": tuple(sorted({*built.related, *(() if self.again else before.related)})),
                "heuristic": before.heuristic or built.heuristic,
                "decision": part,
            }
        )

    def _lines(self, before: Card, built: Card) -> tuple[AcceptanceLine, ...]:
        """Lines keep their ids, and their words while no claim of theirs is new, reworded or gone; a person's own lines stay last."""
        numbers = [int(line.id[1:]) for line in before.acceptance]
        following = max(numbers, default=0)
        lines, used = [], set()
        for line in built.acceptance:
            known = next(
                (old for old in before.acceptance if old.id not in used and set(old.anchors) & set(line.anchors)), None
            )
            if known is None:
                following += 1
                lines.append(line.model_copy(update={"id": f"A{following}"}))
                continue
            used.add(known.id)
            same = set(known.anchors) == set(line.anchors) and not self.movement.reworded.intersection(line.anchors)
            lines.append(known if same else known.model_copy(update={"text": line.text, "anchors": line.anchors}))
        lines += [line for line in before.acceptance if not line.anchors]
        return tuple(lines)

    def _dependencies(self, before: Card, built: Card) -> tuple[Dependency, ...]:
        """Reasons whose edge is gone leave, new edges come; what a person took away or added stays that way."""
        standing = {entry.card: entry for entry in before.depends_on}
        coming = {entry.card: entry for entry in built.depends_on}
        result = []
        for target in sorted({*standing, *coming}):
            old = standing.get(target)
            reasons: list[Reason] = [reason for reason in (old.because if old else ()) if self._holds(reason)]
            known = [_edge_of(reason) for reason in reasons]
            for reason in coming[target].because if target in coming else ():
                edge = _edge_of(reason)
                left = old is None and target in self.replaced  # a person turned the edge that led there
                is_new = edge not in self.movement.old_edges if edge is not None else old is None and not left
                is_new = is_new or (self.again and not left)
                if is_new and edge not in known:
                    reasons.append(reason)
            if reasons:
                base = old or coming[target]
                result.append(base.model_copy(update={"because": tuple(reasons)}))
        return tuple(result)

    def _holds(self, reason: Reason) -> bool:
        edge = _edge_of(reason)
        if self.again:
            return isinstance(reason, PersonReason)
        return edge is None or edge in self.edges

    def _without_claims_left(self, before: Card) -> Card:
        """A card whose claims are gone is deleted, unless a person gave it lines or subtasks of its own: then it lives by these."""
        lines = tuple(line for line in before.acceptance if not line.anchors)
        if not lines and not before.subtasks:
            update = {"state": "deleted", "anchors": (), "acceptance": (), "depends_on": (), "related": ()}
            return before.model_copy(update=update)
        waits = []
        for entry in before.depends_on:
            reasons = tuple(reason for reason in entry.because if isinstance(reason, PersonReason))
            if reasons:
                waits.append(entry.model_copy(update={"because": reasons}))
        return before.model_copy(update={"anchors": (), "acceptance": lines, "depends_on": tuple(waits)})

    def _without_claims(self, final: Mapping[str, Card]) -> list[Card]:
        """Drafted and planned cards all of whose claims are gone, and gates of contradictions that are none any more."""
        settled = [
            self.standing.gate_of((from_, to))
            for _, from_, to in filter(_is_conflict, self.movement.old_edges - self.edges)
        ]
        over = {gate.id for gate in settled if gate is not None}
        return [
            card
            for card in self.cards
            if card.id not in final
            and card.state in OPEN_EDIT_STATES
            and (card.anchors or card.id in over)
            and not any(anchor in self.carrier for anchor in card.anchors)
        ]

    def _closed(self, card: Card, final: Mapping[str, Card], emptied: Collection[str]) -> Card:
        """No edge to a card that was left empty; a new edge has seen what the other card promises now."""
        before = self.by_id.get(card.id)
        if before is not None and before.state in PUBLISHED_STATES:  # clean-up only takes away
            kept = tuple(entry for entry in card.depends_on if entry.card not in emptied)
            return card.model_copy(update={"depends_on": kept})
        if before is not None and before.state not in OPEN_EDIT_STATES:
            return card
        known = {entry.card for entry in before.depends_on} if before is not None else set()
        waits = [
            entry if entry.card in known else entry.model_copy(update={"seen": self._promise(final[entry.card])})
            for entry in card.depends_on
            if entry.card not in emptied
        ]
        if card.id in self._beside_ids(final):
            waits = self._with_beside(card, waits)
        related = tuple(other for other in card.related if other not in emptied)
        return card.model_copy(update={"depends_on": tuple(waits), "related": related})

    def _promise(self, card: Card) -> str:
        led = next(
            (
                self.sheet.by_id[anchor]
                for anchor in card.anchors
                if anchor in self.sheet.by_id and self.sheet.by_id[anchor].kind == "decision"
            ),
            None,
        )
        return promise(card, self.sheet.text(led) if led is not None else None)

    def _beside_ids(self, final: Mapping[str, Card]) -> dict[str, Card]:
        """New stories that stand beside a card which may not be rewritten, by their ids."""
        found = {}
        for leader, target in self.beside.items():
            story = next(
                (
                    card.id
                    for card in final.values()
                    if card.kind == "story" and leader in card.anchors and card.id not in self.by_id
                ),
                None,
            )
            if story is not None:
                found[story] = target
        return found

    def _with_beside(self, card: Card, waits: list[Dependency]) -> list[Dependency]:
        target = next(target for leader, target in self.beside.items() if leader in card.anchors)
        if target.state not in PUBLISHED_STATES or any(entry.card == target.id for entry in waits):
            return waits
        reason = RuleReason(rule="D15", text="a new claim of a topic whose card may not be rewritten")
        return sorted(
            [*waits, Dependency(card=target.id, because=(reason,), seen=self._promise(target))],
            key=lambda entry: entry.card,
        )

    def _offers(self, final: Mapping[str, Card]) -> tuple[Offer, ...]:
        return tuple(
            Offer(story, target.id)
            for story, target in self._beside_ids(final).items()
            if target.state in PUBLISHED_STATES
        )


def _is_conflict(edge: tuple[str, str, str]) -> bool:
    return edge[0] == "conflicts_with"


def _edge_of(reason: Reason) -> tuple[str, str, str] | None:
    return (reason.edge, reason.from_, reason.to) if isinstance(reason, EdgeReason) else None
