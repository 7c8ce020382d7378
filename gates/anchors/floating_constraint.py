"""A constraint bounds something that is there to see.

**What** A constraint refines another claim, or stands in one block (list item, row, paragraph) with the obligation
that it bounds.

**Why** "Within 50 ms" with nothing that must be done within it cannot be tested. What a constraint bounds is in the
edges and in the structure of the spec, not in the entry.

**Bad** A paragraph of its own with one claim, and no edge:

    "The 99th percentile stays below 50 ms."

**Good**

    "The redirect is served within 50 ms at the 99th percentile."

**Way out** Say in the spec what is bounded, in the same paragraph or item, and look again:
`isopod compile SPEC --preview`. If the words oblige by themselves, leave them: this is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.claims import Claims
from gates.found import Found
from gates.words import shown

CODE = "A140"
NAME = "floating-constraint"
TIER = "warn"
STAGES = ("join",)
WHY = "text"
ON = "claims"


def check(claims: Claims) -> Iterator[Found]:
    for claim in claims.placed:
        if claim.kind != "constraint" or claim.discarded:
            continue
        refines = any(edge.kind == "refines" and edge.from_id == claim.id for edge in claims.edges_of.get(claim.id, ()))
        bounded = any(other.is_obligation and other is not claim for other in claims.neighbours(claim))
        if not refines and not bounded:
            yield claims.report(
                claim,
                f"{shown(claim.exact)} bounds nothing that stands beside it: say in the spec, in the same "
                "paragraph or item, what it bounds",
                fix=claims.editing(claim),
            )
