"""isopod audit over 500 cards with one fault of every kind: every format holds to its schema, cold and warm are the same bytes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from conftest import ROOT, Run, fingerprint
from scenes_500 import repository
from seeded_faults import FAULTS
from test_isopod_audit import COMMAND, FORMATS, sarif_run

from gates.registry import rules


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = repository(tmp_path_factory.mktemp("project"))
    for make in FAULTS.values():
        make(project)
    return project.root


@pytest.fixture
def folder(seeded: Path, tmp_path: Path) -> Path:
    """A copy, in the folder of the test."""
    shutil.copytree(seeded, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def shown(folder: Path, isopod: Run) -> dict[str, str]:
    """What each format says of the project, after a cold, a warm and a byte-wise run said the same and wrote nothing."""
    before = fingerprint(folder)
    said = {}
    for name in FORMATS:
        shutil.rmtree(folder / ".isopod", ignore_errors=True)
        cold = isopod("audit", "--format", name)
        assert isopod("audit", "--format", name) == cold
        assert isopod("audit", "--ci", "--format", name) == cold
        assert cold.returncode == 1
        said[name] = cold.stdout
    assert fingerprint(folder) == before
    return said


def test_every_format_tells_every_fault_in_the_form_that_it_promises(shown: dict[str, str]) -> None:
    record = json.loads(shown["json"])
    jsonschema.Draft202012Validator(
        json.loads((ROOT / "docs/schemas/findings.json").read_text(encoding="utf-8"))
    ).validate(record)
    codes = sorted(finding["code"] for finding in record["findings"])
    assert set(codes) == {rule.code for rule in rules() if "audit" in rule.stages}

    results = sarif_run(shown["sarif"])["results"]
    assert sorted(result["ruleId"] for result in results) == codes
    assert len({result["partialFingerprints"]["isopodFinding/v1"] for result in results}) == len(codes)

    suites = ElementTree.fromstring(shown["junit"].split("\n", 1)[1])
    failing = {case.get("name", "").split()[0] for case in suites.iter("testcase") if case.find("failure") is not None}
    assert failing == {finding["code"] for finding in record["findings"] if finding["severity"] == "error"}

    commands = shown["github"].splitlines()
    assert all(COMMAND.fullmatch(line) for line in commands)
    assert sum(not line.startswith("::notice") for line in commands) == len(codes)
    assert all(f"{finding['name']} {finding['code']})" in shown["text"] for finding in record["findings"])
