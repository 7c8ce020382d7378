"""Answers of people: each type of dispute, bulk answers, and their replay by place, not by id."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from scenes import AT, SAID, AnchorT, EdgeT, Scene, fingerprint, lines, run_data

from pipeline.answers import (
    Docket,
    latest,
    say_claim,
    say_discard,
    say_no_claim,
    settle_all,
    settle_one,
    undo,
)
from pipeline.settle import Cut, Said, allowed_answers
from schemas.errors import RefusedError
from schemas.reading import Dispute

TEXT = """\
# Links

What long links are shortened for is said elsewhere.

## Creating

- It makes a short link for the owner and counts it.
- A code has six characters.
- Codes are random.

## Opening

- It answers 302 with the target.
- Unknown codes answer 404.

## Expiry

- A link lives for 30 days.
"""
AGREED: list[AnchorT] = [
    ("a3", "requirement", "Codes are random."),
    ("a5", "interface", "Unknown codes answer 404."),
    ("a6", "constraint", "A link lives for 30 days."),
]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene.new(tmp_path)


def disputed(
    scene: Scene,
    a: Sequence[AnchorT],
    b: Sequence[AnchorT],
    a_edges: Sequence[EdgeT] = (),
    b_edges: Sequence[EdgeT] = (),
    text: str = TEXT,
) -> Docket:
    scene.write("links", text, [*AGREED, *a], a_edges, b=([*AGREED, *b], b_edges))
    return scene.docket("links")


def only(docket: Docket, type_: str) -> Dispute:
    (found,) = docket.disputes
    assert found.type == type_
    return found


def say(scene: Scene, docket: Docket, answer: str, *cuts: Cut, said: Said = SAID) -> None:
    (dispute,) = docket.disputes
    settle_one(docket, dispute.id, answer, said, cuts).commit()
    assert docket.disputes == ()


def stands(scene: Scene) -> dict[str, str]:
    """What a new reading of the instance has standing, by its words."""
    outcome = scene.preview("links")
    assert outcome.exit_code == 0, (outcome.compiled.disputes, outcome.findings)
    return {one.exact: one.kind for one in outcome.compiled.anchors}


BASE = {quote: kind for _, kind, quote in AGREED}
SIX: AnchorT = ("a2", "constraint", "A code has six characters.")
WHOLE: AnchorT = ("a1", "requirement", "It makes a short link for the owner and counts it.")
HALVES: list[AnchorT] = [
    ("b1", "requirement", "It makes a short link for the owner"),
    ("b2", "requirement", "counts it"),
]


# --- each type, each answer ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [("a", {SIX[2]: "constraint"}), ("b", {}), ("both", {SIX[2]: "constraint"}), ("none", {})],
)
def test_a_missing_claim_is_taken_or_not(scene: Scene, answer: str, wanted: dict[str, str]) -> None:
    docket = disputed(scene, [SIX], [])
    assert only(docket, "missing").a == ("a2",)
    assert scene.compile("links").exit_code == 3
    say(scene, docket, answer)
    assert stands(scene) == BASE | wanted


@pytest.mark.parametrize(("answer", "kind"), [("a", "constraint"), ("b", "question"), ("none", None)])
def test_a_kind_is_decided(scene: Scene, answer: str, kind: str | None) -> None:
    docket = disputed(scene, [SIX], [("b2", "question", SIX[2])])
    only(docket, "kind")
    say(scene, docket, answer)
    assert stands(scene) == BASE | ({SIX[2]: kind} if kind else {})


def test_both_kinds_may_stand_when_they_are_of_two_classes(scene: Scene) -> None:
    docket = disputed(scene, [SIX], [("b2", "question", SIX[2])])
    say(scene, docket, "both")
    assert len(stands(scene)) == len(BASE) + 1  # by words; both kinds stand on the same words
    assert sorted(one.kind for one in scene.preview("links").compiled.anchors if one.exact == SIX[2]) == [
        "constraint",
        "question",
    ]


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("a", {WHOLE[2]: "requirement"}),
        ("b", {quote: kind for _, kind, quote in HALVES}),
        ("both", {WHOLE[2]: "requirement"} | {quote: kind for _, kind, quote in HALVES}),
        ("none", {}),
    ],
)
def test_granularity_is_decided(scene: Scene, answer: str, wanted: dict[str, str]) -> None:
    docket = disputed(scene, [WHOLE], HALVES)
    only(docket, "granularity")
    say(scene, docket, answer)
    assert stands(scene) == BASE | wanted


def test_a_cut_of_ones_own_replaces_both(scene: Scene) -> None:
    docket = disputed(scene, [WHOLE], HALVES)
    say(scene, docket, "cut", Cut("requirement", "makes a short link"), Cut("constraint", "counts it"))
    assert stands(scene) == BASE | {"makes a short link": "requirement", "counts it": "constraint"}


def test_a_cut_dispute_is_answered_like_the_others(scene: Scene) -> None:
    a: list[AnchorT] = [
        ("a1", "requirement", "It makes a short"),
        ("a2", "question", "link for the owner and counts it"),
    ]
    b: list[AnchorT] = [
        ("b1", "requirement", "It makes a short link for"),
        ("b2", "question", "the owner and counts it"),
    ]
    docket = disputed(scene, a, b)
    only(docket, "cut")
    dispute = docket.disputes[0]
    with pytest.raises(RefusedError, match="would cross"):
        settle_one(docket, dispute.id, "both", SAID)
    say(scene, docket, "a")
    assert stands(scene) == BASE | {quote: kind for _, kind, quote in a}


REQUIRES: list[EdgeT] = [("a5", "requires", "a3", "Unknown codes")]


@pytest.mark.parametrize(("answer", "edges"), [("keep", 1), ("drop", 0)])
@pytest.mark.parametrize("side", ["a", "b"])
def test_an_edge_is_kept_or_dropped(scene: Scene, answer: str, edges: int, side: str) -> None:
    docket = disputed(scene, [], [], *(((REQUIRES, ())) if side == "a" else ((), REQUIRES)))
    only(docket, "edge")
    say(scene, docket, answer)
    scene.compile("links")
    assert len(scene.snapshot.anchor_stores["links"].edges) == edges
    assert len(scene.titled("Opening").depends_on) == edges


def test_taking_a_side_takes_its_edges_whose_ends_stand(scene: Scene) -> None:
    drawn: list[EdgeT] = [("a2", "requires", "a3", "six characters"), ("a2", "refines", "a6", "A code")]
    docket = disputed(scene, [SIX], [], drawn)
    (missing,) = [one for one in docket.disputes if one.type == "missing"]
    settle_one(docket, missing.id, "a", SAID).commit()
    scene.compile("links")
    assert {(edge.kind, edge.cue) for edge in scene.snapshot.anchor_stores["links"].edges} == {
        ("requires", "six characters"),
        ("refines", "A code"),
    }


def test_a_gate_is_kept_with_a_reason_as_an_exemption_or_closed(scene: Scene) -> None:
    twice = TEXT.replace("- Codes are random.", "Codes are random. No code must repeat. It must be short.")
    both = ("g", "requirement", "No code must repeat. It must be short.")
    docket = disputed(scene, [both, ("h", "constraint", "It must be short.")], [both], text=twice)
    dispute = only(docket, "gate")
    with pytest.raises(RefusedError, match="reason"):
        settle_one(docket, dispute.id, "keep", Said("Kim", AT))
    with pytest.raises(RefusedError, match="answer one of"):
        settle_one(docket, dispute.id, "a", SAID)
    say(scene, docket, "keep")
    assert both[2] in stands(scene)
    (entry,) = [one for one in (scene.root / "cards" / "ledger").glob("*.json") if one.stem != "checkpoint"]
    assert '"rule":"A110"' in entry.read_text(encoding="utf-8")
    undo(scene.docket("links"))[1].commit()
    docket = scene.docket("links")
    say(scene, docket, "cut", Cut("requirement", "No code must repeat."), Cut("constraint", "It must be short."))
    assert "No code must repeat." in stands(scene) and both[2] not in stands(scene)


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cut", "code"),
    [
        (Cut("requirement", "No such words"), "quote-not-found"),
        (Cut("requirement", " "), "blank-quote"),
        (Cut("requirement", "."), "blank-quote"),
        (Cut("requirement", "characters.\n- Codes are"), "quote-crosses-block"),
        (Cut("constraint", "Codes are random"), "cut-elsewhere"),
    ],
)
def test_a_cut_that_does_not_fit_is_refused_and_nothing_is_written(scene: Scene, cut: Cut, code: str) -> None:
    docket = disputed(scene, [SIX], [])
    before = fingerprint(scene.root)
    with pytest.raises(RefusedError) as refused:
        settle_one(docket, docket.disputes[0].id, "cut", SAID, [cut])
    assert refused.value.code == code and len(docket.disputes) == 1
    assert fingerprint(scene.root) == before


def test_an_answer_that_crosses_what_stands_is_refused_and_a_cut_is_offered(scene: Scene) -> None:
    docket = disputed(scene, [("x", "requirement", "It makes a short link")], [])
    settle_one(docket, docket.disputes[0].id, "a", SAID).commit()
    docket = disputed(
        scene,
        [("x", "requirement", "It makes a short link"), ("y", "question", "link for the owner")][1:],
        [],
    )
    dispute = only(docket, "missing")
    with pytest.raises(RefusedError, match="would cross") as refused:
        settle_one(docket, dispute.id, "a", SAID)
    assert refused.value.fix is not None and "--cut" in refused.value.fix


def test_unknown_disputes_wrong_answers_and_missing_cuts_are_refused(scene: Scene) -> None:
    docket = disputed(scene, [SIX], [])
    dispute = docket.disputes[0]
    for name, answer, cuts in (("D-00000000", "a", ()), (dispute.id, "keep", ()), (dispute.id, "cut", ())):
        with pytest.raises(RefusedError):
            settle_one(docket, name, answer, SAID, cuts)
    assert allowed_answers(dispute) == {"a", "b", "both", "none", "cut"}
    with pytest.raises(RefusedError, match="reason"):
        settle_all(docket, "a", Said("Kim", AT))


# --- bulk ------------------------------------------------------------------------------------------------------------

MANY_A: list[AnchorT] = [WHOLE, ("a4", "requirement", "It answers 302 with the target.")]
MANY_B: list[AnchorT] = [*HALVES, ("a2", "question", SIX[2])]


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("a", {WHOLE[2], "It answers 302 with the target."}),
        ("b", {HALVES[0][2], HALVES[1][2], SIX[2]}),
        ("union", {WHOLE[2], "It answers 302 with the target.", HALVES[0][2], HALVES[1][2], SIX[2]}),
        ("agreed", set()),
    ],
)
def test_one_answer_to_everything_and_its_replay_are_the_same(scene: Scene, answer: str, wanted: set[str]) -> None:
    docket = disputed(scene, MANY_A, MANY_B, REQUIRES)
    settle_all(docket, answer, SAID).commit()
    given = [(one.kind, one.span) for one in docket.table.claims]
    drawn = docket.table.standing_edges()
    assert {docket.table.bench.spec.quoted(span) for _, span in given} == set(BASE) | wanted
    again = scene.docket("links")
    assert again.disputes == ()
    assert [(one.kind, one.span) for one in again.table.claims] == given
    assert again.table.standing_edges() == drawn
    assert len(drawn) == (1 if answer in ("a", "union") else 0)
    assert stands(scene).keys() == set(BASE) | wanted


def test_bulk_takes_the_longer_first_and_lists_what_would_cross(scene: Scene) -> None:
    docket = disputed(
        scene,
        [("x", "requirement", "It makes a short link for")],
        [("y", "question", "link for the owner and counts it")],
    )
    settle_all(docket, "union", SAID).commit()
    (settlement,) = scene.snapshot.settlements["links"]
    assert [one.exact for one in settlement.anchors] == ["It makes a short link for"]
    assert [one.exact for one in settlement.left_out] == ["link for the owner and counts it"]
    assert scene.docket("links").disputes == ()


def test_accepting_while_compiling_is_one_recorded_answer_and_compiling_again_changes_nothing(scene: Scene) -> None:
    disputed(scene, MANY_A, MANY_B)
    assert scene.compile("links", accept="union").exit_code == 0
    assert len(scene.snapshot.settlements["links"]) == 1
    before = fingerprint(scene.root)
    assert scene.compile("links").exit_code == 0
    assert fingerprint(scene.root) == before
    assert scene.audit_errors() == []


def test_nothing_open_is_refused(scene: Scene) -> None:
    with pytest.raises(RefusedError, match="nothing is in dispute"):
        settle_all(disputed(scene, [], []), "a", SAID)


# --- replay ----------------------------------------------------------------------------------------------------------


def rename(anchors: Sequence[AnchorT]) -> list[AnchorT]:
    return [(f"z{ref}", kind, quote) for ref, kind, quote in reversed(anchors)]


ANSWERED = [
    ("missing", [SIX], [], "a"),
    ("granularity", [WHOLE], HALVES, "b"),
    ("kind", [SIX], [("b2", "term", SIX[2])], "b"),
]


@pytest.mark.parametrize(("type_", "a", "b", "answer"), ANSWERED)
@pytest.mark.parametrize("change", ["names", "elsewhere", "crlf"])
def test_an_answer_survives(
    scene: Scene, type_: str, a: list[AnchorT], b: list[AnchorT], answer: str, change: str
) -> None:
    docket = disputed(scene, a, b)
    only(docket, type_)
    say(scene, docket, answer)
    before = stands(scene)
    text = TEXT
    if change == "names":
        data = run_data("specs/links.md", TEXT, "a", rename([*AGREED, *a]))
        (scene.root / "specs" / "recorded" / "links.a.round0.json").write_text(json.dumps(data), encoding="utf-8")
    elif change == "elsewhere":
        text = TEXT.replace("What long", "A new word. What long").replace("30 days", "60 days")
    else:
        text = TEXT.replace("\n", "\r\n")
    if change != "names":
        moved = [
            (ref, kind, quote.replace("30 days", "60 days") if text != TEXT and change == "elsewhere" else quote)
            for ref, kind, quote in AGREED
        ]
        scene.write("links", text, [*moved, *a], b=([*moved, *b], []))
    after = stands(scene)
    assert {words.replace("60 days", "30 days"): kind for words, kind in after.items()} == before


@pytest.mark.parametrize(
    ("old", "new"), [("six characters", "seven characters"), ("- Codes are random", "- Codes were random")]
)
def test_a_changed_text_or_context_makes_an_answer_stale_and_the_dispute_is_open_again(
    scene: Scene, old: str, new: str
) -> None:
    say(scene, disputed(scene, [SIX], []), "none")
    text = TEXT.replace(old, new)

    def moved(anchors: Sequence[AnchorT]) -> list[AnchorT]:
        return [(ref, kind, quote.replace(old.strip("- "), new.strip("- "))) for ref, kind, quote in anchors]

    scene.write("links", text, moved([*AGREED, SIX]), b=(moved(AGREED), []))
    docket = scene.docket("links")
    assert len(docket.table.stale) == 1
    only(docket, "missing")


def test_a_later_answer_replaces_an_earlier_one_and_undo_is_one_answer_back(scene: Scene) -> None:
    docket = disputed(scene, [SIX], [])
    dispute = docket.disputes[0]
    settle_one(docket, dispute.id, "a", SAID).commit()
    assert SIX[2] in stands(scene)
    with pytest.raises(RefusedError, match="no open dispute"):
        settle_one(scene.docket("links"), dispute.id, "none", SAID)
    docket = scene.docket("links", again=[dispute.id])
    settle_one(docket, dispute.id, "none", Said("Lee", "2026-11-30T10:00:00Z")).commit()
    assert SIX[2] not in stands(scene)
    assert latest(scene.docket("links")).settlement.by == "Lee"
    undo(scene.docket("links"))[1].commit()
    assert SIX[2] in stands(scene)
    undo(scene.docket("links"))[1].commit()
    assert len(scene.docket("links").disputes) == 1
    with pytest.raises(RefusedError, match="no answer"):
        undo(scene.docket("links"))


def test_undo_after_a_compile_asks_again(scene: Scene) -> None:
    say(scene, disputed(scene, [SIX], []), "a")
    assert scene.compile("links").exit_code == 0
    assert SIX[2] in lines(scene.titled("Creating"))
    undo(scene.docket("links"))[1].commit()
    assert only(scene.docket("links"), "missing").a == ("a2",)
    say(scene, scene.docket("links"), "none")
    assert scene.compile("links").exit_code == 0
    assert SIX[2] not in lines(scene.titled("Creating"))
    assert scene.audit_errors() == []


# --- claim, not-a-claim, discard -------------------------------------------------------------------------------------


def test_a_claim_that_both_missed_stands_from_then_on(scene: Scene) -> None:
    disputed(scene, [], [])
    assert scene.compile("links").exit_code == 0
    say_claim(scene.docket("links"), "constraint", "A code has six characters.", SAID).commit()
    assert scene.compile("links").exit_code == 0
    assert "A code has six characters." in lines(scene.titled("Creating"))
    assert scene.audit_errors() == []
    with pytest.raises(RefusedError, match="says the same words"):
        say_claim(scene.docket("links"), "requirement", "A code has six characters", SAID)
    # a new reading that still misses it changes nothing
    scene.write("links", TEXT.replace("- Codes", "- New.\n- Codes"), AGREED)
    assert scene.compile("links").exit_code == 0
    assert "A code has six characters." in lines(scene.titled("Creating"))


@pytest.mark.parametrize("words", ["No such words", "characters.\n- Codes", ""])
def test_a_claim_in_words_that_the_spec_does_not_hold_is_refused(scene: Scene, words: str) -> None:
    with pytest.raises(RefusedError):
        say_claim(disputed(scene, [], []), "constraint", words, SAID)


def test_words_that_stand_twice_need_a_line(scene: Scene) -> None:
    text = TEXT + "\n## Again\n\n- A code has six characters.\n"
    docket = disputed(scene, [], [], text=text)
    with pytest.raises(RefusedError, match="2 times"):
        say_claim(docket, "constraint", SIX[2], SAID)
    say_claim(docket, "constraint", SIX[2], SAID, lines=(8, 8)).commit()
    assert stands(scene)[SIX[2]] == "constraint"


def test_a_unit_marked_as_no_claim_is_not_asked_about_again(scene: Scene) -> None:
    docket = disputed(scene, [SIX], [])
    say_no_claim(docket, "A code has six characters.", None, SAID).commit()
    assert stands(scene) == BASE
    scene.compile("links")
    assert not [one for one in scene.audit() if one.code == "C232" and "six characters" in one.message]
    with pytest.raises(RefusedError, match=r"\(line 2\)"):
        say_no_claim(scene.docket("links"), None, (2, 2), SAID)
    with pytest.raises(RefusedError):
        say_no_claim(scene.docket("links"), None, None, SAID)


def test_a_discarded_claim_is_on_no_card_and_comes_back_when_that_is_undone(scene: Scene) -> None:
    disputed(scene, [], [], REQUIRES, REQUIRES)
    assert scene.compile("links").exit_code == 0
    target = next(one for one in scene.snapshot.anchor_stores["links"].anchors if one.exact == "Codes are random.")
    say_discard(scene.docket("links"), target.id, "out_of_scope", SAID).commit()
    assert scene.compile("links").exit_code == 0
    assert not [card for card in scene.of_kind("story") if "Codes are random." in lines(card)]
    found = next(one for one in scene.snapshot.anchor_stores["links"].anchors if one.id == target.id)
    assert not isinstance(found.home, str) and found.home.discarded == "out_of_scope"
    assert scene.snapshot.anchor_stores["links"].edges == () and scene.audit_errors() == []
    undo(scene.docket("links"))[1].commit()
    assert scene.compile("links").exit_code == 0
    assert [card for card in scene.of_kind("story") if "Codes are random." in lines(card)]
    assert scene.audit_errors() == []
    with pytest.raises(RefusedError):
        say_discard(scene.docket("links"), "ANC-00000000", "out_of_scope", SAID)


def test_what_an_answer_leaves_out_leaves_the_store_although_its_words_still_stand(scene: Scene) -> None:
    disputed(scene, [SIX], [SIX])
    assert scene.compile("links").exit_code == 0
    # the section changes elsewhere, and now only one reader claims it
    text = TEXT.replace("- It makes", "- It is fast.\n- It makes")
    docket = disputed(scene, [SIX], [], text=text)
    say(scene, docket, "none")
    assert scene.compile("links").exit_code == 0
    assert SIX[2] not in lines(scene.titled("Creating"))
    statuses = {one.exact: one.status for one in scene.snapshot.anchor_stores["links"].anchors}
    assert statuses[SIX[2]] == "retired"


def test_a_claim_that_a_person_took_back_leaves_its_card(scene: Scene) -> None:
    disputed(scene, [], [])
    say_claim(scene.docket("links"), "constraint", SIX[2], SAID).commit()
    scene.compile("links")
    assert SIX[2] in lines(scene.titled("Creating"))
    undo(scene.docket("links"))[1].commit()
    assert scene.compile("links").exit_code == 0
    assert SIX[2] not in lines(scene.titled("Creating"))


def test_another_bulk_answer_after_undo_gives_what_it_says_and_no_more(scene: Scene) -> None:
    disputed(scene, MANY_A, MANY_B)
    scene.compile("links", accept="union")
    undo(scene.docket("links"))[1].commit()
    assert scene.compile("links").exit_code == 3
    assert scene.compile("links", accept="agreed").exit_code == 0
    live = {one.exact for one in scene.snapshot.anchor_stores["links"].anchors if one.status == "live"}
    assert live == set(BASE)
    assert scene.audit_errors() == []


def test_a_dispute_may_be_answered_anew_after_a_compile(scene: Scene) -> None:
    docket = disputed(scene, [SIX], [])
    name = docket.disputes[0].id
    say(scene, docket, "a")
    scene.compile("links")
    say(scene, scene.docket("links", again=[name]), "none")
    assert scene.compile("links").exit_code == 0
    assert SIX[2] not in lines(scene.titled("Creating"))


def test_answers_of_one_second_keep_their_order(scene: Scene) -> None:
    docket = disputed(scene, [SIX, WHOLE], HALVES)
    for dispute in docket.disputes:
        settle_one(docket, dispute.id, "a", SAID).commit()
    given = scene.snapshot.settlements["links"]
    assert len({one.at for one in given}) == 2
    assert latest(scene.docket("links")).settlement.anchors[0].exact == SIX[2]


def test_a_cut_elsewhere_answers_nothing_and_one_that_reaches_over_another_dispute_is_refused(scene: Scene) -> None:
    docket = disputed(scene, [SIX], [])
    with pytest.raises(RefusedError) as refused:
        settle_one(docket, docket.disputes[0].id, "cut", SAID, [Cut("requirement", "Codes are random")])
    assert refused.value.code == "cut-elsewhere" and refused.value.fix is not None
    assert len(docket.disputes) == 1 and not list((scene.root / "cards").rglob("settlements/*/*.yaml"))
