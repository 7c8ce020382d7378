"""The snapshot: indexes, lazily read specs, places, and a load that writes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from test_store_anchors import claim, claims
from test_store_anchors import write as write_claims
from test_store_settlements import answer
from test_store_settlements import write as write_answer
from typed_store import make_instance, put, story

from store import snapshot
from store.instance import Instance
from store.snapshot import Snapshot
from store.specs import SpecFile


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    instance = make_instance(tmp_path)
    (tmp_path / "specs" / "x.md").write_text("# Title\n\nIt works.\n")
    (tmp_path / "specs" / "other.md").write_text("# Other\n")
    write_claims(instance, claims(claim(1), claim(2)))
    write_claims(instance, claims(claim(3), key="gone"))
    write_answer(instance, answer())
    put(instance, story(1, anchors=["ANC-00000001"]))
    put(instance, story(2, anchors=["ANC-00000001", "ANC-00000002"], depends_on=[
        {"card": "STY-00000001", "because": [{"rule": "D13", "text": "x"}]}]))  # fmt: skip
    return instance


def loaded(instance: Instance, **how: bool) -> Snapshot:
    return snapshot.load(instance, **how)


def test_every_index_holds_what_the_files_hold(instance: Instance) -> None:
    now = loaded(instance)
    assert now.problems == ()
    assert [card.id for card in now.cards] == list(now.card_by_id) [::-1] == ["STY-00000001", "STY-00000002"]
    assert now.file_of("STY-00000002") == "cards/STY-00000002.yaml"
    assert {anchor: [card.id for card in cards] for anchor, cards in now.cards_of_anchor.items()} == {
        "ANC-00000001": ["STY-00000001", "STY-00000002"],
        "ANC-00000002": ["STY-00000002"],
    }
    assert list(now.anchor_by_id) == ["ANC-00000003", "ANC-00000001", "ANC-00000002"]
    assert list(now.anchors) == list(now.anchor_stores) == ["gone", "x"]
    assert {key: [one.id for one in answers] for key, answers in now.settlements.items()} == {"x": ["D-7K2MPQ4X"]}
    assert now.graph.ready() == ("STY-00000001",)


def test_of_two_files_with_one_id_the_first_stands_and_both_are_there(instance: Instance) -> None:
    path = instance.cards_dir / "STY-00000001.yaml"
    (instance.cards_dir / "STY-00000000.yaml").write_text(path.read_text().replace("title: Story 1", "title: Twin"))
    now = loaded(instance)
    assert now.card_by_id["STY-00000001"].title == "Twin"
    assert now.file_of("STY-00000001") == "cards/STY-00000000.yaml"
    assert len(now.card_files) == 3


def test_specs_and_their_structure_are_read_when_asked_for_and_once(instance: Instance) -> None:
    now = loaded(instance)
    spec = now.spec("x")
    assert spec is not None
    assert spec.text == "# Title\n\nIt works.\n"
    (instance.specs_dir / "x.md").unlink()
    assert now.spec("x") is now.spec_at("specs/x.md") is spec
    assert now.structure("x") is now.structure("x")
    assert now.spec("gone") is now.structure("gone") is now.spec("nothing") is None
    assert loaded(instance).spec("x") is None


def test_the_specs_of_the_instance_adopted_or_not(instance: Instance) -> None:
    now = loaded(instance)
    assert now.spec_files == (SpecFile("other", "specs/other.md"), SpecFile("x", "specs/x.md"))
    assert now.spec_paths == ("specs/other.md", "specs/x.md")


def test_a_spec_that_cannot_be_read_is_a_problem_and_one_that_is_gone_is_for_a_rule(instance: Instance) -> None:
    (instance.specs_dir / "x.md").write_bytes(b"# Title\n\xff\n")
    now = loaded(instance)
    assert [(one.code, one.where.file, one.where.line) for one in now.problems] == [("F100", "specs/x.md", 2)]
    assert now.spec("x") is None


def test_problems_of_every_folder_stand_in_the_order_of_their_places(instance: Instance) -> None:
    (instance.cards_dir / "STY-00000001.yaml").write_text("a: [\n")
    (instance.anchors_dir / "y.yaml").write_text("<<<<<<< ours\n=======\n>>>>>>> theirs\n")
    (instance.settlements_dir / "x" / "D-BAD.yaml").write_text("a: 1\na: 2\n")
    found = [(one.code, one.where.file) for one in loaded(instance).problems]
    assert found == [
        ("F100", "cards/STY-00000001.yaml"),
        ("F101", "cards/anchors/y.yaml"),
        ("F100", "cards/settlements/x/D-BAD.yaml"),
    ]


def test_places_are_lines_and_columns_of_values(instance: Instance) -> None:
    now = loaded(instance)
    text = (instance.cards_dir / "STY-00000002.yaml").read_text().splitlines()
    line = next(number for number, line in enumerate(text, 1) if "card: STY-00000001" in line)
    place = now.place("cards/STY-00000002.yaml", ("depends_on", 0, "card"))
    assert (place.line, text[line - 1][place.column - 1 :] if place.column else "") == (line, "STY-00000001")
    nearest = now.place("cards/STY-00000002.yaml", ("depends_on", 0, "not there"))
    assert nearest.line == line
    assert now.place("config.yaml", ("teams", 1, "id")).line == 5
    gone = now.place("cards/STY-00000009.yaml", ("id",))
    assert (gone.file, gone.line, gone.column) == ("cards/STY-00000009.yaml", None, None)


@pytest.mark.parametrize("how", [{"cache": False}, {"cache": True}, {"cache": True, "hash_mode": True}])
def test_cold_and_warm_say_the_same(instance: Instance, how: dict[str, bool]) -> None:
    (instance.cards_dir / "STY-00000003.yaml").write_text("id: STY-00000003\nkind: saga\n")
    for path in instance.cards_dir.rglob("*.yaml"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    cold = loaded(instance, cache=False)
    for _ in range(3):
        warm = loaded(instance, **how)
        assert warm.card_files == cold.card_files
        assert warm.anchors == cold.anchors
        assert warm.settlements == cold.settlements
        assert warm.problems == cold.problems


def test_a_changed_file_is_read_again(instance: Instance) -> None:
    loaded(instance)
    path = instance.cards_dir / "STY-00000001.yaml"
    path.write_text(path.read_text().replace("title: Story 1", "title: Story 9"))
    assert loaded(instance).card_by_id["STY-00000001"].title == "Story 9"


def test_loading_writes_nothing_but_the_state_folder(instance: Instance) -> None:
    def content() -> dict[Path, bytes]:
        paths = (path for path in instance.root.rglob("*") if path.is_file())
        return {path: path.read_bytes() for path in paths if instance.state_dir not in path.parents}

    before = content()
    now = loaded(instance)
    assert now.problems == ()
    assert content() == before


def test_an_instance_with_nothing_in_it_loads(tmp_path: Path) -> None:
    empty = make_instance(tmp_path)
    (tmp_path / "cards").rmdir()
    now = loaded(empty)
    assert (now.cards, now.problems, dict(now.anchors)) == ((), (), {})


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("folder", ["cards", "cards/anchors", "cards/settlements/x"])
def test_a_pipe_among_the_files_is_a_finding_and_nobody_waits_for_it(instance: Instance, folder: str) -> None:
    os.mkfifo(instance.root / folder / "STY-0000000A.yaml")
    for how in ({}, {"hash_mode": True}, {"cache": False}):
        found = [one for one in loaded(instance, **how).problems if "pipe" in one.message]
        assert [(one.code, one.where.file) for one in found] == [("F100", f"{folder}/STY-0000000A.yaml")]
