"""The cards of one compile as a product owner reads them, before or after they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from isopod.escape import escape
from isopod.face import Face
from isopod.render.columns import cell_len, wrap
from isopod.words import one_line, reason_words
from schemas.anchors import Anchor
from schemas.card import Card, Dependency
from schemas.compiled import Compiled, CompiledAnchor, Suggestion
from schemas.kinds import AnchorKind
from store.graph import Graph

_HEURISTIC: Final = "Read by heuristics, not by a language model: check every card against the spec."


@dataclass(frozen=True, slots=True)
class Board:
    """The cards of one spec, and its claims by id: kind and words."""

    cards: tuple[Card, ...]
    claims: Mapping[str, tuple[AnchorKind, str]]
    heuristic: bool


def board_of(compiled: Compiled) -> Board:
    """The board of one compile."""
    return board(compiled.cards, compiled.anchors, heuristic=compiled.heuristic)


def board(cards: tuple[Card, ...], claims: Iterable[CompiledAnchor | Anchor], *, heuristic: bool) -> Board:
    """The board of some cards and the claims behind them."""
    return Board(cards, {claim.id: (claim.kind, claim.exact) for claim in claims}, heuristic)


def card_lines(shown: Board, face: Face) -> Iterator[str]:
    """All cards: the epic, stories with what they wait for, questions, requests, decisions."""
    view = _View(shown, face)
    if shown.heuristic:
        yield face.paint(_HEURISTIC, "yellow")
        yield ""
    for card in view.of("epic"):
        yield from view.epic(card)
        yield ""
    for card in (*view.of("story"), *view.of("migration")):
        yield from view.story(card)
    for title, kind in (("Questions", "gate"), ("What we need from other teams", "request"), ("Decisions", "decision")):
        if cards := view.of(kind):
            yield ""
            yield face.paint(f"{title} ({len(cards)})", "bold")
            for card in cards:
                yield from view.other(card)


def suggestion_lines(suggestions: tuple[Suggestion, ...], face: Face) -> Iterator[str]:
    """What a person may want to do about these cards."""
    if not suggestions:
        return
    yield ""
    yield face.paint(f"Suggestions ({len(suggestions)})", "bold")
    for suggestion in suggestions:
        yield from wrap(suggestion.text, face.width, indent="    ", first="  ")
        if suggestion.do:
            yield f"    try: {escape(suggestion.do)}"


class _View:
    def __init__(self, shown: Board, face: Face) -> None:
        self.graph = Graph.of(shown.cards)
        self.width = face.width
        self.face = face
        self.cards = shown.cards
        self.claims = shown.claims

    def of(self, kind: str) -> list[Card]:
        return [card for card in self.cards if card.kind == kind and card.state != "deleted"]

    def epic(self, card: Card) -> Iterator[str]:
        yield from self._head(card, "")
        exclusions = [words for kind, words in self._claims_of(card) if kind == "exclusion"]
        terms = [words for kind, words in self.claims.values() if kind == "term"]
        decided = [one for one in self.of("decision") if not self.graph.is_superseded(one.id)]
        for name, text in (
            ("goal", " ".join(line.text for line in card.acceptance)),
            ("not included", " ".join(exclusions)),
            ("glossary", ", ".join(terms)),
            ("decided", ", ".join(one.id for one in decided)),
        ):
            if text:
                yield from wrap(" ".join(text.split()), self.width, indent=" " * 16, first=f"  {name:13} ")

    def _claims_of(self, card: Card) -> Iterator[tuple[AnchorKind, str]]:
        yield from (self.claims[name] for name in card.anchors if name in self.claims)

    def story(self, card: Card) -> Iterator[str]:
        yield from self._head(card, "READY" if self.graph.is_ready(card.id) else "waits")
        yield from self._acceptance(card)
        for entry in card.depends_on:
            yield from self._dependency(entry)

    def other(self, card: Card) -> Iterator[str]:
        holds = [self.graph.cards[source].id for source in self.graph.into[self.graph.index[card.id]]]
        mark = "replaced" if card.kind == "decision" and self.graph.is_superseded(card.id) else ""
        yield from self._head(card, mark)
        yield from self._acceptance(card)
        if card.decision and card.decision.supersedes:
            yield from wrap(f"replaces {', '.join(card.decision.supersedes)}", self.width, indent="     ", first="  ")
        if card.kind != "decision":
            words = f"holds up {', '.join(holds)}" if holds else "holds up nothing"
            yield from wrap(words, self.width, indent="     ", first="  ")

    def _head(self, card: Card, mark: str) -> Iterator[str]:
        lines = list(wrap(card.title, self.width - 7, indent=" " * (len(card.id) + 2), first=f"{card.id}  "))
        gap = " " * max(2, self.width - cell_len(lines[0]) - len(mark))
        yield f"{lines[0]}{gap}{self.face.paint(mark, 'green') if mark == 'READY' else mark}"
        yield from lines[1:]

    def _acceptance(self, card: Card) -> Iterator[str]:
        for line in card.acceptance:
            yield from wrap(line.text, self.width, indent="      ", first=f"  {line.id:3} ")

    def _dependency(self, entry: Dependency) -> Iterator[str]:
        number = self.graph.index.get(entry.card)
        card = self.graph.cards[number] if number is not None else None
        verb = "leans on" if self.graph.satisfied(entry.card) else "waits for"
        yield from wrap(f"{verb} {entry.card}  {card.title if card else ''}", self.width, indent="      ", first="  ")
        for reason in entry.because:
            yield from wrap(
                f"because {one_line(reason_words(reason), 200)}", self.width, indent="        ", first="      "
            )
