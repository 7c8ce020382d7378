"""Commands on cards, as deeds: states, answers, edits, cuts, what slips, undo; and what no sequence of them may break."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scenes import AT, SAID, Scene, lines

from pipeline.deeds.answer import Answered, answer
from pipeline.deeds.cut import Cut, cut, lost_in
from pipeline.deeds.depend import depend
from pipeline.deeds.edit import edit
from pipeline.deeds.fields import assigned, assignment
from pipeline.deeds.hand import Hand
from pipeline.deeds.impact import impact
from pipeline.deeds.states import Approved, approve, approve_spec, done, open_gate, take_up
from pipeline.settle import Said
from schemas.anchors import Discarded
from schemas.card import Card, PersonReason
from schemas.errors import ConflictError, IsopodError, ManyErrors, RefusedError
from store.instance import open_instance
from store.ledger import seal_digest, seals
from store.transaction import Transaction

RENEWAL, EXPIRY, EVENT, CREATING = (
    "Owners can renew", "A link lives for 30 days", "Every redirect emits", "Creating a link",
)  # fmt: skip


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's instance, both specs compiled."""
    scene = Scene.demo(tmp_path_factory.mktemp("deeds"))
    for name in ("link-shortener", "reminder-ko"):
        assert scene.compile(name).exit_code == 0
    return scene.root


@pytest.fixture
def scene(compiled: Path, tmp_path: Path) -> Scene:
    shutil.copytree(compiled, tmp_path / "demo")
    return Scene(tmp_path / "demo")


def commit(made: Hand | Cut | Answered | Approved) -> tuple[str, ...]:
    return (made if isinstance(made, Hand) else made.hand).transaction.commit()


def assign(scene: Scene, card: Card, *fields: str, tightens: str | None = None) -> Card:
    """`isopod edit`, committed; the card as it then is."""
    after = assigned(card, [assignment(field) for field in fields], tightens)
    commit(edit(scene.snapshot, after, SAID))
    return scene.cards[card.id]


def take_back(scene: Scene) -> None:
    instance = open_instance(scene.root)
    _, transaction = Transaction.taking_back(instance.root, instance.state_dir, instance.ledger_dir)
    transaction.commit()


# --- states ----------------------------------------------------------------------------------------------------------


def test_a_spec_is_approved_as_a_whole_and_what_is_not_drafted_is_said(scene: Scene) -> None:
    commit(approve(scene.snapshot, [scene.titled(CREATING).id], SAID))
    approved = approve_spec(scene.snapshot, "link-shortener", SAID)
    commit(approved)
    left = {card.title: card.state for card in approved.left}
    assert left == {"Creating a link": "planned", "the earlier decision to keep them in Redis": "drafted"}
    states = {
        card.state for card in scene.snapshot.cards if card.spec == "link-shortener" and card not in approved.left
    }
    assert states == {"planned"}


def test_only_drafted_cards_are_approved_and_all_that_is_wrong_is_said(scene: Scene) -> None:
    story = scene.titled(CREATING).id
    scene.put_state(story, "published")
    with pytest.raises(ManyErrors) as caught:
        approve(scene.snapshot, [story, "STY-00000000", scene.titled("in Redis").id], SAID)
    assert [error.code for error in caught.value.errors] == ["not-drafted", "unknown-card", "replaced"]


def test_published_cards_are_started_and_reviewed_in_any_order(scene: Scene) -> None:
    story = scene.titled(CREATING).id
    with pytest.raises(ManyErrors, match="once it is published"):
        take_up(scene.snapshot, [story], "in_progress", SAID)
    scene.put_state(story, "published")
    for state in ("in_review", "in_progress", "in_review"):
        commit(take_up(scene.snapshot, [story], state, SAID))  # type: ignore[arg-type]
        assert scene.cards[story].state == state


def test_done_is_attested_and_sealed_in_one_transaction(scene: Scene) -> None:
    story = scene.titled(CREATING).id
    scene.put_state(story, "in_review")
    commit(done(scene.snapshot, story, Said("Kim", AT, "seen in the test of Monday")))
    snapshot = scene.snapshot
    entries = [(file.entry.type, file.entry.subject, file.entry.by) for file in snapshot.ledger.entries]
    assert sorted(entries) == [(kind, story, "Kim") for kind in ("attestation", "exemption", "seal")]
    exemption = next(file.entry.body for file in snapshot.ledger.entries if file.entry.type == "exemption")
    assert (exemption["surface"], exemption["reason_kind"]) == ("lifecycle", "attested")
    assert seals(snapshot.ledger) == {story: (seal_digest(snapshot.card_by_id[story]),)}
    assert not snapshot.ledger.problems
    assert scene.audit_errors() == []


@pytest.mark.parametrize(
    ("words", "state", "code"),
    [
        (CREATING, "planned", "not-published"),
        (RENEWAL, "in_review", "still-waits"),
        ("Whether a paid plan", "published", "no-transition"),
        ("at-least-once endpoint", "published", "no-transition"),
        ("Codes are random", "drafted", "no-transition"),
        ("in Redis", "published", "replaced"),
    ],
)
def test_what_cannot_be_attested_is_refused_with_a_way_out(scene: Scene, words: str, state: str, code: str) -> None:
    card = scene.titled(words).id
    scene.put_state(card, state)
    with pytest.raises(RefusedError) as caught:
        done(scene.snapshot, card, SAID)
    assert caught.value.code == code
    assert caught.value.fix


def test_a_decision_is_sealed_from_planned_on(scene: Scene) -> None:
    decision = scene.titled("Codes are random").id
    commit(approve(scene.snapshot, [decision], SAID))
    commit(done(scene.snapshot, decision, SAID))
    assert scene.cards[decision].state == "done"
    assert decision in seals(scene.snapshot.ledger)


def test_no_deed_changes_a_done_card(scene: Scene) -> None:
    story = scene.titled(CREATING).id
    scene.put_state(story, "published")
    commit(done(scene.snapshot, story, SAID))
    before = (scene.root / "cards" / f"{story}.yaml").read_bytes()
    deeds: list[Callable[[], object]] = [
        lambda: approve(scene.snapshot, [story], SAID),
        lambda: take_up(scene.snapshot, [story], "in_progress", SAID),
        lambda: done(scene.snapshot, story, SAID),
        lambda: cut(scene.snapshot, [story], SAID),
        lambda: assign(scene, scene.cards[story], "notes=later"),
        lambda: assign(scene, scene.cards[story], "acceptance+=later"),
        lambda: take_back(scene),
    ]
    for deed in deeds:
        with pytest.raises(IsopodError):
            deed()
    assert (scene.root / "cards" / f"{story}.yaml").read_bytes() == before


def test_a_broken_ledger_is_not_written_on(scene: Scene) -> None:
    first, second = scene.titled(CREATING).id, scene.titled("Opening a link").id
    for story in (first, second):
        scene.put_state(story, "published")
    commit(done(scene.snapshot, first, SAID))
    next((scene.root / "cards" / "ledger").glob("?" * 64 + ".json")).unlink()
    with pytest.raises(ConflictError, match="ledger"):
        done(scene.snapshot, second, SAID)


def observation(scene: Scene, card: Card) -> None:
    path = scene.root / "cards" / f"{card.id}.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("waits_for: answer", "waits_for: observation"), "utf-8")


def test_an_observation_opens_a_gate_and_a_question_does_not_open(scene: Scene) -> None:
    gate, story = scene.titled("Whether a paid plan"), scene.titled(RENEWAL)
    with pytest.raises(RefusedError, match="question"):
        open_gate(scene.snapshot, gate.id, SAID)
    observation(scene, gate)
    with pytest.raises(RefusedError, match="observation"):
        answer(scene.snapshot, gate.id, "yes", SAID)
    commit(open_gate(scene.snapshot, gate.id, SAID))
    assert scene.snapshot.graph.unsatisfied(story.id) == (scene.titled(EXPIRY).id,)
    with pytest.raises(RefusedError, match="opened by Kim"):
        open_gate(scene.snapshot, gate.id, SAID)


# --- answers ---------------------------------------------------------------------------------------------------------


def test_after_the_answer_the_renewal_waits_for_the_expiry_alone(scene: Scene) -> None:
    gate, story, expiry = scene.titled("Whether a paid plan"), scene.titled(RENEWAL), scene.titled(EXPIRY)
    cue = [reason.cue for entry in story.depends_on if entry.card == gate.id for reason in entry.because]  # type: ignore[union-attr]
    answered = answer(scene.snapshot, gate.id, "A paid plan gets 365 days", SAID)
    commit(answered)
    snapshot = scene.snapshot
    assert snapshot.graph.unsatisfied(story.id) == (expiry.id,)
    decision = snapshot.card_by_id[answered.decision.id]
    assert (decision.title, decision.title_by, decision.state, decision.spec) == (
        "A paid plan gets 365 days", "Kim", "drafted", "link-shortener",
    )  # fmt: skip
    entry = next(entry for entry in snapshot.card_by_id[story.id].depends_on if entry.card == decision.id)
    *kept, said = entry.because
    assert [reason.cue for reason in kept] == cue  # type: ignore[union-attr]
    assert isinstance(said, PersonReason) and said.person == "Kim"
    assert snapshot.card_by_id[gate.id].gate.answer == "A paid plan gets 365 days"  # type: ignore[union-attr]
    assert snapshot.card_by_id[gate.id].state == "done"
    assert scene.audit_errors() == []
    assert scene.compile("link-shortener").compiled.changed == ()


def test_an_answer_can_be_taken_back_and_is_not_given_twice(scene: Scene) -> None:
    gate = scene.titled("Whether a paid plan").id
    before = {card.id: card for card in scene.snapshot.cards}
    commit(answer(scene.snapshot, gate, "Yes.", SAID))
    with pytest.raises(RefusedError, match="was answered: Yes"):
        answer(scene.snapshot, gate, "No.", SAID)
    take_back(scene)
    assert scene.cards == before


def test_an_answer_too_long_for_a_title_is_whole_on_the_card(scene: Scene) -> None:
    words = "유료 요금제는 365일이다, " * 12 + "end"
    made = answer(scene.snapshot, scene.titled("Whether a paid plan").id, words, SAID).decision
    assert len(made.title) <= 100
    assert [line.text for line in made.acceptance] == [words]


def test_a_contradiction_is_answered_for_both_sides(tmp_path: Path) -> None:
    scene = contradiction(tmp_path)
    gate = scene.of_kind("gate")[0]
    with pytest.raises(ManyErrors, match="cannot both hold"):
        cut(scene.snapshot, [gate.id], SAID)
    made = answer(scene.snapshot, gate.id, "At noon", SAID)
    commit(made)
    assert len(made.waited) == 2
    assert all(scene.snapshot.graph.is_ready(card_id) for card_id in made.waited)
    assert scene.audit_errors() == []
    assert scene.compile("mail").compiled.changed == ()


def test_an_answered_question_may_leave_the_spec(tmp_path: Path) -> None:
    scene = Scene.new(tmp_path)
    asked = " Whether a paid plan gets more is not decided yet."
    text = f"# Plans\n\n## Renewal\n\nOwners can renew a link.{asked}\n\n## Codes\n\nA code is short.\n"
    anchors = [
        ("a", "requirement", "Owners can renew a link."),
        ("q", "question", asked.strip()),
        ("c", "constraint", "A code is short."),
    ]
    scene.write("plans", text, anchors, [("a", "blocked_by", "q", "not decided yet")])
    assert scene.compile("plans").exit_code == 0
    made = answer(scene.snapshot, scene.of_kind("gate")[0].id, "365 days", SAID)
    commit(made)
    scene.write("plans", text.replace(asked, ""), [anchors[0], anchors[2]])
    assert scene.compile("plans").exit_code == 0
    story = scene.titled("Renewal")
    assert [(entry.card, *entry.because) for entry in story.depends_on] == [
        (
            made.decision.id,
            PersonReason(person="Kim", text=f"the answer to {made.hand.changes[-1][1].id}: a test says so", at=AT),
        )
    ]
    assert scene.snapshot.graph.is_ready(story.id)
    assert scene.audit_errors() == []


CONTRADICTION = """\
# Mail

## Sending

The service must send the mail at noon.

## Quiet hours

The service must send no mail between eleven and one, which contradicts sending it at noon.
"""


def contradiction(root: Path) -> Scene:
    scene = Scene.new(root)
    scene.write(
        "mail",
        CONTRADICTION,
        [
            ("a", "requirement", "The service must send the mail at noon."),
            ("b", "requirement", "The service must send no mail between eleven and one"),
        ],
        [("b", "conflicts_with", "a", "contradicts sending it at noon")],
    )
    assert scene.compile("mail").exit_code == 0
    return scene


# --- edits -----------------------------------------------------------------------------------------------------------


def test_fields_are_edited_by_their_names(scene: Scene) -> None:
    card = assign(
        scene,
        scene.titled(CREATING),
        "title=  Making  a link ", "due=2026-12-31", "start=false", "notes=see the\nwiki",
        "subtasks+=write it", "subtasks+=test it", "subtasks.S2=done", "acceptance+=within 30 ms",
        tightens="A3",
    )  # fmt: skip
    assert (card.title, card.title_by, card.due, card.start) == ("Making a link", "Kim", "2026-12-31", False)
    assert card.notes == "see the\nwiki"
    assert [(task.id, task.text, task.done) for task in card.subtasks] == [
        ("S1", "write it", False), ("S2", "test it", True),
    ]  # fmt: skip
    assert (card.acceptance[-1].id, card.acceptance[-1].text, card.acceptance[-1].tightens) == (
        "A8",
        "within 30 ms",
        "A3",
    )
    card = assign(scene, card, "due=null", "acceptance-=A8", "acceptance.A1=Other words", "subtasks-=S1")
    assert card.due is None
    assert lines(card)[0] == "Other words" and len(card.acceptance) == 7
    assert [task.id for task in card.subtasks] == ["S2"]


def test_a_planned_card_falls_back_only_when_what_was_looked_at_changes(scene: Scene) -> None:
    card = scene.titled(CREATING)
    commit(approve(scene.snapshot, [card.id], SAID))
    assert assign(scene, scene.cards[card.id], "due=2026-12-31", "notes=x").state == "planned"
    assert assign(scene, scene.cards[card.id], "acceptance+=more").state == "drafted"


def test_a_published_card_only_gets_tighter(scene: Scene) -> None:
    card = scene.titled(CREATING)
    scene.put_state(card.id, "published")
    card = scene.cards[card.id]
    for field in ("acceptance.A1=less", "acceptance-=A1", "start=false"):
        with pytest.raises(RefusedError) as caught:
            assign(scene, card, field)
        assert "acceptance+=" in (caught.value.fix or "")
    assert lines(assign(scene, card, "acceptance+=more", tightens="A1"))[-1] == "more"


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ("title", "usage"), ("title=", "value-missing"), ("colour=red", "unknown-field"), ("id=STY-1", "fixed-field"),
        ("state=done", "other-command"), ("anchors=x", "other-command"), ("gate.answer=x", "other-command"),
        ("due=soon", "invalid-card"), ("team=nobody", "invalid-card"), ("team=data", "team-owns-cards"),
        ("title+=x", "usage"), ("acceptance=x", "usage"), ("acceptance.A99=x", "unknown-item"), ("start=maybe", "usage"),
        ("subtasks.S1=done", "unknown-item"), ("subtasks+=", "value-missing"), ("related+=STY-00000000", "unknown-card"),
        ("depends_on+=STY-00000000", "other-command"), ("depends_on-=STY-00000000", "unknown-item"),
        ("parent=STY-H8XKRR8Y", "no-epic"), ("related=x", "usage"),
    ],
)  # fmt: skip
def test_an_edit_that_is_none_is_refused_in_plain_words(scene: Scene, field: str, code: str) -> None:
    with pytest.raises(RefusedError) as caught:
        assign(scene, scene.titled(CREATING), field)
    assert caught.value.code == code


def test_an_edge_is_taken_away_by_hand_and_none_closes_a_circle(scene: Scene) -> None:
    story, expiry = scene.titled(RENEWAL), scene.titled(EXPIRY)
    turned = [entry for entry in story.depends_on if entry.card == expiry.id]
    circle = expiry.model_copy(
        update={"depends_on": (*expiry.depends_on, turned[0].model_copy(update={"card": story.id}))}
    )
    with pytest.raises(ManyErrors, match="none of them could ever start"):
        edit(scene.snapshot, circle, SAID)
    after = assign(scene, story, f"depends_on-={expiry.id}")
    assert expiry.id not in {entry.card for entry in after.depends_on}
    assert scene.compile("link-shortener").compiled.changed == (), "compile does not bring back what a person took away"


def test_claims_of_another_card_and_unknown_ones_are_not_named_by_hand(scene: Scene) -> None:
    card, other = scene.titled(CREATING), scene.titled(RENEWAL)
    first = card.acceptance[0]
    for claim, code in ((other.anchors[0], "other-claim"), ("ANC-00000000", "unknown-claim")):
        line = first.model_copy(update={"anchors": (claim,)})
        with pytest.raises(ManyErrors) as caught:
            edit(scene.snapshot, card.model_copy(update={"acceptance": (line, *card.acceptance[1:])}), SAID)
        assert caught.value.code == code


# --- cuts ------------------------------------------------------------------------------------------------------------


def test_a_cut_card_leaves_no_dangling_edge_and_no_live_claim(scene: Scene) -> None:
    expiry, story = scene.titled(EXPIRY), scene.titled(RENEWAL)
    scene.put_state(story.id, "published")
    done_ = cut(scene.snapshot, [expiry.id], SAID)
    commit(done_)
    snapshot = scene.snapshot
    assert snapshot.card_by_id[expiry.id].state == "deleted"
    assert lines(snapshot.card_by_id[expiry.id]) == lines(expiry), "what it said stays in its file"
    assert expiry.id not in snapshot.graph.dependencies(story.id)
    assert snapshot.card_by_id[story.id].state == "published"
    assert set(done_.claims) == set(expiry.anchors)
    for claim in expiry.anchors:
        home = snapshot.anchor_by_id[claim].home
        assert isinstance(home, Discarded)
        assert (home.discarded, home.because, home.by) == ("out_of_scope", "a test says so", "Kim")
    edges = snapshot.anchor_stores["link-shortener"].edges
    assert not [edge for edge in edges if {edge.from_, edge.to} & set(expiry.anchors)]
    assert scene.audit_errors() == []
    assert scene.compile("link-shortener").compiled.changed == ()


def test_a_cut_survives_a_recompile_that_reads_its_section_again(tmp_path: Path) -> None:
    scene, anchors, edges = two_stories(tmp_path)
    commit(cut(scene.snapshot, [scene.titled("Statistics").id], SAID))
    text = TWO.replace("must count", "must never lose and must count") + "\nMore words without a claim.\n"
    read = [(ref, kind, quote.replace("must count", "must never lose and must count")) for ref, kind, quote in anchors]
    scene.write("links", text, read, edges)
    assert scene.compile("links").exit_code == 0
    assert scene.audit_errors() == []
    standing = [anchor for anchor in scene.snapshot.anchor_by_id.values() if anchor.section == "Links > Statistics"]
    assert {
        isinstance(anchor.home, Discarded) for anchor in standing if anchor.exact == "An owner sees the figures."
    } == {True}


def test_what_is_cut_comes_back_when_its_answer_is_taken_back(scene: Scene) -> None:
    before = scene.cards
    commit(cut(scene.snapshot, [scene.titled(EVENT).id, scene.titled("at-least-once endpoint").id], SAID))
    take_back(scene)
    assert scene.cards == before
    assert scene.compile("link-shortener").compiled.changed == ()


def test_a_cut_gate_holds_nobody_up(scene: Scene) -> None:
    gate, story = scene.titled("Whether a paid plan"), scene.titled(RENEWAL)
    commit(cut(scene.snapshot, [gate.id], SAID))
    assert scene.snapshot.graph.unsatisfied(story.id) == (scene.titled(EXPIRY).id,)
    assert scene.audit_errors() == []


def test_cutting_one_side_ends_a_contradiction(tmp_path: Path) -> None:
    scene = contradiction(tmp_path)
    gate, story, other = scene.of_kind("gate")[0], scene.titled("Quiet"), scene.titled("Sending")
    done_ = cut(scene.snapshot, [story.id], SAID)
    commit(done_)
    assert done_.ids == (story.id, gate.id)
    assert scene.snapshot.graph.is_ready(other.id)
    assert scene.audit_errors() == []
    assert scene.compile("mail").compiled.changed == ()


def test_what_a_cut_decision_replaced_is_in_force_again(scene: Scene) -> None:
    new, old = scene.titled("Links are stored in PostgreSQL"), scene.titled("in Redis")
    commit(cut(scene.snapshot, [new.id], SAID))
    assert not scene.snapshot.graph.is_superseded(old.id)
    assert scene.audit_errors() == []
    assert scene.compile("link-shortener").compiled.changed == ()


def test_the_cards_of_a_cut_epic_stand_alone_and_no_compile_makes_it_again(scene: Scene) -> None:
    epic = next(card for card in scene.of_kind("epic") if card.spec == "link-shortener")
    commit(cut(scene.snapshot, [epic.id], SAID))
    assert {card.parent for card in scene.cards.values() if card.spec == "link-shortener"} == {None}
    assert scene.audit_errors() == []
    assert scene.compile("link-shortener").compiled.changed == ()
    assert len(scene.of_kind("epic")) == 1


TWO = """\
# Links

## Creating

The service must create a short link.

## Statistics

The service must count every redirect. An owner sees the figures.
"""
TWO_READ = [
    ("a", "requirement", "The service must create a short link."),
    ("b", "requirement", "The service must count every redirect."),
    ("c", "requirement", "An owner sees the figures."),
]
TWO_EDGES = [("c", "refines", "b", "sees the figures"), ("b", "requires", "a", "every redirect")]


def two_stories(root: Path) -> tuple[Scene, list[tuple[str, str, str]], list[tuple[str, str, str, str]]]:
    scene = Scene.new(root)
    scene.write("links", TWO, TWO_READ, TWO_EDGES)
    assert scene.compile("links").exit_code == 0
    return scene, TWO_READ, TWO_EDGES


def test_what_was_published_from_a_lost_section_is_cut(tmp_path: Path) -> None:
    scene, anchors, _ = two_stories(tmp_path)
    lost, kept = scene.titled("Statistics"), scene.titled("Creating")
    for card in (lost, kept):
        scene.put_state(card.id, "published")
    with pytest.raises(RefusedError, match="no card"):
        lost_in(scene.snapshot, "Statistics")
    scene.write("links", TWO.split("## Statistics")[0], anchors[:1])
    scene.compile("links")
    assert [one.code for one in scene.audit() if one.subject == lost.id].count("C231") == 2
    found = lost_in(scene.snapshot, "statistics")
    assert (found.ids, dict(found.partly)) == ((lost.id,), {})
    commit(cut(scene.snapshot, found.ids, SAID))
    assert scene.audit_errors() == []
    assert scene.titled("Creating").state == "published"
    with pytest.raises(RefusedError, match="no claim came from"):
        lost_in(scene.snapshot, "Nowhere")


def test_a_card_that_lost_only_some_of_its_claims_stays_and_is_named(tmp_path: Path) -> None:
    scene, anchors, edges = two_stories(tmp_path)
    card = scene.titled("Statistics")
    scene.put_state(card.id, "published")
    scene.write("links", TWO.replace(" An owner sees the figures.", ""), anchors[:2], edges[1:])
    scene.compile("links")
    found = lost_in(scene.snapshot, "Links > Statistics")
    assert found.ids == ()
    assert dict(found.partly) == {card.id: (card.anchors[0],)}


def test_a_cut_needs_a_reason_and_a_card_that_is_not_over(scene: Scene) -> None:
    story = scene.titled(CREATING).id
    with pytest.raises(RefusedError, match="with a reason"):
        cut(scene.snapshot, [story], Said("Kim", AT))
    commit(cut(scene.snapshot, [story], SAID))
    with pytest.raises(ManyErrors, match="is deleted"):
        cut(scene.snapshot, [story], SAID)


# --- edges -----------------------------------------------------------------------------------------------------------


def test_a_person_draws_an_edge_to_what_stands_and_in_no_circle(scene: Scene) -> None:
    story, expiry, gate = scene.titled(RENEWAL), scene.titled(EXPIRY), scene.titled("Whether a paid plan")
    with pytest.raises(ManyErrors, match="none of them could ever start"):
        depend(scene.snapshot, expiry.id, story.id, SAID)
    commit(depend(scene.snapshot, expiry.id, gate.id, SAID))
    entry = next(entry for entry in scene.cards[expiry.id].depends_on if entry.card == gate.id)
    assert (entry.because, entry.scope) == ((PersonReason(person="Kim", text="a test says so", at=AT),), "all")
    assert commit(depend(scene.snapshot, expiry.id, gate.id, SAID)) == (), "a reason is given once"
    commit(cut(scene.snapshot, [gate.id], SAID))
    with pytest.raises(RefusedError, match="was cut from the plan"):
        depend(scene.snapshot, story.id, gate.id, SAID)
    with pytest.raises(RefusedError, match="was replaced"):
        depend(scene.snapshot, story.id, scene.titled("in Redis").id, SAID)


# --- what slips ------------------------------------------------------------------------------------------------------


def test_what_is_due_before_what_it_waits_for_slips_first(scene: Scene) -> None:
    request, event, page = (scene.titled(words) for words in ("at-least-once endpoint", EVENT, "The owner page"))
    reason = PersonReason(person="Kim", text="needs the events", at=AT)
    entry = event.depends_on[0].model_copy(update={"card": event.id, "because": (reason,)})
    scene.edit(page.id, {"depends_on": [*page.depends_on, entry]})
    assign(scene, scene.cards[event.id], "due=2027-03-01")
    assign(scene, scene.cards[page.id], "due=2027-02-01")
    slips = impact(scene.snapshot, request.id)
    assert [(slip.card.id, slip.through, slip.depth, slip.before, slip.alone) for slip in slips] == [
        (page.id, event.id, 2, event.id, False),
        (event.id, request.id, 1, None, True),
    ]


def test_a_done_card_passes_no_slip_on(scene: Scene) -> None:
    gate = scene.titled("Whether a paid plan")
    assert [slip.card.title for slip in impact(scene.snapshot, gate.id)] == [scene.titled(RENEWAL).title]
    scene.put_state(scene.titled(RENEWAL).id, "done")
    assert impact(scene.snapshot, gate.id) == ()


# --- undo ------------------------------------------------------------------------------------------------------------


def test_nothing_is_taken_back_after_something_came_or_the_ledger_has_it(scene: Scene) -> None:
    story = scene.titled(CREATING)
    assign(scene, story, "notes=one")
    path = scene.root / "cards" / f"{story.id}.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("notes: one", "notes: two"), encoding="utf-8")
    with pytest.raises(ConflictError, match="changed since"):
        take_back(scene)
    scene.put_state(story.id, "published")
    commit(done(scene.snapshot, story.id, SAID))
    with pytest.raises(RefusedError, match="ledger"):
        take_back(scene)


# --- any sequence ----------------------------------------------------------------------------------------------------

KEPT_TRUE = frozenset(
    [
        "C201",
        "C202",
        "C203",
        "C204",
        "C210",
        "C211",
        "C213",
        "C220",
        "C222",
        "C227",
        "C240",
        "C246",
        "A102",
        "A104",
        "A130",
        "A145",
    ]
)
VERBS = ("approve", "approve-spec", "start", "review", "done", "answer", "open", "cut", "edit", "depend", "undo")
FIELDS = (
    "title=다른 제목", "due=2026-12-31", "due=null", "notes=x", "start=false", "acceptance+=more", "acceptance-=A1",
    "acceptance.A1=other", "subtasks+=task", "subtasks.S1=done", "parent=null", "team=data", "team=reservations",
    "related+={other}", "related-={other}", "depends_on-={other}", "depends_on-={first}", "parent={other}",
)  # fmt: skip
STATES = ("drafted", "planned", "published", "in_progress", "in_review")


@dataclass(frozen=True)
class Step:
    verb: str
    card: int
    other: int
    field: str


STEPS = st.builds(
    Step, st.sampled_from(VERBS), st.integers(0, 99), st.integers(0, 99), st.sampled_from(FIELDS)
)  # fmt: skip


def deed(scene: Scene, step: Step) -> None:
    """One command. Raises IsopodError when it is refused."""
    snapshot = scene.snapshot
    card, other = (snapshot.cards[number % len(snapshot.cards)] for number in (step.card, step.other))
    first = card.depends_on[0].card if card.depends_on else other.id
    field = step.field.format(other=other.id, first=first)
    if step.verb == "undo":
        take_back(scene)
        return
    if step.verb == "compile":
        assert scene.compile(card.spec or "").exit_code == 0
        return
    made: dict[str, Callable[[], Hand]] = {
        "approve": lambda: approve(snapshot, [card.id], SAID),
        "approve-spec": lambda: approve_spec(snapshot, card.spec or "", SAID).hand,
        "start": lambda: take_up(snapshot, [card.id], "in_progress", SAID),
        "review": lambda: take_up(snapshot, [card.id], "in_review", SAID),
        "done": lambda: done(snapshot, card.id, SAID),
        "answer": lambda: answer(snapshot, card.id, f"answer {step.other}", SAID).hand,
        "open": lambda: open_gate(snapshot, card.id, SAID),
        "cut": lambda: cut(snapshot, [card.id, other.id] if step.other % 3 == 0 else [card.id], SAID).hand,
        "depend": lambda: depend(snapshot, card.id, other.id, SAID),
        "edit": lambda: edit(snapshot, assigned(card, [assignment(field)]), SAID),
    }
    commit(made[step.verb]())


def held(scene: Scene) -> tuple[dict[str, bytes], set[str]]:
    """Every card's bytes by id, and the names of the ledger's entries."""
    cards = {path.stem: path.read_bytes() for path in (scene.root / "cards").glob("*.yaml")}
    return cards, {path.name for path in (scene.root / "cards" / "ledger").glob("?" * 64 + ".json")}


def is_final(content: bytes) -> bool:
    return re.search(rb"^state: (done|deleted)$", content, re.MULTILINE) is not None


def hold_true(scene: Scene, steps: Iterable[Step]) -> None:
    """Every step is refused and writes nothing, or loses and forges nothing; at the end the audit finds nothing that a deed could do."""
    sealed: dict[str, bytes] = {}
    for step in steps:
        cards, entries = held(scene)
        try:
            deed(scene, step)
        except IsopodError:
            assert held(scene) == (cards, entries), "a command that is refused writes nothing"
            continue
        after, now = held(scene)
        assert entries <= now
        if step.verb != "undo":
            assert cards.keys() <= after.keys()
            assert all(after[card_id] == content for card_id, content in cards.items() if is_final(content))
        if step.verb == "done":
            sealed |= {card_id: content for card_id, content in after.items() if cards[card_id] != content}
        assert all(after[card_id] == content for card_id, content in sealed.items())
    errors = [one for one in scene.audit() if one.code in KEPT_TRUE and one.severity == "error"]
    assert not errors, [f"{one.code} {one.subject}: {one.message}" for one in errors]
    snapshot = scene.snapshot
    assert not snapshot.ledger.problems
    assert sealed.keys() == seals(snapshot.ledger).keys()


def in_states(scene: Scene, states: Sequence[str], *, watches: bool) -> None:
    for card, state in zip(scene.snapshot.cards, states, strict=True):
        scene.put_state(card.id, state)
    if watches:
        observation(scene, scene.titled("Whether a paid plan"))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(STATES), min_size=24, max_size=24), st.lists(STEPS, min_size=1, max_size=14), st.booleans()
)
def test_no_sequence_of_commands_loses_or_forges_anything(
    compiled: Path, tmp_path_factory: pytest.TempPathFactory, states: list[str], steps: list[Step], watches: bool
) -> None:
    root = tmp_path_factory.mktemp("any") / "demo"
    shutil.copytree(compiled, root)
    scene = Scene(root)
    in_states(scene, states, watches=watches)
    hold_true(scene, steps)
    shutil.rmtree(root)


@pytest.mark.parametrize("seed", range(3))
def test_two_hundred_commands_with_compiles_between_them_hold_true(scene: Scene, seed: int) -> None:
    chance = Random(seed)
    in_states(scene, [chance.choice(STATES) for _ in scene.snapshot.cards], watches=bool(seed % 2))
    verbs = (*VERBS, "compile")
    hold_true(
        scene,
        [
            Step(chance.choice(verbs), chance.randrange(99), chance.randrange(99), chance.choice(FIELDS))
            for _ in range(200)
        ],
    )
