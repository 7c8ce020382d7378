"""Loads the fixtures of tests/cases.

For the stages `draft` and `audit` a fixture is an instance, for `join` and `adopt` a spec with its `claims.yaml`.
"""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from gates.audited import Audited
from gates.claims import Claim, ClaimEdge, Claims, Drafted, ReadSpan
from gates.registry import Stage
from gates.run import Subject, run
from store.snapshot import Snapshot, load
from text.coordinates import SpanT, SpecText, decode
from text.cores import core
from text.structure import structure

CASES = Path(__file__).parent.parent / "cases"
SPEC = "specs/links.md"
TODAY = date(2026, 11, 30)


def snapshot_of(folder: Path) -> Snapshot:
    from store.instance import open_instance

    return load(open_instance(folder), cache=False)


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
    """What the stage reports, as JSON values."""
    found = run(stage, subject_of(folder, stage), today=TODAY, **options)
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
