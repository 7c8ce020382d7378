"""Loads the fixtures of tests/cases.

For the stages `draft` and `audit` a fixture is an instance, for `join` and `adopt` a spec with its `claims.yaml`. A
fixture of a rule that compares with history is one instance a state: `before` and `base` are commits of main, `now` are
the files of a branch that left it at `base`.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import tempfile
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import Any

import yaml

from gates.audited import Audited
from gates.claims import Claim, ClaimEdge, Claims, Drafted, ReadSpan
from gates.registry import Stage
from gates.run import Subject, run
from store.past import past_of
from store.snapshot import Snapshot, load
from text.coordinates import SpanT, SpecText, decode
from text.cores import core
from text.structure import structure

CASES = Path(__file__).parent.parent / "cases"
SPEC = "specs/links.md"
TODAY = date(2026, 11, 30)
NOW = "now"


def git(folder: Path, *arguments: str) -> str:
    """Runs git in a folder as Kim, without the configuration of this machine."""
    own = ("-c", "user.name=Kim", "-c", "user.email=kim@example.com", "-c", "init.defaultBranch=main")
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *own, *arguments], cwd=folder, check=True, capture_output=True, encoding="utf-8", env=os.environ | quiet
    )
    return done.stdout.strip()


@cache
def in_history(*states: Path) -> Path:
    """A repository in which all states but the last are commits of main, and the last are the files of a branch."""
    folder = Path(tempfile.mkdtemp(prefix="isopod-history-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    git(folder, "init", "-q")
    for number, state in enumerate(states):
        if number == len(states) - 1:
            git(folder, "checkout", "-qb", "work")
        for old in folder.iterdir():
            if old.name != ".git":
                shutil.rmtree(old) if old.is_dir() else old.unlink()
        shutil.copytree(state, folder, dirs_exist_ok=True)
        if number < len(states) - 1:
            git(folder, "add", "-A")
            git(folder, "commit", "-qm", state.name)
    return folder


def instance_of(folder: Path) -> Path:
    """The instance of a fixture: the folder, or a repository made of its states."""
    states = [folder / name for name in ("before", "base", NOW) if (folder / name).is_dir()]
    return in_history(*states) if states else folder


def snapshot_of(folder: Path) -> Snapshot:
    from store.instance import open_instance

    return load(open_instance(instance_of(folder)), cache=False)


def drafted_of(folder: Path) -> Drafted:
    """The claims and cards of the fixture's one spec, as the draft hands them over."""
    return Audited(snapshot_of(folder)).specs["links"]


def claims_of(folder: Path) -> Claims:
    """The claims of `claims.yaml`, each at the first place of its quote; `exact` is what it says it quotes instead."""
    spec = decode((folder / SPEC).read_bytes(), SPEC)
    data = yaml.safe_load((folder / "claims.yaml").read_text(encoding="utf-8"))
    readings = data.get("readings")
    return Claims(
        spec=spec,
        structure=structure(spec),
        claims=tuple(_claim(spec, entry) for entry in data["claims"]),
        edges=tuple(_edge(spec, entry) for entry in data.get("edges", ())),
        readings=None if readings is None else (_reading(spec, readings[0]), _reading(spec, readings[1])),
        file=SPEC,
        key="links",
        anchor_prefix=data.get("anchor_prefix"),
    )


def subject_of(folder: Path, stage: Stage) -> Subject:
    if stage == "audit":
        return snapshot_of(folder)
    return drafted_of(folder) if stage == "draft" else claims_of(folder)


def reported(folder: Path, stage: Stage, **options: Any) -> list[dict[str, Any]]:
    """What the stage reports, as JSON values. Only a repository made for the test has a history."""
    subject = subject_of(folder, stage)
    if isinstance(subject, Snapshot) and (subject.instance.root / ".git").exists():
        options["past"] = partial(past_of, subject)
    found = run(stage, subject, today=TODAY, **options)
    return [finding.to_data() for finding in found.findings]


def expected(folder: Path, stages: tuple[Stage, ...]) -> dict[str, list[dict[str, Any]]]:
    """The findings that the fixture expects of its stages; `ISOPOD_WRITE_EXPECTED=1` writes them, to be read then."""
    file = folder / "expected.json"
    if os.environ.get("ISOPOD_WRITE_EXPECTED"):
        found = {stage: reported(folder, stage) for stage in stages}
        file.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    loaded: dict[str, list[dict[str, Any]]] = json.loads(file.read_text(encoding="utf-8"))
    return loaded


def _claim(spec: SpecText, entry: dict[str, str]) -> Claim:
    span = _find(spec, entry["quote"])
    exact = entry.get("exact", entry["quote"])
    return Claim(entry["id"], entry["kind"], span, core(spec.text, span), exact)  # type: ignore[arg-type]


def _edge(spec: SpecText, entry: dict[str, str]) -> ClaimEdge:
    start = spec.text.find(entry["cue"])
    span = (start, start + len(entry["cue"])) if start >= 0 else None
    return ClaimEdge(entry["kind"], entry["from"], entry["to"], entry["cue"], span)  # type: ignore[arg-type]


def _reading(spec: SpecText, entries: list[dict[str, str]]) -> tuple[ReadSpan, ...]:
    spans = [(entry["kind"], _find(spec, entry["quote"])) for entry in entries]
    return tuple(ReadSpan(kind, span, core(spec.text, span)) for kind, span in spans)  # type: ignore[arg-type]


def _find(spec: SpecText, quote: str) -> SpanT:
    start = spec.text.index(quote)
    return start, start + len(quote)
