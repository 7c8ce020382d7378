"""What looks like a claim in the spec is claimed, or somebody said that it is none.

**What** Every sentence, list item or row of a compiled spec that looks like a claim (modal words, list items under
"Requirements", plain Korean endings...) is touched by a claim or marked `not-a-claim`.

**Why** Two readers can miss the same sentence, and then agree. What nobody claimed is in the spec only. It leans on
words, so it warns and never fails.

**Bad** No claim touches:

    "An expired code must not be given to another target for one year."

**Good** A claim quotes it, or a person answered that it is none.

**Way out** `isopod claim SPEC "exact words" --kind K`, or `isopod not-a-claim SPEC "exact words"`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gates.audited import Audited
from gates.claims import Claims
from gates.found import Found
from gates.words import command, shown
from schemas.finding import FindingPlace
from schemas.reading import Unclaimed

if TYPE_CHECKING:
    from text.blocks import Unit

CODE = "C232"
NAME = "unclaimed-unit"
TIER = "warn"
STAGES = ("audit",)
WHY = "filesystem"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    if not audited.specs:
        return
    # The words of four languages are compiled when this is loaded: only where there are specs.
    from text.coverage import coverage

    for key, drafted in audited.specs.items():
        claims = drafted.claims
        if audited.spec(key) is None:
            continue
        touched = [claim.span for claim in claims.placed] + audited.not_claims(key)
        for unclaimed in coverage(claims.spec, claims.structure, touched).unclaimed:
            unit = _unit(claims, unclaimed)
            line, column = claims.spec.place(unit.span[0])
            yield Found(
                key,
                f"{shown(unclaimed.text)} looks like a claim ({unclaimed.why}) and nobody claimed it: claim it, or mark "
                "it as no claim",
                FindingPlace(file=claims.file, line=line, column=column),
                fix=command("isopod", "not-a-claim", claims.spec.path, claims.spec.quoted(unit.span)),
                heuristic=claims.heuristic,
            )


def _unit(claims: Claims, unclaimed: Unclaimed) -> Unit:
    """The unit that coverage shows: of several on a line the one with that display text."""
    from text.display import display

    on_line = [
        unit for unit in claims.structure.units_in(claims.spec.lines_span(unclaimed.lines)) if unit.claim_bearing
    ]
    return next(
        unit
        for unit in on_line
        if unit.lines == unclaimed.lines and display(claims.spec, claims.structure, unit.span) == unclaimed.text
    )
