"""Runs every rule of a stage and reports all that they find, in one order (DESIGN.md section 10)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, TypeAlias

from gates.audited import Audited
from gates.claims import Claims, Drafted
from gates.fingerprints import Fingerprints
from gates.let_through import Known, Sifted, notes, sift
from gates.registry import Rule, Stage, rule_named, rules
from gates.words import listed
from schemas.errors import NoHistoryError
from schemas.finding import Finding, Findings, NotChecked
from schemas.kinds import SEVERITIES
from store.records import without_gc
from store.snapshot import Snapshot

if TYPE_CHECKING:
    from store.past import Past

Subject: TypeAlias = Claims | Drafted | Snapshot


@dataclass(frozen=True)
class Audit:
    """What an audit came to.

    `findings` is the record, with everything that it says of rules in `not_checked`; here that is told apart: `not_checked` is what
    a rule did not see, `notes` are about what was let through. `rules` are those that were asked for.
    """

    findings: Findings
    sifted: Sifted
    fingerprints: Fingerprints
    rules: tuple[Rule, ...]
    not_checked: tuple[NotChecked, ...]
    notes: tuple[NotChecked, ...]


def run(
    stage: Stage,
    subject: Subject,
    *,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    today: date | None = None,
    past: Callable[[], Past] | None = None,
) -> Findings:
    """Every finding of the rules of `stage`, sorted by place, code and subject.

    `subject` is Claims for `join` and `adopt`, Drafted for `draft`, a Snapshot for `audit` (see there). `select` and
    `ignore` are codes or names of rules; without `select` every rule of the stage runs.

    Raises RefusedError for a rule that does not exist, and as `past` for a base that git does not know.
    """
    if isinstance(subject, Snapshot):
        return audit(subject, select=select, ignore=ignore, today=today, past=past).findings
    chosen = _chosen(stage, select, ignore)
    return _findings([finding for rule in chosen for finding in rule.findings(subject)], ())


def audit(
    snapshot: Snapshot,
    *,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    today: date | None = None,
    past: Callable[[], Past] | None = None,
    known: Known | None = None,
) -> Audit:
    """Judge a whole instance by every rule of the stage `audit`.

    Files that cannot be read are findings too, and never let through. What `audit.ignore` of config names is let through
    until its date, and so is what the baseline `known` holds; both are counted in `not_checked` of the findings. A rule
    about what no file holds says there that it did not run, when a file that may hold it cannot be read. `past` opens what
    is compared with, and is only called when a rule asks for it; what cannot be compared is in `not_checked` too. Dates
    and ages are measured from the clock, or from the moment (UTC) at which `today` begins.

    Raises as `run`.
    """
    now = datetime.combine(today, time(), UTC) if today is not None else datetime.now(UTC)
    asked = _chosen("audit", select, ignore)
    chosen, left_out = _judged(asked, snapshot)
    with without_gc():  # an audit makes many objects and keeps them all
        told, unknown = _audited(chosen, snapshot, past, now)
    told.sort(key=_order)
    fingerprints = Fingerprints(snapshot, (*snapshot.problems, *told))
    sifted = sift(
        told,
        fingerprints,
        snapshot.config.audit.ignore,
        now.date(),
        known,
        frozenset(rule.code for rule in chosen) - {entry.rule for entry in unknown},
    )
    not_checked, said = (*left_out, *unknown), tuple(notes(sifted))
    return Audit(
        findings=_findings((*snapshot.problems, *sifted.kept), (*not_checked, *said)),
        sifted=sifted,
        fingerprints=fingerprints,
        rules=tuple(asked),
        not_checked=not_checked,
        notes=said,
    )


def of_stage(stage: Stage) -> tuple[Rule, ...]:
    """The rules that run at a stage, by code."""
    return tuple(rule for rule in rules() if stage in rule.stages)


def _chosen(stage: Stage, select: Sequence[str] | None, ignore: Sequence[str] | None) -> list[Rule]:
    wanted = {rule_named(word).code for word in select} if select is not None else None
    unwanted = {rule_named(word).code for word in ignore or ()}
    return [rule for rule in of_stage(stage) if rule.code not in unwanted and (wanted is None or rule.code in wanted)]


def _judged(chosen: Iterable[Rule], snapshot: Snapshot) -> tuple[list[Rule], list[NotChecked]]:
    """The rules that can judge this instance, and a line for each that would take an unreadable file for a missing one."""
    cards, anchors = (
        snapshot.instance.relative(folder) for folder in (snapshot.instance.cards_dir, snapshot.instance.anchors_dir)
    )
    files = sorted({problem.where.file for problem in snapshot.file_problems})
    unread = {
        "cards": [file for file in files if file.rpartition("/")[0] == cards],
        "anchors": [file for file in files if file.rpartition("/")[0] == anchors],
    }
    judging, left_out = [], []
    for rule in chosen:
        missed = unread[rule.needs] if rule.needs is not None else []
        if missed:
            left_out.append(NotChecked(rule=rule.code, why=f"{listed(missed)} cannot be read"))
        else:
            judging.append(rule)
    return judging, left_out


def _audited(
    chosen: list[Rule], snapshot: Snapshot, open_past: Callable[[], Past] | None, now: datetime
) -> tuple[list[Finding], list[NotChecked]]:
    """What the rules find in an instance, and a line for each that lacks history for it."""
    found: list[Finding] = []
    left_out: list[NotChecked] = []
    past, missing = _looked_back(chosen, open_past)
    audited = Audited(snapshot, past, now)
    for rule in chosen:
        if missing and rule.history == "all":
            left_out.append(NotChecked(rule=rule.code, why=missing))
            continue
        if missing and rule.history == "part":
            left_out.append(NotChecked(rule=rule.code, why=f"only in part: {missing}"))
        try:
            found.extend(_audit(rule, audited))
        except NoHistoryError as error:
            left_out.append(NotChecked(rule=rule.code, why=error.message))
    if past is not None and past.version.unreadable:
        why = f"the copy of {listed(past.version.unreadable)} in the history cannot be read"
        left_out.extend(NotChecked(rule=rule.code, why=why) for rule in chosen if rule.history is not None)
    return found, left_out


def _looked_back(chosen: list[Rule], open_past: Callable[[], Past] | None) -> tuple[Past | None, str | None]:
    """What to compare with, when a rule asks for it, or why there is nothing."""
    if all(rule.history is None for rule in chosen):
        return None, None
    if open_past is None:
        return None, "the history was not looked at"
    try:
        return open_past(), None
    except NoHistoryError as error:
        return None, error.message


def _audit(rule: Rule, audited: Audited) -> Iterator[Finding]:
    """One rule over an instance: once, or once a spec."""
    if rule.on == "instance":
        yield from rule.findings(audited)
        return
    for key, drafted in audited.specs.items():
        if rule.on == "drafted":
            yield from rule.findings(drafted)
        elif audited.spec(key) is not None:  # a spec that is gone is one finding (C230), not one a claim
            yield from rule.findings(drafted.claims)


def _findings(counting: Iterable[Finding], not_checked: Iterable[NotChecked]) -> Findings:
    kept = tuple(sorted(counting, key=_order))
    counts = {tier: sum(finding.severity == tier for finding in kept) for tier in SEVERITIES}
    return Findings(findings=kept, counts=counts, not_checked=tuple(not_checked))


def _order(finding: Finding) -> tuple[str, int, int, str, str, str]:
    where = finding.where
    return where.file, where.line or 0, where.column or 0, finding.code, finding.subject, finding.message
