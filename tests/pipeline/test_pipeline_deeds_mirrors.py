"""Another team's cards: an issue takes over a request, and what we expect of it is pinned, version by version."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from scenes import AT, SAID, Scene, lines, waits

from pipeline.deeds.contract import differences, pin, requests_of
from pipeline.deeds.cut import cut
from pipeline.deeds.mirror import Mirrored, mirror_for
from pipeline.deeds.states import approve
from pipeline.redrafting import draft_spec
from pipeline.said import Said
from pipeline.workspace import Workspace
from schemas.card import Card, PersonReason, TrackerPart
from schemas.errors import ImmutableCardError, OwnershipError, RefusedError
from store.promises import promise_of

EVENT, REQUEST = "Every redirect emits", "at-least-once endpoint"
ISSUE = TrackerPart(
    provider="local", site="data.example", id="10023", key="DATA-12", title="이벤트 스트림", read_at=AT, status=None
)
STATUS = 'tracker: {status: {"To Do": published, "In Progress": in_progress, Done: done}}\n'


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's instance, the link shortener compiled, with statuses that config maps."""
    scene = Scene.demo(tmp_path_factory.mktemp("mirrors"), extra=STATUS)
    assert scene.compile("link-shortener").exit_code == 0
    return scene.root


@pytest.fixture
def scene(compiled: Path, tmp_path: Path) -> Scene:
    shutil.copytree(compiled, tmp_path / "demo")
    return Scene(tmp_path / "demo")


def mirrored(scene: Scene, issue: TrackerPart = ISSUE, said: Said = SAID) -> Mirrored:
    """`isopod mirror add --for` the demo's request, committed."""
    made = mirror_for(scene.snapshot, issue, scene.titled(REQUEST).id, said)
    made.hand.transaction.commit()
    return made


def mirror(scene: Scene) -> Card:
    return scene.of_kind("external")[0]


def test_an_issue_takes_over_a_request_with_its_edges_and_its_words(scene: Scene) -> None:
    request, story = scene.titled(REQUEST), scene.titled(EVENT)
    approve(scene.snapshot, [story.id], SAID).transaction.commit()
    made = mirrored(scene)
    card, after = mirror(scene), scene.titled(EVENT)
    assert (card.id, made.waiting) == (made.card.id, (story.id,))
    assert (card.title, card.state, card.team, card.tracker) == ("이벤트 스트림", "published", "data", ISSUE)
    (version,) = card.consumer_contract
    assert (version.version, version.text, list(version.lines), version.anchors) == (
        1, request.title, lines(request), request.anchors,
    )  # fmt: skip
    assert waits(after) == {card.id: [*waits(story)[request.id], "Kim"]}, "its reasons are kept"
    assert after.state == "drafted", "somebody looks at it again"
    entry = after.depends_on[0]
    assert entry.seen == promise_of(card, {})
    assert entry.because[-1] == PersonReason(person="Kim", text=f"{card.id} took over {request.id}", at=AT)
    done = scene.cards[request.id]
    assert (done.state, done.request.external) == ("done", card.id)  # type: ignore[union-attr]
    assert [file.entry.type for file in scene.snapshot.ledger.entries] == ["contract"]
    assert scene.audit_errors() == [] and not [one for one in scene.audit() if one.code in ("C251", "C261", "C270")]
    assert not scene.snapshot.graph.is_ready(story.id)


def test_no_compile_and_no_new_draft_leads_the_story_back_to_the_request(scene: Scene) -> None:
    mirrored(scene)
    card = mirror(scene)
    assert scene.compile("link-shortener").compiled.changed == ()
    draft_spec(Workspace.of(scene.snapshot), scene.spec("link-shortener"), again=True).transaction.commit()
    assert card.id in waits(scene.titled(EVENT))
    assert mirror(scene) == card and scene.audit_errors() == []


@pytest.mark.parametrize(("status", "state", "ready"), [("In Progress", "in_progress", False), ("Done", "done", True)])
def test_the_state_of_a_mirror_is_what_its_status_means(scene: Scene, status: str, state: str, ready: bool) -> None:
    mirrored(scene, ISSUE.model_copy(update={"status": status}))
    assert mirror(scene).state == state
    assert scene.snapshot.graph.is_ready(scene.titled(EVENT).id) is ready


def test_a_status_is_never_guessed_and_an_issue_has_a_title(scene: Scene) -> None:
    for issue, code in (({"status": "Doing"}, "status-unmapped"), ({"title": " "}, "words-missing")):
        with pytest.raises(RefusedError) as caught:
            mirrored(scene, ISSUE.model_copy(update=issue))
        assert caught.value.code == code
    assert scene.of_kind("external") == []


def test_only_an_open_request_is_taken_over_and_by_an_issue_of_its_own_team(scene: Scene) -> None:
    story, request = scene.titled(EVENT), scene.titled(REQUEST)
    with pytest.raises(RefusedError, match="is a story"):
        mirror_for(scene.snapshot, ISSUE, story.id, SAID)
    scene.edit(story.id, {"tracker": ISSUE.to_data()}, by="publish")
    with pytest.raises(RefusedError) as caught:
        mirrored(scene)
    assert caught.value.code == "issue-taken"
    scene.edit(story.id, {"tracker": None}, by="publish")
    mirrored(scene)
    with pytest.raises(RefusedError) as caught:
        mirror_for(scene.snapshot, ISSUE, request.id, SAID)
    assert caught.value.code == "taken-over" and mirror(scene).id in caught.value.message


def test_a_team_whose_cards_are_written_here_has_no_mirror(scene: Scene) -> None:
    request = scene.titled(REQUEST)
    assert request.request is not None
    scene.edit(request.id, {"request": {"team": "growth"}})
    with pytest.raises(OwnershipError, match="cannot belong to team growth"):
        mirrored(scene)


def test_an_issue_that_is_mirrored_already_takes_over_another_request(scene: Scene) -> None:
    first = mirrored(scene)
    request = scene.cards[scene.titled(REQUEST).id]
    born = {**request.to_data(), "id": "REQ-00000002", "title": "Data team: 이벤트 보존 90일", "state": "drafted"}
    born |= {"request": {"team": "data"}, "anchors": [], "acceptance": [{"id": "A1", "text": "90일 동안 보존한다."}]}
    path = scene.root / "cards" / "REQ-00000002.yaml"
    path.write_text(str(born).replace("None", "null").replace("False", "false"), encoding="utf-8")
    made = mirror_for(scene.snapshot, ISSUE.model_copy(update={"status": "In Progress"}), "REQ-00000002", SAID)
    made.hand.transaction.commit()
    card = mirror(scene)
    assert (card.id, card.state) == (first.card.id, "in_progress")
    assert [version.lines[-1] for version in card.consumer_contract][-1] == "90일 동안 보존한다."
    assert len(requests_of(scene.snapshot, card.id)) == 2
    with pytest.raises(RefusedError, match="were taken over by it"):
        pin(scene.snapshot, card.id, SAID)


# --- contracts -------------------------------------------------------------------------------------------------------


def test_a_contract_only_grows_and_says_nothing_twice(scene: Scene) -> None:
    mirrored(scene)
    card = mirror(scene)
    again = pin(scene.snapshot, card.id, SAID)
    assert not again.is_new and again.hand.transaction.commit() == ()
    new = pin(scene.snapshot, card.id, SAID, text="An endpoint", lines=("3,000 events  a second",))
    new.hand.transaction.commit()
    after = mirror(scene)
    assert after.consumer_contract[:1] == card.consumer_contract
    assert (new.version.version, new.version.lines) == (2, ("3,000 events a second",))
    assert [one.subject for one in scene.audit() if one.code == "C251"] == [scene.titled(EVENT).id]
    entries = [file.entry for file in scene.snapshot.ledger.entries]
    assert sorted((entry.type, entry.subject, entry.body["version"]) for entry in entries) == [
        ("contract", card.id, 1),
        ("contract", card.id, 2),
    ]
    with pytest.raises(ImmutableCardError, match="word for word"):
        scene.edit(card.id, {"consumer_contract": [after.consumer_contract[1].to_data()]})


def test_a_contract_is_compared_with_the_version_before_and_with_what_we_ask_for_today(scene: Scene) -> None:
    mirrored(scene)
    card = mirror(scene)
    (today,) = differences(scene.snapshot, card)
    assert (today.before, today.after, today.differs) == (1, None, False)
    pin(scene.snapshot, card.id, SAID, text="An endpoint", lines=("3,000 events a second",)).hand.transaction.commit()
    versions, today = differences(scene.snapshot, mirror(scene))
    assert (versions.before, versions.after, versions.added) == (1, 2, ("3,000 events a second",))
    assert today.differs and today.removed == ("3,000 events a second",) and len(today.added) == 1
    (asked,) = differences(scene.snapshot, mirror(scene), 1, 2)
    assert asked == versions
    with pytest.raises(RefusedError, match="no version 3"):
        differences(scene.snapshot, mirror(scene), 1, 3)


def test_a_line_that_the_spec_gave_up_is_no_longer_asked_for(scene: Scene) -> None:
    mirrored(scene)
    spec = scene.spec("link-shortener")
    text = spec.read_text(encoding="utf-8")
    sentence = next(line for line in text.split("\n") if "at-least-once endpoint" in line)
    spec.write_text(text.replace(sentence, "The stream is theirs."), encoding="utf-8")
    assert scene.compile("link-shortener", offline=True, accept="union").exit_code == 0
    (today,) = differences(scene.snapshot, mirror(scene))
    assert today.differs and today.removed == mirror(scene).consumer_contract[0].lines and today.added == ()


def test_a_contract_is_on_another_teams_card_and_says_something(scene: Scene) -> None:
    story = scene.titled(EVENT)
    with pytest.raises(RefusedError, match="of ours"):
        pin(scene.snapshot, story.id, SAID, text="x")
    mirrored(scene)
    card = mirror(scene)
    for given in ({"text": " "}, {"lines": ("x",)}, {"text": "x", "lines": (" ",)}):
        with pytest.raises(RefusedError) as caught:
            pin(scene.snapshot, card.id, SAID, **given)  # type: ignore[arg-type]
        assert caught.value.code == "words-missing"
    with pytest.raises(RefusedError, match="is a story"):
        pin(scene.snapshot, card.id, SAID, request=story.id)
    cut(scene.snapshot, [card.id], SAID).hand.transaction.commit()
    with pytest.raises(RefusedError, match="cut from the plan"):
        pin(scene.snapshot, card.id, SAID, text="x")
