"""What a rule finds. The runner adds the rule's code and name, so that no rule can report under another's."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.finding import FindingPlace
from schemas.kinds import Severity


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that does not hold.

    `subject` is a claim, card or file; `related` are the ids that take part in it; `fix` is a command that can be
    pasted, or which line of the spec to edit where only that helps; `severity` is the rule's tier unless it is given.
    """

    subject: str
    message: str
    where: FindingPlace
    related: tuple[str, ...] = ()
    fix: str | None = None
    severity: Severity | None = None
    heuristic: bool = False
