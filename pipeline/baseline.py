"""Writing a baseline: what an audit finds now is known from then on, or only what it still finds of an older one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gates.run import Audit
from gates.words import escaped
from schemas.baseline import Baseline, KnownFinding
from schemas.finding import Finding
from store import baseline as baseline_file
from store.snapshot import Snapshot
from store.transaction import Transaction

_SHOWN = 72


@dataclass(frozen=True, slots=True)
class WrittenBaseline:
    """A baseline, and the uncommitted write of it."""

    baseline: Baseline
    transaction: Transaction


def write_baseline(snapshot: Snapshot, audit: Audit, path: Path, *, anew: bool) -> WrittenBaseline:
    """The write of a baseline of everything that counts in `audit`.

    An audit that knew a baseline already gives only what that one still let through, so that it can only shrink. What `audit.ignore`
    lets through is not taken: it has a reason and a date of its own.

    Raises as `store.baseline.write`.
    """
    sifted = audit.sifted
    kept = [one.finding for one in sifted.let_through if one.entry is None] if sifted.known else sifted.kept
    findings = sorted(
        (_known(finding, audit) for finding in kept), key=lambda one: (one.rule, one.subject, one.words, one.fingerprint)
    )
    instance = snapshot.instance
    transaction = Transaction(instance.root, instance.state_dir, command="audit --write-baseline")
    baseline = Baseline(findings=tuple(findings))
    baseline_file.write(transaction, instance, path, baseline, anew=anew)
    return WrittenBaseline(baseline, transaction)


def _known(finding: Finding, audit: Audit) -> KnownFinding:
    words = escaped(audit.fingerprints.words(finding))
    return KnownFinding(
        rule=finding.code,
        severity=finding.severity,
        subject=escaped(finding.subject),
        words=words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…",
        fingerprint=audit.fingerprints.of(finding),
    )
