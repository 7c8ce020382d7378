"""The lifecycle and ownership tables, read against DESIGN.md sections 7 and 8."""

from __future__ import annotations

import pytest

from schemas.card import Card
from schemas.config import Capabilities, Team
from schemas.kinds import CARD_KINDS, CARD_STATES, CardKind, CardState
from schemas.lifecycle import (
    CARD_FIELDS,
    EDITABLE,
    FIXED_FIELDS,
    By,
    edit_mode,
    falls_back,
    may_be_born,
    may_move,
    may_touch,
    ways,
)
from schemas.ownership import MIRROR_MODES, WRITERS, fits_team, may_write, variant_of

ALL_BY: tuple[By, ...] = ("draft", "person", "cleanup", "fix", "publish", "sync", "mirror")
LIVE: tuple[CardState, ...] = ("drafted", "planned", "published", "in_progress", "in_review")
REMOTE: tuple[CardState, ...] = ("published", "in_progress", "in_review")

STORY_MOVES: dict[tuple[CardState, CardState], set[By]] = {
    ("drafted", "planned"): {"person"},
    ("planned", "drafted"): {"person", "draft", "mirror"},
    ("planned", "published"): {"publish"},
    **{(a, b): {"sync", "person"} for a in REMOTE for b in REMOTE},
    **{(a, "done"): {"person"} for a in REMOTE},
    **{(a, "deleted"): {"person"} for a in REMOTE},
    ("drafted", "deleted"): {"person", "draft"},
    ("planned", "deleted"): {"person", "draft"},
}


def movers(kind: CardKind, before: CardState, after: CardState) -> set[By]:
    return {by for by in ALL_BY if may_move(kind, before, after, by)}


@pytest.mark.parametrize("kind", ["story", "epic", "migration"])
@pytest.mark.parametrize("before", CARD_STATES)
@pytest.mark.parametrize("after", CARD_STATES)
def test_work_moves_as_the_table_says_and_nowhere_else(kind: CardKind, before: CardState, after: CardState) -> None:
    assert movers(kind, before, after) == STORY_MOVES.get((before, after), set())


@pytest.mark.parametrize("kind", [kind for kind in CARD_KINDS if kind != "external"])
@pytest.mark.parametrize("before", ["done", "deleted"])
@pytest.mark.parametrize("after", CARD_STATES)
def test_done_and_deleted_are_final_for_every_card_of_ours(kind: CardKind, before: CardState, after: CardState) -> None:
    assert ways(kind, before, after) == ()


@pytest.mark.parametrize("before", LIVE)
def test_gates_are_answered_and_requests_fulfilled_in_any_live_state(before: CardState) -> None:
    assert movers("gate", before, "done") == {"person"}
    assert movers("request", before, "done") == {"mirror"}


@pytest.mark.parametrize("before", ["planned", *REMOTE])
def test_a_decision_is_sealed_once_somebody_has_looked_at_it(before: CardState) -> None:
    assert movers("decision", before, "done") == {"person"}
    assert movers("decision", "drafted", "done") == set()


@pytest.mark.parametrize("before", CARD_STATES)
@pytest.mark.parametrize("after", CARD_STATES)
def test_an_external_card_is_in_the_state_that_its_mirror_says(before: CardState, after: CardState) -> None:
    assert {"mirror", "sync"} <= movers("external", before, after)
    assert "draft" not in movers("external", before, after)


@pytest.mark.parametrize("kind", CARD_KINDS)
@pytest.mark.parametrize("state", CARD_STATES)
def test_births(kind: CardKind, state: CardState) -> None:
    makers = {by for by in ALL_BY if may_be_born(kind, state, by)}
    if kind == "external":
        assert makers == (set() if state == "deleted" else {"mirror"})
    else:
        assert makers == ({"draft", "person"} if state == "drafted" else set())


def test_every_field_of_a_card_is_in_exactly_one_table() -> None:
    parts = {"gate", "decision", "request"}
    tops = {path.split(".")[0] for path in CARD_FIELDS} | (FIXED_FIELDS - {"schema"}) | {"schema_id"}
    assert tops == set(Card.model_fields)
    for part in parts:
        annotation = Card.model_fields[part].annotation
        record = next(kind for kind in annotation.__args__ if kind is not type(None))  # type: ignore[union-attr]
        assert {path for path in CARD_FIELDS if path.startswith(f"{part}.")} == {
            f"{part}.{key}" for key in record.model_fields
        }
    assert all(set(table) <= CARD_FIELDS for table in (*EDITABLE.values(), *WRITERS.values()))
    assert set(MIRROR_MODES) == set(WRITERS["mirror"])


@pytest.mark.parametrize("state", ["drafted", "planned"])
def test_before_publishing_everything_but_id_and_kind_may_change(state: CardState) -> None:
    assert set(EDITABLE[state]) == CARD_FIELDS
    assert not FIXED_FIELDS & set(EDITABLE[state])


@pytest.mark.parametrize("state", REMOTE)
def test_a_published_card_only_grows_tighter(state: CardState) -> None:
    assert edit_mode(state, "acceptance") == "append"
    assert edit_mode(state, "anchors") == "append"
    assert all(edit_mode(state, path) == "any" for path in ("subtasks", "notes", "depends_on", "due", "team", "title"))
    assert all(edit_mode(state, path) is None for path in ("parent", "related", "spec", "migrates", "start"))


@pytest.mark.parametrize("state", ["done", "deleted"])
def test_only_the_tracker_is_outside_the_seal(state: CardState) -> None:
    assert set(EDITABLE[state]) == {"tracker"}


def test_what_takes_a_planned_card_back() -> None:
    for path in ("title", "acceptance", "depends_on", "anchors"):
        assert falls_back("planned", {path}, "person")
        assert not falls_back("planned", {path}, "cleanup")
        assert not falls_back("published", {path}, "person")
    assert not falls_back("planned", {"notes", "due", "team", "subtasks"}, "person")


def test_the_drafter_never_touches_what_is_published() -> None:
    assert [state for state in CARD_STATES if may_touch(state, "draft")] == ["drafted", "planned"]


def team(writes_cards: bool, schema: str) -> Team:
    flags = {"manages_tracker": True, "writes_cards": writes_cards, "renders": True, "schema": schema}
    return Team(id="any", name="Any", capabilities=Capabilities.model_validate(flags))


def test_flags_decide_who_owns_a_card_and_names_never_do() -> None:
    ours, theirs = team(True, "own"), team(False, "mirror")
    assert variant_of("story", ours) == "own"
    assert variant_of("story", theirs) == "mirror"
    assert variant_of("external", ours) == "mirror"
    assert variant_of("story", None) is None
    assert fits_team("story", ours)
    assert fits_team("external", theirs)
    assert not fits_team("story", theirs)
    assert not fits_team("external", ours)


def test_on_an_external_card_only_mirror_fields_state_due_and_our_contract_are_writable() -> None:
    assert set(WRITERS["mirror"]) == {"tracker", "state", "due", "consumer_contract"}
    assert not may_write("mirror", "title", "mirror")
    assert not may_write("mirror", "consumer_contract", "sync")


def test_an_unknown_field_belongs_to_nobody() -> None:
    assert not any(may_write(variant, "surprise", by) for variant in WRITERS for by in ALL_BY)
