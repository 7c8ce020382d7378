"""Findings as text: by rule, each with its place, the line, what is wrong and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from isopod.escape import escape
from isopod.face import Face
from isopod.failure import caret_lines
from isopod.render.columns import wrap
from isopod.words import number_of
from schemas.errors import Place
from schemas.finding import Finding, Findings
from store.snapshot import Snapshot

if TYPE_CHECKING:
    from gates.run import Audit

_LINES_SHOWN_UP_TO: Final = 30
"""With more findings than this the lines of the files are left out, so that the list stays a list."""


def audit_lines(audit: Audit, snapshot: Snapshot, face: Face) -> Iterator[str]:
    """All findings, what could not be checked, what was let through, and the counts."""
    findings = audit.findings
    if findings.findings:
        yield from finding_lines(findings.findings, snapshot.instance.root, face)
        yield ""
    yield from not_checked_lines(audit, face)
    for note in audit.notes:
        yield from wrap(f"{note.rule}: {note.why}", face.width, indent="  ", first="")
    yield summary(audit, snapshot)


def not_checked_lines(audit: Audit, face: Face) -> Iterator[str]:
    """What rules did not see, the rules of one reason together."""
    rules_by_why: dict[str, list[str]] = {}
    for left_out in audit.not_checked:
        rules_by_why.setdefault(left_out.why, []).append(left_out.rule)
    for why, rules in rules_by_why.items():
        yield from wrap(f"not checked: {', '.join(rules)} ({why})", face.width, indent="  ", first="")


def summary(audit: Audit, snapshot: Snapshot) -> str:
    """`2 errors, 1 warning, 3 let through. Checked 12 cards and 38 claims of 1 spec.`"""
    through = len(audit.sifted.let_through)
    told = f", {through} let through" if through else ""
    return f"{counted(audit.findings)}{told}. {_checked(snapshot)}"


def finding_lines(findings: tuple[Finding, ...], root: Path, face: Face) -> Iterator[str]:
    """Findings under a heading for each rule, errors first."""
    sizes = Counter(finding.code for finding in findings)
    code = ""
    for finding in by_weight(findings):
        if finding.code != code:
            if code:
                yield ""
            code = finding.code
            head = f"{finding.code} {finding.name}"
            painted = face.paint(head, "red") if finding.severity == "error" else face.paint(head, "yellow")
            yield f"{painted}  {finding.severity}, {sizes[code]} found"
        yield from _one(finding, root, face, with_line=len(findings) <= _LINES_SHOWN_UP_TO)


def by_weight(findings: Iterable[Finding]) -> list[Finding]:
    """Errors first, and of them files that cannot be read: other findings often follow from those."""
    return sorted(findings, key=_order)


def _order(finding: Finding) -> tuple[bool, bool, str]:
    return finding.severity != "error", not finding.code.startswith("F"), finding.code


def counted(findings: Findings) -> str:
    """`2 errors, 1 warning`."""
    return (
        f"{number_of(findings.counts.get('error', 0), 'error')}, {number_of(findings.counts.get('warn', 0), 'warning')}"
    )


def _one(finding: Finding, root: Path, face: Face, *, with_line: bool) -> Iterator[str]:
    where = finding.where
    place = Place(where.file, where.line, where.column)
    guess = " [heuristic readers]" if finding.heuristic else ""
    yield f"{face.paint(escape(str(place)), 'bold')}: {escape(finding.message)} ({finding.name} {finding.code}){guess}"
    if with_line:
        yield from caret_lines(place, root)
    if finding.fix:
        yield f"try: {escape(finding.fix)}"


def _checked(snapshot: Snapshot) -> str:
    stores = snapshot.anchor_stores.values()
    claims = number_of(sum(len(store.anchors) for store in stores), "claim")
    return f"Checked {number_of(len(snapshot.cards), 'card')} and {claims} of {number_of(len(stores), 'spec')}."
