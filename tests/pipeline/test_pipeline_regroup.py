"""People group claims otherwise: lines go with their claims, edges follow, and no later draft undoes it (DESIGN.md section 7)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scenes import AT, SAID, AnchorT, EdgeT, Scene, fingerprint, lines, waits

from pipeline.deeds.cut import cut
from pipeline.deeds.regroup import Regrouped, merge, move, split
from pipeline.fix import fix
from pipeline.redrafting import draft_spec
from pipeline.said import Said
from schemas.card import Card
from schemas.errors import ImmutableCardError, IsopodError, ManyErrors, RefusedError
from store.instance import open_instance
from store.transaction import Transaction

TEXT = """\
# Links

We make links short. Quality matters.

## Creating

- It makes a short link.
- A code has six characters.
- No code is used twice.

## Expiry

- A link lives for 30 days.

Owners renew a link. Whether that costs is not decided; renewal cannot ship before that.

## Opening

- It answers 302.
- It counts the call.

## Decisions

- Codes are random, because guessing must be hard.
"""
ANCHORS: list[AnchorT] = [
    ("a0", "requirement", "We make links short."),
    ("a1", "requirement", "It makes a short link."),
    ("a2", "constraint", "A code has six characters."),
    ("a7", "constraint", "No code is used twice."),
    ("a3", "constraint", "A link lives for 30 days."),
    ("a4", "requirement", "Owners renew a link."),
    ("q", "question", "Whether that costs is not decided"),
    ("a5", "constraint", "renewal cannot ship before that"),
    ("a6", "interface", "It answers 302."),
    ("a8", "requirement", "It counts the call."),
    ("d", "decision", "Codes are random"),
]
EDGES: list[EdgeT] = [
    ("a5", "blocked_by", "q", "cannot ship before that"),
    ("a4", "refines", "a3", "renew a link"),
    ("a6", "requires", "a1", "answers 302"),
    ("a2", "requires", "d", "six characters"),
]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scene = Scene.new(tmp_path_factory.mktemp("regroup"))
    scene.write("links", TEXT, ANCHORS, EDGES)
    assert scene.compile("links").exit_code == 0 and scene.audit_errors() == []
    return scene.root


@pytest.fixture
def scene(compiled: Path, tmp_path: Path) -> Scene:
    shutil.copytree(compiled, tmp_path / "links")
    return Scene(tmp_path / "links")


def claim(scene: Scene, words: str) -> str:
    """The id of the live claim that begins so."""
    store = scene.snapshot.anchor_stores["links"]
    (found,) = [one.id for one in store.anchors if one.exact.startswith(words) and one.status == "live"]
    return found


def made(scene: Scene, regrouped: Regrouped) -> Regrouped:
    """Commit, and hold what always holds afterwards: the audit is clean, and no later draft changes a byte."""
    assert regrouped.hand.transaction.commit()
    assert scene.audit_errors() == []
    assert scene.compile("links").compiled.changed == ()
    return regrouped


def draft_again(scene: Scene) -> tuple[str, ...]:
    outcome = draft_spec(scene.workspace, scene.spec("links"), again=True)
    return outcome.transaction.commit()


def groups(scene: Scene) -> dict[str, list[str]]:
    return {name: [one.claim for one in file.group.claims] for name, file in scene.snapshot.group_files.items()}


# --- move ------------------------------------------------------------------------------------------------------------


def test_a_claim_moves_with_its_line_and_its_edges(scene: Scene) -> None:
    creating, opening = scene.titled("Creating"), scene.titled("Opening")
    decision = scene.of_kind("decision")[0]
    assert decision.id in waits(creating) and waits(opening) == {creating.id: ["answers 302"]}
    six = claim(scene, "A code has")
    made(scene, move(scene.snapshot, [six], opening.id, SAID))
    creating, opening = scene.cards[creating.id], scene.cards[opening.id]
    assert lines(creating) == ["It makes a short link.", "No code is used twice."]
    assert [line.id for line in creating.acceptance] == ["A1", "A3"]
    assert lines(opening) == ["A code has six characters.", "It answers 302.", "It counts the call."]
    assert [line.id for line in opening.acceptance] == ["A3", "A1", "A2"]
    assert decision.id not in waits(creating) and waits(opening)[decision.id] == ["six characters"]
    assert groups(scene) == {opening.id: [six]}


def test_who_waited_for_a_claim_waits_for_the_card_that_has_it_now(scene: Scene) -> None:
    creating, expiry, opening = (scene.titled(one) for one in ("Creating", "Expiry: A link lives", "Opening"))
    made(scene, move(scene.snapshot, [claim(scene, "It makes")], expiry.id, SAID))
    assert waits(scene.cards[opening.id]) == {expiry.id: ["answers 302"]}
    assert scene.cards[creating.id].state == "drafted"


def test_a_planned_card_that_gives_a_claim_or_gets_one_is_looked_at_again(scene: Scene) -> None:
    creating, opening = scene.titled("Creating"), scene.titled("Opening")
    for card in (creating, opening):
        scene.put_state(card.id, "planned")
    made(scene, move(scene.snapshot, [claim(scene, "No code")], opening.id, SAID))
    assert {scene.cards[card.id].state for card in (creating, opening)} == {"drafted"}


def test_a_card_left_empty_goes_and_what_people_said_of_it_goes_to_its_heir(scene: Scene) -> None:
    expiry, creating, opening = (scene.titled(one) for one in ("Expiry: A link lives", "Creating", "Opening"))
    reason = {"person": "Kim", "text": "we said so", "at": AT}
    scene.edit(opening.id, {"depends_on": [*opening.depends_on, {"card": expiry.id, "because": [reason]}]})
    renewal = scene.titled("Owners renew")
    regrouped = made(scene, move(scene.snapshot, [claim(scene, "A link lives")], creating.id, SAID))
    assert regrouped.emptied == (expiry.id,) and scene.cards[expiry.id].state == "deleted"
    assert waits(scene.cards[opening.id]) == {creating.id: ["answers 302", "Kim"]}
    assert creating.id in waits(scene.cards[renewal.id]) or creating.id in scene.cards[renewal.id].related


def test_a_line_that_a_person_worded_keeps_its_words_and_takes_what_tightens_it_along(scene: Scene) -> None:
    creating, opening = scene.titled("Creating"), scene.titled("Opening")
    worded = creating.acceptance[1].model_copy(update={"text": "Codes: six characters, no more."})
    own = {"id": "A9", "text": "Of these two are digits.", "tightens": "A2"}
    scene.edit(creating.id, {"acceptance": [creating.acceptance[0], worded, creating.acceptance[2], own]})
    made(scene, move(scene.snapshot, [claim(scene, "A code has")], opening.id, SAID))
    after = scene.cards[opening.id]
    moved = {line.id: line for line in after.acceptance}
    assert moved["A3"].text == "Codes: six characters, no more."
    assert moved["A4"].text == "Of these two are digits." and moved["A4"].tightens == "A3"
    assert [line.id for line in scene.cards[creating.id].acceptance] == ["A1", "A3"]


def test_an_edge_that_a_person_took_away_is_not_drawn_again_by_a_move(scene: Scene) -> None:
    creating, opening = scene.titled("Creating"), scene.titled("Opening")
    scene.edit(creating.id, {"depends_on": []})
    made(scene, move(scene.snapshot, [claim(scene, "A code has")], opening.id, SAID))
    assert list(waits(scene.cards[opening.id])) == [creating.id]


@pytest.mark.parametrize("state", ["published", "in_progress", "in_review"])
def test_on_a_published_card_a_claim_becomes_a_line_at_the_end_and_its_words_stay(scene: Scene, state: str) -> None:
    creating, opening = scene.titled("Creating"), scene.titled("Opening")
    scene.put_state(opening.id, state)
    made(scene, move(scene.snapshot, [claim(scene, "A code has")], opening.id, SAID))
    after = scene.cards[opening.id]
    assert after.state == state and after.acceptance[:2] == opening.acceptance and after.title == opening.title
    assert lines(after)[2:] == ["A code has six characters."]
    assert after.anchors[:2] == opening.anchors
    assert lines(scene.cards[creating.id]) == ["It makes a short link.", "No code is used twice."]


@pytest.mark.parametrize("state", ["published", "in_progress", "in_review", "done"])
def test_what_a_card_was_published_with_stays_on_it_and_the_way_out_is_named(scene: Scene, state: str) -> None:
    creating, opening = scene.titled("Creating"), scene.titled("Opening")
    scene.put_state(creating.id, state)
    before = fingerprint(scene.root)
    with pytest.raises(ManyErrors, match=f"is {state.replace('_', ' ')}: ANC-") as told:
        move(scene.snapshot, [claim(scene, "A code has")], opening.id, SAID)
    assert creating.id in (told.value.fix or "") and "ID" not in (told.value.fix or "")
    with pytest.raises(RefusedError):
        split(scene.snapshot, creating.id, SAID, lines=["A2"])
    with pytest.raises(ManyErrors, match="not taken over"):
        merge(scene.snapshot, opening.id, [creating.id], SAID)
    assert fingerprint(scene.root) == before


def test_nothing_is_put_on_a_card_that_is_over(scene: Scene) -> None:
    creating, opening = scene.titled("Creating"), scene.titled("Opening")
    scene.put_state(opening.id, "done")
    with pytest.raises(RefusedError, match="final") as told:
        move(scene.snapshot, [claim(scene, "A code has")], opening.id, SAID)
    assert told.value.fix == f"isopod migrate {opening.id} --line A1"
    cut(scene.snapshot, [creating.id], SAID).hand.transaction.commit()
    with pytest.raises(RefusedError, match="final"):
        move(scene.snapshot, [claim(scene, "A link lives")], creating.id, SAID)
    with pytest.raises(ManyErrors, match="left out of the plan"):
        move(scene.snapshot, [claim(scene, "A code has")], scene.titled("Expiry: A link").id, SAID)


def test_a_claim_whose_kind_leaves_no_choice_is_not_moved(scene: Scene) -> None:
    story = scene.titled("Creating").id
    for words in ("Whether", "Codes are random"):
        with pytest.raises(ManyErrors, match="a card of its own"):
            move(scene.snapshot, [claim(scene, words)], story, SAID)
    with pytest.raises(ManyErrors, match="called no claim"):
        move(scene.snapshot, ["ANC-00000000"], story, SAID)
    with pytest.raises(RefusedError, match="holds these claims already"):
        move(scene.snapshot, [claim(scene, "It makes")], story, SAID)


def test_a_claim_goes_to_a_decision_and_to_the_epic_and_back(scene: Scene) -> None:
    decision, epic, creating = scene.of_kind("decision")[0], scene.of_kind("epic")[0], scene.titled("Creating")
    twice = claim(scene, "No code")
    made(scene, move(scene.snapshot, [twice], decision.id, SAID))
    assert "No code is used twice." in lines(scene.cards[decision.id])
    assert draft_again(scene) == ()
    made(scene, move(scene.snapshot, [twice], epic.id, SAID))
    home = next(one.home for one in scene.snapshot.anchor_stores["links"].anchors if one.id == twice)
    assert home == "epic" and twice in scene.cards[epic.id].anchors
    assert draft_again(scene) == ()
    made(scene, move(scene.snapshot, [twice], creating.id, SAID))
    assert lines(scene.cards[creating.id]) == lines(creating) and draft_again(scene) == ()


def test_the_spec_must_be_as_it_was_compiled(scene: Scene) -> None:
    scene.spec("links").write_text(TEXT.replace("six", "seven"), encoding="utf-8")
    with pytest.raises(RefusedError, match="changed since") as told:
        move(scene.snapshot, [claim(scene, "A code has")], scene.titled("Opening").id, SAID)
    assert told.value.fix == "isopod compile specs/links.md"


# --- split and merge -------------------------------------------------------------------------------------------------


def test_lines_that_are_split_off_are_a_story_with_an_id_from_its_leading_claim(scene: Scene) -> None:
    creating, opening = scene.titled("Creating"), scene.titled("Opening")
    regrouped = made(scene, split(scene.snapshot, creating.id, SAID, lines=["A2", "A3"]))
    assert regrouped.made is not None
    new, old = scene.cards[regrouped.made.id], scene.cards[creating.id]
    assert lines(new) == ["A code has six characters.", "No code is used twice."]
    assert [line.id for line in new.acceptance] == ["A1", "A2"] and new.id.endswith(new.anchors[0][-8:])
    assert lines(old) == ["It makes a short link."] and old.title.startswith("Creating: ")
    assert (new.state, new.parent, new.team, new.start) == ("drafted", creating.parent, creating.team, True)
    assert waits(scene.cards[opening.id]) == {creating.id: ["answers 302"]}
    assert draft_again(scene) == ()


def test_a_title_that_a_person_gives_the_new_story_is_that_persons(scene: Scene) -> None:
    regrouped = made(scene, split(scene.snapshot, scene.titled("Creating").id, SAID, lines=["A2"], title="Codes"))
    assert regrouped.made is not None
    assert (scene.cards[regrouped.made.id].title, scene.cards[regrouped.made.id].title_by) == ("Codes", "Kim")


def test_a_split_needs_something_to_take_and_something_to_leave(scene: Scene) -> None:
    creating = scene.titled("Creating")
    with pytest.raises(RefusedError, match="has no A7"):
        split(scene.snapshot, creating.id, SAID, lines=["A7"])
    with pytest.raises(RefusedError, match="all its claims"):
        split(scene.snapshot, creating.id, SAID, lines=["A1", "A2", "A3"])
    with pytest.raises(RefusedError, match="at least one claim"):
        split(scene.snapshot, creating.id, SAID)


def test_merging_takes_everything_and_splitting_gives_it_back_with_another_id(scene: Scene) -> None:
    creating, opening = scene.titled("Creating"), scene.titled("Opening")
    own = {"id": "A9", "text": "It is pleasant."}
    scene.edit(
        opening.id,
        {
            "acceptance": [*opening.acceptance, own],
            "subtasks": [{"id": "S1", "text": "ask Lee"}],
            "notes": "soon",
            "due": "2027-01-31",
        },
    )
    regrouped = made(scene, merge(scene.snapshot, creating.id, [opening.id], SAID))
    after = scene.cards[creating.id]
    assert regrouped.emptied == (opening.id,) and scene.cards[opening.id].state == "deleted"
    assert lines(after) == [*lines(creating), *lines(opening), "It is pleasant."]
    assert (after.notes, after.due, [task.text for task in after.subtasks]) == ("soon", "2027-01-31", ["ask Lee"])
    assert after.id not in waits(after) and draft_again(scene) == ()
    back = made(scene, split(scene.snapshot, creating.id, SAID, claims=list(opening.anchors)))
    assert back.made is not None and back.made.id != opening.id
    assert waits(scene.cards[back.made.id]) == {creating.id: ["answers 302"]}
    assert draft_again(scene) == ()


def test_the_reason_why_a_claim_waits_goes_along_though_it_has_no_line(scene: Scene) -> None:
    expiry, renewal, gate = scene.titled("Expiry: A link lives"), scene.titled("Owners renew"), scene.of_kind("gate")[0]
    made(scene, merge(scene.snapshot, expiry.id, [renewal.id], SAID))
    assert gate.id in waits(scene.cards[expiry.id])
    back = made(scene, split(scene.snapshot, expiry.id, SAID, lines=["A2"]))
    assert back.made is not None and gate.id in waits(scene.cards[back.made.id])
    assert waits(scene.cards[expiry.id]) == {}


def test_only_stories_and_requests_are_taken_over(scene: Scene) -> None:
    creating = scene.titled("Creating")
    for other in (scene.of_kind("gate")[0], scene.of_kind("decision")[0], scene.of_kind("epic")[0]):
        with pytest.raises(ManyErrors, match="cannot become part"):
            merge(scene.snapshot, creating.id, [other.id], SAID)


def test_one_card_has_one_team(scene: Scene) -> None:
    scene.reconfigure(extra="specs: {links: {path: specs/links.md, sections: {Opening: {team: reservations}}}}\n")
    with pytest.raises(RefusedError, match="one team"):
        merge(scene.snapshot, scene.titled("Creating").id, [scene.titled("Opening").id], SAID)


def test_cards_that_would_wait_for_each_other_are_refused(scene: Scene) -> None:
    creating, expiry, opening = (scene.titled(one) for one in ("Creating", "Expiry: A link lives", "Opening"))
    reason = {"person": "Kim", "text": "first the codes", "at": AT}
    scene.edit(creating.id, {"depends_on": [*creating.depends_on, {"card": expiry.id, "because": [reason]}]})
    with pytest.raises(RefusedError, match="none of them could ever start"):
        merge(scene.snapshot, opening.id, [expiry.id], SAID)


# --- kept as data ----------------------------------------------------------------------------------------------------


def test_a_new_claim_beside_a_regrouped_one_goes_where_its_topic_is(scene: Scene) -> None:
    creating, opening = scene.titled("Creating"), scene.titled("Opening")
    made(scene, move(scene.snapshot, [claim(scene, "No code")], opening.id, SAID))
    text = TEXT.replace("- No code is used twice.", "- No code is used twice.\n- Codes are lower case.")
    scene.write("links", text, [*ANCHORS, ("n", "constraint", "Codes are lower case.")], EDGES)
    assert scene.compile("links").exit_code == 0
    assert "Codes are lower case." in lines(scene.cards[creating.id])
    assert "No code is used twice." in lines(scene.cards[opening.id]) and draft_again(scene) == ()


def test_a_group_forgets_a_claim_that_the_spec_lost(scene: Scene) -> None:
    opening = scene.titled("Opening")
    made(scene, move(scene.snapshot, [claim(scene, "No code"), claim(scene, "A code")], opening.id, SAID))
    six = claim(scene, "A code")
    text = TEXT.replace("- No code is used twice.\n", "")
    scene.write("links", text, [one for one in ANCHORS if one[0] != "a7"], EDGES)
    assert scene.compile("links").exit_code == 0
    assert groups(scene) == {opening.id: [six]} and scene.audit_errors() == []
    made(scene, move(scene.snapshot, [six], scene.titled("Creating").id, SAID))
    assert list(groups(scene)) == [scene.titled("Creating").id]


def test_a_group_whose_leader_moves_away_stays_with_its_card(scene: Scene) -> None:
    creating, opening, expiry = (scene.titled(one) for one in ("Creating", "Opening", "Expiry: A link lives"))
    twice = claim(scene, "No code")
    made(scene, move(scene.snapshot, [twice], expiry.id, SAID))
    made(scene, move(scene.snapshot, [claim(scene, "A link lives")], opening.id, SAID))
    assert lines(scene.cards[expiry.id]) == ["No code is used twice."] and scene.cards[expiry.id].state == "drafted"
    assert scene.snapshot.group_files[expiry.id].group.leader == twice
    held = {card.id: card.anchors for card in scene.snapshot.cards}
    draft_again(scene)  # titles follow what else is in a topic, claims stay
    assert {card.id: card.anchors for card in scene.snapshot.cards} == held and creating.id in held


def test_cards_whose_files_are_gone_are_grouped_as_people_said(scene: Scene) -> None:
    creating = scene.titled("Creating")
    made(scene, merge(scene.snapshot, creating.id, [scene.titled("Opening").id], SAID))
    before = lines(scene.cards[creating.id])
    for path in (scene.root / "cards").glob("STY-*.yaml"):
        path.unlink()
    assert scene.compile("links").exit_code == 0
    assert [lines(card) for card in scene.of_kind("story") if "It answers 302." in lines(card)] == [before]


def test_a_fix_that_renames_a_claim_renames_it_in_its_group(scene: Scene) -> None:
    text = "# Shop\n\n## Cart\n\n- It holds items.\n- It counts them.\n\n## Tax\n\n- It adds tax.\n"
    read: list[AnchorT] = [
        ("s1", "requirement", "It holds items."), ("s2", "requirement", "It counts them."), ("s3", "requirement", "It adds tax."),
    ]  # fmt: skip
    scene.write("shop", text, read)
    assert scene.compile("shop").exit_code == 0
    counts = next(one.id for one in scene.snapshot.anchor_stores["shop"].anchors if one.exact == "It counts them.")
    tax = scene.titled("Tax")
    made(scene, move(scene.snapshot, [counts], tax.id, SAID))
    twice = claim(scene, "No code")
    for path in (scene.root / "cards").rglob("*.yaml"):  # as if two branches had each given the id
        path.write_text(path.read_text(encoding="utf-8").replace(counts, twice), encoding="utf-8")
    assert "A104" in {error[:4] for error in scene.audit_errors()}
    fix(scene.snapshot).transaction.commit()
    assert groups(scene) == {tax.id: [counts]} and scene.audit_errors() == []


def test_a_group_that_names_a_claim_which_no_file_holds_is_told(scene: Scene) -> None:
    opening = scene.titled("Opening")
    twice = claim(scene, "No code")
    made(scene, move(scene.snapshot, [twice], opening.id, SAID))
    path = scene.root / "cards" / "groups" / f"{opening.id}.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace(twice, "ANC-00000000"), encoding="utf-8")
    (error,) = scene.audit_errors()
    assert error.startswith("C211") and "the group of" in error
    scene.compile("links")
    assert groups(scene) == {} and scene.audit_errors() == []


def test_a_group_that_names_another_card_than_its_file_is_told(scene: Scene) -> None:
    opening = scene.titled("Opening")
    made(scene, move(scene.snapshot, [claim(scene, "No code")], opening.id, SAID))
    path = scene.root / "cards" / "groups" / f"{opening.id}.yaml"
    path.rename(path.with_name("STY-00000000.yaml"))
    assert any("its name must be" in error for error in scene.audit_errors())


def test_two_branches_that_group_other_cards_merge(scene: Scene) -> None:
    def git(*arguments: str) -> None:
        own = ("-c", "user.name=Kim", "-c", "user.email=kim@example.com", "-c", "init.defaultBranch=main")
        subprocess.run(["git", *own, *arguments], cwd=scene.root, check=True, capture_output=True)

    def committed(regrouped: Regrouped) -> None:
        regrouped.hand.transaction.commit()
        git("add", "cards")
        git("commit", "-qm", "grouped")

    creating, expiry, epic = scene.titled("Creating"), scene.titled("Expiry: A link lives"), scene.of_kind("epic")[0]
    git("init", "-q")
    git("add", "cards", "specs", "config.yaml")
    git("commit", "-qm", "compiled")
    git("checkout", "-qb", "one")
    committed(merge(scene.snapshot, expiry.id, [scene.titled("Owners renew").id], SAID))
    git("checkout", "-q", "main")
    committed(split(scene.snapshot, creating.id, SAID, lines=["A3"]))
    git("merge", "-q", "--no-edit", "one")
    assert scene.audit_errors() == [] and scene.compile("links").compiled.changed == ()
    assert len(groups(scene)) == 2 and epic.id not in groups(scene) and draft_again(scene) == ()


def test_of_two_words_on_one_claim_the_later_one_counts(scene: Scene) -> None:
    opening, expiry = scene.titled("Opening"), scene.titled("Expiry: A link lives")
    twice = claim(scene, "No code")
    made(scene, move(scene.snapshot, [twice], opening.id, SAID))
    later = (scene.root / "cards" / "groups" / f"{opening.id}.yaml").read_text(encoding="utf-8")
    other = later.replace(opening.id, expiry.id).replace("2026-11-30", "2026-12-24")
    other = other.replace(
        f"leader: {scene.snapshot.group_files[opening.id].group.leader}", f"leader: {expiry.anchors[0]}"
    )
    (scene.root / "cards" / "groups" / f"{expiry.id}.yaml").write_text(other, encoding="utf-8")
    draft_again(scene)
    assert twice in scene.cards[expiry.id].anchors and twice not in scene.cards[opening.id].anchors
    assert list(groups(scene)) == [expiry.id] and scene.audit_errors() == []


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    deeds=st.lists(st.tuples(st.sampled_from("msj"), st.integers(0, 40), st.integers(0, 40)), min_size=2, max_size=4)
)
def test_any_regrouping_loses_no_claim_no_line_and_no_id(
    compiled: Path, tmp_path_factory: pytest.TempPathFactory, deeds: list[tuple[str, int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("any") / "links"
    shutil.copytree(compiled, folder)
    scene = Scene(folder)
    claims = {anchor for card in scene.snapshot.cards for anchor in card.anchors}
    words = {line for card in scene.snapshot.cards for line in lines(card)}
    issued = set(scene.workspace.issued())
    for number, (kind, one, other) in enumerate(deeds):
        said = Said("Kim", f"2026-12-01T00:00:{number:02}Z", None)
        live = [card for card in scene.snapshot.cards if card.state != "deleted"]
        card, target = live[one % len(live)], live[other % len(live)]
        try:
            _any(scene, kind, card, target, one, said).hand.transaction.commit()
        except IsopodError as error:
            assert error.message and not isinstance(error, ImmutableCardError)
            continue
        snapshot = scene.snapshot
        held = [anchor for card in snapshot.cards if card.state != "deleted" for anchor in card.anchors]
        assert sorted(held) == sorted(claims)
        # What only waits has no line where other claims have one (D12), and one where it is alone.
        assert words <= {line for card in snapshot.cards if card.state != "deleted" for line in lines(card)}
        assert issued <= set(scene.workspace.issued()) and scene.audit_errors() == []
        issued = set(scene.workspace.issued())
        assert scene.compile("links").compiled.changed == ()
        before = {frozenset(card.anchors) for card in scene.snapshot.cards if card.anchors}
        outcome = draft_spec(scene.workspace, scene.spec("links"), again=True)
        assert {frozenset(card.anchors) for card in outcome.cards if card.anchors} == before


def _any(scene: Scene, kind: str, card: Card, target: Card, number: int, said: Said) -> Regrouped:
    if kind == "m":
        chosen = card.anchors[number % len(card.anchors)] if card.anchors else "ANC-00000000"
        return move(scene.snapshot, [chosen], target.id, said)
    if kind == "s":
        ids = [line.id for line in card.acceptance]
        return split(scene.snapshot, card.id, said, lines=ids[: max(1, number % max(len(ids), 1))])
    return merge(scene.snapshot, card.id, [target.id], said)


def test_undo_takes_a_regrouping_back_whole(scene: Scene) -> None:
    before = fingerprint(scene.root)
    merge(scene.snapshot, scene.titled("Creating").id, [scene.titled("Opening").id], SAID).hand.transaction.commit()
    instance = open_instance(scene.root)
    Transaction.taking_back(instance.root, instance.state_dir, instance.ledger_dir)[1].commit()
    assert fingerprint(scene.root) == before
