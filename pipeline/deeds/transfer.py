"""Cards after their claims were put elsewhere: lines move with the claims, edges follow, an emptied card goes (DESIGN.md section 7)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pipeline.adoption import Adoption
from pipeline.deeds.edges import MovingEdges
from pipeline.deeds.lines import MovingLines, Place, along
from pipeline.draft.build import build
from pipeline.draft.rings import without_rings
from pipeline.draft.sheet import Judgement
from pipeline.draft.standing import StandingCards
from schemas.card import Card, Dependency, Subtask
from schemas.kinds import FINAL_STATES, OPEN_EDIT_STATES
from store.promises import promise_of
from store.snapshot import Snapshot


@dataclass(frozen=True)
class Transfer:
    """Claims that go to other cards of their spec.

    `wanted` gives the card of each; `born` is a card that is made for some of them, without its lines; of the cards `whole` everything
    goes to one card; `lines` are lines without a claim that go with them; `judgements` are the drafter's on every claim.
    """

    snapshot: Snapshot
    adoption: Adoption
    judgements: Sequence[Judgement]
    issued: Collection[str]
    wanted: Mapping[str, str]
    born: Card | None = None
    whole: Mapping[str, str] = field(default_factory=dict)
    lines: Collection[Place] = ()

    def cards(self) -> dict[str, Card]:
        """Every card of the instance that is not over, as it is to be. Raises RefusedError when a person's line would be cut in two."""
        made = {card.id: self._with_claims(card) for card in self._standing if card.id not in self.heirs}
        edges = MovingEdges.of(
            (self._built_before.values(), self._built_after.values()),
            self.heirs,
            self.snapshot.cards,
            lambda target: promise_of(made.get(target) or self.snapshot.card_by_id[target], self.snapshot.anchor_by_id),
            lambda target: (made.get(target) or self.snapshot.card_by_id[target]).kind == "gate",
        )
        made |= {card.id: card for card in self._elsewhere}
        made = {card_id: self._with_edges(card, edges) for card_id, card in made.items()}
        # A refines edge must not make cards wait for each other: then it relates them, as in a draft.
        made = without_rings(made, self._place)
        return made | {card_id: _emptied(self.snapshot.card_by_id[card_id]) for card_id in self.heirs}

    # --- who is there ---------------------------------------------------------------------------------------------

    @cached_property
    def _spec_cards(self) -> tuple[Card, ...]:
        key = self.adoption.store.spec.key
        return tuple(card for card in self.snapshot.cards if card.spec == key and card.state != "deleted")

    @cached_property
    def _standing(self) -> tuple[Card, ...]:
        """The cards of the spec that are not over, the new one among them, with the claims that they had."""
        cards = [card for card in self._spec_cards if card.state not in FINAL_STATES]
        return (*cards, *([self.born.model_copy(update={"anchors": ()})] if self.born is not None else []))

    @cached_property
    def _elsewhere(self) -> tuple[Card, ...]:
        """Cards of other specs and of none: only what they wait for follows."""
        own = {card.id for card in self._spec_cards}
        return tuple(card for card in self.snapshot.cards if card.id not in own and card.state not in FINAL_STATES)

    @cached_property
    def heirs(self) -> dict[str, str]:
        """By card that is left empty: the one that takes it over."""
        found = dict(self.whole)
        for card in self._spec_cards:
            own_lines = any(not line.anchors and (card.id, line.id) not in self._lines for line in card.acceptance)
            targets = {self.wanted[anchor] for anchor in card.anchors if anchor in self.wanted} - {card.id}
            emptied = card.anchors and not self._claims_of(card) and card.kind != "epic"
            if emptied and len(targets) == 1 and not own_lines and not card.subtasks:
                found.setdefault(card.id, targets.pop())
        return found

    @cached_property
    def _lines(self) -> frozenset[Place]:
        whole = ((card.id, line.id) for card in self._spec_cards if card.id in self.whole for line in card.acceptance)
        return frozenset({*self.lines, *along(self._spec_cards, self.wanted), *whole})

    def _claims_of(self, card: Card) -> tuple[str, ...]:
        """The claims of a card afterwards: in text order; on a published card new ones come last."""
        order = self.adoption.sheet.order
        kept = [anchor for anchor in card.anchors if self.wanted.get(anchor, card.id) == card.id]
        coming = [anchor for anchor, target in self.wanted.items() if target == card.id and anchor not in kept]
        coming.sort(key=lambda anchor: order[anchor])
        if card.state not in OPEN_EDIT_STATES:
            return (*kept, *coming)
        return tuple(sorted([*kept, *coming], key=lambda anchor: order.get(anchor, -1)))

    # --- two drafts -----------------------------------------------------------------------------------------------

    @cached_property
    def _built_before(self) -> Mapping[str, Card]:
        return self._built(self._spec_cards)

    @cached_property
    def _built_after(self) -> Mapping[str, Card]:
        cards = [*self._spec_cards, *([self.born] if self.born is not None else [])]
        return self._built([card.model_copy(update={"anchors": self._claims_of(card)}) for card in cards])

    def _built(self, cards: Sequence[Card]) -> Mapping[str, Card]:
        """What the rules make of the claims as these cards hold them, by the cards' own ids."""
        sheet = self.adoption.sheet
        homes = StandingCards(sheet, cards, self.judgements, self.issued).homes()
        carrier = {anchor: card for card in cards for anchor in card.anchors}
        judged = []
        for one in self.judgements:
            if one.anchor in homes.of:
                kind, leader = homes.of[one.anchor]
                one = replace(one, kind=kind, leader=leader, team=carrier[one.anchor].team)
            judged.append(one)
        built = build(sheet, judged, heuristic=self.adoption.store.heuristic, issued=self.issued, named=homes.named)
        return {card.id: card for card in built.cards}

    # --- one card -------------------------------------------------------------------------------------------------

    @cached_property
    def _moving(self) -> MovingLines:
        cards = {card.id: card for card in self._spec_cards}
        return MovingLines(self.adoption.sheet, cards, self._built_before, self.wanted)

    def _with_claims(self, card: Card) -> Card:
        """The card with its claims, lines and title; a card that nothing leaves or comes to stays as it is."""
        claims = self._claims_of(card)
        arriving = {place for place in self._lines if self._target_of(place) == card.id}
        leaving = {line for owner, line in self._lines if owner == card.id}
        built, before = self._built_after.get(card.id), self._built_before.get(card.id)
        if claims == card.anchors and not arriving and not leaving:
            return card
        lines = card.acceptance if built is None else self._moving.staying(card, built)
        lines = tuple(line for line in lines if line.id not in leaving)
        update: dict[str, object] = {"anchors": claims, "acceptance": self._moving.carried(card, lines, arriving)}
        if built is not None and card.title_by == "rules" and card.state in OPEN_EDIT_STATES:
            title = built.title if before is None or built.title != before.title else card.title
            update["title"] = title
        return self._with_rest(card.model_copy(update=update))

    def _target_of(self, place: Place) -> str | None:
        """Where a line without a claim goes: with its whole card, with what it tightens, or to the new card."""
        owner, line_id = place
        line = next(one for one in self.snapshot.card_by_id[owner].acceptance if one.id == line_id)
        if line.anchors:
            return None
        if owner in self.whole:
            return self.whole[owner]
        if self.born is not None:
            return self.born.id
        targets = {self.wanted[anchor] for anchor in self.snapshot.card_by_id[owner].anchors if anchor in self.wanted}
        return next(iter(targets - {owner}), None)

    def _with_rest(self, card: Card) -> Card:
        """What a person gave the cards that this one takes over whole: subtasks, notes, a due where it has none."""
        others = [self.snapshot.card_by_id[one] for one, target in self.whole.items() if target == card.id]
        if not others:
            return card
        number = max((int(task.id[1:]) for task in card.subtasks), default=0)
        tasks = [task for other in others for task in other.subtasks]
        new = tuple(Subtask(id=f"S{number + n}", text=task.text, done=task.done) for n, task in enumerate(tasks, 1))
        notes = "\n".join(filter(None, (card.notes, *(other.notes for other in others))))
        due = card.due or next((other.due for other in others if other.due), None)
        return card.model_copy(update={"subtasks": (*card.subtasks, *new), "notes": notes, "due": due})

    def _with_edges(self, card: Card, edges: MovingEdges) -> Card:
        """What the card waits for and is related to, as `MovingEdges` says; a published card's `related` stays as it was."""
        before = self.snapshot.card_by_id.get(card.id, card)
        depends_on = edges.depends_on(before)
        update: dict[str, object] = {"depends_on": self._scoped(before, card, depends_on)}
        if card.state in OPEN_EDIT_STATES:
            built = (self._built_before.get(card.id), self._built_after.get(card.id))
            waits = {entry.card for entry in depends_on}
            update["related"] = tuple(other for other in edges.related(before, built) if other not in waits)
            if card.decision is not None and not isinstance(card.decision.affects, str):
                affects = tuple(dict.fromkeys(self.heirs.get(one, one) for one in card.decision.affects))
                update["decision"] = card.decision.model_copy(update={"affects": affects})
        return card.model_copy(update=update)

    @staticmethod
    def _scoped(before: Card, after: Card, depends_on: Sequence[Dependency]) -> tuple[Dependency, ...]:
        """The edges with no line in their scope that the card has no more; a gate whose lines all went covers all that is left."""
        gone = {line.id for line in before.acceptance} - {line.id for line in after.acceptance}
        scoped = []
        for entry in depends_on:
            if isinstance(entry.scope, tuple) and gone.intersection(entry.scope):
                kept = tuple(one for one in entry.scope if one not in gone)
                entry = entry.model_copy(update={"scope": kept or "all"})
            scoped.append(entry)
        return tuple(scoped)

    def _place(self, card: Card) -> int:
        order = self.adoption.sheet.order
        return min((order[anchor] for anchor in card.anchors if anchor in order), default=-1)


def _emptied(card: Card) -> Card:
    return card.model_copy(
        update={"state": "deleted", "anchors": (), "acceptance": (), "depends_on": (), "related": ()}
    )
