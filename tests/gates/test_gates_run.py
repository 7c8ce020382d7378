"""Running the rules of a stage: which run, in which order findings come, what config lets through."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from gate_cases import CASES, TODAY, claims_of, drafted_of, reported, snapshot_of

from gates.registry import rule_named, rules
from gates.run import run
from schemas.errors import RefusedError

IGNORING = 'audit:\n  ignore:\n    - {rule: %s, because: "known", until: %s}\n'


def copied(rule: str, into: Path, config: str = "") -> Path:
    """The bad fixture of a rule, with more config."""
    shutil.copytree(CASES / rule / "bad", into / "bad")
    with (into / "bad" / "config.yaml").open("a", encoding="utf-8") as file:
        file.write(config)
    return into / "bad"


def test_select_runs_only_what_it_names_by_code_or_by_name() -> None:
    folder = CASES / "anchor-on-two-cards" / "bad"
    assert {found["code"] for found in reported(folder, "audit")} == {"A130", "C204"}
    assert {found["code"] for found in reported(folder, "audit", select=["C204"])} == {"C204"}
    assert {found["code"] for found in reported(folder, "audit", select=["homeless-anchor"])} == {"A130"}
    assert {found["code"] for found in reported(folder, "audit", ignore=["A130"])} == {"C204"}


def test_a_rule_that_does_not_exist_is_refused_with_the_nearest() -> None:
    with pytest.raises(RefusedError, match="did you mean dangling-link"):
        run("audit", snapshot_of(CASES / "id-filename" / "good"), select=["dangling-lnk"])
    assert rule_named("C210").name == "dangling-dependency"


def test_an_ignore_of_config_lets_through_until_its_date_and_is_counted(tmp_path: Path) -> None:
    snapshot = snapshot_of(copied("id-filename", tmp_path, IGNORING % ("C202", "2026-12-31")))
    found = run("audit", snapshot, today=TODAY)
    assert found.findings == ()
    assert [entry.rule for entry in found.not_checked if "1 let through" in entry.why] == ["C202"]
    late = run("audit", snapshot, today=date(2027, 1, 1))
    assert [finding.code for finding in late.findings] == ["C202"]
    assert not [entry for entry in late.not_checked if "let through" in entry.why]


def test_an_ignore_of_another_subject_lets_nothing_through(tmp_path: Path) -> None:
    config = 'audit:\n  ignore:\n    - {rule: C202, subject: STY-00000000, because: "known", until: 2030-01-31}\n'
    assert [found["code"] for found in reported(copied("id-filename", tmp_path, config), "audit")] == ["C202"]


def test_a_file_that_cannot_be_read_is_a_finding_beside_those_of_the_rules(tmp_path: Path) -> None:
    folder = copied("id-filename", tmp_path)
    (folder / "cards" / "STY-BBBBBBB1.yaml").write_text("id: [\n", encoding="utf-8")
    found = reported(folder, "audit")
    assert {entry["where"]["file"] for entry in found} == {"cards/STY-BBBBBBB1.yaml", "cards/renewal.yaml"}


@pytest.mark.parametrize(
    ("rule", "file", "unjudged"),
    [
        ("homeless-anchor", "cards/STY-BBBBBBB1.yaml", ["A130", "C210", "C213"]),
        ("unknown-anchor", "cards/anchors/other.yaml", ["C211"]),
    ],
)
def test_what_an_unreadable_file_may_hold_is_not_called_missing(
    tmp_path: Path, rule: str, file: str, unjudged: list[str]
) -> None:
    folder = copied(rule, tmp_path)
    (folder / "cards" / "anchors").mkdir(exist_ok=True)
    (folder / file).write_text("<<<<<<< HEAD\nid: x\n=======\n>>>>>>> other\n", encoding="utf-8")
    found = run("audit", snapshot_of(folder), today=TODAY)
    assert "F101" in {finding.code for finding in found.findings}
    assert not {finding.code for finding in found.findings} & set(unjudged)
    assert set(unjudged) <= {entry.rule for entry in found.not_checked if entry.why == f"{file} cannot be read"}


def test_findings_come_by_place_whatever_order_the_claims_are_in() -> None:
    claims = claims_of(CASES / "negation-cut" / "bad")
    findings = run("join", claims).findings
    assert [finding.where.line for finding in findings] == sorted(finding.where.line or 0 for finding in findings)
    for seed in range(5):
        shuffled = list(claims.claims)
        random.Random(seed).shuffle(shuffled)
        assert run("join", replace(claims, claims=tuple(shuffled))).findings == findings


def test_counts_are_those_of_the_findings() -> None:
    found = run("draft", drafted_of(CASES / "homeless-anchor" / "bad"))
    assert found.counts["error"] == sum(finding.severity == "error" for finding in found.findings)
    assert found.counts["warn"] == sum(finding.severity == "warn" for finding in found.findings)


def test_every_rule_is_found_by_its_code_and_by_its_name() -> None:
    for rule in rules():
        assert rule_named(rule.code) is rule_named(rule.name) is rule


def test_an_audit_without_specs_and_cards_is_quiet(tmp_path: Path) -> None:
    shutil.copy(CASES / "id-filename" / "good" / "config.yaml", tmp_path)
    assert reported(tmp_path, "audit") == []
