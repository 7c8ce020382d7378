"""What builds run: the GitHub Action's scripts, the pre-commit hook, the lines of docs/ci.md."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from test_isopod_fixes import parse

from store.yamlio import load

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
ACTION = "action.yml"
HOOKS = ".pre-commit-hooks.yaml"
PAGE = ROOT / "docs" / "ci.md"


def yaml_of(name: str) -> Any:
    return load((ROOT / name).read_text(encoding="utf-8"), name)


def step(name: str) -> dict[str, Any]:
    """The step of the action with this name."""
    (found,) = [one for one in yaml_of(ACTION)["runs"]["steps"] if one.get("name", "").startswith(name)]
    step: dict[str, Any] = found
    return step


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """The environment of a step: isopod is where the step before has put it."""
    programs = tmp_path / "temp" / "isopod" / "bin"
    programs.mkdir(parents=True)
    for name, line in (("isopod", "-m isopod"), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {line} "$@"\n', encoding="utf-8")
        (programs / name).chmod(0o755)
    given = {"RUNNER_TEMP": str(tmp_path / "temp"), "GITHUB_OUTPUT": str(tmp_path / "output"), "PYTHONPATH": str(ROOT)}
    return os.environ | given | {"FOLDER": ".", "STRICT": "false", "BASELINE": ""}


def audited(folder: Path, env: dict[str, str]) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
    """The step Audit, run in a folder as GitHub runs it, and its outputs."""
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step("Audit")["run"]],
        cwd=folder,
        env=env,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    lines = Path(env["GITHUB_OUTPUT"]).read_text(encoding="utf-8").splitlines()
    return done, dict(line.split("=", 1) for line in lines)


def results(outputs: dict[str, str]) -> list[str]:
    log = json.loads(Path(outputs["sarif"]).read_text(encoding="utf-8"))
    return [result["ruleId"] for result in log["runs"][0]["results"]]


def test_the_action_gives_annotations_a_file_and_the_status(tmp_path: Path, runner: dict[str, str]) -> None:
    folder = shutil.copytree(CASES / "spec-drift" / "bad", tmp_path / "plan")
    done, outputs = audited(folder, runner)
    assert done.returncode == 0, done.stderr
    assert outputs["status"] == "1"
    assert done.stdout.count("::error ") == 3
    assert results(outputs) == ["C231"] * 4


def test_the_action_uploads_nothing_that_is_let_through(tmp_path: Path, runner: dict[str, str], isopod: Run) -> None:
    shutil.copytree(CASES / "spec-drift" / "bad", tmp_path / "plan")
    isopod("-C", str(tmp_path / "plan"), "audit", "--write-baseline", "known.yaml")
    done, outputs = audited(tmp_path, runner | {"FOLDER": "plan", "BASELINE": "known.yaml", "STRICT": "true"})
    assert (done.returncode, outputs["status"], results(outputs)) == (0, "0", [])
    assert "4 let through by the baseline known.yaml" in done.stdout


def test_the_action_stops_where_there_is_no_answer(tmp_path: Path, runner: dict[str, str]) -> None:
    (tmp_path / "empty").mkdir()
    done, outputs = audited(tmp_path / "empty", runner)
    assert (done.returncode, outputs) == (2, {"status": "2"})
    assert "(no-instance)" in done.stderr


def test_nothing_in_an_input_is_read_as_shell(tmp_path: Path, runner: dict[str, str]) -> None:
    hostile = '$(touch hit) "; touch hit; #'
    done, _ = audited(tmp_path, runner | {"FOLDER": hostile, "BASELINE": hostile, "STRICT": hostile})
    assert done.returncode == 2
    assert not (tmp_path / "hit").exists()
    for one in yaml_of(ACTION)["runs"]["steps"]:
        assert "${{" not in one.get("run", "")


def test_the_action_uses_only_inputs_that_it_declares() -> None:
    text = (ROOT / ACTION).read_text(encoding="utf-8")
    inputs = yaml_of(ACTION)["inputs"]
    assert set(re.findall(r"inputs\.([a-z-]+)", text)) == set(inputs)
    assert all(isinstance(one["default"], str) and one["description"] for one in inputs.values())
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in inputs)


def test_the_hook_runs_on_what_an_audit_looks_at() -> None:
    (hook,) = yaml_of(HOOKS)
    parse(hook["entry"])
    assert hook["pass_filenames"] is False
    files = re.compile(hook["files"])
    for path in ("specs/a.md", "cards/STY-1.yaml", "cards/anchors/a.yaml", "config.yaml", "plan/config.yaml", "plan/specs/a"):
        assert files.search(path)
    for path in ("README.md", "src/config.yaml.py", "myspecs/a.md", "src/config_yaml"):
        assert not files.search(path)


def test_the_lines_of_the_page_can_be_pasted() -> None:
    page = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        load(block.replace("on:", '"on":', 1), "docs/ci.md")
    lines = [line.split("#")[0] for line in re.findall(r"^ +(?:- )?(?:cd .* && )?(isopod audit .*)$", page, re.MULTILINE)]
    assert len(lines) >= 6
    for line in lines:
        parse(re.sub(r"\$\{.*?\}", "--base HEAD", re.split(r" > | \|\| ", line)[0]).strip())


def test_every_command_of_the_page_is_there() -> None:
    hooks = {one["id"] for one in yaml_of(HOOKS)}
    named = set(re.findall(r"- id: ([a-z-]+)", PAGE.read_text(encoding="utf-8")))
    assert named == hooks


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("pre-commit") is None or not os.environ.get("ISOPOD_PRE_COMMIT"),
    reason="pre-commit installs packages: it runs where it is installed and ISOPOD_PRE_COMMIT=1 is set",
)
@pytest.mark.parametrize(("which", "code"), [("good", 0), ("bad", 1)])
def test_the_hook_runs_through_pre_commit(tmp_path: Path, which: str, code: int) -> None:
    folder = shutil.copytree(CASES / "spec-drift" / which, tmp_path / "project")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
    done = subprocess.run(
        ["pre-commit", "try-repo", str(ROOT), "isopod-audit", "--all-files"],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert ("C231 spec-drift" in done.stdout) is (code == 1)
