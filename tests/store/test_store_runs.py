"""Runs: taken apart part by part, refused as a whole only for their envelope, kept by content."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typed_store import make_instance

from schemas.errors import RefusedError
from schemas.run import Run
from store import runs

RECORDED = Path(__file__).parents[2] / "specs" / "recorded"


def run(**more: Any) -> dict[str, Any]:
    anchor = {"kind": "requirement", "quote": "It works.", "lines": [1, 1], "nth": None}
    edge = {"from": "a1", "to": "a2", "kind": "requires", "cue": {"quote": "because", "lines": [1, 2]}}
    data = {
        "schema": "isopod.run/1",
        "spec": {"path": "specs/x.md", "sha256": "0" * 64},
        "reader": {"name": "a", "provider": "recorded", "model": "m", "round": 0},
        "anchors": [{"ref": "a1", **anchor}, {"ref": "a2", **anchor}],
        "edges": [edge],
    }
    return copy.deepcopy({**data, **more})


def violations(data: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    return [(one.code, one.path, one.ref) for one in runs.parse_parts(data, "run.json").violations]


def test_a_good_run_is_all_there() -> None:
    parts = runs.parse_parts(run(), "run.json")
    assert [(number, anchor.ref) for number, anchor in parts.anchors] == [(0, "a1"), (1, "a2")]
    assert [number for number, _ in parts.edges] == [0]
    assert parts.violations == ()


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        ({"kind": "wish"}, "unknown-kind", "anchors[0].kind"),
        ({"kind": 7}, "unknown-kind", "anchors[0].kind"),
        ({"note": "x"}, "unknown-key", "anchors[0].note"),
        ({"from_": "x"}, "unknown-key", "anchors[0].from_"),
        ({"quote": ""}, "blank-quote", "anchors[0].quote"),
        ({"quote": " \n\u200b\u3000"}, "blank-quote", "anchors[0].quote"),
        ({"quote": 3}, "invalid-value", "anchors[0].quote"),
        ({"lines": [2, 1]}, "bad-lines", "anchors[0].lines"),
        ({"lines": [0, 1]}, "bad-lines", "anchors[0].lines"),
        ({"lines": [1]}, "bad-lines", "anchors[0].lines"),
        ({"lines": [1, 2, 3]}, "bad-lines", "anchors[0].lines"),
        ({"lines": ["1", "2"]}, "bad-lines", "anchors[0].lines"),
        ({"lines": [True, 2]}, "bad-lines", "anchors[0].lines"),
        ({"lines": [1.5, 2]}, "bad-lines", "anchors[0].lines"),
        ({"lines": None}, "bad-lines", "anchors[0].lines"),
        ({"nth": 0}, "invalid-value", "anchors[0].nth"),
        ({"nth": "first"}, "invalid-value", "anchors[0].nth"),
    ],
)
def test_one_wrong_anchor_is_one_violation_and_the_rest_stands(change: dict[str, Any], code: str, path: str) -> None:
    data = run(edges=[])
    data["anchors"][0].update(change)
    assert violations(data) == [(code, path, "a1")]
    assert [anchor.ref for _, anchor in runs.parse_parts(data, "x").anchors] == ["a2"]


@pytest.mark.parametrize("key", ["kind", "quote", "lines"])
def test_a_missing_key_is_named(key: str) -> None:
    data = run(edges=[])
    del data["anchors"][0][key]
    assert violations(data) == [("missing-key", f"anchors[0].{key}", "a1")]


def test_an_anchor_that_is_no_object_or_has_no_ref() -> None:
    assert violations(run(anchors=["x"], edges=[])) == [("invalid-value", "anchors[0]", None)]
    assert violations(run(anchors=[{}], edges=[]))[0] == ("missing-key", "anchors[0].ref", None)
    data = run(edges=[])
    data["anchors"][0]["ref"] = ""
    assert violations(data) == [("invalid-value", "anchors[0].ref", None)]


def test_the_first_of_two_equal_refs_stands() -> None:
    data = run(edges=[])
    data["anchors"][1]["ref"] = "a1"
    assert violations(data) == [("duplicate-ref", "anchors[1].ref", "a1")]
    assert [number for number, _ in runs.parse_parts(data, "x").anchors] == [0]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"from": "a9"}, ("dangling-ref", "edges[0].from", "a9")),
        ({"to": "a9"}, ("dangling-ref", "edges[0].to", "a9")),
        ({"to": "a1"}, ("self-edge", "edges[0]", "a1")),
        ({"kind": "likes"}, ("unknown-kind", "edges[0].kind", None)),
        ({"weight": 1}, ("unknown-key", "edges[0].weight", None)),
        ({"from_": "a1"}, ("unknown-key", "edges[0].from_", None)),
        ({"cue": {"quote": " ", "lines": [1, 1]}}, ("blank-quote", "edges[0].cue.quote", None)),
        ({"cue": {"quote": "x", "lines": [3, 1]}}, ("bad-lines", "edges[0].cue.lines", None)),
        ({"cue": {"quote": "x"}}, ("missing-key", "edges[0].cue.lines", None)),
        ({"cue": None}, ("invalid-value", "edges[0].cue", None)),
    ],
)
def test_a_wrong_edge_is_left_out(change: dict[str, Any], expected: tuple[str, str, str | None]) -> None:
    data = run()
    data["edges"][0].update(change)
    assert violations(data) == [expected]
    assert runs.parse_parts(data, "x").edges == ()


def test_an_edge_to_an_anchor_with_a_violation_is_not_dangling() -> None:
    data = run()
    data["anchors"][1]["kind"] = "wish"
    assert violations(data) == [("unknown-kind", "anchors[1].kind", "a2")]


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "isopod.run/2"},
        {"anchors": {}},
        {"edges": None},
        {"extra": 1},
        {"spec": {"path": "x", "sha256": "abc"}},
        {"spec": {"path": "x", "sha256": "0" * 64, "more": 1}},
        {"spec": []},
        {"reader": {"name": "a", "provider": "p", "model": "m", "round": -1}},
        {"reader": {"name": "a", "provider": "p", "model": "m", "round": True}},
        {"reader": {"name": "", "provider": "p", "model": "m", "round": 0}},
    ],
)
def test_an_envelope_that_does_not_validate_refuses_the_run(change: dict[str, Any]) -> None:
    with pytest.raises(RefusedError) as error:
        runs.parse_parts(run(**change), "run.json")
    assert error.value.code == "invalid-run"
    assert next(iter(change)) in error.value.message


@pytest.mark.parametrize("key", ["schema", "spec", "reader", "anchors", "edges"])
def test_an_envelope_without_one_of_its_keys_is_refused(key: str) -> None:
    data = run()
    del data[key]
    with pytest.raises(RefusedError, match=f"{key}: this key is missing"):
        runs.parse_parts(data, "run.json")


@pytest.mark.parametrize("data", [None, [], "x", 3, True])
def test_what_is_no_object_is_no_run(data: object) -> None:
    with pytest.raises(RefusedError, match="JSON object"):
        runs.parse_parts(data, "run.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=4), st.lists(JSON, max_size=4))
def test_nonsense_parts_are_violations_and_never_a_crash(anchors: list[Any], edges: list[Any]) -> None:
    parts = runs.parse_parts(run(anchors=anchors, edges=edges), "x")
    assert len(parts.anchors) + len(parts.edges) + len(parts.violations) >= len(anchors) + len(edges)


@given(JSON)
def test_a_nonsense_envelope_is_refused_and_never_a_crash(data: Any) -> None:
    with pytest.raises(RefusedError):
        runs.parse_parts(data, "x")


@pytest.mark.parametrize("text", ["", "{", '{"a": NaN}', '{"a": 1, "a": 2}', "[" * 500, '"\\ud800"', "\xff"])
def test_bytes_that_are_not_strict_json_are_refused(text: str) -> None:
    with pytest.raises(RefusedError):
        runs.load_run(text.encode("latin-1"), "run.json")


def test_a_run_that_is_too_big_is_not_even_parsed() -> None:
    with pytest.raises(RefusedError, match="at most"):
        runs.load_run(b"x" * 101, "run.json", 100)


def test_a_whole_run_must_have_no_violation() -> None:
    data = run()
    assert runs.load_run(json.dumps(data).encode(), "run.json") == Run.model_validate(data)
    data["anchors"][1]["kind"] = "wish"
    with pytest.raises(RefusedError, match=r"anchors\[1\]\.kind"):
        runs.load_run(json.dumps(data).encode(), "run.json")


def test_runs_are_kept_by_content(tmp_path: Path) -> None:
    instance = make_instance(tmp_path)
    one = Run.model_validate(run())
    name = runs.put(instance, one)
    assert runs.put(instance, one) == name
    assert runs.get(instance, name) == one
    assert [path.name for path in instance.runs_dir.iterdir()] == [f"{name}.json"]
    (instance.runs_dir / f"{name}.json").write_bytes(runs.canonical(one).replace(b"It works.", b"It fails."))
    with pytest.raises(RefusedError, match="not the run that its name says"):
        runs.get(instance, name)
    with pytest.raises(RefusedError, match="no run"):
        runs.get(instance, "0" * 64)
    with pytest.raises(RefusedError):
        runs.get(instance, "../../config")


@pytest.mark.parametrize("path", sorted(RECORDED.glob("*.json")), ids=lambda path: path.stem)
def test_every_recorded_run_of_this_repository_loads(path: Path) -> None:
    spec, reader, number = path.name.removesuffix(".json").rsplit(".", 2)
    found = runs.recorded([path.parent / "nowhere", path.parent], spec, reader, int(number.removeprefix("round")))
    assert found is not None
    assert found.path == path
    assert runs.load_run(found.data, str(path)).reader.round == int(number.removeprefix("round"))


def test_a_reading_that_was_not_recorded_is_none_and_no_name_leaves_the_folder(tmp_path: Path) -> None:
    assert runs.recorded([tmp_path], "x", "a", 0) is None
    with pytest.raises(RefusedError):
        runs.recorded([tmp_path], "../x", "a", 0)
