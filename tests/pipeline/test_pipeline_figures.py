"""The figures of the recorded readings: those that the demo prints, and those of every pair of real specs."""

from __future__ import annotations

from pathlib import Path

import pytest
from scenes import Scene

from pipeline.bench import Bench
from pipeline.extract import take
from pipeline.join import TwoJoins, join
from schemas.kinds import ORDERING_EDGES
from text.coordinates import decode

DEMO = {
    "link-shortener": [
        {"anchors": (39, 40), "agreed": 36, "standard": (6, 2), "strict": (9, 12)},
        {"anchors": (38, 38), "agreed": 38, "standard": (0, 0), "strict": (0, 0), "ordering": 4, "hints": 17},
    ],
    "reminder-ko": [
        {"anchors": (33, 34), "agreed": 33, "standard": (1, 0), "strict": (1, 1)},
        {"anchors": (33, 33), "agreed": 33, "standard": (0, 0), "strict": (0, 0), "ordering": 3, "hints": 8},
    ],
}


@pytest.mark.parametrize("name", DEMO)
def test_the_demo_reaches_its_figures_round_by_round(demo_instance: Scene, name: str) -> None:
    outcome = demo_instance.preview(name)
    assert [one.round for one in outcome.compiled.rounds] == [0, 1]
    for shown, wanted in zip((one.join for one in outcome.compiled.rounds), DEMO[name], strict=True):
        assert len(shown.agreed) == wanted["agreed"]
        assert (shown.symmetric_difference.anchors, shown.symmetric_difference.edges) == wanted["standard"]
        assert (shown.strict.anchors, shown.strict.edges) == wanted["strict"]
        assert not shown.violations.a and not shown.violations.b
        if "ordering" in wanted:
            assert (len(shown.edges.agreed), len(shown.edges.hints.agreed)) == (wanted["ordering"], wanted["hints"])
            assert shown.verdict == "agree"
    assert outcome.exit_code == 0


@pytest.mark.parametrize("name", DEMO)
def test_each_reader_returns_as_many_claims_as_the_demo_says(demo_instance: Scene, name: str) -> None:
    bench = Bench.of(demo_instance.workspace.read(demo_instance.spec(name)))
    for number, wanted in enumerate(DEMO[name]):
        found = []
        for reader in "ab":
            file = demo_instance.root / "specs" / "recorded" / f"{name}.{reader}.round{number}.json"
            found.append(len(take(bench, file.read_bytes(), file.name).reading.anchors))
        assert tuple(found) == wanted["anchors"]


def test_the_strict_demo_agrees_too(demo_instance: Scene) -> None:
    for name in DEMO:
        outcome = demo_instance.preview(name, strict=True)
        assert outcome.compiled.rounds[-1].join.verdict == "agree"
        assert outcome.exit_code == 0


REAL = {  # strict differences of the first readings; strict and standard ones after a repair round
    "runex-prd-ja": ("md", (27, 21), (6, 4)),
    "deskmd-prd-ko": ("md", (19, 11), (0, 2)),
    "openspec-cli-validate": ("md", (52, 59), (6, 4)),
    "kep-2448-kube-proxy-cleanup": ("md", (2, 4), None),
}


def joined_case(cases: Path, name: str, number: int) -> TwoJoins:
    path = cases / "cases" / "specs" / f"{name}.md"
    bench = Bench.of(decode(path.read_bytes(), path.name))
    readings = []
    for reader in "ab":
        file = cases / "cases" / "runs" / f"{name}.{reader}.round{number}.json"
        readings.append(take(bench, file.read_bytes(), file.name).reading)
    return join(bench.spec, bench.structure, readings[0], readings[1])


@pytest.mark.parametrize("name", REAL)
def test_first_readings_of_real_specs_differ_strictly_by_the_measured_figures(cases: Path, name: str) -> None:
    strict = joined_case(cases, name, 0).strict
    assert (strict.anchors, strict.edges) == REAL[name][1]


@pytest.mark.parametrize("name", [name for name, (_, _, after) in REAL.items() if after is not None])
def test_one_repair_round_brings_real_specs_to_zero(cases: Path, name: str) -> None:
    both = joined_case(cases, name, 1)
    assert (both.strict.anchors, both.strict.edges) == REAL[name][2]
    assert (both.standard.anchors, both.standard.edges) == (0, 0)
    assert both.standard.verdict == "agree" and not both.standard.disputes


def test_ordering_edges_are_four_kinds_and_refines_groups() -> None:
    assert {"requires", "blocked_by", "supersedes", "conflicts_with"} == ORDERING_EDGES
