"""Files of batches: named once, found by the start of their name, refused when they are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scenes import Scene

from schemas.batch import Batch
from schemas.call import Call
from schemas.errors import OutsideError, RefusedError
from store import batches
from store.instance import Instance, open_instance

AT = "2026-12-01T09:00:00Z"


def call(user: str) -> Call:
    return Call(
        reader="a",
        model="m",
        purpose="read",
        round=0,
        prompt="1",
        shape="reading",
        system="",
        user=user,
        max_tokens=1000,
        place="specs/x.md lines 1-2",
    )


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    return open_instance(Scene.new(tmp_path).root)


def put(instance: Instance, *users: str, at: str = AT) -> Batch:
    calls = tuple(map(call, users))
    batch = Batch.of(
        batches.fresh_name(instance, calls, at), calls, provider="anthropic", base_url=None, spec="specs/x.md", at=at
    )
    batches.put(instance, batch)
    return batch


def test_what_is_put_is_loaded_the_oldest_first(instance: Instance) -> None:
    assert batches.load(instance) == ()
    late = put(instance, "one", "two", at="2026-12-02T09:00:00Z")
    early = put(instance, "three")
    assert batches.load(instance) == (early, late)
    assert batches.waiting(instance) == {
        call("one").request: late,
        call("two").request: late,
        call("three").request: early,
    }


def test_the_same_questions_in_the_same_second_get_another_name(instance: Instance) -> None:
    assert put(instance, "one").name != put(instance, "one").name


def test_a_batch_is_found_by_the_start_of_its_name_when_one_is_meant(instance: Instance) -> None:
    one, two = put(instance, "one"), put(instance, "two")
    assert batches.load_one(instance, one.name) == one
    assert batches.load_one(instance, two.name[:6]) == two
    for name in ("a-", "", "b", f"{one.name}0"):
        with pytest.raises(RefusedError):
            batches.load_one(instance, name)


@pytest.mark.parametrize("stage", ["collected", "dropped"])
def test_what_is_over_waits_no_longer(instance: Instance, stage: str) -> None:
    batches.put(instance, put(instance, "one").model_copy(update={"stage": stage}))
    assert batches.waiting(instance) == {}


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"schema": "isopod.batch/2"}'])
def test_a_file_that_is_no_batch_is_refused_and_stays(instance: Instance, text: str) -> None:
    path = instance.state_dir / "batches" / f"{put(instance, 'one').name}.json"
    path.write_text(text)
    with pytest.raises(RefusedError) as caught:
        batches.waiting(instance)
    assert caught.value.code == "invalid-batch" and "console" in str(caught.value.fix)
    assert path.read_text() == text


def test_a_file_under_another_name_is_refused(instance: Instance) -> None:
    batch = put(instance, "one")
    path = instance.state_dir / "batches" / f"{batch.name}.json"
    path.rename(path.with_name("a-00000000.json"))
    with pytest.raises(RefusedError, match=batch.name):
        batches.load(instance)


def test_names_lead_nowhere_else(instance: Instance) -> None:
    batch = put(instance, "one")
    path = instance.state_dir / "batches" / f"{batch.name}.json"
    path.write_text(json.dumps(batch.to_data() | {"name": "../../config"}))
    with pytest.raises(RefusedError):
        batches.load(instance)


def test_a_state_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    instance = open_instance(Scene.new(tmp_path).root)
    instance.state_dir.write_text("")
    with pytest.raises(OutsideError):
        put(instance, "one")
