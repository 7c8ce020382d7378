"""Acceptance lines that move with their claims: a line keeps its words and, where it stays, its id."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.draft.sheet import Sheet
from pipeline.draft.wording import line_text
from schemas.card import AcceptanceLine, Card
from schemas.errors import RefusedError
from schemas.kinds import OPEN_EDIT_STATES

Place = tuple[str, str]
"""A card, and the id of a line on it."""


@dataclass
class MovingLines:
    """The lines of some cards before and after their claims were put elsewhere.

    `moved` gives the card of each claim that moves. `went` fills with where each line that left a card stands now.
    """

    sheet: Sheet
    cards: Mapping[str, Card]
    built_before: Mapping[str, Card]
    moved: Mapping[str, str]
    went: dict[Place, Place] = field(default_factory=dict)

    def staying(self, card: Card, built: Card) -> tuple[AcceptanceLine, ...]:
        """The lines of a card as its claims are now, in text order, those without a claim last.

        On a published card what stands stays word for word, and new lines come after it. Raises RefusedError when a line that a
        person worded would be cut in two.
        """
        if card.state in OPEN_EDIT_STATES:
            return self._rewritten(card, built)
        following = _numbers(card.acceptance)
        new = [
            line.model_copy(update={"id": next(following)})
            for line in (self._arriving(card.id, line) for line in built.acceptance)
            if line is not None
        ]
        self._note(card, new)
        return (*card.acceptance, *new)

    def _rewritten(self, card: Card, built: Card) -> tuple[AcceptanceLine, ...]:
        following = _numbers(card.acceptance)
        lines: list[AcceptanceLine] = []
        used: set[str] = set()
        for line in built.acceptance:
            known = next(
                (old for old in card.acceptance if old.id not in used and set(old.anchors) & set(line.anchors)), None
            )
            if known is None:
                lines.append(self._worded(line).model_copy(update={"id": next(following)}))
                continue
            used.add(known.id)
            if set(known.anchors) != set(line.anchors):
                self._refuse_cutting(card, known)
                known = known.model_copy(update={"text": line.text, "anchors": line.anchors})
            lines.append(known)
        self._note(card, lines)
        return (*lines, *(line for line in card.acceptance if not line.anchors))

    def _arriving(self, card_id: str, line: AcceptanceLine) -> AcceptanceLine | None:
        """Of a built line what comes to a card that keeps its words: its moved claims alone."""
        claims = tuple(claim for claim in line.anchors if self.moved.get(claim) == card_id)
        if not claims:
            return None
        if len(claims) == len(line.anchors):
            return self._worded(line)
        own = [self.sheet.by_id[claim] for claim in claims]
        text = line_text(self.sheet, self.sheet.unit(own[0]), own, shared=True)
        return line.model_copy(update={"text": text, "anchors": claims})

    def _worded(self, line: AcceptanceLine) -> AcceptanceLine:
        """A line that arrives, in the words that it had on the card from which it comes."""
        for card in self.cards.values():
            for old in card.acceptance:
                if old.anchors and set(old.anchors) == set(line.anchors):
                    return line.model_copy(update={"text": old.text})
        for card in self.cards.values():
            for old in card.acceptance:
                if set(old.anchors) & set(line.anchors):
                    self._refuse_cutting(card, old)
        return line

    def _refuse_cutting(self, card: Card, line: AcceptanceLine) -> None:
        """Of a line whose claims part code makes two, in the spec's words: never of one that a person worded."""
        built = self.built_before.get(card.id)
        known = (one.text for one in built.acceptance if set(one.anchors) == set(line.anchors)) if built else iter(())
        if line.text not in known:
            raise RefusedError(
                "line-worded",
                f"{card.id}: line {line.id} holds {', '.join(line.anchors)} in a person's words; cut in two it would lose them",
                fix=f"move all claims of {line.id}, or word the line anew: isopod edit {card.id} acceptance.{line.id}=TEXT",
            )

    def _note(self, card: Card, lines: Iterable[AcceptanceLine]) -> None:
        """Where the lines of the moved claims stand now."""
        for line in lines:
            for source in self.cards.values():
                for old in source.acceptance:
                    if source.id != card.id and set(old.anchors) & set(line.anchors):
                        self.went[source.id, old.id] = (card.id, line.id)

    def carried(
        self, card: Card, lines: Sequence[AcceptanceLine], own: Collection[Place]
    ) -> tuple[AcceptanceLine, ...]:
        """The lines of a card with those without a claim that come along from other cards, what they tighten with them."""
        following = _numbers((*card.acceptance, *lines))
        result = list(lines)
        arriving = [
            (source.id, line)
            for source in self.cards.values()
            for line in source.acceptance
            if (source.id, line.id) in own
        ]
        for source_id, line in arriving:
            new = next(following)
            self.went[source_id, line.id] = (card.id, new)
            result.append(line.model_copy(update={"id": new}))
        start = len(lines)
        for index, (source_id, line) in enumerate(arriving, start=start):
            if line.tightens is not None:
                there = self.went.get((source_id, line.tightens))
                tightens = there[1] if there is not None and there[0] == card.id else None
                result[index] = result[index].model_copy(update={"tightens": tightens})
        return tuple(result)


def along(cards: Iterable[Card], moved: Collection[str]) -> Iterator[Place]:
    """The lines without a claim that tighten a line whose claims all move: they go with it."""
    for card in cards:
        going = {line.id for line in card.acceptance if line.anchors and set(line.anchors) <= set(moved)}
        for line in card.acceptance:
            if not line.anchors and line.tightens in going:
                going.add(line.id)
                yield card.id, line.id


def _numbers(lines: Iterable[AcceptanceLine]) -> Iterator[str]:
    number = max((int(line.id[1:]) for line in lines), default=0)
    while True:
        number += 1
        yield f"A{number}"
