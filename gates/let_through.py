"""Findings that do not count: those that config lets through for a time, and those of a baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from gates.fingerprints import Fingerprints
from gates.words import counted
from schemas.config import Ignore
from schemas.finding import Finding, NotChecked

if TYPE_CHECKING:
    from schemas.baseline import Baseline, KnownFinding


@dataclass(frozen=True, slots=True)
class LetThrough:
    """A finding that does not count, and what lets it through: an entry of `audit.ignore`, or None for the baseline."""

    finding: Finding
    entry: Ignore | None


@dataclass(frozen=True, slots=True)
class Known:
    """A baseline, and how its file is named."""

    baseline: Baseline
    name: str


@dataclass(frozen=True)
class Sifted:
    """Findings, told apart: those that count and those that are let through.

    `ran_out` are the entries of `audit.ignore` whose time is over, each with the number of findings that count again for it; `gone`
    are the entries of the baseline that no finding answers to any more.
    """

    kept: tuple[Finding, ...] = ()
    let_through: tuple[LetThrough, ...] = ()
    ran_out: tuple[tuple[Ignore, int], ...] = ()
    gone: tuple[KnownFinding, ...] = ()
    known: Known | None = None


def sift(
    found: Sequence[Finding],
    fingerprints: Fingerprints,
    ignored: Iterable[Ignore],
    today: date,
    known: Known | None = None,
    judged: frozenset[str] = frozenset(),
) -> Sifted:
    """Take out of what the rules found what config or a baseline lets through.

    `judged` are the codes of the rules that ran without a gap: only what those no longer report is gone from the baseline.
    """
    entries = tuple(ignored)
    is_open = [entry.until >= today.isoformat() for entry in entries]
    baseline = known.baseline.findings if known else ()
    listed = {entry.fingerprint for entry in baseline}
    late = Counter[int]()
    kept, through = [], []
    for finding in found:
        naming = [index for index, entry in enumerate(entries) if _names(entry, finding)]
        opened = next((index for index in naming if is_open[index]), None)
        if opened is not None:
            through.append(LetThrough(finding, entries[opened]))
        elif listed and fingerprints.of(finding) in listed:
            through.append(LetThrough(finding, None))
        else:
            kept.append(finding)
            late.update(naming)
    there = {fingerprints.of(finding) for finding in found} if listed else set()
    return Sifted(
        kept=tuple(kept),
        let_through=tuple(through),
        ran_out=tuple((entry, late[index]) for index, entry in enumerate(entries) if not is_open[index]),
        gone=tuple(entry for entry in baseline if entry.rule in judged and entry.fingerprint not in there),
        known=known,
    )


def notes(sifted: Sifted) -> Iterator[NotChecked]:
    """What was let through, with its number; what no longer lets anything through, and what is to be taken out."""
    by_entry = Counter[Ignore | None](one.entry for one in sifted.let_through)
    for entry, number in by_entry.items():
        if entry is not None:
            yield NotChecked(
                rule=entry.rule, why=f"{number} let through by audit.ignore until {entry.until}: {entry.because}"
            )
    name = sifted.known.name if sifted.known else ""
    by_rule = Counter(one.finding.code for one in sifted.let_through if one.entry is None)
    for rule, number in sorted(by_rule.items()):
        yield NotChecked(rule=rule, why=f"{number} let through by the baseline {name}")
    for entry, number in sifted.ran_out:
        again = f"{counted(number, 'finding')} {'counts' if number == 1 else 'count'} again" if number else "take it out"
        yield NotChecked(
            rule=entry.rule, why=f"the entry of audit.ignore ran out on {entry.until}; {again}: {entry.because}"
        )
    for known in sifted.gone:
        what = f"{known.subject} {known.words}".strip()
        yield NotChecked(
            rule=known.rule, why=f"the baseline {name} knows {what}, which is not found any more: take it out"
        )


def _names(entry: Ignore, finding: Finding) -> bool:
    return entry.rule in (finding.code, finding.name) and entry.subject in (None, finding.subject)
