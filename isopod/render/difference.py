"""Old and new words of claims side by side, with the cards that lean on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from isopod.deeds import STATE_WORDS
from isopod.escape import escape
from isopod.face import Face
from isopod.render.columns import pad, wrap
from isopod.words import number_of
from schemas.difference import DiffCard, DiffClaim, DiffOutput

_MARKED: Final = re.compile(r"\[-.*?-\]|\{\+.*?\+\}")
_BETWEEN: Final = " | "
_STANDING: Final = {
    "edited": "its section says something else",
    "lost": "no longer in the spec",
    "ambiguous": "stands in several places now",
}
_CHANGES: Final = {"new": "new, read by nobody", "changed": "changed since it was read", "gone": "gone"}


def difference_lines(found: DiffOutput, face: Face) -> Iterator[str]:
    """Every changed claim, the sections that nobody has read, and what to do next."""
    for claim in found.diff:
        yield from _claim(claim, found.path, face)
        yield ""
    if found.sections:
        yield face.paint("Sections", "bold")
        for section in found.sections:
            place = f"{found.path}:{section.lines[0]}  " if section.lines else ""
            words = f"{place}{section.path or '(before the first heading)'}: {_CHANGES[section.change]}"
            yield from wrap(words, face.width, indent="      ", first="  ")
        yield ""
    yield from wrap(_conclusion(found), face.width)


def _conclusion(found: DiffOutput) -> str:
    if not found.diff and not found.sections:
        return "The spec says what it said when it was compiled."
    if found.sections:
        return f"Compile it, and drafted and planned cards follow: isopod compile {found.path}"
    open_ = sum(not claim.settled for claim in found.diff)
    if not open_:
        return "Every section is read, and every changed claim is answered for."
    return f"Every section is read; {number_of(open_, 'changed claim')} under cards that keep their words."


def _claim(claim: DiffClaim, path: str, face: Face) -> Iterator[str]:
    place = f"  {path}:{claim.lines[0]}" if claim.lines else ""
    yield f"{face.paint(claim.claim, 'bold')}  {claim.kind}, {_STANDING[claim.standing]}{escape(place)}"
    yield from wrap(claim.section or "(before the first heading)", face.width, indent="    ", first="  ")
    yield from _side_by_side(claim, face)
    if claim.new is not None and claim.new_claim is None:
        yield "  the nearest words there; nobody has read them yet"
    elif claim.new_claim is not None:
        yield f"  claimed as {claim.new_claim}"
    for card in claim.cards:
        yield from _card(card, face)
    if not claim.cards:
        yield "  no card leans on it"


def _side_by_side(claim: DiffClaim, face: Face) -> Iterator[str]:
    """Two columns of one width; what is gone stands in [-...-] on the left, what is new in {+...+} on the right."""
    room = (face.width - 2 - len(_BETWEEN)) // 2
    old = "".join(f"[-{one.text}-]" if one.op == "gone" else one.text for one in claim.words if one.op != "new")
    new = "".join(f"{{+{one.text}+}}" if one.op == "new" else one.text for one in claim.words if one.op != "gone")
    if claim.new is None:
        old, new = claim.old, "(nothing like it in that section)"
    yield f"  {face.paint(pad('was', room), 'dim')}{_BETWEEN}{face.paint('is', 'dim')}"
    for left, right in zip_longest(wrap(old, room), wrap(new, room), fillvalue=""):
        yield f"  {_painted(pad(left, room), face)}{_BETWEEN}{_painted(right, face)}"


def _painted(line: str, face: Face) -> str:
    return _MARKED.sub(lambda found: face.paint(found[0], "red" if found[0].startswith("[") else "green"), line)


def _card(card: DiffCard, face: Face) -> Iterator[str]:
    lines = f" {', '.join(card.lines)}" if card.lines else ""
    words = f"{card.card}{lines}  {STATE_WORDS[card.state]}  {card.title}"
    yield from wrap(words, face.width, indent="      ", first="  ")
    if card.do is not None:
        yield f"      {escape(card.do)}"
    else:
        yield "      answered for"
