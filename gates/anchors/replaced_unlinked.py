"""A decision that names another decision in its sentence says whether it replaces it.

**What** When the sentence of a decision holds another decision, a `supersedes` edge joins the two.

**Why** "This replaces the earlier decision to keep them in Redis": without the edge both decisions are in force, and
cards go on leaning on the old one. That one names the other is in the text, that no edge says so is in the store.

**Bad** Two decisions and no edge:

    "We use SMS by default, which replaces the decision of March to call."

**Good**

    edges: [{kind: supersedes, from: <the new one>, to: <the old one>, cue: "replaces"}]

**Way out** Say in the spec which decision replaces which, and look again: `isopod compile SPEC --preview`. An edge that
one reading drew is in dispute: keep it there. If the sentence only compares, leave it: this is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.claims import Claim, Claims
from gates.found import Found
from gates.words import shown

CODE = "A143"
NAME = "replaced-unlinked"
TIER = "warn"
STAGES = ("join",)
WHY = "graph"
ON = "claims"


def check(claims: Claims) -> Iterator[Found]:
    by_sentence: dict[int, list[Claim]] = {}
    for claim in claims.placed:
        if claim.kind == "decision" and not claim.discarded:
            for unit in claims.structure.units_in(claim.core):
                by_sentence.setdefault(unit.index, []).append(claim)
    linked = {frozenset((edge.from_id, edge.to_id)) for edge in claims.edges if edge.kind == "supersedes"}
    reported: set[frozenset[str]] = set()
    for decisions in by_sentence.values():
        for index, first in enumerate(decisions):
            for second in decisions[index + 1 :]:
                pair = frozenset((first.id, second.id))
                if pair in linked or pair in reported:
                    continue
                reported.add(pair)
                yield claims.report(
                    first,
                    f"{shown(first.exact)} names another decision, {shown(second.exact)}, and no edge says "
                    "whether one replaces the other: say it in the spec",
                    related=[second],
                    fix=claims.editing(first),
                )
