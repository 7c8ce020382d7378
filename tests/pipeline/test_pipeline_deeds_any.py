"""Any sequence of all the commands on cards, over any states, with compiles between: nothing is lost, nothing done is changed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scenes import AT, SAID, Scene

from pipeline.deeds.answer import answer
from pipeline.deeds.confirm import confirm
from pipeline.deeds.contract import pin
from pipeline.deeds.cut import cut
from pipeline.deeds.decide import Replacing, decide, lean_on
from pipeline.deeds.depend import depend
from pipeline.deeds.edit import edit
from pipeline.deeds.fields import assigned, assignment
from pipeline.deeds.migrate import migrate
from pipeline.deeds.mirror import mirror_for
from pipeline.deeds.regroup import merge, move, split
from pipeline.deeds.states import approve, approve_spec, done, open_gate, take_up
from pipeline.deeds.supersede import Turn, Verdict, leaning_on, supersede
from pipeline.fix import fix
from schemas.card import Card, TrackerPart
from schemas.errors import IsopodError
from store.instance import open_instance
from store.ledger import edge_exemption, exemptions, seals
from store.snapshot import Snapshot
from store.transaction import Transaction

STATES = ("drafted", "planned", "published", "in_progress", "in_review")
FIELDS = ("title=새 제목", "notes=x", "acceptance+=more", "subtasks+=task", "due=2026-12-31", "depends_on-={first}")
TURNS: tuple[Turn, ...] = ("move", "drop", "keep")
# What the deeds keep true whatever their order; a claim's drift and what nobody looked at are for people.
KEPT_TRUE = frozenset(
    {
        "C201", "C202", "C203", "C204", "C210", "C211", "C213", "C220", "C222", "C227", "C240", "C246", "C250", "C262",
        "A102", "A104", "A130",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A command on the cards of these numbers; `choice` picks what else it needs."""

    verb: str
    card: int
    other: int
    choice: int


def _decision(snapshot: Snapshot, number: int) -> Card:
    """A decision of the instance."""
    found = [card for card in snapshot.cards if card.kind == "decision"]
    return found[number % len(found)]


def _verdicts(snapshot: Snapshot, old: str, choice: int) -> dict[str, Verdict]:
    cards = dict.fromkeys(one.card.id for one in leaning_on(snapshot, old))
    return {card_id: Verdict(TURNS[(choice + number) % 3], f"reason {choice}") for number, card_id in enumerate(cards)}


def _decide(snapshot: Snapshot, card: Card, other: Card, choice: int) -> Transaction:
    if choice % 3 == 0:
        old = _decision(snapshot, choice).id
        replacing = Replacing(old, _verdicts(snapshot, old, choice))
        return decide(snapshot, f"decision {choice}", SAID, replacing=replacing).hand.transaction
    if choice % 3 == 1:
        return lean_on(snapshot, _decision(snapshot, choice).id, (card.id,), SAID).hand.transaction
    return decide(snapshot, f"decision {choice}", SAID, spec=card.spec, affects=(card.id, other.id)).hand.transaction


def _supersede(snapshot: Snapshot, card: Card, other: Card, choice: int) -> Transaction:
    old, new = _decision(snapshot, choice).id, _decision(snapshot, choice // 7).id
    return supersede(snapshot, old, new, _verdicts(snapshot, old, choice), SAID).hand.transaction


def _mirror(snapshot: Snapshot, card: Card, other: Card, choice: int) -> Transaction:
    requests = [one for one in snapshot.cards if one.kind == "request"]
    issue = TrackerPart(
        provider="local", site="data", id=f"{choice % 5}", key=f"D-{choice % 5}", title="그 이슈", read_at=AT
    )
    return mirror_for(snapshot, issue, requests[choice % len(requests)].id, SAID).hand.transaction


def _pin(snapshot: Snapshot, card: Card, other: Card, choice: int) -> Transaction:
    mirrors = [one.id for one in snapshot.cards if one.kind == "external"]
    return pin(
        snapshot, mirrors[choice % len(mirrors)] if mirrors else card.id, SAID, text=f"x{choice}"
    ).hand.transaction


def _migrate(snapshot: Snapshot, card: Card, other: Card, choice: int) -> Transaction:
    texts = ("다시 한다",) if choice % 2 else ()
    return migrate(snapshot, card.id, [f"A{choice % 3 + 1}"], texts, SAID).hand.transaction


def _edit(snapshot: Snapshot, card: Card, other: Card, choice: int) -> Transaction:
    first = card.depends_on[0].card if card.depends_on else other.id
    return edit(
        snapshot, assigned(card, [assignment(FIELDS[choice % len(FIELDS)].format(first=first))]), SAID
    ).transaction


def _move(snapshot: Snapshot, card: Card, other: Card, choice: int) -> Transaction:
    return move(
        snapshot, [card.anchors[choice % len(card.anchors)]] if card.anchors else [], other.id, SAID
    ).hand.transaction


Deed = Callable[[Snapshot, Card, Card, int], Transaction]
DEEDS: dict[str, Deed] = {
    "approve": lambda all_, card, other, choice: approve(all_, [card.id, other.id][: 1 + choice % 2], SAID).transaction,
    "approve-spec": lambda all_, card, other, choice: approve_spec(all_, card.spec or "", SAID).hand.transaction,
    "start": lambda all_, card, other, choice: take_up(all_, [card.id], "in_progress", SAID).transaction,
    "review": lambda all_, card, other, choice: take_up(all_, [card.id], "in_review", SAID).transaction,
    "done": lambda all_, card, other, choice: done(all_, card.id, SAID).transaction,
    "answer": lambda all_, card, other, choice: answer(all_, card.id, f"answer {choice}", SAID).hand.transaction,
    "open": lambda all_, card, other, choice: open_gate(all_, card.id, SAID).transaction,
    "cut": lambda all_, card, other, choice: cut(all_, [card.id], SAID).hand.transaction,
    "depend": lambda all_, card, other, choice: depend(all_, card.id, other.id, SAID).transaction,
    "confirm": lambda all_, card, other, choice: (
        confirm(
            all_, card.id, card.depends_on[choice % len(card.depends_on)].card if card.depends_on else other.id, SAID
        ).transaction
    ),
    "split": lambda all_, card, other, choice: (
        split(all_, card.id, SAID, lines=[f"A{choice % 3 + 1}"]).hand.transaction
    ),
    "merge": lambda all_, card, other, choice: merge(all_, card.id, [other.id], SAID).hand.transaction,
    "move": _move,
    "edit": _edit,
    "decide": _decide,
    "supersede": _supersede,
    "mirror": _mirror,
    "pin": _pin,
    "migrate": _migrate,
}
UNDO, COMPILE, FIX = "undo", "compile", "fix"
STEPS = st.builds(
    Step, st.sampled_from([*DEEDS, UNDO]), st.integers(0, 99), st.integers(0, 99), st.integers(0, 99)
)  # fmt: skip


def take(scene: Scene, step: Step) -> None:
    """One command. Raises IsopodError when it is refused."""
    snapshot = scene.snapshot
    card, other = (snapshot.cards[number % len(snapshot.cards)] for number in (step.card, step.other))
    instance = open_instance(scene.root)
    if step.verb == UNDO:
        Transaction.taking_back(instance.root, instance.state_dir, instance.ledger_dir)[1].commit()
    elif step.verb == COMPILE:
        scene.compile(card.spec or "link-shortener")
    elif step.verb == FIX:
        fix(snapshot).transaction.commit()
    else:
        DEEDS[step.verb](snapshot, card, other, step.choice).commit()


def held(scene: Scene) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Every card's bytes by id, every ledger entry's by name."""
    cards = {path.stem: path.read_bytes() for path in (scene.root / "cards").glob("*.yaml")}
    return cards, {path.name: path.read_bytes() for path in (scene.root / "cards/ledger").glob("?" * 64 + ".json")}


def is_final(content: bytes) -> bool:
    """Another team's card is never final: it is in the state that its issue says."""
    theirs = re.search(rb"^kind: external$", content, re.MULTILINE)
    return not theirs and re.search(rb"^state: (done|deleted)$", content, re.MULTILINE) is not None


def hold_true(scene: Scene, steps: Iterable[Step]) -> int:
    """Every step is refused and writes nothing, or loses and forges nothing. Gives how many were taken."""
    taken = 0
    for step in steps:
        cards, entries = held(scene)
        try:
            take(scene, step)
        except IsopodError:
            assert held(scene) == (cards, entries), f"{step} was refused and wrote"
            continue
        taken += 1
        after, now = held(scene)
        assert entries.items() <= now.items(), f"{step} lost an entry of the ledger"
        if step.verb != UNDO:
            assert cards.keys() <= after.keys(), f"{step} lost a card"
            changed = [name for name, content in cards.items() if is_final(content) and after[name] != content]
            assert not changed, f"{step} changed {changed}, which are over"
    errors = [one for one in scene.audit() if one.code in KEPT_TRUE and one.severity == "error"]
    assert not errors, [f"{one.code} {one.subject}: {one.message}" for one in errors]
    snapshot = scene.snapshot
    assert not snapshot.ledger.problems
    sealed = {card.id for card in snapshot.cards if card.state == "done" and card.id in seals(snapshot.ledger)}
    assert sealed == seals(snapshot.ledger).keys()
    assert_kept_edges_are_counted(snapshot)
    return taken


def assert_kept_edges_are_counted(snapshot: Snapshot) -> None:
    """Whatever leans on a replaced decision does so by an entry of the ledger, and the ledger has no other override of that rule."""
    excepted = {one.file.entry.subject for one in exemptions(snapshot.ledger) if one.body.rule == "C222"}
    for card in snapshot.cards:
        if card.state in ("done", "deleted"):
            continue
        for entry in card.depends_on:
            if snapshot.graph.is_superseded(entry.card):
                assert edge_exemption(snapshot.ledger, card.id, entry) is not None
                assert card.id in excepted


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's instance, both specs compiled."""
    scene = Scene.demo(tmp_path_factory.mktemp("any-deed"))
    for name in ("link-shortener", "reminder-ko"):
        assert scene.compile(name).exit_code == 0
    return scene.root


def in_states(scene: Scene, states: list[str]) -> None:
    for card, state in zip(scene.snapshot.cards, states, strict=False):
        scene.put_state(card.id, state)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(STATES), min_size=24, max_size=24), st.lists(STEPS, min_size=1, max_size=14))
def test_no_sequence_of_deeds_loses_or_forges_anything(
    compiled: Path, tmp_path_factory: pytest.TempPathFactory, states: list[str], steps: list[Step]
) -> None:
    root = tmp_path_factory.mktemp("any") / "demo"
    shutil.copytree(compiled, root)
    scene = Scene(root)
    in_states(scene, states)
    hold_true(scene, steps)
    shutil.rmtree(root)


@pytest.mark.parametrize("seed", range(3))
def test_two_hundred_deeds_with_compiles_and_fixes_between_them_hold_true(
    compiled: Path, tmp_path: Path, seed: int
) -> None:
    shutil.copytree(compiled, tmp_path / "demo")
    scene, chance = Scene(tmp_path / "demo"), Random(seed)
    in_states(scene, [chance.choice(STATES) for _ in scene.snapshot.cards])
    verbs = [*DEEDS, UNDO, COMPILE, FIX]
    steps = (Step(chance.choice(verbs), *(chance.randrange(99) for _ in range(3))) for _ in range(200))
    assert hold_true(scene, steps) > 30
