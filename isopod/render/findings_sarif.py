"""Findings as SARIF 2.1.0 (OASIS), which code scanning and editors read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from isopod import __version__
from isopod.escape import escape
from isopod.render.inrepo import InRepository, told
from schemas.finding import Finding, NotChecked
from schemas.kinds import Severity

if TYPE_CHECKING:
    from gates.let_through import LetThrough
    from gates.registry import Rule
    from gates.run import Audit
    from store.snapshot import Snapshot

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT: Final = "isopodFinding/v1"
_LEVELS: Final[dict[Severity, str]] = {"error": "error", "warn": "warning"}
_PLACEHOLDER: Final = re.compile(r"\{(\d+)\}")


def sarif(audit: Audit, snapshot: Snapshot) -> dict[str, Any]:
    """One run: the rules with their pages, every finding, and as suppressed what is let through.

    What was not checked, and what the lists of exceptions say, are notifications of the invocation.
    """
    places = InRepository.of(snapshot.instance.root)
    through = audit.sifted.let_through
    rules = _rules(audit)
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    results = [_result(finding, audit, index, places) for finding in audit.findings.findings]
    results += [_result(one.finding, audit, index, places) | {"suppressions": [_suppression(one, audit)]} for one in through]
    notes = [_note(entry, f"not checked: {entry.why}", index) for entry in audit.not_checked]
    notes += [_note(entry, entry.why, index) for entry in audit.notes]
    run = {
        "tool": {"driver": {"name": "isopod", "version": __version__, "semanticVersion": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules(audit: Audit) -> list[dict[str, Any]]:
    """Every rule that was asked for, and the codes of files that cannot be read, by code."""
    described = {rule.code: _rule(rule) for rule in audit.rules}
    for finding in audit.findings.findings:
        described.setdefault(
            finding.code,
            {
                "id": finding.code,
                "name": finding.name,
                "shortDescription": {"text": "A file can be read as what it should be."},
                "defaultConfiguration": {"level": "error"},
            },
        )
    return [described[code] for code in sorted(described)]


def _rule(rule: Rule) -> dict[str, Any]:
    from gates.pages import parts, render, summary

    told_parts = parts(rule)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": summary(rule)},
        "fullDescription": {"text": " ".join(told_parts["What"].split())},
        "help": {"text": rule.page.strip(), "markdown": render(rule)},
        "defaultConfiguration": {"level": _LEVELS[rule.tier]},
        "properties": {"tags": ["isopod", rule.why], "problem.severity": _LEVELS[rule.tier]},
    }


def _result(finding: Finding, audit: Audit, index: dict[str, int], places: InRepository) -> dict[str, Any]:
    where = finding.where
    region = {"startLine": where.line, "startColumn": where.column}
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(places.path(where.file)), "uriBaseId": "%SRCROOT%"}}
    if where.line is not None:
        physical["region"] = {key: value for key, value in region.items() if value is not None}
    return {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": _text(told(finding))},
        "locations": [
            {"physicalLocation": physical, "logicalLocations": [{"fullyQualifiedName": escape(finding.subject)}]}
        ],
        "partialFingerprints": {FINGERPRINT: audit.fingerprints.of(finding)},
        "properties": {
            "subject": escape(finding.subject),
            "related": [escape(one) for one in finding.related],
            "heuristic": finding.heuristic,
        },
    }


def _suppression(one: LetThrough, audit: Audit) -> dict[str, Any]:
    if one.entry is not None:
        why = f"audit.ignore until {one.entry.until}: {one.entry.because}"
    else:
        why = f"the baseline {audit.sifted.known.name if audit.sifted.known else ''}"
    return {"kind": "external", "status": "accepted", "justification": escape(why)}


def _note(entry: NotChecked, message: str, index: dict[str, int]) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": escape(entry.rule)}
    if entry.rule in index:
        rule["index"] = index[entry.rule]
    return {"level": "note", "message": {"text": _text(escape(message))}, "associatedRule": rule}


def _uri(path: str) -> str:
    """A path as a relative reference: bytes that no URI holds are percent-encoded, those of the path itself."""
    return quote(path.encode("utf-8", "surrogateescape"), safe="/")


def _text(text: str) -> str:
    """A plain text message: what SARIF would read as a link or as the place of an argument stays text."""
    return _PLACEHOLDER.sub(r"{{\1}}", text).replace("](", "] (")
