"""The generated JSON Schemas, and the card schema of an instance as an editor uses it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from isopod.newcomer import NewTeam, config_text, with_lines
from schemas.base import Record
from schemas.card import Card
from schemas.config import Config
from schemas.errors import RefusedError
from schemas.jsonschema import card_schema, records, schema_of
from store.yamlio import load


def config(**changes: object) -> Config:
    """The config that init writes, with changes."""
    text = config_text("demo", (NewTeam("growth", "Growth", True), NewTeam("데이터", "데이터팀", False)))
    return Config.parse(load(text, "config.yaml") | changes, source="config.yaml")


CARD = {
    "schema": "isopod.card/1",
    "id": "STY-7Q4M2K9X",
    "kind": "story",
    "title": "Renewal",
    "state": "drafted",
    "team": "growth",
    "parent": "EPC-2F81ZD3A",
    "anchors": ["ANC-7Q4M2K9X"],
    "acceptance": [{"id": "A1", "text": "Owners can renew.", "anchors": ["ANC-7Q4M2K9X"]}],
    "depends_on": [
        {
            "card": "GAT-M1X9QE7B",
            "because": [{"edge": "blocked_by", "from": "ANC-V0C3TNQ1", "to": "ANC-M1X9QE7B", "cue": "cannot ship"}],
        }
    ],
    "due": "2026-Q4",
}


def errors(schema: dict[str, object], card: dict[str, object]) -> list[str]:
    return [error.json_path for error in jsonschema.Draft202012Validator(schema).iter_errors(card)]


@pytest.mark.parametrize("name", records())
def test_every_record_has_a_valid_schema(name: str) -> None:
    schema = schema_of(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"] == f"isopod.{name}/1"
    assert schema["additionalProperties"] is False or "$ref" in schema


def test_an_unknown_schema_names_those_that_there_are() -> None:
    with pytest.raises(RefusedError, match=r"card.*config.*run"):
        schema_of("cart")


def test_a_good_card_holds_in_the_open_and_in_the_composed_schema() -> None:
    Card.parse(CARD, source="card")
    assert errors(schema_of("card"), CARD) == []
    assert errors(card_schema(config(milestones=["2026-Q4"])), CARD) == []


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"id": "EPC-7Q4M2K9X"}, "$.id"),  # the prefix of another kind
        ({"id": "STY-7Q4M2K9I"}, "$.id"),  # no I in Crockford's alphabet
        ({"team": "grwth"}, "$.team"),
        ({"due": "2026-Q5"}, "$.due"),
        ({"parent": "STY-2F81ZD3A"}, "$.parent"),
        ({"anchors": ["STY-7Q4M2K9X"]}, "$.anchors[0]"),
        ({"depends_on": [{"card": "XXX-M1X9QE7B", "because": [{"rule": "D13", "text": "x"}]}]}, "$.depends_on[0].card"),
        ({"request": {"team": "nobody"}}, "$.request"),
        ({"related": ["ANC-7Q4M2K9X"]}, "$.related[0]"),
        ({"nots": ""}, "$"),
    ],
)
def test_an_editor_points_at_what_config_does_not_know(change: dict[str, object], path: str) -> None:
    composed = card_schema(config(milestones=["2026-Q4"]))
    found = errors(composed, CARD | change)
    assert any(one.startswith(path) for one in found)


def test_dates_and_null_are_due_in_any_project() -> None:
    composed = card_schema(config())
    for due in ("2027-01-31", None):
        assert errors(composed, CARD | {"due": due}) == []
    assert errors(composed, CARD | {"due": "soon"}) == ["$.due"]


def test_a_new_prefix_and_a_new_team_change_no_code() -> None:
    prefixes = [prefix.to_data() for prefix in config().prefixes] + [{"prefix": "이야기", "kind": "story"}]
    composed = card_schema(config(prefixes=prefixes))
    assert errors(composed, CARD | {"id": "이야기-7Q4M2K9X", "team": "데이터", "due": None}) == []


def test_the_composed_schema_names_only_what_the_record_has() -> None:
    composed, open_one = card_schema(config()), schema_of("card")
    assert set(composed) - set(open_one) == {"allOf"}
    assert json.loads(json.dumps(composed)) == composed


def test_a_record_is_found_by_being_there() -> None:
    assert all(issubclass(record, Record) for record in records().values())
    assert {"run", "ground", "join", "card", "anchors", "settlement", "findings", "compile", "error"} <= set(records())


def test_the_config_of_init_is_valid_whatever_the_names_hold() -> None:
    nasty = 'a "b": #c\n\x1b\u202e{x}'
    made = Config.parse(
        load(config_text(nasty, (NewTeam("n", nasty, True),)), "config.yaml"), source="config.yaml"
    )
    assert made.project == nasty
    assert made.teams[0].name == nasty


def test_team_ids_are_made_of_names_in_any_script() -> None:
    assert NewTeam.named("Data team", ours=False) == NewTeam("data-team", "Data team", False)
    assert NewTeam.named("원무팀", ours=False).id == "원무팀"
    assert NewTeam.named("growth=그로스팀", ours=True) == NewTeam("growth", "그로스팀", True)


def test_lines_are_added_once_to_what_is_there() -> None:
    once = with_lines("*.png binary", ("specs/** -text",))
    assert once == "*.png binary\nspecs/** -text\n"
    assert with_lines(once, ("specs/** -text",)) == once


def test_no_generated_page_is_stale() -> None:
    from isopod.docs import stale

    assert stale(Path(__file__).parents[2]) == [], "run: python -m isopod.docs"
