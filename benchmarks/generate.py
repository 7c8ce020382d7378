"""Writes an instance of many cards for the benchmarks: one spec for every 40 cards, its claims, and the cards.

    python benchmarks/generate.py FOLDER CARDS

A spec gives an epic, stories, decisions, gates and requests; a card has about 3 claims, 40 lines and two cards that it
waits for (DESIGN.md section 10). The same number always gives the same bytes, and an audit finds no error in them.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from schemas.anchors import AnchorStore
from schemas.card import Card
from schemas.config import Config
from schemas.ids import tail
from schemas.promise import promise
from store.anchors import to_text as anchors_text
from store.cards import to_text as card_text
from store.config import parse_config
from text.coordinates import SpanT, of_text
from text.sections import section_digest
from text.selectors import Finder
from text.structure import structure

CARDS_PER_SPEC = 40
STORIES_PER_SECTION = 4
PERSON = "Min-ji Han"
WHEN = "2026-11-30T09:00:00Z"

CONFIG = """\
schema: isopod.config/1
project: benchmark
paths: {specs: specs, cards: cards, recorded: specs/recorded, state: .isopod}
prefixes:
  - {prefix: ANC, kind: anchor}
  - {prefix: EPC, kind: epic}
  - {prefix: STY, kind: story}
  - {prefix: GAT, kind: gate}
  - {prefix: DEC, kind: decision}
  - {prefix: REQ, kind: request}
  - {prefix: MIG, kind: migration}
  - {prefix: EXT, kind: external}
teams:
  - {id: ours, name: Our team, aliases: [], capabilities: {manages_tracker: true, writes_cards: true, renders: true, schema: own}}
  - {id: data, name: Data team, aliases: [], capabilities: {manages_tracker: false, writes_cards: false, renders: false, schema: mirror}}
default_team: ours
readers:
  a: {provider: recorded, model: one-model}
  b: {provider: recorded, model: another-model}
"""

_PARTS = ("importer", "parser", "renderer", "scheduler", "mailer", "ledger", "search index", "archive", "export")
_VERBS = ("keep", "check", "show", "send", "copy", "sign", "count", "sort", "close")
_HOW = ("late", "open", "signed", "shared", "paid", "draft", "foreign", "small", "old")
_THINGS = ("invoice", "booking", "receipt", "letter", "contract", "refund", "order", "note", "visit")


@dataclass(frozen=True)
class Made:
    """What was written: numbers of things, and bytes and lines of the card files alone."""

    cards: int
    specs: int
    anchors: int
    edges: int
    card_bytes: int
    card_lines: int


@dataclass
class _Claim:
    """A claim while its spec is written: `cue` shows that it waits for the claim with the number `waits_for`."""

    kind: str
    text: str
    cue: str = ""
    relation: str = "requires"
    waits_for: int | None = None
    span: SpanT = (0, 0)


@dataclass
class _Planned:
    """A card while its spec is written: its claims, and cards of other specs that it waits for."""

    kind: str
    title: str
    claims: list[int] = field(default_factory=list)
    elsewhere: list[tuple[str, str]] = field(default_factory=list)


def generate(folder: Path, cards: int) -> Made:
    """Write an instance of exactly `cards` cards into an empty folder."""
    config = parse_config(CONFIG.encode())
    _put(folder / "config.yaml", CONFIG)
    promised: list[tuple[str, str]] = []
    totals = [0, 0, 0, 0, 0]
    for number, start in enumerate(range(0, cards, CARDS_PER_SPEC)):
        spec = _Spec(number, min(CARDS_PER_SPEC, cards - start), promised)
        _put(folder / spec.path, spec.text)
        store = spec.store()
        _put(folder / "cards" / "anchors" / f"{spec.key}.yaml", anchors_text(store))
        for card in spec.cards(store, config):
            text = card_text(card, config)
            _put(folder / "cards" / f"{card.id}.yaml", text)
            promised.append((card.id, _promise(card)))
            counted = (0, 0, len(card.depends_on), len(text.encode()), text.count("\n"))
            totals = [total + more for total, more in zip(totals, counted, strict=True)]
        totals[0] += 1
        totals[1] += len(store.anchors)
    return Made(cards, *totals)


class _Spec:
    """One spec of the instance: its text, then its claims, then its cards."""

    def __init__(self, number: int, cards: int, promised: list[tuple[str, str]]) -> None:
        self.key = f"part-{number:04d}"
        self.path = f"specs/{self.key}.md"
        self._number = number
        self._random = random.Random(number)
        self._promised = promised
        self._claims: list[_Claim] = []
        self._planned = list(self._plan(cards))
        self.text = self._write()

    # --- what the spec asks for ---------------------------------------------------------------------------------

    def _plan(self, cards: int) -> Iterator[_Planned]:
        """The cards, those that others wait for first; a short spec has stories only."""
        yield _Planned("epic", f"Part {self._number}: {self._words()}")
        kinds = ["decision", "decision", "gate", "gate", "request", "request"] if cards == CARDS_PER_SPEC else []
        for kind in [*kinds, *["story"] * (cards - 1 - len(kinds))]:
            yield self._planned_card(kind)

    def _planned_card(self, kind: str) -> _Planned:
        part, verb, how, thing = self._pick(_PARTS), self._pick(_VERBS), self._pick(_HOW), self._pick(_THINGS)
        batch = f"{self._number}.{len(self._claims)}"
        planned = _Planned(kind, f"{part.capitalize()}: {verb} each {how} {thing} of lot {batch}")
        if kind == "decision":
            claims = [_Claim("decision", f"For lot {batch} we chose plain files over a queue.")]
        elif kind == "gate":
            claims = [_Claim("question", f"Whether lot {batch} may skip the {part} is still undecided.")]
        elif kind == "request":
            claims = [
                _Claim("interface", f"The data team must give us the {thing} of lot {batch} as `lot-{batch}.csv`."),
                _Claim("constraint", f"That file of lot {batch} must arrive before six in the morning."),
            ]
        else:
            claims = [
                _Claim("requirement", f"The {part} must {verb} each {how} {thing} of lot {batch}"),
                _Claim("constraint", f"Lot {batch} must hold no more than {self._random.randint(2, 90)} of them."),
                _Claim("interface", f"The header `X-Lot-{batch}` must name its {thing}."),
            ]
            if self._random.random() < 0.4:
                claims.append(_Claim("requirement", f"A failed {thing} of lot {batch} must be {verb} again."))
            self._let_wait(planned, claims[0])
        planned.claims = list(range(len(self._claims), len(self._claims) + len(claims)))
        self._claims += claims
        return planned

    def _let_wait(self, planned: _Planned, claim: _Claim) -> None:
        """One earlier claim of this spec that the card waits for, and one or two cards of the specs before."""
        if self._claims:
            claim.waits_for = self._random.randrange(len(self._claims))
            claim.relation = "blocked_by" if self._claims[claim.waits_for].kind == "question" else "requires"
            claim.cue = f"after {self._pick(_PARTS)} step {claim.waits_for}"
            claim.text += f", {claim.cue}"
        claim.text += "."
        if self._promised:
            count = 1 if self._random.random() < 0.6 else 2
            planned.elsewhere = self._random.sample(self._promised, min(count, len(self._promised)))

    def _words(self) -> str:
        return f"{self._pick(_HOW)} {self._pick(_THINGS)} and {self._pick(_PARTS)}"

    def _pick(self, words: tuple[str, ...]) -> str:
        return self._random.choice(words)

    # --- its text -----------------------------------------------------------------------------------------------

    def _write(self) -> str:
        text = f"# Part {self._number}\n\nThis part is about {self._words()}.\n"
        for index, planned in enumerate(self._planned[1:]):
            if index % STORIES_PER_SECTION == 0:
                text += f"\n## Section {index // STORIES_PER_SECTION} on the {self._pick(_PARTS)}\n"
            text += "\n"
            as_list = self._random.random() < 0.7
            for number in planned.claims:
                claim = self._claims[number]
                text += "- " if as_list else ""
                claim.span = (len(text), len(text) + len(claim.text))
                text += claim.text + ("\n" if as_list else " ")
            text = text.rstrip() + "\n"
        return text

    # --- what was adopted from it -------------------------------------------------------------------------------

    def _anchor_id(self, number: int) -> str:
        return f"ANC-{tail([self.key, number])}"

    def store(self) -> AnchorStore:
        spec = of_text(self.text, self.path)
        finder = Finder(spec, structure(spec))
        anchors, edges = [], []
        for number, claim in enumerate(self._claims):
            place = finder.select(claim.span)
            anchors.append(
                {
                    "id": self._anchor_id(number),
                    "kind": claim.kind,
                    "exact": place.exact,
                    "prefix": place.prefix,
                    "suffix": place.suffix,
                    "section": place.section,
                }
            )
            if claim.waits_for is not None:
                ends = {"from": self._anchor_id(number), "to": self._anchor_id(claim.waits_for)}
                edges.append({"kind": claim.relation, **ends, "cue": claim.cue})
        sections = [
            {"path": section.name, "digest": section_digest(spec.quoted(section.span))}
            for section in finder.structure.sections
        ]
        readers = [("a", "one-model"), ("b", "another-model")]
        data = {
            "spec": {"key": self.key, "path": self.path},
            "readings": [{"reader": name, "provider": "recorded", "model": model} for name, model in readers],
            "sections": sections,
            "anchors": anchors,
            "edges": edges,
        }
        return AnchorStore.parse(data, source=self.path)

    # --- its cards ----------------------------------------------------------------------------------------------

    def cards(self, store: AnchorStore, config: Config) -> Iterator[Card]:
        """The cards; each waits only for cards that came before."""
        prefixes = {entry.kind: entry.prefix for entry in config.prefixes}
        epic = f"{prefixes['epic']}-{tail([self.key, 'epic'])}"
        home: dict[int, Card] = {}
        for planned in self._planned:
            ids = [self._anchor_id(number) for number in planned.claims]
            data: dict[str, Any] = {
                "id": f"{prefixes[planned.kind]}-{ids[0].partition('-')[2]}" if ids else epic,
                "kind": planned.kind,
                "title": planned.title,
                "state": "planned" if self._number % 2 else "drafted",
                "team": "ours",
                "spec": self.key,
                "anchors": ids,
                "depends_on": list(self._waits_for(planned, home)),
            }
            if ids:
                data["parent"] = epic
                data["acceptance"] = [
                    {"id": f"A{index}", "text": self._claims[number].text, "anchors": [self._anchor_id(number)]}
                    for index, number in enumerate(planned.claims, 1)
                ]
            if planned.kind == "story":
                words = ("write it", "test it", "show it to the team", "tell support")
                data["subtasks"] = [{"id": f"S{index}", "text": text} for index, text in enumerate(words, 1)]
                data["notes"] = "Asked for by support.\nSee the list of lots.\nTalk to the team first.\n"
            elif planned.kind == "gate":
                data["gate"] = {"waits_for": "answer"}
            elif planned.kind == "decision":
                data["decision"] = {"affects": "all"}
            elif planned.kind == "request":
                data["request"] = {"team": "data"}
            card = Card.parse(data, source=self.path)
            home.update(dict.fromkeys(planned.claims, card))
            yield card

    def _waits_for(self, planned: _Planned, home: dict[int, Card]) -> Iterator[dict[str, Any]]:
        for number in planned.claims:
            claim = self._claims[number]
            if claim.waits_for is None:
                continue
            other = home[claim.waits_for]
            ends = {"from": self._anchor_id(number), "to": self._anchor_id(claim.waits_for)}
            scope = {"scope": "all"} if other.kind == "gate" else {}
            because = [{"edge": claim.relation, **ends, "cue": claim.cue}]
            yield {"card": other.id, "because": because, "seen": _promise(other), **scope}
        for card, seen in planned.elsewhere:
            yield {"card": card, "because": [{"person": PERSON, "text": "same files", "at": WHEN}], "seen": seen}


def _promise(card: Card) -> str:
    """What an edge to the card has seen; a decision promises the words of its claim, which are its one line here."""
    return promise(card, card.acceptance[0].text if card.kind == "decision" else None)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def main() -> int:
    if len(sys.argv) != 3 or not sys.argv[2].isdecimal():
        print("usage: python benchmarks/generate.py FOLDER CARDS", file=sys.stderr)
        return 2
    made = generate(Path(sys.argv[1]), int(sys.argv[2]))
    print(
        f"{made.cards} cards ({made.card_lines / made.cards:.1f} lines, {made.card_bytes / made.cards:.0f} bytes and "
        f"{made.edges / made.cards:.2f} edges each), {made.specs} specs, {made.anchors} claims"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
