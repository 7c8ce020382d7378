"""What follows a quote in its sentence does not turn it round.

**What** The words right after the quote, in the same sentence and before the next comma, hold no negation; nor does
the word right before it.

**Why** "The client MUST" at the end of a line and "NOT retry" on the next: a quote that ends at the line says the
opposite of the sentence. The quote itself is exact, so that grounding accepts it; only the text around it shows the
cut. It leans on words, so it warns and never fails.

**Bad**

    spec:  The client MUST NOT retry.
    quote: "The client MUST"

**Good**

    quote: "The client MUST NOT retry."

**Way out** Claim the whole statement: `isopod claim SPEC "exact words" --kind K`. What was cut is a part of it from then on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gates.claims import Claim, Claims
from gates.found import Found
from gates.words import command, shown
from schemas.kinds import kind_class
from text.intervals import holds, hull
from text.negations import NEGATION

CODE = "A111"
NAME = "negation-cut"
TIER = "warn"
STAGES = ("join",)
WHY = "text"
ON = "claims"

# A negation further off than this, or behind a clause mark, belongs to another statement.
_TOKENS = 3
_CLAUSE = re.compile(r"[,;:.!?()\u2014、，；：。！？]|\s-\s")
_TOKEN = re.compile(r"\S+")


def check(claims: Claims) -> Iterator[Found]:
    for claim in claims.placed:
        if claim.discarded:
            continue
        turned = _after(claims, claim) or _before(claims, claim)
        if turned and not _is_whole_elsewhere(claims, claim):
            whole = claims.spec.quoted(hull([unit.span for unit in claims.structure.units_in(claim.core)]))
            yield claims.report(
                claim,
                f"{shown(claim.exact)} is cut next to {shown(turned)}, which may turn it round: quote the "
                "whole statement",
                fix=command("isopod", "claim", claims.spec.path, whole, "--kind", claim.kind, "--by", "NAME"),
            )


def _is_whole_elsewhere(claims: Claims, claim: Claim) -> bool:
    """Whether another claim of its class holds this one, which is then a part of it; that one is judged by itself."""
    return any(
        holds(other.core, claim.core) and other.core != claim.core and kind_class(other.kind) == kind_class(claim.kind)
        for other in claims.neighbours(claim)
        if not other.discarded
    )


def _after(claims: Claims, claim: Claim) -> str | None:
    """The words after the claim up to a negation among the next few, None without one."""
    unit = claims.structure.unit_at(claim.core[1] - 1)
    # Terms are words, cut out of their sentence on purpose.
    if unit is None or claim.kind == "term":
        return None
    rest = claims.spec.text[claim.core[1] : unit.span[1]]
    mark = _CLAUSE.search(rest)
    tokens = _TOKEN.finditer(rest, 0, mark.start() if mark else len(rest))
    ends = [token.end() for _, token in zip(range(_TOKENS), tokens, strict=False)]
    near = rest[: ends[-1]] if ends else ""
    return near.strip() if NEGATION.search(near) else None


def _before(claims: Claims, claim: Claim) -> str | None:
    """The word right before the claim when it is a negation."""
    unit = claims.structure.unit_at(claim.core[0])
    if unit is None or claim.kind == "term":
        return None
    words = claims.spec.text[unit.span[0] : claim.core[0]].rstrip("*_`~ \t\r\n").split()
    return words[-1] if words and NEGATION.search(words[-1]) else None
