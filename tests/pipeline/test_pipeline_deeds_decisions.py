"""Decisions by people: made, leaned on, replaced edge by edge; edges that are confirmed; and what no compile undoes of it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from scenes import AT, SAID, Scene, lines

from pipeline.deeds.confirm import confirm
from pipeline.deeds.cut import cut
from pipeline.deeds.decide import Affects, Replacing, candidates, decide, lean_on
from pipeline.deeds.depend import depend
from pipeline.deeds.migrate import migrate, new_words
from pipeline.deeds.regroup import succeed
from pipeline.deeds.states import approve, done
from pipeline.deeds.supersede import Keeping, Superseded, Turn, Verdict, leaning_on, supersede
from pipeline.said import Said
from pipeline.workspace import Workspace
from schemas.card import Card, Dependency, PersonReason
from schemas.errors import ManyErrors, RefusedError
from store import ledger
from store.promises import promise_of

EXPIRY, CREATING, OPENING = "A link lives for 30 days", "Creating a link", "Opening a link"
POSTGRES, REDIS, RANDOM, FOUND = "Links are stored in PostgreSQL", "in Redis", "Codes are random", "Redirects use 302"
LATER = Said("Lee", "2026-12-02T09:00:00Z", "browsers forget a 307")


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's instance, the link shortener compiled."""
    scene = Scene.demo(tmp_path_factory.mktemp("decisions"))
    assert scene.compile("link-shortener").exit_code == 0
    return scene.root


@pytest.fixture
def scene(compiled: Path, tmp_path: Path) -> Scene:
    shutil.copytree(compiled, tmp_path / "demo")
    return Scene(tmp_path / "demo")


def decided(scene: Scene, text: str, affects: Affects = (), **given: Any) -> Card:
    """`isopod decide`, committed; the decision."""
    made = decide(scene.snapshot, text, SAID, affects=affects, **given)
    made.hand.transaction.commit()
    return made.decision


def superseded(
    scene: Scene,
    old: str,
    new: str,
    verdicts: Mapping[str, Verdict] | None = None,
    rest: Turn | None = None,
    said: Said = LATER,
) -> Superseded:
    """`isopod supersede`, committed."""
    found = supersede(scene.snapshot, old, new, verdicts or {}, said, rest=rest)
    found.hand.transaction.commit()
    return found


def edges(card: Card) -> dict[str, Dependency]:
    return {entry.card: entry for entry in card.depends_on}


def leaning(scene: Scene, decision: str) -> list[str]:
    return [one.card.id for one in leaning_on(scene.snapshot, decision)]


def found(scene: Scene, *codes: str) -> list[tuple[str, str, str]]:
    return sorted((one.code, one.subject, one.severity) for one in scene.audit() if one.code in codes)


def orphans(scene: Scene) -> list[str]:
    return [one.subject for one in scene.audit() if one.code == "C221"]


# --- a decision by a person ------------------------------------------------------------------------------------------


def test_a_decision_by_a_person_has_its_words_its_reason_and_the_edges_that_were_named(scene: Scene) -> None:
    story = scene.titled(CREATING)
    decision = decided(scene, "Codes are drawn from  a random source.", (story.id,), spec="link-shortener")
    card = scene.cards[decision.id]
    assert (card.title, card.title_by, card.state) == ("Codes are drawn from a random source", "Kim", "drafted")
    assert (card.spec, card.anchors, card.notes) == ("link-shortener", (), "a test says so")
    assert card.parent == scene.of_kind("epic")[0].id
    assert edges(scene.cards[story.id])[card.id].because == (PersonReason(person="Kim", text="a test says so", at=AT),)
    assert orphans(scene) == []
    assert scene.audit_errors() == []
    assert scene.snapshot.graph.is_ready(story.id), "a decision in force holds nobody up"


def test_the_id_of_a_decision_comes_from_its_words_and_two_of_the_same_words_are_two(scene: Scene) -> None:
    first = decide(scene.snapshot, "One clock", SAID)
    assert first.decision.id == decide(scene.snapshot, "One  clock", LATER).decision.id
    first.hand.transaction.commit()
    second = decided(scene, "One clock")
    assert second.id != first.decision.id and len(scene.of_kind("decision")) == 6


def test_a_decision_that_nothing_leans_on_is_said_to_be_one_until_something_does_or_it_affects_all(
    scene: Scene,
) -> None:
    alone = decided(scene, "Times are kept in UTC")
    assert orphans(scene) == [alone.id]
    story = scene.titled(CREATING)
    lean_on(scene.snapshot, alone.id, (story.id,), SAID).hand.transaction.commit()
    assert orphans(scene) == [] and alone.id in edges(scene.cards[story.id])
    for_all = decided(scene, "Every answer is JSON", "all")
    assert orphans(scene) == [] and leaning(scene, for_all.id) == []
    lean_on(scene.snapshot, alone.id, "all", SAID).hand.transaction.commit()
    assert scene.cards[alone.id].decision.affects == "all"  # type: ignore[union-attr]


def test_what_a_title_cannot_hold_of_a_decision_is_its_line(scene: Scene) -> None:
    words = "짧은 주소는 무작위로 뽑으며, " * 12 + "순서대로 주지 않는다"
    card = decided(scene, words)
    assert len(card.title) <= 100 and lines(card) == [words]


@pytest.mark.parametrize(
    ("text", "affects", "said", "code"),
    [
        (" . ", (), SAID, "words-missing"),
        ("x y", (), Said("Kim", AT), "reason-missing"),
        ("x y", ("STY-00000000",), SAID, "unknown-card"),
    ],
)
def test_a_decision_that_is_none_is_refused(scene: Scene, text: str, affects: Affects, said: Said, code: str) -> None:
    with pytest.raises(RefusedError) as caught:
        decide(scene.snapshot, text, said, affects=affects)
    assert caught.value.code == code


def test_nothing_that_is_over_leans_on_a_new_decision(scene: Scene) -> None:
    story = scene.titled(CREATING)
    scene.put_state(story.id, "done")
    with pytest.raises(ManyErrors, match="is done"):
        decide(scene.snapshot, "Codes are long", SAID, affects=(story.id,))
    with pytest.raises(RefusedError, match="replaced"):
        lean_on(scene.snapshot, scene.titled(REDIS).id, (scene.titled(OPENING).id,), SAID)
    with pytest.raises(RefusedError, match="is a story"):
        lean_on(scene.snapshot, scene.titled(OPENING).id, "all", SAID)


def test_stories_that_name_a_literal_of_a_decision_are_offered(scene: Scene) -> None:
    offered = candidates(scene.snapshot, "An unknown code answers `404`, never a page", "link-shortener")
    assert [card.title for card in offered] == [OPENING]
    assert len(candidates(scene.snapshot, "No literal", "link-shortener")) == 6
    assert candidates(scene.snapshot, "No literal", None) == ()


# --- one decision replaces another -----------------------------------------------------------------------------------


def test_every_edge_that_leaned_on_the_old_decision_is_turned_in_one_transaction(scene: Scene) -> None:
    old, story = scene.titled(FOUND), scene.titled(EXPIRY)
    for words in (OPENING, CREATING):
        depend(scene.snapshot, scene.titled(words).id, old.id, SAID).transaction.commit()
    new = decided(scene, "Redirects use 307")
    before = scene.cards
    with pytest.raises(ManyErrors) as caught:
        supersede(scene.snapshot, old.id, new.id, {story.id: Verdict("move")}, LATER)
    assert [error.code for error in caught.value.errors] == ["edge-open", "edge-open"]
    assert scene.cards == before, "nothing is half done"
    opening, creating = scene.titled(OPENING), scene.titled(CREATING)
    superseded(scene, old.id, new.id, {creating.id: Verdict("drop")}, rest="move")
    assert scene.cards[old.id].decision.superseded_by == new.id  # type: ignore[union-attr]
    assert scene.cards[new.id].decision.supersedes == (old.id,)  # type: ignore[union-attr]
    moved = edges(scene.cards[opening.id])
    assert set(moved) == {new.id} and moved[new.id].seen == promise_of(scene.cards[new.id], {})
    assert [getattr(one, "text", None) for one in moved[new.id].because] == [
        "a test says so",
        f"{new.id} replaced {old.id}: browsers forget a 307",
    ], "what people said goes along"
    assert [getattr(one, "person", None) for one in edges(scene.cards[story.id])[new.id].because] == ["Lee"]
    assert edges(scene.cards[creating.id]) == {}
    assert scene.audit_errors() == [] and orphans(scene) == []
    assert {scene.titled(words).title for words in (EXPIRY, OPENING, CREATING)} <= scene.ready()


def test_an_edge_that_is_kept_is_an_exemption_that_every_audit_counts(scene: Scene) -> None:
    old, story = scene.titled(FOUND), scene.titled(EXPIRY)
    new = decided(scene, "Redirects use 307")
    with pytest.raises(ManyErrors, match="kept with a reason"):
        supersede(scene.snapshot, old.id, new.id, {story.id: Verdict("keep", " ")}, LATER)
    keeping = Keeping("deadline", "2026-12-24")
    kept = supersede(scene.snapshot, old.id, new.id, {story.id: Verdict("keep", "ships first")}, LATER, keeping=keeping)
    kept.hand.transaction.commit()
    (exemption,) = ledger.exemptions(scene.snapshot.ledger)
    assert (exemption.file.entry.subject, exemption.file.entry.by) == (story.id, "Lee")
    assert exemption.body.to_data() == {
        "rule": "C222", "surface": "audit", "reason_kind": "deadline", "because": "ships first", "until": "2026-12-24",
    }  # fmt: skip
    assert found(scene, "C222", "C250", "C263") == [("C222", story.id, "warn"), ("C263", story.id, "warn")]
    assert scene.audit_errors() == []
    assert not scene.snapshot.graph.is_ready(story.id), "it leans on what is no longer true"
    assert leaning(scene, old.id) == [], "it was looked at"
    scene.edit(story.id, {"depends_on": []})
    assert found(scene, "C222", "C250", "C263") == []


def test_an_exemption_opens_one_edge_and_no_other_edge_of_the_card(scene: Scene) -> None:
    story, creating = scene.titled(EXPIRY), scene.titled(CREATING)
    old, new = scene.titled(FOUND), decided(scene, "Redirects use 307")
    superseded(scene, old.id, new.id, {story.id: Verdict("keep", "ships first")})
    other, newer = decided(scene, "Days are counted in UTC", (story.id, creating.id)), decided(scene, "In Seoul time")
    with pytest.raises(ManyErrors):
        superseded(scene, other.id, newer.id)
    scene.edit(newer.id, {"decision": {"supersedes": [other.id]}})
    assert found(scene, "C222", "C250") == [
        ("C222", creating.id, "error"),
        ("C222", story.id, "error"),
        ("C222", story.id, "warn"),
        ("C250", creating.id, "error"),
        ("C250", story.id, "error"),
    ]


def test_a_decision_of_the_spec_can_be_replaced_and_no_compile_undoes_it(scene: Scene) -> None:
    old, epic = scene.titled(RANDOM), scene.of_kind("epic")[0]
    new = decided(scene, "Codes are counted up", spec="link-shortener", replacing=Replacing(old.id, {}, "move"))
    assert (old.id in edges(scene.cards[epic.id]), new.id in edges(scene.cards[epic.id])) == (False, True)
    before = scene.cards
    assert scene.compile("link-shortener").compiled.changed == ()
    spec = scene.spec("link-shortener")
    spec.write_text(spec.read_text(encoding="utf-8").replace("read aloud", "say aloud"), encoding="utf-8")
    assert scene.compile("link-shortener", offline=True, accept="union").exit_code == 0
    assert scene.cards[old.id].decision.superseded_by == new.id  # type: ignore[union-attr]
    assert scene.cards[new.id] == before[new.id]
    assert old.id not in edges(scene.cards[epic.id])
    assert found(scene, "C222", "C250") == []


def test_drafting_again_leads_no_standing_card_back_to_a_replaced_decision(scene: Scene) -> None:
    from pipeline.redrafting import draft_spec

    story, old = scene.titled(EXPIRY), scene.titled(FOUND)
    new = decided(scene, "Redirects use 307")
    superseded(scene, old.id, new.id, rest="move")
    draft_spec(Workspace.of(scene.snapshot), scene.spec("link-shortener"), again=True).transaction.commit()
    assert set(edges(scene.cards[story.id])) == {new.id}
    assert scene.audit_errors() == []


def test_where_the_cards_say_already_what_replaced_what_only_the_edges_are_left(scene: Scene) -> None:
    old, new, story = scene.titled(REDIS), scene.titled(POSTGRES), scene.titled(CREATING)
    entry = {"card": old.id, "because": [{"person": "Kim", "text": "stored there", "at": AT}]}
    scene.edit(story.id, {"depends_on": [entry]})
    assert found(scene, "C222", "C250") == [("C222", story.id, "error"), ("C250", story.id, "error")]
    way_out = next(one.fix for one in scene.audit() if one.code == "C250")
    assert way_out == f"isopod supersede {old.id} --by {new.id}"
    decision = scene.cards[new.id]
    superseded(scene, old.id, new.id, rest="move")
    assert set(edges(scene.cards[story.id])) == {new.id}
    assert scene.cards[new.id] == decision
    assert scene.audit_errors() == []


def test_only_a_decision_in_force_replaces_and_the_end_of_the_line_is_named(scene: Scene) -> None:
    redis, postgres, story = scene.titled(REDIS), scene.titled(POSTGRES), scene.titled(CREATING)
    for old, new, code in (
        (story.id, postgres.id, "no-decision"),
        (redis.id, story.id, "no-decision"),
        (postgres.id, postgres.id, "self-edge"),
        (postgres.id, redis.id, "replaced"),
        (redis.id, scene.titled(RANDOM).id, "replaced"),
        ("DEC-00000000", postgres.id, "unknown-card"),
    ):
        with pytest.raises(RefusedError) as caught:
            supersede(scene.snapshot, old, new, {}, LATER, rest="drop")
        assert caught.value.code == code, (old, new)
    sqlite = decided(scene, "Links are stored in SQLite", replacing=Replacing(postgres.id, {}, "move"))
    with pytest.raises(RefusedError) as caught:
        supersede(scene.snapshot, redis.id, postgres.id, {}, LATER)
    assert caught.value.fix == f"isopod supersede {redis.id} --by {sqlite.id}"
    superseded(scene, redis.id, sqlite.id)
    assert scene.cards[redis.id].decision.superseded_by == postgres.id  # type: ignore[union-attr]


def test_what_leans_on_the_first_of_a_line_is_shown_the_last(scene: Scene) -> None:
    redis, postgres, story = scene.titled(REDIS), scene.titled(POSTGRES), scene.titled(CREATING)
    sqlite = decided(scene, "Links are stored in SQLite", replacing=Replacing(postgres.id, {}, "move"))
    scene.edit(story.id, {"depends_on": [{"card": redis.id, "because": [{"person": "Kim", "text": "x", "at": AT}]}]})
    fixes = {one.fix for one in scene.audit() if one.code in ("C222", "C250")}
    assert fixes == {f"isopod supersede {redis.id} --by {sqlite.id}"}
    superseded(scene, redis.id, sqlite.id, rest="move")
    assert scene.audit_errors() == []
    circle = {"supersedes": [redis.id], "superseded_by": redis.id}
    scene.edit(sqlite.id, {"decision": {**circle, "affects": []}})
    assert scene.snapshot.graph.replaced_by[sqlite.id] != sqlite.id, "a circle made by hand ends somewhere"


def test_a_verdict_on_a_card_that_does_not_lean_on_it_is_refused(scene: Scene) -> None:
    old, new = scene.titled(FOUND), decided(scene, "Redirects use 307")
    with pytest.raises(ManyErrors) as caught:
        supersede(scene.snapshot, old.id, new.id, {scene.titled(CREATING).id: Verdict("drop")}, LATER, rest="move")
    assert [error.code for error in caught.value.errors] == ["no-edge"]


def test_a_done_card_keeps_what_it_leans_on_and_a_done_decision_its_words(scene: Scene) -> None:
    story, old = scene.titled(EXPIRY), scene.titled(FOUND)
    scene.put_state(story.id, "in_review")
    done(scene.snapshot, story.id, SAID).transaction.commit()
    approve(scene.snapshot, [old.id], SAID).transaction.commit()
    done(scene.snapshot, old.id, SAID).transaction.commit()
    new = decided(scene, "Redirects use 307")
    before = scene.cards
    result = superseded(scene, old.id, new.id)
    assert result.history == (story.id,)
    assert (scene.cards[story.id], scene.cards[old.id]) == (before[story.id], before[old.id])
    assert scene.snapshot.graph.is_superseded(old.id)
    assert found(scene, "C240", "C222", "C250") == []
    approve(scene.snapshot, [new.id], SAID).transaction.commit()
    done(scene.snapshot, new.id, SAID).transaction.commit()
    third = decided(scene, "Redirects use 308")
    superseded(scene, new.id, third.id)
    approve(scene.snapshot, [third.id], SAID).transaction.commit()
    done(scene.snapshot, third.id, SAID).transaction.commit()
    fourth = decided(scene, "No redirects")
    approve(scene.snapshot, [fourth.id], SAID).transaction.commit()
    done(scene.snapshot, fourth.id, SAID).transaction.commit()
    with pytest.raises(RefusedError, match="both done"):
        supersede(scene.snapshot, third.id, fourth.id, {}, LATER)


def test_an_edge_through_a_claim_of_the_old_decision_goes_on_for_a_persons_reason(scene: Scene) -> None:
    old, story, other = scene.titled(FOUND), scene.titled(OPENING), scene.titled(CREATING)
    claim = next(anchor for anchor in old.anchors)
    entry = {
        "card": other.id,
        "because": [{"edge": "requires", "from": story.anchors[0], "to": claim, "cue": "browsers cache"}],
        "seen": promise_of(other, {}),
    }
    scene.edit(story.id, {"depends_on": [entry]})
    through = [one for one in leaning_on(scene.snapshot, old.id) if one.through]
    assert [(one.card.id, one.entry.card) for one in through] == [(story.id, other.id)]
    new = decided(scene, "Redirects use 307")
    superseded(scene, old.id, new.id, rest="move")
    assert edges(scene.cards[story.id])[other.id].because == (
        PersonReason(person="Lee", text=f"{new.id} replaced {old.id}: browsers forget a 307", at=LATER.at),
    )
    assert found(scene, "C222", "C250") == []


def test_a_decision_for_all_is_replaced_by_one_for_all(scene: Scene) -> None:
    old = decided(scene, "Every answer is JSON", "all")
    new = decided(scene, "Every answer is CBOR")
    superseded(scene, old.id, new.id)
    assert scene.cards[new.id].decision.affects == "all"  # type: ignore[union-attr]
    assert orphans(scene) == []


# --- an edge was looked at -------------------------------------------------------------------------------------------


def changed_promise(scene: Scene) -> tuple[Card, Card]:
    """The renewal story, and the expiry story that it waits for and that promises more since."""
    expiry, renewal = scene.titled(EXPIRY), scene.titled("Owners can renew")
    line = {"id": "A9", "text": "Expiry is counted in UTC."}
    scene.edit(expiry.id, {"acceptance": [*(one.to_data() for one in expiry.acceptance), line]})
    return renewal, scene.cards[expiry.id]


def test_a_confirmed_edge_has_seen_what_the_other_card_promises_now(scene: Scene) -> None:
    story, expiry = changed_promise(scene)
    approve(scene.snapshot, [story.id], SAID).transaction.commit()
    assert found(scene, "C251") == [("C251", story.id, "warn")]
    confirm(scene.snapshot, story.id, expiry.id, Said("Kim", AT)).transaction.commit()
    assert found(scene, "C251") == []
    entry, before = edges(scene.cards[story.id])[expiry.id], edges(story)[expiry.id]
    assert (entry.because, entry.seen) == (before.because, promise_of(expiry, {}))
    assert scene.cards[story.id].state == "planned", "nobody has to look again at a card whose edge somebody looked at"


def test_there_is_nothing_to_confirm_without_a_change_or_a_reason(scene: Scene) -> None:
    story, expiry = scene.titled("Owners can renew"), scene.titled(EXPIRY)
    with pytest.raises(RefusedError) as caught:
        confirm(scene.snapshot, story.id, expiry.id, Said("Kim", AT))
    assert caught.value.code == "confirmed-already"
    for said in (SAID, Said("Kim", LATER.at, SAID.because)):
        confirm(scene.snapshot, story.id, expiry.id, said).transaction.commit()
        persons = [one for one in edges(scene.cards[story.id])[expiry.id].because if isinstance(one, PersonReason)]
        assert persons == [PersonReason(person="Kim", text="a test says so", at=said.at)]


def test_what_is_no_edge_or_leads_to_what_is_over_is_not_confirmed(scene: Scene) -> None:
    story, expiry, old = scene.titled("Owners can renew"), scene.titled(EXPIRY), scene.titled(FOUND)
    with pytest.raises(RefusedError, match="does not wait for") as caught:
        confirm(scene.snapshot, expiry.id, story.id, SAID)
    assert old.id in caught.value.message
    scene.edit(decided(scene, "Redirects use 307").id, {"decision": {"supersedes": [old.id]}})
    with pytest.raises(RefusedError) as caught:
        confirm(scene.snapshot, expiry.id, old.id, SAID)
    assert caught.value.fix == f"isopod supersede {old.id} --by NEW"


# --- what may not be rewritten is restated ---------------------------------------------------------------------------

MAIL = """\
# Mail

## Keeping

A mail must be kept for 30 days. Whoever owns it can delete it.
"""
MAIL_READ = [
    ("a", "requirement", "A mail must be kept for 30 days."),
    ("b", "requirement", "Whoever owns it can delete it."),
]


def migrated(scene: Scene, card: str, lines: Sequence[str], *texts: str) -> Card:
    made = migrate(scene.snapshot, card, lines, texts, SAID)
    made.hand.transaction.commit()
    return scene.cards[made.migration.id]


def drifted(root: Path, state: str) -> tuple[Scene, Card]:
    """A published card whose first line the spec no longer says."""
    scene = Scene.new(root)
    scene.write("mail", MAIL, MAIL_READ)
    assert scene.compile("mail").exit_code == 0
    story = scene.titled("Keeping")
    scene.put_state(story.id, "published" if state == "done" else state)
    if state == "done":
        done(scene.snapshot, story.id, SAID).transaction.commit()
    scene.write(
        "mail",
        MAIL.replace("30 days", "60 days"),
        [("a", "requirement", "A mail must be kept for 60 days."), MAIL_READ[1]],
    )
    assert scene.compile("mail").exit_code == 0
    return scene, scene.cards[story.id]


@pytest.mark.parametrize(
    ("state", "severity", "waits"),
    [("published", "error", True), ("in_review", "error", True), ("done", "warn", False)],
)
def test_a_migration_restates_a_line_without_its_claim_and_clears_the_drift(
    tmp_path: Path, state: str, severity: str, waits: bool
) -> None:
    scene, story = drifted(tmp_path, state)
    assert found(scene, "C231") == [("C231", story.id, severity)]
    with pytest.raises(RefusedError, match="the spec no longer says") as caught:
        migrate(scene.snapshot, story.id, ["A1"], (), SAID)
    assert caught.value.fix == f'isopod migrate {story.id} --line A1 --with "..." --by NAME'
    card = migrated(scene, story.id, ["A1"], "A mail must be kept for 60 days.")
    assert card.migrates is not None
    assert (card.migrates.card, card.migrates.lines, card.anchors) == (story.id, ("A1",), ())
    assert (card.title, lines(card), card.spec) == (
        "A mail must be kept for 60 days",
        ["A mail must be kept for 60 days."],
        "mail",
    )
    assert [entry.card for entry in card.depends_on] == ([story.id] if waits else [])
    assert scene.cards[story.id] == story
    assert found(scene, "C231") == [] and scene.audit_errors() == []
    assert scene.snapshot.graph.is_ready(card.id) is not waits
    assert scene.compile("mail").compiled.changed == ()
    with pytest.raises(ManyErrors) as told:
        migrate(scene.snapshot, story.id, ["A1", "A7"], ("x",), SAID)
    assert [error.code for error in told.value.errors] == ["unknown-line", "restated-already"]


def test_a_line_that_stands_is_restated_in_its_own_words_and_one_with_a_successor_in_the_new_ones(
    tmp_path: Path,
) -> None:
    scene, story = drifted(tmp_path, "published")
    line = {line.id: line for line in story.acceptance}
    assert new_words(scene.snapshot, story, line["A2"]) == "Whoever owns it can delete it."
    new = next(one.id for one in scene.snapshot.anchor_by_id.values() if "60" in one.exact)
    succeed(scene.snapshot, story.anchors[0], new, SAID).transaction.commit()
    assert lines(migrated(scene, story.id, ["A2", "A1"])) == [
        "Whoever owns it can delete it.",
        "A mail must be kept for 60 days.",
    ]


def test_only_what_may_not_be_rewritten_is_migrated(scene: Scene) -> None:
    story = scene.titled(CREATING)
    for state in ("drafted", "planned"):
        if state == "planned":
            approve(scene.snapshot, [story.id], SAID).transaction.commit()
        with pytest.raises(RefusedError) as caught:
            migrate(scene.snapshot, story.id, ["A1"], ("x",), SAID)
        assert caught.value.code == "still-open"
        assert f"isopod edit {story.id}" in (caught.value.fix or "")
    cut(scene.snapshot, [story.id], SAID).hand.transaction.commit()
    with pytest.raises(RefusedError, match="cut from the plan"):
        migrate(scene.snapshot, story.id, ["A1"], ("x",), SAID)


def test_a_migration_is_itself_migrated_once_it_is_done(tmp_path: Path) -> None:
    scene, story = drifted(tmp_path, "done")
    first = migrated(scene, story.id, ["A1"], "60 days")
    scene.put_state(first.id, "published")
    done(scene.snapshot, first.id, SAID).transaction.commit()
    with pytest.raises(ManyErrors) as caught:
        migrate(scene.snapshot, story.id, ["A1"], ("90 days",), SAID)
    assert caught.value.errors[0].fix == f"isopod migrate {first.id} --line A1"
    assert migrated(scene, first.id, ["A1"], "90 days").migrates.card == first.id  # type: ignore[union-attr]
    assert scene.audit_errors() == []
