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

from gates.audited import Audited
from gates.found import Found
from gates.words import command, shown
from schemas.finding import FindingPlace

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
        for unit in coverage(claims.spec, claims.structure, touched).unclaimed:
            yield Found(
                key,
                f"{shown(unit.text)} looks like a claim ({unit.why}) and nobody claimed it: claim it, or mark "
                "it as no claim",
                FindingPlace(file=claims.file, line=unit.lines[0], column=1),
                fix=command("isopod", "not-a-claim", claims.spec.path, unit.text),
                heuristic=claims.heuristic,
            )
