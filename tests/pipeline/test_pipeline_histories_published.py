"""Real specs that changed under published and done cards: nothing is lost, no id comes twice, every finding has a way out that works."""

from __future__ import annotations

import shlex
import shutil
from collections import Counter
from itertools import cycle
from pathlib import Path

import pytest
from scenes import SAID, Scene

from pipeline.deeds.cut import cut
from pipeline.deeds.hand import Hand
from pipeline.deeds.migrate import migrate
from pipeline.deeds.regroup import move, succeed
from pipeline.deeds.states import approve_spec, done
from schemas.anchors import AnchorStore, Discarded
from schemas.card import Card
from schemas.finding import Finding
from schemas.kinds import PUBLISHED_STATES
from text.folding import fold

STATES = ("done", "published", "in_progress", "done", "in_review")
MOST_DONE = 12
ALL = 10_000
HISTORIES = (
    ("openspec-cli-update", "union", ALL, ALL),
    ("openspec-cli-update", "agreed", ALL, ALL),
    ("semver", "union", ALL, ALL),
    ("kep-3850-backoff", "agreed", ALL, ALL),
    ("kep-753-sidecar", "agreed", ALL, ALL),
    ("whatwg-fetch-large", "agreed", 2, 6),
)
"""How the first readings are answered, how many versions are compiled (the last one always), how many findings are answered of each: a
deed parses its spec, and of 400 kB that takes most of a second."""


@pytest.mark.parametrize(
    ("name", "accept", "most", "answered"), HISTORIES, ids=[f"{one[0]}-{one[1]}" for one in HISTORIES]
)
def test_published_and_done_cards_live_through_a_real_history(
    tmp_path: Path, cases: Path, name: str, accept: str, most: int, answered: int
) -> None:
    scene = Scene.new(tmp_path)
    *versions, last = sorted((cases / "cases" / "histories" / name).iterdir())
    first, *later = [*versions[: most - 1], last]
    _compile(scene, first, accept)
    began = _store(scene)
    _set_out(scene)
    taken: Counter[str] = Counter()
    for version in later:
        before, claims, files = scene.cards, _store(scene), _files(scene)
        issued = set(scene.workspace.issued())
        _compile(scene, version, accept)
        after = scene.cards
        assert issued <= set(scene.workspace.issued()), version.name
        assert {one.id for one in claims.anchors} <= {one.id for one in _store(scene).anchors}
        for card_id, card in before.items():
            _keeps_its_word(card, after[card_id], files[card_id] == _files(scene)[card_id])
        taken += _take_ways_out(scene, answered)
        assert all(error.startswith("C231 ") and answered < ALL for error in scene.audit_errors()), version.name
        assert scene.compile("spec", offline=True).compiled.changed == (), version.name
    _everything_is_accounted_for(scene, began)
    assert taken.keys() <= {"move", "migrate", "cut"}


def _compile(scene: Scene, version: Path, accept: str) -> None:
    shutil.copyfile(version, scene.spec("spec"))
    scene.spec("spec").chmod(0o644)
    assert scene.compile("spec", offline=True, accept=accept).exit_code == 0, version.name  # type: ignore[arg-type]


def _store(scene: Scene) -> AnchorStore:
    return scene.snapshot.anchor_stores["spec"]


def _files(scene: Scene) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in (scene.root / "cards").glob("*.yaml")}


def _set_out(scene: Scene) -> None:
    """Half of the cards are published, and of these some are worked on, some looked over, some done and sealed."""
    approve_spec(scene.snapshot, "spec", SAID).hand.transaction.commit()
    stories = [card.id for card in scene.of_kind("story") if card.state == "planned"][::2]
    published, going = Hand(scene.snapshot, SAID, "publish"), dict(zip(stories, cycle(STATES), strict=False))
    for card_id in stories:
        published.change(card_id, {"state": "published"}, by="publish")
    published.transaction.commit()
    begun = Hand(scene.snapshot, SAID, "start")
    for card_id, state in going.items():
        if state in ("in_progress", "in_review"):
            begun.change(card_id, {"state": state})
    begun.transaction.commit()
    able = [one for one, state in going.items() if state == "done" and not scene.snapshot.graph.unsatisfied(one)]
    for card_id in able[:MOST_DONE]:
        done(scene.snapshot, card_id, SAID).transaction.commit()
    states = Counter(card.state for card in scene.cards.values())
    assert states["planned"] and states["published"] and states["done"] and scene.audit_errors() == []


def _keeps_its_word(before: Card, after: Card, same_bytes: bool) -> None:
    """What no compile may do to a card."""
    assert (before.id, before.kind, before.spec) == (after.id, after.kind, after.spec)
    if before.state in ("done", "deleted"):
        assert same_bytes
    if before.state in PUBLISHED_STATES:
        assert (before.state, before.title, before.acceptance) == (after.state, after.title, after.acceptance)
        assert before.anchors == after.anchors


def _take_ways_out(scene: Scene, most: int) -> Counter[str]:
    """Type what each finding says until none is left, or `most` were answered; each way out clears its finding."""
    taken: Counter[str] = Counter()
    typed: set[str] = set()
    while taken.total() < most and (found := [one for one in scene.audit() if one.code == "C231"][:most]):
        for number, finding in enumerate(found, start=1):
            assert finding.fix is not None and scene.cards[finding.subject].state not in ("drafted", "planned")
            words = shlex.split(finding.fix)
            if finding.fix in typed:  # what takes the place of words that changed twice answers for both
                continue
            typed.add(finding.fix)
            if words[1] == "move" and taken["move"] % 2 and scene.cards[finding.subject].state in PUBLISHED_STATES:
                move(scene.snapshot, words[2:3], finding.subject, SAID, instead_of=words[4]).hand.transaction.commit()
            elif words[1] == "move":
                succeed(scene.snapshot, words[4], words[2], SAID).transaction.commit()
            elif words[1] == "migrate":
                migrate(scene.snapshot, words[2], [words[4]], words[6:], SAID).hand.transaction.commit()
            else:
                assert words[:2] == ["isopod", "cut"], finding
                cut(scene.snapshot, [words[2]], SAID).hand.transaction.commit()
            taken[words[1]] += 1
            if words[1] == "cut":
                found = found[:number]  # other findings of the card went with it
                break
        left = {(one.subject, one.related): one.message for one in scene.audit() if one.code == "C231"}
        stayed = left.keys() & {(one.subject, one.related) for one in found if not _was_cut(scene, one)}
        assert not stayed, [left[one] for one in stayed]
    return taken


def _was_cut(scene: Scene, finding: Finding) -> bool:
    return scene.cards[finding.subject].state == "deleted"


def _everything_is_accounted_for(scene: Scene, began: AnchorStore) -> None:
    store = _store(scene)
    now = {one.id: one for one in store.anchors}
    text = fold(scene.spec("spec").read_text(encoding="utf-8"))
    carried = {anchor for card in scene.cards.values() for anchor in card.anchors}
    for old in began.anchors:
        one = now[old.id]
        gone = one.status in ("retired", "edited", "lost")
        assert gone or isinstance(one.home, Discarded) or one.home in ("glossary", "epic") or one.id in carried
        assert one.status not in ("edited", "lost") or one.id in carried
    for one in store.anchors:
        assert one.status != "live" or fold(one.exact) in text
