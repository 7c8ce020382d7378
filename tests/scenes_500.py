"""A project of 500 cards in a git repository, without a finding, in which single things are then changed past every command.

Most cards come from benchmarks/generate.py. What that does not make (published, sealed and mirrored cards, a glossary, choices,
claims that nobody builds) is arranged here, one thing for each rule of RULES.md that needs it.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from schemas.anchors import Anchor, AnchorEdge, AnchorStore, Section
from schemas.card import Card
from schemas.config import Config
from schemas.ids import tail
from schemas.ledger import ExemptionBody
from schemas.publication import publication
from store import ledger
from store.anchors import to_text as anchors_text
from store.cards import to_text as card_text
from store.config import parse_config
from store.instance import Instance, open_instance
from store.promises import promise_of
from store.transaction import Transaction
from text.coordinates import SpanT, SpecText, of_text
from text.sections import section_digest
from text.selectors import Finder
from text.structure import structure

CARDS = 500
WHEN = "2026-11-30T09:00:00Z"
PERSON = "Min-ji Han"
WORDS = "words"
LAST_SPEC = "part-0011"
"""The spec that is taken away: nothing else is changed in it."""
CONFIG = """\
limits: {anchors_per_card: 4, mirror_age: 999999w}
tracker:
  status: {To Do: published, Doing: in_progress, Done: done}
specs:
  words: {path: specs/words.md, sections: {At night: {team: night}}}
"""
NIGHT = "  - {id: night, name: Night watch, capabilities: {manages_tracker: true, writes_cards: true, renders: true, schema: own}}\n"

WORDS_SPEC = """\
# Words and choices

This spec names the things that all others speak of.

## Words

**Lot**: the things that came on one day.

**Shelf**: the place of one lot.

## Keeping

- Each lot must stand on one shelf.
- The keeper must answer not later than noon.

### Signing

- The keeper must sign each lot.

#### At night

- The night watch must sign each lot too.
- The night watch must count the lots.

## Choices

- We keep lots in files, in place of the earlier decision to keep them in a queue.

## Not in this release

- Lots of other years are not part of this release.

## Left aside

- The keeper must paint each shelf.
"""
WORDS_CLAIMS = (
    ("lot", "term", "Lot"),
    ("shelf", "term", "Shelf"),
    ("stand", "requirement", "Each lot must stand on one shelf."),
    ("answer", "requirement", "The keeper must answer not later than noon."),
    ("sign", "requirement", "The keeper must sign each lot."),
    ("sign-too", "requirement", "The night watch must sign each lot too."),
    ("count", "requirement", "The night watch must count the lots."),
    ("files", "decision", "We keep lots in files"),
    ("queue", "decision", "the earlier decision to keep them in a queue"),
    ("years", "exclusion", "Lots of other years are not part of this release."),
    ("paint", "requirement", "The keeper must paint each shelf."),
)
LEFT_ASIDE = {"discarded": "out_of_scope", "because": "nobody asked for it", "by": PERSON}
"""A home of claims that nobody builds."""


def named(prefix: str, name: str) -> str:
    """The id of an arranged card or claim."""
    return f"{prefix}-{tail(['arranged', name])}"


class Project:
    """Cards, claims and specs of a project, written past every command, as a hand in an editor would."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.instance: Instance = open_instance(root)
        self.config: Config = self.instance.config
        self.cards: dict[str, Card] = {}
        self.stores: dict[str, AnchorStore] = {}
        self._taken: set[str] = set()
        self._leaves: list[str] = []
        self._issues = 0

    # --- cards ----------------------------------------------------------------------------------------------------

    def put(self, card: Card) -> Card:
        self.cards[card.id] = card
        self.file(card.id).write_text(card_text(card, self.config), encoding="utf-8")
        return card

    def file(self, card_id: str) -> Path:
        return self.root / "cards" / f"{card_id}.yaml"

    def make(self, name: str, kind: str = "story", prefix: str = "STY", **fields: Any) -> Card:
        """An arranged card, called after what it is for."""
        data = {"id": named(prefix, name), "kind": kind, "title": f"Arranged: {name}", "team": "ours", **fields}
        return self.put(Card.parse(data, source=name))

    def change(self, card_id: str, **fields: Any) -> Card:
        """Set keys of a card."""
        return self.put(Card.parse(self.cards[card_id].to_data() | fields, source=card_id))

    def lean(self, card_id: str, other: str, **reason: str) -> None:
        """Let a card wait for another one, because a person says so, or for the `reason` that is given."""
        because = reason or {"person": PERSON, "text": "agreed on Monday", "at": WHEN}
        card = self.cards.get(other)
        entry: dict[str, Any] = {"card": other, "because": [because]}
        if card is not None:
            entry["seen"] = promise_of(card, self.anchors)
            entry |= {"scope": "all"} if card.kind == "gate" else {}
        self.change(card_id, depends_on=[*self.cards[card_id].to_data()["depends_on"], entry])

    def free(self, fits: Callable[[Card], bool] = lambda card: True) -> str:
        """A story that nothing waits for and that no other change has touched."""
        return self.take(next(one for one in self.untouched() if fits(self.cards[one])))

    def take(self, card_id: str) -> str:
        """From here on the story belongs to one change."""
        self._taken.add(card_id)
        return card_id

    def untouched(self) -> list[str]:
        """The stories that nothing waits for and that no change has touched."""
        return [one for one in self._leaves if one not in self._taken]

    def beside(self, card_id: str, *, same_section: bool) -> str:
        """A story of the same spec that no other change has touched, in the same section or in another one."""
        card = self.cards[card_id]
        section = self.anchors[card.anchors[0]].section

        def fits(other: Card) -> bool:
            return other.spec == card.spec and (self.anchors[other.anchors[0]].section == section) == same_section

        return self.free(fits)

    def tracker(self, name: str, **more: Any) -> dict[str, Any]:
        """An issue of its own."""
        self._issues += 1
        number = str(self._issues)
        return {
            "provider": "local",
            "site": "here",
            "id": number,
            "key": f"OUR-{number}",
            "read_at": WHEN,
            "title": name,
        } | more

    def publish(self, card_id: str, **tracker: Any) -> None:
        """The card becomes published, as it is."""
        issue = self.tracker(card_id, **tracker)
        published = self.change(card_id, state="published", tracker=issue)
        self.change(card_id, tracker=issue | {"published": publication(published)})

    def seal(self, card_id: str) -> str:
        """The card becomes done; the name of the entry that attests it."""
        done = self.change(card_id, state="done")
        tx = Transaction(self.instance.root, self.instance.state_dir, command="done")
        said = {"because": "shown on Monday", "lines": []}
        name = ledger.append(tx, self.instance, kind="attestation", subject=card_id, body=said, by=PERSON, at=WHEN)
        ledger.seal(tx, self.instance, card=done, by=PERSON, at=WHEN)
        tx.commit()
        return name

    def except_from(self, rule: str, card_id: str) -> None:
        """An override that nobody made regular."""
        tx = Transaction(self.instance.root, self.instance.state_dir, command="edit")
        body = ExemptionBody(rule=rule, surface="ownership", reason_kind="deadline", because="it had to go out")
        ledger.exempt(tx, self.instance, subject=card_id, body=body, by=PERSON, at=WHEN)
        tx.commit()

    # --- claims and specs -----------------------------------------------------------------------------------------

    @property
    def anchors(self) -> dict[str, Anchor]:
        return {anchor.id: anchor for store in self.stores.values() for anchor in store.anchors}

    def store_of(self, anchor_id: str) -> AnchorStore:
        return next(store for store in self.stores.values() if anchor_id in {anchor.id for anchor in store.anchors})

    def put_store(self, store: AnchorStore) -> None:
        self.stores[store.spec.key] = store
        path = self.root / "cards" / "anchors" / f"{store.spec.key}.yaml"
        path.write_text(anchors_text(store), encoding="utf-8")

    def tie(self, kind: str, from_: str, to: str, cue: str) -> None:
        """A relation between two claims of one spec."""
        store = self.store_of(from_)
        edge = AnchorEdge.model_validate({"kind": kind, "from": from_, "to": to, "cue": cue})
        self.put_store(store.model_copy(update={"edges": (*store.edges, edge)}))

    def retie(self, key: str, change: Callable[[AnchorEdge], AnchorEdge | None]) -> None:
        """Change each relation of a spec; None takes it away."""
        changed = (change(edge) for edge in self.stores[key].edges)
        edges = tuple(edge for edge in changed if edge is not None)
        self.put_store(self.stores[key].model_copy(update={"edges": edges}))

    def text(self, key: str) -> SpecText:
        return of_text(self.spec_file(key).read_text(encoding="utf-8"), self.stores[key].spec.path)

    def spec_file(self, key: str) -> Path:
        return self.root / "specs" / f"{key}.md"

    def rewrite(self, key: str, old: str, new: str) -> None:
        """Change the text of a spec, and nothing else."""
        text = self.spec_file(key).read_text(encoding="utf-8")
        assert text.count(old) == 1, (key, old)
        self.spec_file(key).write_text(text.replace(old, new), encoding="utf-8")

    def span(self, anchor_id: str) -> SpanT:
        """Where a claim stands; every claim's text is in its spec once."""
        anchor, spec = self.anchors[anchor_id], self.text(self.store_of(anchor_id).spec.key)
        start = spec.text.index(anchor.exact)
        return start, start + len(anchor.exact)

    def quote(self, anchor_id: str, span: SpanT) -> None:
        """The claim now quotes these words."""
        store = self.store_of(anchor_id)
        spec = self.text(store.spec.key)
        place = Finder(spec, structure(spec)).select(span)
        update = {"exact": place.exact, "prefix": place.prefix, "suffix": place.suffix, "section": place.section}
        anchors = (one.model_copy(update=update) if one.id == anchor_id else one for one in store.anchors)
        self.put_store(store.model_copy(update={"anchors": tuple(anchors)}))

    def adopt(self, key: str, claims: list[dict[str, Any]], text: str | None = None) -> None:
        """More claims of a spec (`id`, `kind`, `exact`, `home`), and what it says now; other claims keep their places."""
        store = self.stores[key]
        if text is not None:
            self.spec_file(key).write_text(text, encoding="utf-8")
        spec = self.text(key)
        finder = Finder(spec, structure(spec))
        anchors = []
        for claim in [*(anchor.to_data() for anchor in store.anchors), *claims]:
            start = spec.text.index(claim["exact"])
            place = finder.select((start, start + len(claim["exact"])))
            found = {"prefix": place.prefix, "suffix": place.suffix, "section": place.section}
            anchors.append((start, Anchor.model_validate(claim | found)))
        sections = tuple(
            Section(path=section.name, digest=section_digest(spec.quoted(section.span)))
            for section in finder.structure.sections
        )
        ordered = tuple(anchor for _, anchor in sorted(anchors, key=lambda one: one[0]))
        self.put_store(store.model_copy(update={"anchors": ordered, "sections": sections}))

    def as_list(self, card: Card) -> bool:
        """Whether each claim of the card is an item of its own."""
        return f"- {self.anchors[card.anchors[1]].exact}" in self.text(card.spec or "").text


def arrange(root: Path) -> Project:
    """Write the project into an empty folder."""
    _generator().generate(root, CARDS - _ARRANGED)
    config = (root / "config.yaml").read_text(encoding="utf-8").replace("default_team:", f"{NIGHT}default_team:")
    (root / "config.yaml").write_text(config + CONFIG, encoding="utf-8")
    parse_config((config + CONFIG).encode())
    project = Project(root)
    _read(project)
    for store in list(project.stores.values()):
        _bound(project, store)
    _wait_for_every_question(project)
    _words(project)
    _cards(project)
    assert len(project.cards) == CARDS
    return project


_ARRANGED = 34


@cache
def _generator() -> ModuleType:
    path = Path(__file__).parents[1] / "benchmarks" / "generate.py"
    found = importlib.util.spec_from_file_location("generate_500", path)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module  # dataclasses look their module up
    found.loader.exec_module(module)
    return module


def _read(project: Project) -> None:
    from store.snapshot import load

    snapshot = load(project.instance, cache=False)
    project.cards = dict(snapshot.card_by_id)
    project.stores = dict(snapshot.anchor_stores)
    waited_for = {entry.card for card in snapshot.cards for entry in card.depends_on}
    project._leaves = [
        card.id
        for card in snapshot.cards
        if card.kind == "story" and card.id not in waited_for and card.spec != LAST_SPEC and len(card.anchors) == 3
    ]


def _bound(project: Project, store: AnchorStore) -> None:
    """Every constraint refines the first claim of its card."""
    homes = {anchor: card for card in project.cards.values() if card.spec == store.spec.key for anchor in card.anchors}
    refining = (
        {"kind": "refines", "from": anchor.id, "to": homes[anchor.id].anchors[0], "cue": "must"}
        for anchor in store.anchors
        if anchor.kind == "constraint" and anchor.id in homes
    )
    edges = (*store.edges, *(AnchorEdge.model_validate(edge) for edge in refining))
    project.put_store(store.model_copy(update={"edges": edges}))


def _wait_for_every_question(project: Project) -> None:
    """A card of its own spec waits for every question: the drafter's gates see one spec. Nothing is promised by waiting."""
    waited_for = {(card.spec, entry.card) for card in project.cards.values() for entry in card.depends_on}
    stories = {card.spec: card.id for card in project.cards.values() if card.kind == "story"}
    for card in list(project.cards.values()):
        if card.kind == "gate" and (card.spec, card.id) not in waited_for:
            project.lean(stories[card.spec], card.id)


def _words(project: Project) -> None:
    """The spec of words and choices, by hand: 6 cards."""
    (project.root / "specs" / "words.md").write_text(WORDS_SPEC, encoding="utf-8")
    homes: dict[str, Any] = {"term": "glossary", "exclusion": "epic"}
    claims = [
        {
            "id": named("ANC", name),
            "kind": kind,
            "exact": exact,
            "home": LEFT_ASIDE if name == "paint" else homes.get(kind, "card"),
        }
        for name, kind, exact in WORDS_CLAIMS
    ]
    readings = [{"reader": name, "provider": "recorded", "model": f"{name}-model"} for name in "ab"]
    data = {
        "spec": {"key": WORDS, "path": "specs/words.md"},
        "readings": readings,
        "sections": [],
        "anchors": [],
        "edges": [],
    }
    project.stores[WORDS] = AnchorStore.parse(data, source=WORDS)
    project.adopt(WORDS, claims)
    project.tie("supersedes", named("ANC", "files"), named("ANC", "queue"), "in place of")
    text_of = {name: exact for name, _, exact in WORDS_CLAIMS}

    def card(name: str, *more: str, **fields: Any) -> None:
        names = (name, *more)
        lines = [
            {"id": f"A{number}", "text": text_of[one], "anchors": [named("ANC", one)]}
            for number, one in enumerate(names, 1)
        ]
        project.make(name, spec=WORDS, anchors=[named("ANC", one) for one in names], acceptance=lines, **fields)

    project.make("years", "epic", "EPC", spec=WORDS, anchors=[named("ANC", "years")])
    card("stand", "answer")
    card("sign")
    card("sign-too", "count", team="night")
    old, new = named("DEC", "queue"), named("DEC", "files")
    project.make(
        "queue", "decision", "DEC", spec=WORDS, anchors=[named("ANC", "queue")], decision={"superseded_by": new}
    )
    project.make(
        "files",
        "decision",
        "DEC",
        spec=WORDS,
        anchors=[named("ANC", "files")],
        decision={"supersedes": [old], "affects": "all"},
    )
    left = project.text("part-0002").text + "\n## Left aside\n\n- The archive must paint each letter.\n"
    claim = {
        "id": named("ANC", "letter"),
        "kind": "requirement",
        "exact": "The archive must paint each letter.",
        "home": LEFT_ASIDE,
    }
    project.adopt("part-0002", [claim], left)


def _cards(project: Project) -> None:
    """Cards in the states that generate.py does not know: 28."""
    lines = [{"id": "A1", "text": "It is there."}, {"id": "A2", "text": "It is fast."}]
    for name in ("theirs-done", "theirs-edited", "theirs-plain", "theirs-old", "theirs-gone", "theirs-odd"):
        contract = {"version": 1, "text": "as agreed", "by": PERSON, "at": WHEN}
        expects = {} if name == "theirs-plain" else {"consumer_contract": [contract]}
        state = "done" if name == "theirs-done" else "in_progress"
        project.make(
            name, "external", "EXT", team="data", state=state, tracker=project.tracker(name, site="there"), **expects
        )

    for name in (
        "built",
        "sealed",
        "doubled",
        "weakened",
        "changed",
        "first-issue",
        "second-issue",
        "closed",
        "meant",
        "gated",
    ):
        project.make(name, acceptance=lines)
    project.lean(named("STY", "built"), named("EXT", "theirs-done"))
    for name in ("built", "sealed"):
        project.seal(named("STY", name))
    project.lean(named("STY", "meant"), named("STY", "doubled"))
    for name in ("weakened", "changed", "first-issue", "second-issue", "closed", "meant"):
        project.publish(named("STY", name), status="To Do")

    project.make("question", "gate", "GAT", gate={"waits_for": "answer"})
    project.make("observation", "gate", "GAT", gate={"waits_for": "observation"})
    project.lean(named("STY", "gated"), named("GAT", "question"))
    for name in ("late", "dated"):
        project.make(name, acceptance=lines, due="2027-02-01")
    for name in ("alone", "older", "newer"):
        project.make(name, "decision", "DEC", decision={"affects": "all"})
    for name in ("chain-1", "chain-2"):
        project.make(name, acceptance=lines)
    project.lean(named("STY", "chain-2"), named("STY", "chain-1"))
    for name, other in (("leaning", "older"), ("early", "late"), ("trusting", "dated")):
        project.make(name, acceptance=lines)
        project.lean(named("STY", name), named("DEC" if name == "leaning" else "STY", other))
    for _ in range(project.config.limits.cards_behind_gate):
        project.lean(project.free(), named("GAT", "observation"))


def repository(root: Path) -> Project:
    """The project as main holds it, and a branch on which nothing was changed yet. History knows a card that was taken away."""
    project = arrange(root)
    _git(root, "init", "-q")
    gone = project.make("gone", acceptance=[{"id": "A1", "text": "It is gone."}])
    _commit(root, "one card more")
    project.file(gone.id).unlink()
    del project.cards[gone.id]
    _commit(root, "500 cards")
    _git(root, "checkout", "-qb", "work")
    return project


def _commit(root: Path, message: str) -> None:
    _git(root, "add", "-A")
    _git(root, "commit", "-qm", message)


def _git(root: Path, *arguments: str) -> None:
    """Runs git as Kim, without the configuration of this machine."""
    own = ("-c", "user.name=Kim", "-c", "user.email=kim@example.com", "-c", "init.defaultBranch=main")
    quiet = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *own, *arguments], cwd=root, check=True, capture_output=True, env=quiet)
