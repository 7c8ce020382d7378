"""Answers of people on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typed_store import make_instance, transaction, view

from schemas.errors import ConflictError, ManyErrors, RefusedError
from schemas.settlement import Settlement
from store import settlements
from store.instance import Instance


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    return make_instance(tmp_path)


def answer(name: str = "D-7K2MPQ4X", second: int = 0, **more: Any) -> Settlement:
    data = {
        "id": name,
        "type": "missing",
        "where": {"exact": "it works", "prefix": "", "suffix": "", "section": "Title"},
        "answer": "a",
        "anchors": [{"kind": "requirement", "exact": "It works.", "prefix": "", "suffix": ""}],
        "by": "Ada",
        "at": f"2026-11-30T09:00:{second:02d}Z",
    }
    return Settlement.model_validate({**data, **more})


def write(instance: Instance, settlement: Settlement, key: str = "x", expected: str | None = None) -> None:
    tx = transaction(instance)
    settlements.write(tx, instance, key, settlement, expected=expected)
    tx.commit()


def test_answers_come_in_the_order_in_which_they_were_given(instance: Instance) -> None:
    for given in (answer("D-B", 2), answer("D-A", 2), answer("D-C", 1)):
        write(instance, given)
    write(instance, answer("D-D"), key="y")
    found, problems = settlements.load_all(view(instance), instance)
    assert problems == []
    assert {key: [file.settlement.id for file in files] for key, files in found.items()} == {
        "x": ["D-C", "D-A", "D-B"],
        "y": ["D-D"],
    }
    assert settlements.load(view(instance), instance, "x") == found["x"]
    assert settlements.load(view(instance), instance, "nothing") == ()


def test_the_file_leaves_out_what_holds_nothing_and_loads_equal(instance: Instance) -> None:
    write(instance, answer())
    text = (instance.settlements_dir / "x" / "D-7K2MPQ4X.yaml").read_text()
    assert text.startswith("schema: isopod.settlement/1\nid: D-7K2MPQ4X\n")
    assert all(f"{key}:" not in text for key in ("edges", "left_out", "because", "reason"))
    assert settlements.load(view(instance), instance, "x")[0].settlement == answer()


def test_an_answer_is_not_written_over_by_chance(instance: Instance) -> None:
    write(instance, answer())
    with pytest.raises(ConflictError):
        write(instance, answer(answer="b"))
    (file,) = settlements.load(view(instance), instance, "x")
    write(instance, answer(answer="b"), expected=file.sha256)
    assert settlements.load(view(instance), instance, "x")[0].settlement.answer == "b"


def test_an_answer_taken_back_is_gone_and_the_one_before_stands(instance: Instance) -> None:
    write(instance, answer("D-A", 1))
    write(instance, answer("D-B", 2, answer="b"))
    tx = transaction(instance)
    settlements.take_back(tx, instance, settlements.load(view(instance), instance, "x")[-1])
    tx.commit()
    assert [file.settlement.id for file in settlements.load(view(instance), instance, "x")] == ["D-A"]


def test_an_answer_that_cannot_be_read_is_a_finding_and_never_passed_over(instance: Instance) -> None:
    write(instance, answer())
    (instance.settlements_dir / "x" / "D-BAD.yaml").write_text("schema: isopod.settlement/1\nanswer: maybe\n")
    found, problems = settlements.load_all(view(instance), instance)
    assert len(found["x"]) == 1
    assert {one.where.file for one in problems} == {"cards/settlements/x/D-BAD.yaml"}
    with pytest.raises(ManyErrors):
        settlements.load(view(instance), instance, "x")


@pytest.mark.parametrize(("key", "name"), [("../x", "D-A"), ("x", "../../D-A"), ("x", "a/../../../b")])
def test_no_answer_leaves_its_folder(instance: Instance, key: str, name: str) -> None:
    with pytest.raises(RefusedError):
        write(instance, answer(name), key=key)
