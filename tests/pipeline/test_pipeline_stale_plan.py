"""A plan that is no longer true shows itself: a decision was replaced, words were rewritten by hand, and the edges were left."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from scenes import AT, SAID, Scene

from gates.run import run
from pipeline.deeds.confirm import confirm
from pipeline.deeds.decide import decide
from pipeline.deeds.depend import depend
from pipeline.deeds.supersede import Verdict, supersede
from pipeline.said import Said
from schemas.finding import Finding
from store.past import past_of

ASKED = ("C222", "C243", "C250")
EXPIRY, OPENING, CREATING, RENEWAL = "A link lives for 30 days", "Opening a link", "Creating a link", "Owners can renew"
FOUND, RANDOM = "Redirects use 302", "Codes are random"


def git(folder: Path, *arguments: str) -> None:
    own = ("-c", "user.name=Kim", "-c", "user.email=kim@example.com", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *own, *arguments], cwd=folder, check=True, capture_output=True)


def audit(scene: Scene) -> tuple[Finding, ...]:
    """Every rule, compared with the last commit."""
    snapshot = scene.snapshot
    return run("audit", snapshot, past=lambda: past_of(snapshot, "HEAD")).findings


def edges_named(findings: tuple[Finding, ...], code: str) -> set[tuple[str, str]]:
    """The edges that a rule names: the card, and what it leads to."""
    return {(one.subject, one.related[0]) for one in findings if one.code == code}


def by_hand(scene: Scene, card_id: str, old: str, new: str) -> None:
    path = scene.root / "cards" / f"{card_id}.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """The demo, committed: stories lean on two decisions and are published."""
    scene = Scene.demo(tmp_path)
    assert scene.compile("link-shortener").exit_code == 0
    old, other = scene.titled(FOUND).id, scene.titled(RANDOM).id
    for words, decision in ((OPENING, old), (CREATING, old), (CREATING, other)):
        depend(scene.snapshot, scene.titled(words).id, decision, SAID).transaction.commit()
    for words in (EXPIRY, OPENING, CREATING, RENEWAL):
        scene.put_state(scene.titled(words).id, "published")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "the plan")
    return scene


def test_the_stale_edges_are_named_and_after_they_were_turned_the_plan_holds(scene: Scene) -> None:
    old, expiry, opening, creating = (scene.titled(words).id for words in (FOUND, EXPIRY, OPENING, CREATING))
    assert [one for one in audit(scene) if one.code in ASKED or one.severity == "error"] == []

    # The decision is replaced, titles and subtasks follow by hand, and nobody looks at depends_on.
    new = decide(scene.snapshot, "Redirects use 307", SAID)
    new.hand.transaction.commit()
    decision = new.decision.id
    by_hand(scene, old, "superseded_by: null", f"superseded_by: {decision}")
    by_hand(scene, decision, "supersedes: []", f"supersedes: [{old}]")
    by_hand(scene, opening, 'title: "Opening a link"', 'title: "Opening a link with 307"')
    by_hand(scene, expiry, "due: null", 'due: null\nsubtasks:\n  - {id: S1, text: "answer 307", done: false}')

    found = audit(scene)
    stale = {(card, old) for card in (expiry, opening, creating)}
    assert edges_named(found, "C222") == stale
    assert edges_named(found, "C250") == stale
    assert edges_named(found, "C243") == {(expiry, old), (opening, old)}, "the words of these two were rewritten"
    assert {one.code for one in found if one.severity == "error"} == {"C222", "C250"}
    assert {one.fix for one in found if one.code in ("C222", "C250")} == {f"isopod supersede {old} --by {decision}"}
    graph = scene.snapshot.graph
    assert not any(graph.is_ready(card) for card in (expiry, opening, creating))

    # Each edge is looked at: two cards are built after the new decision, one needs none of the two.
    verdicts = {expiry: Verdict("move"), opening: Verdict("move"), creating: Verdict("drop")}
    supersede(scene.snapshot, old, decision, verdicts, SAID).hand.transaction.commit()
    found = audit(scene)
    assert [one for one in found if one.code in ASKED or one.severity == "error"] == []
    graph = scene.snapshot.graph
    assert {card for card in graph.ready() if scene.cards[card].state == "published"} == {expiry, opening, creating}
    assert graph.unsatisfied(scene.titled(RENEWAL).id)[-1] == expiry, "and the others wait as before"


def test_words_that_changed_with_no_edge_are_answered_by_who_looked(scene: Scene) -> None:
    creating, old, other = scene.titled(CREATING).id, scene.titled(FOUND).id, scene.titled(RANDOM).id
    by_hand(scene, creating, 'title: "Creating a link"', 'title: "링크 만들기"')
    (told,) = [one for one in audit(scene) if one.code == "C243"]
    assert (told.subject, set(told.related)) == (creating, {old, other})
    assert told.fix == f'isopod confirm {creating} {told.related[0]} --by NAME --because "..."'
    confirm(scene.snapshot, creating, old, Said("Lee", AT, "it answers 302 all the same")).transaction.commit()
    assert [one for one in audit(scene) if one.code == "C243"] == []
