"""A changed claim leads to a finding that names the card and what its state allows; once that is done the audit is clean (C231, D15)."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from scenes import SAID, AnchorT, EdgeT, Scene, lines, waits

from pipeline.deeds.cut import cut
from pipeline.deeds.migrate import migrate
from pipeline.deeds.regroup import merge, move, succeed
from schemas.errors import RefusedError
from schemas.finding import Finding

TEXT = """\
# Links

## Creating

- It makes a short link.
- A code has six characters.
- No code is used twice.

## Opening

- It answers 302.
"""
ANCHORS: list[AnchorT] = [
    ("a1", "requirement", "It makes a short link."),
    ("a2", "constraint", "A code has six characters."),
    ("a3", "constraint", "No code is used twice."),
    ("a4", "interface", "It answers 302."),
]
EDGES: list[EdgeT] = [("a4", "requires", "a1", "answers 302")]
OPEN, PUBLISHED, ALL = (
    ("drafted", "planned"),
    ("published", "in_progress", "in_review"),
    ("drafted", "planned", "published", "in_progress", "in_review", "done"),
)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene.new(tmp_path)
    scene.write("links", TEXT, ANCHORS, EDGES)
    assert scene.compile("links").exit_code == 0 and scene.audit_errors() == []
    return scene


def reworded(scene: Scene) -> None:
    """The spec as it is after somebody changed a word; not compiled yet."""
    anchors = [(ref, kind, quote.replace("six", "seven")) for ref, kind, quote in ANCHORS]
    scene.write("links", TEXT.replace("six", "seven"), anchors, EDGES)


def lost(scene: Scene) -> None:
    anchors = [one for one in ANCHORS if one[0] != "a2"]
    scene.write("links", TEXT.replace("- A code has six characters.\n", ""), anchors, EDGES)


def drift(scene: Scene) -> list[Finding]:
    return [one for one in scene.audit() if one.code == "C231"]


def of(scene: Scene, words: str) -> str:
    (found,) = [one.id for one in scene.snapshot.anchor_stores["links"].anchors if one.exact == words]
    return found


@pytest.mark.parametrize("state", ALL)
@pytest.mark.parametrize("change", [reworded, lost])
def test_before_the_compile_every_card_of_a_changed_claim_is_named(scene: Scene, state: str, change: object) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, state)
    assert callable(change)
    change(scene)
    (found,) = drift(scene)
    assert found.subject == card.id and found.severity == ("warn" if state == "done" else "error")
    assert found.fix == "isopod compile specs/links.md" and of(scene, "A code has six characters.") in found.message


@pytest.mark.parametrize("state", OPEN)
@pytest.mark.parametrize("change", [reworded, lost])
def test_a_drafted_or_planned_card_follows_the_spec(scene: Scene, state: str, change: object) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, state)
    assert callable(change)
    change(scene)
    scene.compile("links")
    after = scene.cards[card.id]
    assert drift(scene) == [] and after.state == "drafted" and scene.audit_errors() == []
    assert ("A code has seven characters." in lines(after)) == (change is reworded)


@pytest.mark.parametrize("state", [*PUBLISHED, "done"])
def test_a_new_story_that_a_person_says_holds_the_new_words_answers_for_the_card(scene: Scene, state: str) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, state)
    held = scene.cards[card.id]
    reworded(scene)
    outcome = scene.compile("links")
    story = scene.titled("seven")
    assert waits(story) == ({} if state == "done" else {card.id: ["D15"]})
    old, new = of(scene, "A code has six characters."), of(scene, "A code has seven characters.")
    (found,) = drift(scene)
    assert found.fix == f"isopod move {new} --instead-of {old}" and state.replace("_", " ") in found.message
    assert f"isopod move {new} --instead-of {old} --by NAME" in {one.do for one in outcome.compiled.suggestions}
    succeed(scene.snapshot, old, new, SAID).transaction.commit()
    assert drift(scene) == [] and scene.audit_errors() == [] and scene.cards[card.id] == held
    assert scene.compile("links").compiled.changed == ()  # a compile keeps what the person said


@pytest.mark.parametrize("state", PUBLISHED)
def test_the_new_words_become_a_line_of_the_published_card(scene: Scene, state: str) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, state)
    reworded(scene)
    scene.compile("links")
    story = scene.titled("seven")
    old, new = of(scene, "A code has six characters."), of(scene, "A code has seven characters.")
    move(scene.snapshot, [new], card.id, SAID, instead_of=old).hand.transaction.commit()
    after = scene.cards[card.id]
    assert after.acceptance[:3] == card.acceptance and after.state == state
    assert (after.acceptance[3].text, after.acceptance[3].tightens) == ("A code has seven characters.", "A2")
    assert scene.cards[story.id].state == "deleted" and drift(scene) == [] and scene.audit_errors() == []
    assert scene.compile("links").compiled.changed == ()


@pytest.mark.parametrize("state", [*PUBLISHED, "done"])
def test_a_migration_of_the_line_answers_for_the_card(scene: Scene, state: str) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, state)
    lost(scene)
    scene.compile("links")
    (found,) = drift(scene)
    assert found.fix == f"isopod migrate {card.id} --line A2 --with TEXT"
    migrate(scene.snapshot, card.id, ["A2"], ["Codes have any length."], SAID).hand.transaction.commit()
    assert drift(scene) == [] and scene.audit_errors() == []
    assert scene.compile("links").compiled.changed == ()


@pytest.mark.parametrize("state", PUBLISHED)
def test_a_card_that_is_cut_drifts_no_more(scene: Scene, state: str) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, state)
    lost(scene)
    scene.compile("links")
    (found,) = drift(scene)
    assert f"isopod cut {card.id}" in found.message
    cut(scene.snapshot, [card.id], SAID).hand.transaction.commit()
    assert drift(scene) == [] and scene.audit_errors() == []
    scene.compile("links")  # what no card carries any more is retired
    assert scene.audit_errors() == [] and scene.compile("links").compiled.changed == ()


def test_when_the_new_words_go_too_the_card_is_named_again(scene: Scene) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, "published")
    reworded(scene)
    scene.compile("links")
    old, new = of(scene, "A code has six characters."), of(scene, "A code has seven characters.")
    succeed(scene.snapshot, old, new, SAID).transaction.commit()
    lost(scene)
    scene.compile("links")
    (found,) = drift(scene)
    assert found.subject == card.id and found.fix == f"isopod migrate {card.id} --line A2 --with TEXT"
    migrate(scene.snapshot, card.id, ["A2"], ["Codes have any length."], SAID).hand.transaction.commit()
    assert drift(scene) == []


def test_a_claim_that_is_on_the_card_already_only_takes_the_place(scene: Scene) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, "published")
    reworded(scene)
    scene.compile("links")
    old, new = of(scene, "A code has six characters."), of(scene, "A code has seven characters.")
    move(scene.snapshot, [new], card.id, SAID).hand.transaction.commit()
    held = scene.cards[card.id]
    assert [one.related[0] for one in drift(scene)] == [old]
    move(scene.snapshot, [new], card.id, SAID, instead_of=old).hand.transaction.commit()
    assert drift(scene) == [] and scene.cards[card.id] == held


def test_words_that_change_twice_are_answered_for_by_the_last_of_them(scene: Scene) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, "published")
    reworded(scene)
    scene.compile("links")
    old, new = of(scene, "A code has six characters."), of(scene, "A code has seven characters.")
    move(scene.snapshot, [new], card.id, SAID, instead_of=old).hand.transaction.commit()
    anchors = [(ref, kind, quote.replace("six", "eight")) for ref, kind, quote in ANCHORS]
    scene.write("links", TEXT.replace("six", "eight"), anchors, EDGES)
    scene.compile("links")
    last = of(scene, "A code has eight characters.")
    assert {one.related[0]: one.fix for one in drift(scene)} == dict.fromkeys(
        (old, new), f"isopod move {last} --instead-of {new}"
    )
    succeed(scene.snapshot, new, last, SAID).transaction.commit()
    assert drift(scene) == [] and scene.audit_errors() == []


def test_a_claim_whose_successor_stands_elsewhere_may_lose_its_section(scene: Scene) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, "published")
    moved = TEXT.replace("- A code has six characters.\n", "") + "- A code has eight letters.\n"
    anchors = [one for one in ANCHORS if one[0] != "a2"]
    scene.write("links", moved, [*anchors, ("n", "constraint", "A code has eight letters.")], EDGES)
    scene.compile("links")
    old, new = of(scene, "A code has six characters."), of(scene, "A code has eight letters.")
    succeed(scene.snapshot, old, new, SAID).transaction.commit()
    text = moved[: moved.index("## Creating")] + moved[moved.index("## Opening") :]
    scene.write("links", text, [ANCHORS[-1], ("n", "constraint", "A code has eight letters.")], [])
    assert scene.compile("links").exit_code == 0
    anchor = next(one for one in scene.snapshot.anchor_stores["links"].anchors if one.id == old)
    assert (anchor.status, anchor.successor) == ("edited", new)
    assert len(drift(scene)) == 2 and not any(old in one.related for one in drift(scene))


def test_of_two_equal_claims_the_one_that_stood_keeps_the_place(tmp_path: Path) -> None:
    scene = Scene.new(tmp_path)
    twice = "# T\n\n## A\n\n- It returns the stream.\n- It closes.\n- It returns the stream.\n"
    first: AnchorT = ("a1", "requirement", "It returns the stream.")
    scene.write("same", twice, [first, ("a2", "requirement", "It closes.")])
    scene.spec("same").write_text(twice.replace("It returns", "It must return").replace("It closes", "It must close"))
    assert scene.compile("same", offline=True, accept="union").exit_code == 0
    one, other = (one.id for one in scene.snapshot.anchors["same"].store.anchors if "stream" in one.exact)
    for card in scene.of_kind("story"):
        scene.put_state(card.id, "published")
    scene.spec("same").write_text("# T\n\n## A\n\n- It must close.\n- It must return the stream.\n")
    assert scene.compile("same", offline=True, accept="union").exit_code == 0
    states = {anchor.id: anchor.status for anchor in scene.snapshot.anchors["same"].store.anchors}
    assert sorted((states[one], states[other])) == ["edited", "live"]
    assert scene.compile("same", offline=True).compiled.changed == ()


def test_words_that_come_back_stand_for_themselves_again(scene: Scene) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, "published")
    reworded(scene)
    scene.compile("links")
    old, new = of(scene, "A code has six characters."), of(scene, "A code has seven characters.")
    succeed(scene.snapshot, old, new, SAID).transaction.commit()
    scene.write("links", TEXT, ANCHORS, EDGES)
    scene.compile("links")
    anchor = next(one for one in scene.snapshot.anchor_stores["links"].anchors if one.id == old)
    assert (anchor.status, anchor.successor) == ("live", None)
    assert drift(scene) == [] and scene.audit_errors() == []


def test_a_claim_takes_the_place_only_of_one_that_the_spec_says_no_more(scene: Scene) -> None:
    scene.put_state(scene.titled("Creating").id, "published")
    first, opening = of(scene, "It makes a short link."), of(scene, "It answers 302.")
    with pytest.raises(RefusedError, match="says it still"):
        succeed(scene.snapshot, first, opening, SAID)
    reworded(scene)
    with pytest.raises(RefusedError, match="changed since"):
        succeed(scene.snapshot, first, opening, SAID)


def test_a_section_that_is_taken_out_leaves_findings_and_no_successors(scene: Scene) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, "published")
    text = TEXT[: TEXT.index("## Creating")] + TEXT[TEXT.index("## Opening") :]
    scene.write("links", text, ANCHORS[-1:], [])
    scene.compile("links")
    assert [one.subject for one in drift(scene)] == [card.id] * 3
    assert {one.fix for one in drift(scene)} == {f"isopod migrate {card.id} --line A{n} --with TEXT" for n in (1, 2, 3)}


@pytest.mark.parametrize("state", PUBLISHED)
def test_the_offer_beside_a_published_card_is_a_command_that_works(scene: Scene, state: str) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, state)
    text = TEXT.replace("- No code is used twice.", "- No code is used twice.\n- Codes are lower case.")
    scene.write("links", text, [*ANCHORS, ("n", "constraint", "Codes are lower case.")], EDGES)
    outcome = scene.compile("links")
    story = scene.titled("lower case")
    (offer,) = [shlex.split(one.do) for one in outcome.compiled.suggestions if one.rule == "D15"]
    assert offer == ["isopod", "merge", card.id, story.id, "--by", "NAME"]
    merge(scene.snapshot, offer[2], offer[3:4], SAID).hand.transaction.commit()
    after = scene.cards[card.id]
    assert lines(after) == [*lines(card), "Codes are lower case."] and after.state == state
    assert scene.cards[story.id].state == "deleted" and waits(after) == waits(card)
    assert scene.audit_errors() == [] and scene.compile("links").compiled.changed == ()


def test_a_deleted_card_takes_no_new_claim(scene: Scene) -> None:
    card = scene.titled("Creating")
    cut(scene.snapshot, [card.id], SAID).hand.transaction.commit()
    text = TEXT.replace("- No code is used twice.", "- No code is used twice.\n- Codes are lower case.")
    scene.write("links", text, [*ANCHORS, ("n", "constraint", "Codes are lower case.")], EDGES)
    assert scene.compile("links").exit_code == 0
    assert scene.cards[card.id].state == "deleted"
    new = [one for one in scene.of_kind("story") if "Codes are lower case." in lines(one)]
    assert [one.id == card.id for one in new] == [False] and scene.audit_errors() == []


# --- decisions that name others (A143) -------------------------------------------------------------------------------

CHOICES = "# Links\n\n## Decisions\n\n- We answer with `302`.\n\n## Opening\n\n- It redirects.\n"
CHOSEN: list[AnchorT] = [("d1", "decision", "We answer with `302`."), ("a1", "requirement", "It redirects.")]


def test_a_new_decision_that_speaks_of_an_old_one_asks_which_it_replaces(tmp_path: Path) -> None:
    scene = Scene.new(tmp_path)
    scene.write("links", CHOICES, CHOSEN)
    assert not [one for one in scene.compile("links").compiled.suggestions if one.rule == "A143"]
    old = scene.titled("We answer with 302")
    text = CHOICES.replace("`302`.\n", "`302`.\n- Browsers forget `302`, so we answer with `307`.\n")
    scene.write("links", text, [*CHOSEN, ("d2", "decision", "so we answer with `307`")])
    outcome = scene.compile("links")
    new = scene.titled("307")
    (asked,) = [one for one in outcome.compiled.suggestions if one.rule == "A143"]
    assert asked.do == f"isopod supersede {old.id} --by {new.id}" and "does it replace that?" in asked.text


def test_a_decision_that_stands_in_the_sentence_of_another_is_asked_about(tmp_path: Path) -> None:
    scene = Scene.new(tmp_path)
    text = CHOICES.replace("We answer with `302`.", "We answer with `302`, unlike the choice of March to answer 301.")
    anchors: list[AnchorT] = [
        ("d1", "decision", "We answer with `302`"),
        ("d2", "decision", "the choice of March to answer 301"),
        CHOSEN[1],
    ]
    scene.write("links", text, anchors)
    outcome = scene.compile("links")
    new, old = scene.titled("We answer with 302"), scene.titled("the choice of March")
    (asked,) = [one for one in outcome.compiled.suggestions if one.rule == "A143"]
    assert asked.do == f"isopod supersede {old.id} --by {new.id}"
    scene.write("links", text, anchors, [("d1", "supersedes", "d2", "unlike")])
    outcome = scene.preview("links")
    assert not [one for one in outcome.compiled.suggestions if one.rule == "A143" and "supersedes" in one.text]
