"""Readers are found: ours by their files, those of other packages by an entry point."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.readers.registry import providers, reader_of
from schemas.errors import RefusedError

REPOSITORY = Path(__file__).parents[2]
MODULE = '''
from schemas.run import Run, RunAnchor, RunReader, RunSpec


class FirstLine:
    provider, heuristic, repairs, calls_model = "first-line", True, False, False

    def read(self, request):
        spec = request.spec
        return Run(
            spec=RunSpec(path=spec.path, sha256=spec.digest),
            reader=RunReader(name=request.name, provider="first-line", model="first-line-1", round=0),
            anchors=(RunAnchor(ref="a1", kind="requirement", quote=spec.text.split("\\n")[0], lines=(1, 1)),),
            edges=(),
        )
'''


def test_every_reader_of_ours_is_one_file() -> None:
    files = {path.stem for path in (REPOSITORY / "pipeline" / "readers").glob("*.py")}
    assert set(providers()) <= files and {"recorded", "lexicon", "structure"} <= set(providers())


def test_an_unknown_reader_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(RefusedError, match="anthropic, command, handoff, lexicon, openai, recorded, structure"):
        reader_of("oracle")


@pytest.mark.parametrize("named", ["first-line", "lexicon"])
def test_another_package_adds_a_reader_by_an_entry_point_and_replaces_none_of_ours(tmp_path: Path, named: str) -> None:
    site = tmp_path / "site"
    metadata = site / "their_readers-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "their_readers.py").write_text(MODULE, encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: their-readers\nVersion: 1.0\n", encoding="utf-8")
    entry = f"[isopod.readers]\n{named} = their_readers:FirstLine\n"
    (metadata / "entry_points.txt").write_text(entry, encoding="utf-8")
    spec = tmp_path / "spec.md"
    spec.write_text("The code must be short.\n\nAnd it must be random.\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "isopod", "extract", str(spec), "--reader", named],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(REPOSITORY)])},
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)
    theirs = named == "first-line"
    assert run["reader"]["provider"] == named
    assert [anchor["quote"] for anchor in run["anchors"]][: 1 if theirs else None] == (
        ["The code must be short."] if theirs else ["The code must be short.", "And it must be random."]
    )


def test_a_broken_reader_of_another_package_is_named(tmp_path: Path) -> None:
    metadata = tmp_path / "broken-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[isopod.readers]\nbroken = nowhere:Reader\n", encoding="utf-8")
    spec = tmp_path / "spec.md"
    spec.write_text("The code must be short.\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "isopod", "extract", str(spec), "--reader", "broken"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(REPOSITORY)])},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 4 and "'broken'" in done.stderr and "nowhere:Reader" in done.stderr
