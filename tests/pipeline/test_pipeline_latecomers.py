"""What comes late: a contradiction, an exclusion, an opening or an answer, after cards were published; and one that comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from scenes import SAID, Scene, lines

from pipeline.answers import say_discard
from pipeline.deeds.answer import answer
from pipeline.deeds.cut import cut
from pipeline.deeds.decide import decide
from pipeline.deeds.depend import depend
from pipeline.deeds.edit import edit
from pipeline.deeds.fields import assigned, assignment
from pipeline.deeds.supersede import supersede
from schemas.errors import ManyErrors, RefusedError

DAY, NIGHT, PAPER = "Letters go out by day.", "Letters go out by night.", "Letters are printed on paper."
CLAIMS = [("day", "requirement", DAY), ("night", "requirement", NIGHT), ("paper", "requirement", PAPER)]
AGAINST = ("night", "conflicts_with", "day", "That is not by day")
TEXT = f"# Letters\n\n## Day\n\n- {DAY}\n\n## Night\n\n- {NIGHT}\n\n## Print\n\n- {PAPER}\n"
CONTRADICTED = TEXT.replace(NIGHT, f"{NIGHT} {AGAINST[3]}.")


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene.new(tmp_path)


def compiled(scene: Scene, *, against: bool = False, more: str = "") -> None:
    """The spec compiled, with or without the words that make a contradiction, and with other words that are no claim."""
    text = CONTRADICTED if against else TEXT
    scene.write("letters", text.replace("## Night", f"## Night\n\n{more}"), CLAIMS, [AGAINST] if against else [])
    assert scene.compile("letters").exit_code == 0


def test_a_contradiction_that_comes_back_has_one_question(scene: Scene) -> None:
    for times in range(6):
        compiled(scene, against=times % 2 == 1)
        assert len(scene.of_kind("gate")) == times % 2
    compiled(scene, against=True, more="Read this again.")
    assert len(scene.of_kind("gate")) == 1
    assert scene.audit_errors() == []


@pytest.mark.parametrize("published", [("day",), ("day", "night")])
def test_what_was_published_before_the_contradiction_waits_when_a_person_says_so(
    scene: Scene, published: tuple[str, ...]
) -> None:
    compiled(scene)
    ids = [scene.titled({"day": "Day", "night": "Night"}[name]).id for name in published]
    for card in ids:
        scene.put_state(card, "published")
    compiled(scene, against=True)
    (gate,) = scene.of_kind("gate")
    (found,) = [one for one in scene.audit() if one.code == "A145"]
    assert found.severity == "warn"
    assert set(ids) < set(found.related)
    assert found.fix == f'isopod depend {min(ids)} --on {gate.id} --by NAME --because "..."'
    for card in ids:
        depend(scene.snapshot, card, gate.id, SAID).transaction.commit()
    assert [one.code for one in scene.audit() if one.code == "A145"] == []
    compiled(scene)
    assert scene.audit_errors() == []


def test_an_answer_settles_it_whatever_replaces_the_decision(scene: Scene) -> None:
    compiled(scene, against=True)
    (gate,) = scene.of_kind("gate")
    answered = answer(scene.snapshot, gate.id, "By day", SAID)
    answered.hand.transaction.commit()
    with pytest.raises(ManyErrors, match="says which of two claims") as caught:
        cut(scene.snapshot, [answered.decision.id], SAID)
    assert f"--supersedes {answered.decision.id}" in (caught.value.errors[0].fix or "")
    newer = decide(scene.snapshot, "By night", SAID, affects="all")
    newer.hand.transaction.commit()
    supersede(scene.snapshot, answered.decision.id, newer.decision.id, {}, SAID, rest="drop").hand.transaction.commit()
    assert scene.audit_errors() == []
    cut(scene.snapshot, [answered.decision.id], SAID).hand.transaction.commit()
    assert scene.audit_errors() == []


def test_a_card_that_carries_a_side_waits_until_there_is_an_answer(scene: Scene) -> None:
    compiled(scene, against=True)
    (gate,) = scene.of_kind("gate")
    card = scene.titled("Day")
    with pytest.raises(ManyErrors, match="carries one of them"):
        edit(scene.snapshot, assigned(card, [assignment(f"depends_on-={gate.id}")]), SAID)
    answer(scene.snapshot, gate.id, "By day", SAID).hand.transaction.commit()
    card = scene.titled("Day")
    edit(
        scene.snapshot, assigned(card, [assignment(f"depends_on-={card.depends_on[0].card}")]), SAID
    ).transaction.commit()
    assert scene.audit_errors() == []


# --- what a compile may not rewrite -----------------------------------------------------------------------------------


def test_cards_of_no_spec_stop_waiting_for_a_card_that_a_compile_leaves_empty(scene: Scene) -> None:
    compiled(scene)
    decision = decide(scene.snapshot, "On paper first", SAID, affects="all")
    decision.hand.transaction.commit()
    printing = scene.titled("Print").id
    depend(scene.snapshot, decision.decision.id, printing, SAID).transaction.commit()
    scene.write("letters", TEXT.replace(f"- {PAPER}\n", ""), CLAIMS[:2])
    assert scene.compile("letters").exit_code == 0
    assert scene.cards[printing].state == "deleted"
    assert scene.cards[decision.decision.id].depends_on == ()
    assert scene.audit_errors() == []


def test_what_a_spec_leaves_out_after_its_epic_was_published_stops_no_compile(scene: Scene) -> None:
    compiled(scene)
    (epic,) = scene.of_kind("epic")
    scene.put_state(epic.id, "published")
    left_out = "Parcels are not part of this release."
    scene.write("letters", f"{TEXT}\n## Not now\n\n- {left_out}\n", [*CLAIMS, ("parcels", "exclusion", left_out)])
    assert scene.compile("letters").exit_code == 0
    assert scene.audit_errors() == []
    assert scene.cards[epic.id] == epic.model_copy(update={"state": "published"})
    cut(scene.snapshot, [epic.id], SAID).hand.transaction.commit()
    assert scene.audit_errors() == []


@pytest.mark.parametrize("state", ["published", "done"])
def test_a_claim_that_was_published_is_not_discarded(scene: Scene, state: str) -> None:
    compiled(scene)
    card = scene.titled("Print")
    scene.put_state(card.id, state)
    with pytest.raises(RefusedError, match=f"{card.anchors[0]} stays on it") as caught:
        say_discard(scene.docket("letters"), card.anchors[0], "background", SAID)
    assert card.id in (caught.value.fix or "")


def test_a_claim_that_was_discarded_before_its_card_was_published_stops_no_compile(scene: Scene) -> None:
    compiled(scene)
    card = scene.titled("Print")
    say_discard(scene.docket("letters"), card.anchors[0], "background", SAID).commit()
    scene.put_state(card.id, "published")
    assert scene.compile("letters").exit_code == 0
    (found,) = [one for one in scene.audit() if one.code == "A130"]
    assert (found.severity, found.fix) == ("warn", f"isopod cut {card.id} --because TEXT")
    cut(scene.snapshot, [card.id], SAID).hand.transaction.commit()
    assert [one for one in scene.audit() if one.code == "A130"] == []


def test_what_the_opening_asks_for_after_its_epic_was_published_is_a_story(scene: Scene) -> None:
    opening, late = "The office must be open at noon.", "The office must have a door."
    text = TEXT.replace("## Day", f"## Purpose\n\n{opening}\n\n## Day")
    scene.write("letters", text, [("open", "requirement", opening), *CLAIMS])
    assert scene.compile("letters").exit_code == 0
    (epic,) = scene.of_kind("epic")
    assert epic.anchors
    scene.put_state(epic.id, "published")
    claims = [("open", "requirement", opening), ("door", "requirement", late), *CLAIMS]
    scene.write("letters", text.replace(opening, f"{opening}\n\n{late}"), claims)
    assert scene.compile("letters").exit_code == 0
    story = scene.titled("Purpose")
    assert (story.kind, story.state, lines(story), story.depends_on) == ("story", "drafted", [late], ())
    assert scene.cards[epic.id].acceptance == epic.acceptance
    assert scene.audit_errors() == []
    assert scene.compile("letters").compiled.changed == ()


def test_a_new_story_beside_a_published_card_does_not_wait_for_it_when_that_one_waits_for_the_story(
    scene: Scene,
) -> None:
    compiled(scene)
    day, night = scene.titled("Day").id, scene.titled("Night").id
    scene.put_state(day, "published")
    depend(scene.snapshot, day, night, SAID).transaction.commit()
    early = "Letters are sorted by noon."
    text = TEXT.replace(DAY, f"{DAY}\n- {early}").replace(NIGHT, f"{NIGHT} Then they are sorted.")
    scene.write(
        "letters",
        text,
        [*CLAIMS, ("early", "requirement", early)],
        [("night", "requires", "early", "Then they are sorted")],
    )
    assert scene.compile("letters").exit_code == 0
    story = scene.titled("sorted by noon")
    assert story.depends_on == () and day in story.related
    assert scene.audit_errors() == []
