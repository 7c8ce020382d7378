"""Runs that cannot be trusted: what is wrong is left out and reported with its own code, or the whole run is refused."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scenes import AnchorT, EdgeT, Scene, bench_of, fingerprint, run_data

from pipeline.compile import CompileOptions, commit, compile_spec
from pipeline.extract import take
from pipeline.fix import fix
from schemas.errors import ConflictError, ManyErrors, RefusedError

TEXT = """\
# Links

- A code must have six characters.
- Links must not be shared.
- A link lives for 30 days.

The service answers at once. It never waits.
"""
GOOD: list[AnchorT] = [
    ("a1", "constraint", "A code must have six characters."),
    ("a2", "constraint", "A link lives for 30 days."),
]
EDGES: list[EdgeT] = [("a2", "refines", "a1", "A link lives")]
BENCH = bench_of(TEXT, "specs/links.md")


def run(*anchors: AnchorT, edges: list[EdgeT] | None = None) -> dict[str, Any]:
    return run_data("specs/links.md", TEXT, "a", [*GOOD, *anchors], EDGES if edges is None else edges)


def as_bytes(data: dict[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False).encode()


BAD: list[tuple[str, str, str]] = [
    ("quote-not-found", "requirement", "Codes have exactly six characters."),  # paraphrased
    ("quote-not-found", "constraint", "A link lives for 60 days."),  # a changed number
    ("quote-not-found", "constraint", "Links must be shared."),  # a dropped negation
    ("quote-crosses-block", "constraint", "six characters.\n- Links must not"),  # over two list items
    ("quote-ambiguous", "constraint", "must"),
    ("unknown-kind", "wish", "The service answers at once."),
    ("blank-quote", "requirement", " \u200b"),
    ("duplicate-anchor", "requirement", "A code must have six characters"),
]


@pytest.mark.parametrize(("code", "kind", "quote"), BAD)
def test_a_bad_anchor_is_left_out_with_its_own_code_and_the_rest_stands(code: str, kind: str, quote: str) -> None:
    data = run(("bad", kind, quote), edges=[*EDGES, ("bad", "requires", "a1", "A code")])
    data["anchors"][-1]["lines"] = [3, 5]
    found = take(BENCH, as_bytes(data), "run.json").reading
    assert [(one.code, one.ref) for one in found.violations] == [(code, "bad")]
    assert found.violations[0].path.startswith("anchors[2]") and found.violations[0].message
    assert [one.ref for one in found.anchors] == ["a1", "a2"] and len(found.edges) == 1


def test_two_crossing_anchors_are_both_left_out() -> None:
    data = run(("x", "requirement", "The service answers"), ("y", "question", "answers at once."))
    found = take(BENCH, as_bytes(data), "run.json").reading
    assert [(one.code, one.ref) for one in found.violations] == [("crossing", "x"), ("crossing", "y")]
    assert [one.ref for one in found.anchors] == ["a1", "a2"]


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        (lambda run: run["edges"][0].update(to="nowhere"), "dangling-ref", "edges[0].to"),
        (lambda run: run["edges"][0].update(to="a2"), "self-edge", "edges[0]"),
        (lambda run: run["edges"][0].update(kind="likes"), "unknown-kind", "edges[0].kind"),
        (lambda run: run["edges"][0]["cue"].update(quote="no such words"), "quote-not-found", "edges[0].cue.quote"),
        (lambda run: run["edges"][0].update(weight=1), "unknown-key", "edges[0].weight"),
        (lambda run: run["anchors"].append(dict(run["anchors"][0])), "duplicate-ref", "anchors[2].ref"),
        (lambda run: run["anchors"][1].update(lines=[0, 1]), "bad-lines", "anchors[1].lines"),
        (lambda run: run["anchors"][1].update(lines=[9, 3]), "bad-lines", "anchors[1].lines"),
        (lambda run: run["anchors"][1].update(lines=[900, 901]), "lines-outside", "anchors[1].lines"),
        (lambda run: run["anchors"][1].update(nth=2), None, ""),
        (lambda run: run["anchors"][1].pop("quote"), "missing-key", "anchors[1].quote"),
        (lambda run: run["anchors"][1].update(id="ANC-1"), "unknown-key", "anchors[1].id"),
        (lambda run: run["anchors"][1].update(quote=5), "invalid-value", "anchors[1].quote"),
    ],
)
def test_what_is_wrong_with_a_part_has_a_code_and_a_path(
    change: Callable[[dict[str, Any]], Any], code: str | None, path: str
) -> None:
    data = run()
    change(data)
    found = take(BENCH, as_bytes(data), "run.json").reading
    assert [(one.code, one.path) for one in found.violations] == ([(code, path)] if code else [])
    assert "a1" in {one.ref for one in found.anchors}


def nonsense() -> bytes:
    return random.Random(5).randbytes(10_000_001)


@pytest.mark.parametrize(
    "data",
    [
        as_bytes(run()).replace(b'"nth": null', b'"nth": NaN', 1),
        as_bytes(run()).replace(b'"nth": null', b'"nth": Infinity', 1),
        as_bytes(run()).replace(b'"schema":', b'"schema": "isopod.run/1", "schema":', 1),
        as_bytes(run()).replace(b'"ref": "a1"', b'"ref": "a1", "ref": "a9"', 1),
        as_bytes(run()).replace(b"isopod.run/1", b"isopod.run/2", 1),
        as_bytes(run())[:-30],
        as_bytes(run()) + b"x",
        b"",
        b"[]",
        b"null",
        b"\xff\xfe" + as_bytes(run()),
        b"[" * 200_000,
        b" " * 10_000_001,
        nonsense(),
        as_bytes({**run(), "note": "hello"}),
        as_bytes({**run(), "anchors": {}}),
        as_bytes({key: value for key, value in run().items() if key != "reader"}),
        as_bytes({**run(), "spec": {"path": "specs/links.md", "sha256": "0" * 64}}),
        as_bytes({**run(), "spec": {"path": "specs/links.md", "sha256": "0"}}),
    ],
    ids=lambda data: f"{len(data)}b-{data[:12]!r}",
)
def test_an_envelope_that_does_not_validate_refuses_the_run_and_no_file_is_touched(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(RefusedError) as refused:
        take(BENCH, data, "run.json")
    assert refused.value.exit_code == 2 and refused.value.where is not None
    assert "Traceback" not in refused.value.message and len(refused.value.message) < 2000
    scene = Scene.new(tmp_path)
    scene.write("links", TEXT, GOOD, EDGES)
    (tmp_path / "specs" / "recorded" / "links.b.round0.json").write_bytes(data)
    before = fingerprint(tmp_path)
    with pytest.raises(RefusedError):
        scene.compile("links")
    assert fingerprint(tmp_path) == before and not (tmp_path / ".isopod" / "runs").exists()


def test_a_run_of_another_text_with_the_right_path_is_refused_by_its_digest() -> None:
    data = run_data("specs/links.md", TEXT + "More.\n", "a", GOOD)
    with pytest.raises(RefusedError) as refused:
        take(BENCH, as_bytes(data), "run.json")
    assert refused.value.code == "other-spec"


def test_what_was_left_out_of_one_reading_shows_as_a_difference_and_is_listed(tmp_path: Path) -> None:
    scene = Scene.new(tmp_path)
    bad = [("a1", "constraint", "Codes have six characters."), GOOD[1]]
    scene.write("links", TEXT, GOOD, b=(bad, []))
    outcome = scene.preview("links")
    shown = outcome.compiled.rounds[0].join
    assert [(one.code, one.ref) for one in shown.violations.b] == [("quote-not-found", "a1")]
    assert outcome.exit_code == 3 and [one.type for one in outcome.compiled.disputes] == ["missing"]


def test_a_spec_that_is_not_text_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    scene = Scene.new(tmp_path)
    for data in (b"\xff\xfea\x00", b"caf\xe9\n", b"a\x00b\x00c\x00"):
        scene.spec("links").write_bytes(data)
        with pytest.raises(RefusedError) as refused:
            scene.preview("links", offline=True)
        assert refused.value.code == "not-utf-8" and refused.value.fix is not None
    with pytest.raises(RefusedError):
        scene.preview("missing", offline=True)


def test_fix_names_every_file_that_cannot_be_read_with_its_line(tmp_path: Path) -> None:
    scene = Scene.demo(tmp_path)
    for name in ("STY-AAAAAAA1", "STY-AAAAAAA2"):
        (tmp_path / "cards").mkdir(exist_ok=True)
        (tmp_path / "cards" / f"{name}.yaml").write_text("id: x\n<<<<<<< HEAD\n", encoding="utf-8")
    with pytest.raises(ManyErrors) as refused:
        fix(scene.snapshot)
    assert [(error.code, str(error.where)) for error in refused.value.errors] == [
        ("merge-conflict", "cards/STY-AAAAAAA1.yaml:2:1"),
        ("merge-conflict", "cards/STY-AAAAAAA2.yaml:2:1"),
    ]


def test_a_spec_that_is_a_link_out_of_the_instance_or_in_a_circle_is_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    scene = Scene.new(tmp_path / "in")
    outside = tmp_path / "outside.md"
    outside.write_text(TEXT, encoding="utf-8")
    link, loop = (scene.root / "specs" / name for name in ("ln.md", "loop.md"))
    link.symlink_to(outside)
    loop.symlink_to("loop.md")
    with pytest.raises(RefusedError, match="a link to a file outside the instance") as refused:
        compile_spec(scene.workspace, link, CompileOptions(offline=True))
    assert refused.value.fix is not None and f"rm {link} && cp {outside} {link}" in refused.value.fix
    with pytest.raises(RefusedError, match="leads in a circle"):
        compile_spec(scene.workspace, loop, CompileOptions(offline=True))


def test_of_two_compiles_at_once_the_second_to_write_is_told_to_run_again(tmp_path: Path) -> None:
    scene = Scene.new(tmp_path)
    path = scene.write("links", TEXT, GOOD, EDGES)
    early = scene.workspace
    late = compile_spec(early, path, CompileOptions())
    scene.compile("links")
    before = fingerprint(tmp_path / "cards")
    for attempt in (lambda: commit(early, late), lambda: compile_spec(early, path, CompileOptions())):
        with pytest.raises(ConflictError) as refused:
            attempt()
        assert refused.value.fix == "run the command again"
    assert fingerprint(tmp_path / "cards") == before
