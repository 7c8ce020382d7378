"""A spec that changes under its cards (DRAFTING.md D15, DESIGN.md section 6): nothing that a person did is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from scenes import AT, SAID, AnchorT, EdgeT, Scene, fingerprint, lines, waits

from pipeline.answers import say_discard
from pipeline.redrafting import draft_spec
from schemas.card import AcceptanceLine, Card
from schemas.errors import RefusedError

TEXT = """\
# Links

## Creating

- It makes a short link.
- A code has six characters.

## Expiry

- A link lives for 30 days.

Owners renew a link. Whether that costs is not decided; renewal cannot ship before that.

## Opening

- It answers 302.
"""
ANCHORS: list[AnchorT] = [
    ("a1", "requirement", "It makes a short link."),
    ("a2", "constraint", "A code has six characters."),
    ("a3", "constraint", "A link lives for 30 days."),
    ("a4", "requirement", "Owners renew a link."),
    ("q", "question", "Whether that costs is not decided"),
    ("a5", "constraint", "renewal cannot ship before that"),
    ("a6", "interface", "It answers 302."),
]
EDGES: list[EdgeT] = [
    ("a5", "blocked_by", "q", "cannot ship before that"),
    ("a4", "refines", "a3", "renew a link"),
    ("a6", "requires", "a1", "answers 302"),
]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene.new(tmp_path)
    scene.write("links", TEXT, ANCHORS, EDGES)
    assert scene.compile("links").exit_code == 0
    assert scene.audit_errors() == []
    return scene


def recompile(
    scene: Scene, text: str, anchors: list[AnchorT], edges: list[EdgeT], *, errors: tuple[str, ...] = ()
) -> None:
    scene.write("links", text, anchors, edges)
    outcome = scene.compile("links")
    assert outcome.exit_code == 0, outcome.findings
    assert tuple(error[:4] for error in scene.audit_errors()) == errors, scene.audit_errors()


def without(*refs: str) -> tuple[list[AnchorT], list[EdgeT]]:
    return (
        [one for one in ANCHORS if one[0] not in refs],
        [one for one in EDGES if one[0] not in refs and one[2] not in refs],
    )


def unchanged(scene: Scene, before: dict[str, Card], *but: str) -> None:
    after = scene.cards
    assert {name: card for name, card in after.items() if name not in but} == {
        name: card for name, card in before.items() if name not in but
    }


def test_compiling_again_changes_no_byte(scene: Scene) -> None:
    before = fingerprint(scene.root)
    outcome = scene.compile("links")
    assert outcome.compiled.changed == () and fingerprint(scene.root) == before


def test_a_new_claim_joins_the_card_of_its_wait_set_and_nothing_else_changes(scene: Scene) -> None:
    before, card = scene.cards, scene.titled("Creating")
    text = TEXT.replace("- A code has six characters.", "- A code has six characters.\n- No code is used twice.")
    recompile(scene, text, [*ANCHORS, ("n", "constraint", "No code is used twice.")], EDGES)
    after = scene.cards[card.id]
    assert lines(after) == [*lines(card), "No code is used twice."] and after.title == card.title
    assert [line.id for line in after.acceptance] == ["A1", "A2", "A3"]
    unchanged(scene, before, card.id)


def test_a_new_claim_that_waits_joins_the_waiting_story(scene: Scene) -> None:
    renewal = scene.titled("Owners renew")
    text = TEXT.replace("Owners renew a link.", "Owners renew a link. They pay by card.")
    recompile(scene, text, [*ANCHORS, ("n", "requirement", "They pay by card.")], EDGES)
    assert "They pay by card." in lines(scene.cards[renewal.id])


def test_a_new_topic_is_a_new_story(scene: Scene) -> None:
    before = scene.cards
    recompile(scene, TEXT + "\n## Closing\n\n- It shuts.\n", [*ANCHORS, ("n", "requirement", "It shuts.")], EDGES)
    new = scene.titled("Closing")
    assert lines(new) == ["It shuts."]
    unchanged(scene, before, new.id)


def test_a_lost_claim_leaves_its_card_with_its_line_and_is_retired(scene: Scene) -> None:
    card = scene.titled("Creating")
    anchors, edges = without("a2")
    recompile(scene, TEXT.replace("- A code has six characters.\n", ""), anchors, edges)
    assert lines(scene.cards[card.id]) == ["It makes a short link."]
    store = scene.snapshot.anchor_stores["links"]
    assert [one.status for one in store.anchors if one.exact.startswith("A code")] == ["retired"]
    assert scene.cards[card.id].state == "drafted"


def test_a_planned_card_that_loses_a_line_falls_back_to_drafted(scene: Scene) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, "planned")
    anchors, edges = without("a2")
    recompile(scene, TEXT.replace("- A code has six characters.\n", ""), anchors, edges)
    assert scene.cards[card.id].state == "drafted" and len(scene.cards[card.id].acceptance) == 1


def test_a_card_left_empty_is_deleted_and_who_waited_for_it_waits_no_more(scene: Scene) -> None:
    card, opening = scene.titled("Creating"), scene.titled("Opening")
    assert list(waits(opening)) == [card.id]
    anchors, edges = without("a1", "a2")
    text = TEXT[: TEXT.index("## Creating")] + TEXT[TEXT.index("## Expiry") :]
    recompile(scene, text, anchors, edges)
    assert scene.cards[card.id].state == "deleted" and scene.cards[card.id].anchors == ()
    assert waits(scene.cards[opening.id]) == {}
    assert "Opening" in scene.ready()


def test_a_published_card_loses_only_its_edge_to_a_card_that_is_gone(scene: Scene) -> None:
    card, opening = scene.titled("Creating"), scene.titled("Opening")
    scene.put_state(opening.id, "in_progress")
    held = scene.cards[opening.id]
    anchors, edges = without("a1", "a2")
    recompile(scene, TEXT[: TEXT.index("## Creating")] + TEXT[TEXT.index("## Expiry") :], anchors, edges)
    assert scene.cards[card.id].state == "deleted"
    assert scene.cards[opening.id] == held.model_copy(update={"depends_on": ()})


def test_a_contradiction_keeps_one_gate_and_loses_it_when_it_is_none_any_more(scene: Scene) -> None:
    drawn: list[EdgeT] = [*EDGES, ("a3", "conflicts_with", "a6", "lives for 30 days")]
    text = TEXT.replace("30 days.", "30 days. It dies.")
    recompile(scene, text, ANCHORS, drawn)
    gate = scene.titled("↔")
    assert gate.id in waits(scene.titled("Opening")) and scene.compile("links").compiled.changed == ()
    anchors, edges = without("a6")
    recompile(scene, text.replace("- It answers 302.\n", ""), anchors, edges)
    assert scene.cards[gate.id].state == "deleted"
    assert gate.id not in waits(scene.titled("Expiry: A link lives"))


def test_a_lost_question_frees_its_story(scene: Scene) -> None:
    gate, renewal = scene.of_kind("gate")[0], scene.titled("Owners renew")
    anchors, edges = without("q", "a5")
    text = TEXT.replace(" Whether that costs is not decided; renewal cannot ship before that.", "")
    recompile(scene, text, anchors, edges)
    assert scene.cards[gate.id].state == "deleted"
    assert gate.id not in waits(scene.cards[renewal.id])


def test_a_claim_that_grows_keeps_its_id_and_its_card_and_gets_the_new_words(scene: Scene) -> None:
    anchors = [(ref, kind, quote.replace("30 days.", "30 days")) for ref, kind, quote in ANCHORS]
    text = TEXT.replace("30 days.", "30 days, counted in UTC.")
    scene.write("links", TEXT.replace("30 days.", "30 days"), anchors, EDGES)
    scene.compile("links")
    card = scene.titled("Expiry: A link lives")
    grown = [(ref, kind, quote.replace("30 days", "30 days, counted in UTC.")) for ref, kind, quote in anchors]
    recompile(scene, text, grown, EDGES)
    after = scene.titled("A link lives")
    assert lines(after) == ["A link lives for 30 days, counted in UTC."]
    assert after.title == "Expiry: A link lives for 30 days, counted in UTC"
    assert after.id == card.id and after.anchors == card.anchors


def test_changed_words_are_another_claim_the_old_one_is_retired_and_the_line_is_the_new_one(scene: Scene) -> None:
    before, card = scene.cards, scene.titled("Creating")
    anchors = [(ref, kind, quote.replace("six", "seven")) for ref, kind, quote in ANCHORS]
    recompile(scene, TEXT.replace("six", "seven"), anchors, EDGES)
    after = scene.cards[card.id]
    assert lines(after) == ["It makes a short link.", "A code has seven characters."]
    assert after.acceptance[0] == card.acceptance[0] and after.title == card.title
    statuses = {one.exact: one.status for one in scene.snapshot.anchor_stores["links"].anchors}
    assert statuses["A code has six characters."] == "retired"
    unchanged(scene, before, card.id)


def test_what_a_person_did_to_a_drafted_card_survives_every_recompile(scene: Scene) -> None:
    creating, opening, expiry = (scene.titled(one).id for one in ("Creating", "Opening", "Expiry: A link lives"))
    card = scene.cards[creating]
    own_line = {"id": "A9", "text": "It is pleasant to read.", "anchors": []}
    scene.edit(
        creating,
        {
            "title": "Make links",
            "acceptance": [*(line.to_data() for line in card.acceptance), own_line],
            "depends_on": [
                {"card": expiry, "because": [{"person": "Kim", "text": "we said so", "at": AT}]},
            ],
            "notes": "ask Lee",
            "due": "2027-01-31",
            "subtasks": [{"id": "S1", "text": "schema", "done": False}],
        },
    )
    scene.edit(opening, {"depends_on": []})
    assert scene.compile("links").compiled.changed == ()
    text = TEXT.replace("- A code has six characters.", "- A code has six characters.\n- No code is used twice.")
    recompile(scene, text, [*ANCHORS, ("n", "constraint", "No code is used twice.")], EDGES)
    after = scene.cards[creating]
    assert (after.title, after.title_by, after.notes, after.due) == ("Make links", "Kim", "ask Lee", "2027-01-31")
    assert lines(after) == [*lines(card), "No code is used twice.", "It is pleasant to read."]
    assert len({line.id for line in after.acceptance}) == 4
    assert waits(after) == {expiry: ["Kim"]} and after.subtasks[0].text == "schema"
    assert waits(scene.cards[opening]) == {}  # what a person took away stays away


def test_a_published_card_is_never_rewritten_and_a_new_story_stands_beside_it(scene: Scene) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, "published")
    before = (scene.root / "cards" / f"{card.id}.yaml").read_bytes()
    text = TEXT.replace("- A code has six characters.", "- A code has six characters.\n- No code is used twice.")
    scene.write("links", text, [*ANCHORS, ("n", "constraint", "No code is used twice.")], EDGES)
    outcome = scene.compile("links")
    assert outcome.exit_code == 0
    assert (scene.root / "cards" / f"{card.id}.yaml").read_bytes() == before
    new = scene.titled("No code is used twice")
    assert new.title == "Creating: No code is used twice" and lines(new) == ["No code is used twice."]
    assert waits(new) == {card.id: ["D15"]}
    assert [(offer.story, offer.beside) for offer in outcome.offers] == [(new.id, card.id)]
    assert scene.audit_errors() == []


def test_a_done_card_gets_a_new_story_that_waits_for_nothing(scene: Scene) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, "done")
    before = (scene.root / "cards" / f"{card.id}.yaml").read_bytes()
    text = TEXT.replace("- A code has six characters.", "- A code has six characters.\n- No code is used twice.")
    scene.write("links", text, [*ANCHORS, ("n", "constraint", "No code is used twice.")], EDGES)
    assert scene.compile("links").exit_code == 0
    assert (scene.root / "cards" / f"{card.id}.yaml").read_bytes() == before
    assert waits(scene.titled("No code is used twice")) == {}


@pytest.mark.parametrize("state", ["published", "in_progress", "in_review", "done"])
def test_words_that_change_under_a_card_that_may_not_be_rewritten_are_a_finding_not_an_edit(
    scene: Scene, state: str
) -> None:
    card = scene.titled("Creating")
    scene.put_state(card.id, state)
    before = (scene.root / "cards" / f"{card.id}.yaml").read_bytes()
    anchors, edges = without("a2")
    scene.write("links", TEXT.replace("- A code has six characters.\n", ""), anchors, edges)
    assert scene.compile("links").exit_code == 0
    assert (scene.root / "cards" / f"{card.id}.yaml").read_bytes() == before
    statuses = {one.exact: one.status for one in scene.snapshot.anchor_stores["links"].anchors}
    assert statuses["A code has six characters."] == "edited"
    assert "C231" in {finding.code for finding in scene.audit()}


def test_what_moved_keeps_its_id_and_no_card_changes(scene: Scene) -> None:
    before = scene.cards
    expiry = TEXT[TEXT.index("## Expiry") : TEXT.index("## Opening")]
    moved = "# Links\n\n" + TEXT[TEXT.index("## Opening") :] + "\n" + expiry.rstrip() + "\n\n"
    moved += TEXT[TEXT.index("## Creating") : TEXT.index("## Expiry")]
    scene.write("links", moved.rstrip() + "\n", ANCHORS, EDGES)
    assert scene.compile("links").exit_code == 0
    after = scene.cards
    assert set(after) == set(before)
    for name, card in before.items():
        assert (after[name].title, after[name].acceptance) == (card.title, card.acceptance)


def test_an_id_is_never_given_twice(scene: Scene) -> None:
    first = {one.id for one in scene.snapshot.anchor_stores["links"].anchors}
    anchors, edges = without("a2")
    recompile(scene, TEXT.replace("- A code has six characters.\n", ""), anchors, edges)
    recompile(scene, TEXT, ANCHORS, EDGES)
    store = scene.snapshot.anchor_stores["links"]
    again = [one.id for one in store.anchors if one.exact.startswith("A code")]
    assert len(again) == 2 and len(set(again)) == 2
    assert first < {one.id for one in store.anchors}
    assert lines(scene.titled("Creating")) == ["It makes a short link.", "A code has six characters."]


def test_only_changed_sections_are_read_again(scene: Scene) -> None:
    text = TEXT + "\n## Closing\n\n- It shuts.\n"
    # a reading that knows nothing of the old sections changes nothing there
    recompile(scene, text, [("n", "requirement", "It shuts.")], [])
    assert lines(scene.titled("Creating")) == ["It makes a short link.", "A code has six characters."]
    assert waits(scene.titled("Opening")) == {scene.titled("Creating").id: ["answers 302"]}
    assert lines(scene.titled("Closing")) == ["It shuts."]


# --- draft again -----------------------------------------------------------------------------------------------------


def draft(scene: Scene, *, again: bool) -> None:
    outcome = draft_spec(scene.workspace, scene.spec("links"), again=again)
    outcome.transaction.commit()


def test_drafting_again_regroups_drafted_cards_after_a_change_of_config_and_keeps_the_others(scene: Scene) -> None:
    planned, expiry = scene.titled("Creating"), scene.titled("Expiry: A link lives")
    scene.put_state(planned.id, "planned")
    scene.reconfigure(
        extra="specs: {links: {path: specs/links.md, sections: {Opening: {draft: background}, Creating: {draft: item}}}}\n"
    )
    assert scene.compile("links").compiled.changed == ()  # config alone regroups nothing
    draft(scene, again=False)
    assert scene.titled("Opening").state == "drafted"
    draft(scene, again=True)
    assert scene.cards[planned.id].state == "planned" and lines(scene.cards[planned.id]) == lines(planned)
    assert not [card for card in scene.of_kind("story") if card.title == "Opening"]
    assert scene.cards[expiry.id].acceptance == expiry.acceptance
    assert scene.audit_errors() == []
    scene.reconfigure()
    draft(scene, again=True)
    assert lines(scene.titled("Opening")) == ["It answers 302."]
    assert scene.audit_errors() == []


def test_drafting_again_with_nothing_changed_changes_nothing(scene: Scene) -> None:
    before = fingerprint(scene.root)
    draft(scene, again=True)
    assert fingerprint(scene.root) == before


def test_drafting_again_wants_adopted_claims_of_this_very_text(scene: Scene, tmp_path: Path) -> None:
    scene.spec("links").write_text(TEXT.replace("302", "301"), encoding="utf-8")
    with pytest.raises(RefusedError, match="changed since"):
        draft(scene, again=True)
    scene.spec("other").write_text("It ends.\n", encoding="utf-8")
    with pytest.raises(RefusedError, match="no claims"):
        draft_spec(scene.workspace, scene.spec("other"), again=True)


def test_a_card_whose_claims_are_gone_lives_by_the_lines_that_a_person_gave_it(scene: Scene) -> None:
    card = scene.titled("Opening")
    own = AcceptanceLine(id="A9", text="Also this, says Kim.")
    scene.edit(card.id, {"acceptance": (*card.acceptance, own)})
    text = TEXT.replace("## Opening\n\n- It answers 302.\n", "")
    recompile(scene, text, ANCHORS[:-1], EDGES[:-1])
    left = scene.cards[card.id]
    assert left.state == "drafted" and left.acceptance == (own,) and left.anchors == ()
    recompile(scene, text, ANCHORS[:-1], EDGES[:-1])
    assert scene.cards[card.id] == left


def test_of_two_equal_sentences_the_one_whose_section_stays_keeps_the_place(tmp_path: Path) -> None:
    scene = Scene.new(tmp_path)
    both = "# T\n\n## A\n\n- It must x the y.\n\n## B\n\n- It must x the y.\n"
    scene.spec("same").write_text(both, encoding="utf-8")
    assert scene.compile("same", offline=True, accept="union").exit_code == 0
    kept, lost = scene.snapshot.anchors["same"].store.anchors
    scene.spec("same").write_text("# T\n\n## A\n\n- It must x the y.\n", encoding="utf-8")
    assert scene.compile("same", offline=True, accept="union").exit_code == 0
    states = {anchor.id: anchor.status for anchor in scene.snapshot.anchors["same"].store.anchors}
    assert states == {kept.id: "live", lost.id: "retired"} and scene.audit_errors() == []
    assert scene.compile("same", offline=True).compiled.changed == ()


def test_equal_sentences_get_ids_of_their_own(tmp_path: Path) -> None:
    scene = Scene.new(tmp_path)
    scene.spec("same").write_text("# T\n\n" + "- The system must store it.\n" * 300, encoding="utf-8")
    outcome = scene.preview("same", offline=True)
    assert len({anchor.id for anchor in outcome.compiled.anchors}) == len(outcome.compiled.anchors) == 300


def test_a_discarded_claim_stays_discarded_when_the_words_beside_it_change(tmp_path: Path) -> None:
    scene = Scene.new(tmp_path)
    text = "# Shop\n\n- The cart must hold 50 items.\n- It must fax each order.\n- The receipt must name the tax.\n"
    scene.spec("shop").write_text(text, encoding="utf-8")
    assert scene.compile("shop", offline=True, accept="union").exit_code == 0
    (fax,) = [one.id for one in scene.snapshot.anchors["shop"].store.anchors if "fax" in one.exact]
    say_discard(scene.docket("shop", offline=True), fax, "out_of_scope", SAID).commit()
    for version in (text, text.replace("50", "60").replace("the tax", "the tax rate")):
        scene.spec("shop").write_text(version, encoding="utf-8")
        assert scene.compile("shop", offline=True, accept="union").exit_code == 0
        assert not any("fax" in line.text for card in scene.cards.values() for line in card.acceptance)
