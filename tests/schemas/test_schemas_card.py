"""The card record: parts that fit the kind, and what its file leaves out."""

from __future__ import annotations

import pytest

from schemas.card import Card
from schemas.errors import ManyErrors


def parse(**more: object) -> Card:
    return Card.parse({"id": "STY-1", "kind": "story", "title": "A", "team": "growth", **more}, source="cards/STY-1.yaml")


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        ("gate", {"gate": {"waits_for": "answer"}}),
        ("request", {"request": {"team": "data"}}),
        ("migration", {"migrates": {"card": "STY-2", "lines": ["A1"]}}),
    ],
)
def test_a_part_belongs_to_one_kind_which_needs_it(kind: str, part: dict[str, object]) -> None:
    assert parse(kind=kind, **part).to_file().keys() >= part.keys()
    with pytest.raises(ManyErrors, match=f"a card of kind {kind} needs"):
        parse(kind=kind)
    with pytest.raises(ManyErrors, match="a card of kind story has no"):
        parse(**part)


def test_a_decision_may_come_without_its_part() -> None:
    assert parse(kind="decision").decision is None
    with pytest.raises(ManyErrors, match="a card of kind story has no decision"):
        parse(decision={"affects": "all"})


def test_a_reason_is_told_by_its_own_key() -> None:
    edge = {"edge": "requires", "from": "ANC-1", "to": "ANC-2", "cue": "we need"}
    rule = {"rule": "D13", "text": "refines"}
    person = {"person": "Ada", "text": "because", "at": "2026-11-30T09:00:00Z"}
    card = parse(depends_on=[{"card": "STY-2", "because": [edge, rule, person]}])
    assert card.to_file()["depends_on"][0]["because"] == [edge, rule, person]
    with pytest.raises(ManyErrors, match="one of the keys edge, rule and person"):
        parse(depends_on=[{"card": "STY-2", "because": [{"text": "no key"}]}])


def test_the_file_leaves_out_what_does_not_apply_and_shows_what_can_be_set() -> None:
    assert parse().to_file() == {
        "schema": "isopod.card/1",
        "id": "STY-1",
        "kind": "story",
        "title": "A",
        "title_by": "rules",
        "state": "drafted",
        "team": "growth",
        "heuristic": False,
        "due": None,
        "notes": "",
    }


def test_what_the_file_holds_loads_as_the_same_card() -> None:
    card = parse(acceptance=[{"id": "A1", "text": "It works", "anchors": ["ANC-1"]}], start=True, notes="two\nlines")
    assert Card.model_validate(card.to_file()) == card
