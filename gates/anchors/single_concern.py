"""A claim is one concern: inside one block, and one sentence of obligation.

**What** The quote stays inside one block (list item, table row, paragraph). It covers more than one whole sentence
only when the extra sentences hold no obligation of their own in either reading: "Retries count too." belongs to the
sentence before it.

**Why** A claim of two obligations becomes one acceptance line that is half true. That cannot be seen in the entry:
where blocks and sentences end is in the spec, and what the readers saw in each is in the readings.

**Bad** One claim for both, while a reading has a claim for the second sentence alone:

    quote: "Codes are six characters. No two live links share a code."

**Good**

    quote: "Codes are six characters."
    quote: "No two live links share a code."

**Way out** `isopod settle SPEC`: cut the claim (`--cut`), or keep it with a reason.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from gates.claims import Claim, Claims
from gates.found import Found
from gates.words import command, shown
from schemas.kinds import OBLIGATIONS
from text.blocks import Unit
from text.coordinates import SpanT
from text.cores import core
from text.intervals import holds

CODE = "A110"
NAME = "single-concern"
TIER = "error"
STAGES = ("join",)
WHY = "text"
ON = "claims"


def check(claims: Claims) -> Iterator[Found]:
    fix = command("isopod", "settle", claims.spec.path)
    own = _obligations(claims)
    for claim in claims.placed:
        blocks = claims.structure.blocks_in(claim.core)
        if len(blocks) > 1:
            lines = f"lines {claims.spec.lines_of(claim.core)[0]} to {claims.spec.lines_of(claim.core)[1]}"
            yield claims.report(
                claim,
                f"{shown(claim.exact)} goes over {len(blocks)} list items, rows or paragraphs ({lines}): cut "
                "it at their ends",
                fix=fix,
            )
            continue
        extra = [unit for unit in _whole_sentences(claims, claim)[1:] if _has_its_own(unit, claim, own)]
        if extra:
            second = shown(claims.spec.quoted(extra[0].span))
            yield claims.report(
                claim,
                f"{shown(claim.exact)} is more than one sentence, and a reading sees an obligation of its own in "
                f"{second}: cut it into one claim each",
                fix=fix,
            )


def _whole_sentences(claims: Claims, claim: Claim) -> list[Unit]:
    """The sentences that lie inside the claim, punctuation at its ends aside."""
    text = claims.spec.text
    return [unit for unit in claims.structure.units_in(claim.core) if holds(claim.core, core(text, unit.span))]


def _has_its_own(unit: Unit, claim: Claim, own: Sequence[SpanT]) -> bool:
    """Whether a reading claims something inside this sentence, other than the whole claim."""
    start = bisect_left(own, (unit.span[0], 0))
    while start < len(own) and own[start][0] < unit.span[1]:
        if own[start][1] <= unit.span[1] and own[start] != claim.core:
            return True
        start += 1
    return False


def _obligations(claims: Claims) -> list[SpanT]:
    """The cores of every obligation of either reading, in text order; of the claims themselves when there are no
    readings."""
    if claims.readings is None:
        return sorted({claim.core for claim in claims.placed if claim.is_obligation})
    return sorted({read.core for reading in claims.readings for read in reading if read.kind in OBLIGATIONS})
