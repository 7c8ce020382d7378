"""What a finding is known by when lines move: its rule, its subject and the words at its place, never a line number."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from schemas.finding import Finding, FindingPlace
from store.snapshot import Snapshot

_VALUE: Final = re.compile(r"[^,\]}]*")
"""A value of a YAML list or map on one line: what else stands on the line is another value."""


class Fingerprints:
    """The fingerprints of the findings of one audit, as `sha256:` and 64 hex digits; made when the first is asked for.

    One is made of rule, severity, subject, what takes part, and the words at the place; findings that are equal in all
    of that are counted in the order in which they come. Neither the message nor a line is in it.
    """

    def __init__(self, snapshot: Snapshot, findings: Sequence[Finding]) -> None:
        self._findings = findings
        self._places = _Places(snapshot)

    def of(self, finding: Finding) -> str:
        """The fingerprint of one of these findings."""
        return self._made[id(finding)]

    def words(self, finding: Finding) -> str:
        """The words at the place of a finding, folded."""
        return self._places.words(finding.where)

    @cached_property
    def _made(self) -> dict[int, str]:
        # By identity: of two equal findings each has its own.
        seen: Counter[str] = Counter()
        made = {}
        for finding in self._findings:
            known = [finding.code, finding.severity, finding.subject, sorted(finding.related), self.words(finding)]
            identity = json.dumps(known)
            made[id(finding)] = "sha256:" + hashlib.sha256(f"{identity} {seen[identity]}".encode()).hexdigest()
            seen[identity] += 1
        return made


class _Places:
    """The words at the places of findings; each file is read once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._lines: dict[str, list[str]] = {}

    @cached_property
    def _specs(self) -> frozenset[str]:
        return frozenset(self._snapshot.spec_paths)

    def words(self, where: FindingPlace) -> str:
        """The folded text from a place to the end of its line; of a YAML file the value there, of others nothing."""
        if where.line is None:
            return ""
        from text.folding import fold  # most audits ask for no fingerprint

        lines = self._of(where.file)
        line = lines[where.line - 1] if where.line <= len(lines) else ""
        rest = line[(where.column or 1) - 1 :]
        if where.file in self._specs:
            return fold(rest).strip()
        value = _VALUE.match(rest) if where.file.endswith(".yaml") else None
        return fold(value[0]).strip() if value else ""

    def _of(self, file: str) -> list[str]:
        if file not in self._lines:
            spec = self._snapshot.spec_at(file) if file in self._specs else None
            if spec is not None:
                text = spec.text
            else:
                text = (self._snapshot.view.read(self._snapshot.instance.root / file) or b"").decode("utf-8", "replace")
            self._lines[file] = text.split("\n")
        return self._lines[file]
