"""Nothing that must be built needs what the spec leaves out.

**What** No `requires` edge points to an exclusion, and no obligation is quoted inside one.

**Why** "Not part of this release" and "needs it" cannot both hold. Each claim is right by itself; the contradiction
is in the edge or in the nesting.

**Bad**

    "Owners see QR images of their links."   requires   "QR images are not part of this release."

**Good** The claim goes, or the exclusion does.

**Way out** Change the spec. If a reader took an exclusion for an obligation, `isopod settle SPEC` cuts it; with a
reason the claim can be kept.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.claims import Claims
from gates.found import Found
from gates.words import command, shown
from text.intervals import holds, overlapping

CODE = "A144"
NAME = "exclusion-required"
TIER = "error"
STAGES = ("join",)
WHY = "graph"
ON = "claims"


def check(claims: Claims) -> Iterator[Found]:
    fix = command("isopod", "settle", claims.spec.path)
    exclusions = [claim for claim in claims.placed if claim.kind == "exclusion" and not claim.discarded]
    excluded = {claim.id for claim in exclusions}
    for edge in claims.edges:
        if edge.kind == "requires" and edge.to_id in excluded and edge.from_id in claims.by_id:
            claim, exclusion = claims.by_id[edge.from_id], claims.by_id[edge.to_id]
            yield claims.report(
                claim,
                f"{shown(claim.exact)} requires {shown(exclusion.exact)}, which the spec leaves out: one of "
                "the two must go",
                related=[exclusion],
                fix=fix,
            )
    obligations = [claim for claim in claims.placed if claim.is_obligation and not claim.discarded]
    for i, j in overlapping([claim.core for claim in obligations], [claim.core for claim in exclusions]):
        claim, exclusion = obligations[i], exclusions[j]
        if holds(exclusion.core, claim.core):
            yield claims.report(
                claim,
                f"{shown(claim.exact)} is a {claim.kind} inside {shown(exclusion.exact)}, which the spec "
                "leaves out: one of the two must go",
                related=[exclusion],
                fix=fix,
            )
