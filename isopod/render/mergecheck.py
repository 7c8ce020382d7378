"""What collides in a merge, as text."""

from __future__ import annotations

from collections.abc import Iterator

from isopod.escape import escape
from isopod.face import Face
from isopod.render.columns import wrap
from isopod.words import number_of, one_line
from schemas.mergecheck import MergeCheckOutput, MergedCard, MergedClaim, MergedValue

_CLIP = 160


def merge_lines(found: MergeCheckOutput, face: Face) -> Iterator[str]:
    """Cards, claims, what only both together show, the ledger, and the count."""
    yield from wrap(f"A is {found.a}, B is {found.b}, both since {found.base}.", face.width)
    for card in found.cards:
        yield ""
        yield from _card(card, face)
    for claim in found.claims:
        yield ""
        yield from _claim(claim, face)
    if found.edges:
        yield ""
        yield face.paint("Only together", "bold")
        for edge in found.edges:
            yield from wrap(edge.message, face.width, indent="    ", first="  ")
    yield from _ledger(found, face)
    for path in found.unreadable:
        yield f"not compared: {escape(path)} cannot be read on one of the sides"
    yield ""
    yield from wrap(_conclusion(found), face.width)


def _conclusion(found: MergeCheckOutput) -> str:
    if found.collisions:
        return f"{number_of(found.collisions, 'collision')}. Settle each on one side, or while you merge."
    if not found.cards and not found.claims:
        return "No card and no claim was changed on both sides. Nothing collides."
    return "Nothing collides. Where git asks about lines that lie side by side, keep the lines of both."


def _card(card: MergedCard, face: Face) -> Iterator[str]:
    yield from wrap(f"{card.card}  {one_line(card.title)}", face.width, indent="  ")
    yield from _verdict(card.collides, face)
    for reason in card.reasons:
        yield from wrap(reason, face.width, indent="      ", first="    ")
    for field in card.fields:
        yield from _field(field, face)


def _verdict(collides: bool, face: Face) -> Iterator[str]:
    yield f"  {face.paint('collides', 'red') if collides else 'both changed it, apart'}"


def _field(field: MergedValue, face: Face) -> Iterator[str]:
    if field.same:
        yield from wrap(f"{field.path}: both say the same", face.width, indent="      ", first="    ")
        return
    yield f"    {escape(field.path)}"
    for name, value in (("base", field.base), ("A", field.a), ("B", field.b)):
        said = "(not there)" if value is None else one_line(value, _CLIP)
        yield from wrap(said, face.width, indent=" " * 12, first=f"      {name:<6}")


def _claim(claim: MergedClaim, face: Face) -> Iterator[str]:
    yield from wrap(f"{claim.anchor}  (claim of {claim.spec})", face.width, indent="  ")
    yield from _verdict(claim.collides, face)
    for reason in claim.reasons:
        yield from wrap(reason, face.width, indent="      ", first="    ")
    if claim.a != claim.b:
        for name, value in (("A", claim.a), ("B", claim.b)):
            yield from wrap(
                one_line(value or "(not there)", _CLIP), face.width, indent=" " * 12, first=f"      {name:<6}"
            )


def _ledger(found: MergeCheckOutput, face: Face) -> Iterator[str]:
    ledger = found.ledger
    if not (ledger.only_a or ledger.only_b or ledger.lost):
        return
    yield ""
    yield face.paint("Ledger", "bold")
    new = f"{number_of(ledger.only_a, 'new entry', 'new entries')} on A, {ledger.only_b} on B"
    yield from wrap(
        f"{new}: the merge keeps them all, with {number_of(len(ledger.heads), 'head')}.", face.width, first="  "
    )
    for name in ledger.lost:
        yield from wrap(f"the entry {name[:12]} of the base is gone on a side: bring it back", face.width, first="  ")
