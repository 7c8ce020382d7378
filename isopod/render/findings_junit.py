"""Findings as JUnit XML, which nearly every build server shows: one suite, a test case a rule."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from isopod.escape import escape
from isopod.render.findings import by_weight, counted, summary
from isopod.render.inrepo import InRepository, told
from schemas.finding import Finding, Findings

if TYPE_CHECKING:
    from gates.run import Audit
    from store.snapshot import Snapshot

_NO_XML: Final = {0xFFFE: "\\ufffe", 0xFFFF: "\\uffff"}
"""What XML 1.0 cannot hold in any form and `escape` leaves; the controls it cannot hold are escaped already."""


def junit_text(audit: Audit, snapshot: Snapshot, *, strict: bool) -> str:
    """A rule fails when it found an error, or with `strict` anything; what it only warns of is its output.

    A rule that found nothing, and could not look at everything, is skipped. The same instance gives the same bytes: there is no time
    in it, and no duration.
    """
    places = InRepository.of(snapshot.instance.root)
    found: dict[str, list[Finding]] = defaultdict(list)
    for finding in by_weight(audit.findings.findings):
        found[finding.code].append(finding)
    missed: dict[str, list[str]] = defaultdict(list)
    for left_out in audit.not_checked:
        missed[left_out.rule].append(f"not checked: {escape(left_out.why)}")
    names = {rule.code: rule.name for rule in audit.rules} | {code: of[0].name for code, of in found.items()}
    suite = Element("testsuite", name="isopod audit", errors="0")
    for code in sorted(names):
        case = SubElement(suite, "testcase", classname="isopod.audit", name=_xml(f"{code} {names[code]}"))
        _fill(case, found[code], missed[code], places, strict)
    _put(suite, "system-out", "\n".join([*(f"{note.rule}: {note.why}" for note in audit.notes), summary(audit, snapshot)]))
    tally = {
        "tests": str(len(names)),
        "failures": str(len(suite.findall("testcase/failure"))),
        "skipped": str(len(suite.findall("testcase/skipped"))),
    }
    suite.attrib.update(tally)
    suites = Element("testsuites", {"name": "isopod audit", "errors": "0"} | tally)
    suites.append(suite)
    indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suites, encoding="unicode")


def _fill(case: Element, found: Sequence[Finding], missed: Sequence[str], places: InRepository, strict: bool) -> None:
    """What a rule found and did not see."""
    failing = [finding for finding in found if strict or finding.severity == "error"]
    if found:
        case.set("file", _xml(escape(places.path(found[0].where.file))))
    if failing:
        # One failure a test case: most servers show only the first of several.
        failure = SubElement(case, "failure", message=_count(failing), type=failing[0].severity)
        failure.text = _xml(_listed(failing, places))
    elif not found and missed:
        SubElement(case, "skipped", message=_xml("; ".join(missed)))
    rest = [finding for finding in found if finding not in failing]
    said = [*([_listed(rest, places)] if rest else []), *(missed if found else ())]
    if said:
        _put(case, "system-out", "\n".join(said))


def _count(found: Sequence[Finding]) -> str:
    tiers = [finding.severity for finding in found]
    return counted(Findings(findings=(), counts={tier: tiers.count(tier) for tier in tiers}))


def _listed(found: Sequence[Finding], places: InRepository) -> str:
    return "\n".join(f"{places.place(finding)}: {told(finding)}" for finding in found)


def _put(parent: Element, tag: str, text: str) -> None:
    SubElement(parent, tag).text = _xml("\n".join(map(escape, text.split("\n"))))


def _xml(text: str) -> str:
    return text.translate(_NO_XML)
