"""Coverage, the answer to "both missed it" (DESIGN.md section 5): which claim-bearing units no claim touches."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from schemas.reading import Coverage, Unclaimed
from text.blocks import Unit
from text.coordinates import SpanT, SpecText
from text.display import display
from text.structure import Structure


def coverage(spec: SpecText, structure: Structure, spans: Iterable[SpanT]) -> Coverage:
    """Count the claim-bearing units and those that one of `spans` touches; list the others that look like claims.

    A span touches a unit when they share at least one character.
    """
    merged = _merged(spans)
    ends = [end for _, end in merged]
    missed = []
    units = 0
    for unit in structure.units:
        if not unit.claim_bearing:
            continue
        units += 1
        place = bisect_left(ends, unit.span[0] + 1)
        if place == len(merged) or merged[place][0] >= unit.span[1]:
            missed.append(unit)
    return Coverage(units=units, claimed=units - len(missed), unclaimed=_like_claims(spec, structure, missed))


def _like_claims(spec: SpecText, structure: Structure, units: list[Unit]) -> tuple[Unclaimed, ...]:
    """Those of the units that look like claims, with the reason."""
    if not units:
        return ()
    # Four languages' patterns take a while to compile: an audit of specs that are claimed whole does without them.
    from text.claims import Claims

    claims = Claims(spec, structure)
    reasons = ((unit, claims.why(unit)) for unit in units)
    return tuple(
        Unclaimed(lines=unit.lines, text=display(spec, structure, unit.span), why=why)
        for unit, why in reasons
        if why is not None
    )


def _merged(spans: Iterable[SpanT]) -> list[SpanT]:
    """The spans in text order, overlapping ones as one, so that both ends rise; empty ones touch nothing."""
    merged: list[SpanT] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
