"""Claims of a spec nest or are apart: they never cross, and no two of a class coincide.

**What** Of two claims that share text, one holds the other; two claims of one class (requirement, constraint and
interface are one class) never quote the same words. Compared without marks and punctuation at the ends.

**Why** Two claims that cross say that nobody knows where one ends; two that coincide are one claim with two ids, and
it would be built twice. Each entry is valid alone: only both places in the text show it.

**Bad** "Codes expire after 30 days and are never reused."

    - {id: ANC-1, kind: constraint, exact: "Codes expire after 30 days and"}
    - {id: ANC-2, kind: constraint, exact: "30 days and are never reused"}

**Good**

    - {id: ANC-1, kind: constraint, exact: "Codes expire after 30 days"}
    - {id: ANC-2, kind: constraint, exact: "are never reused"}

**Way out** Of two that cross, discard one (`isopod discard ANC --reason duplicate_of`); what it alone said may be claimed
again: `isopod claim SPEC "exact words" --kind K`. Of two that coincide, `isopod compile SPEC` keeps one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gates.claims import Claim, Claims
from gates.found import Found
from gates.words import command, shown
from schemas.kinds import kind_class
from text.intervals import crossing

CODE = "A102"
NAME = "crossing-anchors"
TIER = "error"
STAGES = ("adopt", "audit")
WHY = "text"
ON = "claims"


def check(claims: Claims) -> Iterator[Found]:
    placed = [claim for claim in claims.placed if claim.discarded is None]
    for i, j in crossing([claim.core for claim in placed]):
        one, other = placed[i], placed[j]
        way = ["isopod", "discard", other.id, "--reason", "duplicate_of", "--by", "NAME", "--because", "..."]
        yield _both(claims, one, other, "crosses", "discard one of them", way)
    first: dict[tuple[str, int, int], Claim] = {}
    for claim in placed:
        earlier = first.setdefault((kind_class(claim.kind), *claim.core), claim)
        if earlier is not claim:
            way = ["isopod", "compile", claims.spec.path]
            yield _both(claims, claim, earlier, "quotes the same words as", "compiling keeps one of them", way)


def _both(claims: Claims, claim: Claim, other: Claim, how: str, what_to_do: str, way: Sequence[str]) -> Found:
    line = claims.where(other).line
    return claims.report(
        claim,
        f"{shown(claim.exact)} {how} {other.id}, {shown(other.exact)} on line {line}: {what_to_do}",
        related=[other],
        fix=command(*way),
    )
