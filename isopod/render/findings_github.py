"""Findings as workflow commands of GitHub Actions, which shows them as annotations beside the lines of a change.

Each line begins with `::`, so that nothing in a finding can be taken for a command of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from isopod.escape import escape
from isopod.render.findings import by_weight, summary
from isopod.render.inrepo import InRepository, told
from schemas.kinds import Severity

if TYPE_CHECKING:
    from gates.run import Audit
    from store.snapshot import Snapshot

_COMMANDS: Final[dict[Severity, str]] = {"error": "error", "warn": "warning"}


def github_lines(audit: Audit, snapshot: Snapshot) -> Iterator[str]:
    """An annotation a finding, errors first; a notice for what was not checked and what was let through; the counts."""
    places = InRepository.of(snapshot.instance.root)
    for finding in by_weight(audit.findings.findings):
        where = finding.where
        yield _command(
            _COMMANDS[finding.severity],
            told(finding),
            file=places.path(where.file),
            line=where.line,
            col=where.column,
            title=f"{finding.code} {finding.name}",
        )
    for left_out in audit.not_checked:
        yield _command("notice", escape(left_out.why), title=f"not checked: {left_out.rule}")
    for note in audit.notes:
        yield _command("notice", escape(note.why), title=note.rule)
    yield _command("notice", summary(audit, snapshot), title="isopod audit")


def _command(name: str, message: str, **properties: str | int | None) -> str:
    """A workflow command; GitHub reads `%`, line ends and in properties `:` and `,` in their escaped form only."""
    given = ",".join(
        f"{key}={_data(escape(str(value))).replace(':', '%3A').replace(',', '%2C')}"
        for key, value in properties.items()
        if value is not None
    )
    return f"::{name} {given}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
