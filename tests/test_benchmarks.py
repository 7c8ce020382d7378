"""The benchmarks run on tiny sizes, and what they measure is what they say: an instance without findings, a real join."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from gates.run import run
from store.instance import open_instance
from store.snapshot import load

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"


def benchmark(name: str) -> ModuleType:
    """The module of a benchmark; it is no package, so it is loaded from its file."""
    found = importlib.util.spec_from_file_location(f"benchmark_{name}", BENCHMARKS / f"{name}.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module  # dataclasses look their module up
    found.loader.exec_module(module)
    return module


def test_a_generated_instance_has_cards_of_every_kind_and_no_finding(tmp_path: Path) -> None:
    made = benchmark("generate").generate(tmp_path, 90)
    snapshot = load(open_instance(tmp_path), cache=False)
    assert made.cards == len(snapshot.cards) == 90
    assert made.anchors == len(snapshot.anchor_by_id)
    assert {card.kind for card in snapshot.cards} == {"epic", "story", "gate", "decision", "request"}
    assert run("audit", snapshot).counts == {"error": 0, "warn": 0}


def test_the_same_number_gives_the_same_bytes(tmp_path: Path) -> None:
    generate = benchmark("generate").generate
    for name in ("one", "two"):
        generate(tmp_path / name, 45)
    one, two = (
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        for name in ("one", "two")
    )
    assert one == two


def test_the_audit_benchmark_measures_whole_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    audit = benchmark("audit")
    monkeypatch.setattr(audit, "SETTLING", 0)
    monkeypatch.setattr(audit, "REPEATS", 1)
    monkeypatch.setattr(audit.sys, "argv", ["audit.py", "3"])
    monkeypatch.delenv("ISOPOD_CASES", raising=False)
    assert audit.main() == 0
    shown = capsys.readouterr().out
    for row in ("`isopod --help`", "audit, cold", "audit, nothing changed", "one card edited", "C loader"):
        assert row in shown


def test_the_join_benchmark_joins_two_readings_that_mostly_agree() -> None:
    join = benchmark("join")
    _, a, b = join.readings(200)
    of_a, of_b = ({(one["kind"], one["quote"].rstrip(".")) for one in run["anchors"]} for run in (a, b))
    assert 0.9 < len(of_a & of_b) / 200 < 1
    row = join.row(200)
    assert row.startswith("| 200 |")
    assert "agreed" in row


def test_a_benchmark_says_how_it_is_called() -> None:
    for name, words in (("generate", ["only-a-folder"]), ("audit", ["many"]), ("join", ["many"])):
        done = subprocess.run([sys.executable, BENCHMARKS / f"{name}.py", *words], capture_output=True, text=True)
        assert done.returncode == 2
        assert done.stderr.startswith("usage: ")
