"""Instances that tests make: a config with teams, specs, readings written as short tuples, and the line run over them."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gates.run import run as run_gates
from pipeline.answers import Docket, open_docket
from pipeline.bench import Bench
from pipeline.compile import CompileOptions, Outcome, commit, compile_spec
from pipeline.settle import BulkAnswer, Said
from pipeline.workspace import Workspace
from schemas.card import Card
from schemas.finding import Finding
from schemas.kinds import WORK_KINDS
from schemas.run import RunAnchor, RunEdge
from store.cards import Actor, edit, load
from store.instance import open_instance
from store.snapshot import Snapshot
from store.snapshot import load as load_snapshot
from store.transaction import Transaction
from text.coordinates import of_text
from text.grounding import Grounder, Reading, ground
from text.structure import structure

REPOSITORY = Path(__file__).parents[1]
WRITES_CARDS = "{manages_tracker: true, writes_cards: true, renders: true, schema: own}"
OTHERS = "{manages_tracker: false, writes_cards: false, renders: false, schema: mirror}"
TEAMS = (
    ("growth", "Growth team", WRITES_CARDS),
    ("data", "Data team", OTHERS),
    ("reservations", "예약팀", WRITES_CARDS),
    ("front-desk", "원무팀", OTHERS),
)
AT = "2026-11-30T09:00:00Z"
SAID = Said("Kim", AT, "a test says so")

AnchorT = tuple[str, str, str]
"""ref, kind, quote"""
EdgeT = tuple[str, str, str, str]
"""from, kind, to, cue"""


def config_text(teams: Iterable[tuple[str, str, str]] = TEAMS, extra: str = "") -> str:
    """A config.yaml with recorded readers by one model; `extra` are further lines at its end."""
    rows = "\n".join(f'  - {{id: {one}, name: "{name}", capabilities: {flags}}}' for one, name, flags in teams)
    return f"""\
schema: isopod.config/1
project: test
teams:
{rows}
default_team: growth
readers:
  a: {{provider: recorded, model: one}}
  b: {{provider: recorded, model: one}}
allow_same_model: true
{extra}"""


def run_data(
    path: str, text: str, reader: str, anchors: Sequence[AnchorT], edges: Sequence[EdgeT] = (), number: int = 0
) -> dict[str, Any]:
    """An isopod.run/1 as plain data. Lines are those of the first place of each quote; a quote that stands nowhere has line 1."""
    spec = of_text(text, path)

    def lines(quote: str) -> list[int]:
        place = text.find(quote)
        return list(spec.lines_of((place, place + len(quote)))) if place >= 0 else [1, 1]

    return {
        "schema": "isopod.run/1",
        "spec": {"path": path, "sha256": hashlib.sha256(text.encode()).hexdigest()},
        "reader": {"name": reader, "provider": "recorded", "model": "one", "round": number},
        "anchors": [
            {"ref": ref, "kind": kind, "quote": quote, "lines": lines(quote), "nth": None}
            for ref, kind, quote in anchors
        ],
        "edges": [
            {"from": from_, "to": to, "kind": kind, "cue": {"quote": cue, "lines": lines(cue)}}
            for from_, kind, to, cue in edges
        ],
    }


def bench_of(text: str, path: str = "spec.md") -> Bench:
    return Bench.of(of_text(text, path))


def reading_of(text: str, anchors: Sequence[AnchorT], edges: Sequence[EdgeT] = (), *, path: str = "spec.md") -> Reading:
    """A grounded reading; tests of the join start here."""
    spec = of_text(text, path)
    data = run_data(path, text, "a", anchors, edges)
    return ground(
        Grounder(spec, structure(spec)),
        [(number, RunAnchor.model_validate(one)) for number, one in enumerate(data["anchors"])],
        [(number, RunEdge.model_validate(one)) for number, one in enumerate(data["edges"])],
    )


def fingerprint(folder: Path) -> dict[str, str]:
    """The digest of every file below a folder but the state that is not committed."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".isopod" not in path.parts and ".git" not in path.parts
    }


@dataclass(frozen=True)
class Scene:
    """One instance in a folder of a test."""

    root: Path

    @classmethod
    def new(cls, root: Path, *, teams: Iterable[tuple[str, str, str]] = TEAMS, extra: str = "") -> Scene:
        (root / "specs" / "recorded").mkdir(parents=True, exist_ok=True)
        (root / "config.yaml").write_text(config_text(teams, extra), encoding="utf-8")
        return cls(root)

    @classmethod
    def demo(cls, root: Path, **config: Any) -> Scene:
        """The shipped demo: both specs with their recorded readings."""
        scene = cls.new(root, **config)
        for name in ("link-shortener.md", "reminder-ko.md"):
            shutil.copy(REPOSITORY / "specs" / name, root / "specs" / name)
            for run in sorted((REPOSITORY / "specs" / "recorded").glob(f"{Path(name).stem}.*.json")):
                shutil.copy(run, root / "specs" / "recorded" / run.name)
        return scene

    def reconfigure(self, *, teams: Iterable[tuple[str, str, str]] = TEAMS, extra: str = "") -> None:
        (self.root / "config.yaml").write_text(config_text(teams, extra), encoding="utf-8")

    def spec(self, name: str) -> Path:
        return self.root / "specs" / f"{name}.md"

    def write(
        self,
        name: str,
        text: str,
        anchors: Sequence[AnchorT],
        edges: Sequence[EdgeT] = (),
        *,
        b: tuple[Sequence[AnchorT], Sequence[EdgeT]] | None = None,
        number: int = 0,
    ) -> Path:
        """A spec with one recorded reading a side; without `b` both readers read the same."""
        path = self.spec(name)
        path.write_bytes(text.encode())
        for reader, (own, drawn) in (("a", (anchors, edges)), ("b", b or (anchors, edges))):
            data = run_data(f"specs/{name}.md", text, reader, own, drawn, number)
            file = self.root / "specs" / "recorded" / f"{name}.{reader}.round{number}.json"
            file.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
        return path

    @property
    def snapshot(self) -> Snapshot:
        return load_snapshot(open_instance(self.root), cache=False)

    @property
    def workspace(self) -> Workspace:
        return Workspace.of(self.snapshot)

    def preview(self, name: str, **options: Any) -> Outcome:
        return compile_spec(self.workspace, self.spec(name), CompileOptions(**options), preview=True)

    def compile(self, name: str, *, accept: BulkAnswer | None = None, **options: Any) -> Outcome:
        """Compile and commit."""
        workspace = self.workspace
        said = SAID if accept is not None else None
        outcome = compile_spec(workspace, self.spec(name), CompileOptions(accept=accept, said=said, **options))
        commit(workspace, outcome)
        return outcome

    def docket(self, name: str, **options: Any) -> Docket:
        return open_docket(self.workspace, self.spec(name), **options)

    @property
    def cards(self) -> dict[str, Card]:
        return {card.id: card for card in self.snapshot.cards}

    def titled(self, words: str) -> Card:
        """The one live card whose title holds `words`."""
        found = [card for card in self.snapshot.cards if words in card.title and card.state != "deleted"]
        assert len(found) == 1, (words, [card.title for card in self.snapshot.cards])
        return found[0]

    def of_kind(self, kind: str) -> list[Card]:
        """The live cards of a kind, in the order of their leading claims in the text."""
        snapshot = self.snapshot
        order = [anchor.id for store in snapshot.anchor_stores.values() for anchor in store.anchors]
        cards = [card for card in snapshot.cards if card.kind == kind and card.state != "deleted"]
        return sorted(cards, key=lambda card: order.index(card.anchors[0]) if card.anchors else -1)

    def edit(self, card_id: str, patch: dict[str, Any], *, by: str = "person", name: str = "Kim") -> Card:
        """Edit a card as a person (or another actor) does, through the store."""
        instance = open_instance(self.root)
        transaction = Transaction(instance.root, instance.state_dir, command="edit")
        file = load(transaction, instance, card_id)
        after = edit(transaction, instance, file.card, patch, actor=Actor(name=name, by=by), expected=file.sha256)
        transaction.commit()
        return after

    def put_state(self, card_id: str, *states: str) -> None:
        """Take a card through its lifecycle, as the commands would."""
        path = self.root / "cards" / f"{card_id}.yaml"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("state: drafted", f"state: {states[-1]}"), encoding="utf-8")

    def audit(self) -> list[Finding]:
        return list(run_gates("audit", self.snapshot).findings)

    def audit_errors(self) -> list[str]:
        return [f"{one.code} {one.subject}: {one.message}" for one in self.audit() if one.severity == "error"]

    def ready(self) -> set[str]:
        """The titles of the cards that may be started."""
        graph = self.snapshot.graph
        return {card.title for card in self.snapshot.cards if card.kind in WORK_KINDS and graph.is_ready(card.id)}


def waits(card: Card) -> dict[str, list[str]]:
    """What a card waits for, with the cues of the edges (or the rule or person) that say so."""
    said: dict[str, list[str]] = {}
    for entry in card.depends_on:
        for reason in entry.because:
            shown = getattr(reason, "cue", None) or getattr(reason, "rule", None) or getattr(reason, "person", None)
            said.setdefault(entry.card, []).append(str(shown))
    return said


def lines(card: Card) -> list[str]:
    return [line.text for line in card.acceptance]
