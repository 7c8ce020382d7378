"""D11 and D12: titles and lines. Whole words of the spec, cut only at marks; nothing here decides anything."""

from __future__ import annotations

import re
from typing import Final

from pipeline.draft.sheet import DraftClaim, Sheet
from text.coordinates import SpanT
from text.cores import core
from text.display import display
from text.intervals import holds

TITLE_CAP: Final = 100
SHORT: Final = 20
SHORT_CJK: Final = 12
_END = " .,;:!?。．，、；：！？…"
_CLAUSE = re.compile(r"[,;:—–](?=\s)|[、，；：。]")
_CJK = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af]")
_MARKS = re.compile(r"`+|\*+|~~")
_BARS = re.compile(r"\\?\|+")


def claim_text(sheet: Sheet, claim: DraftClaim) -> str:
    """A claim's own words as a title uses them: no marks, no end punctuation. A row gives its cells up to the claim's."""
    block = sheet.own_block(claim)
    if block is not None and block.kind == "row":
        end = core(sheet.spec.text, claim.span)[1]
        cells = [cell for cell in block.cells if cell[0] < end and cell[0] < cell[1]]
        return " – ".join(plain(display(sheet.spec, sheet.structure, cell)) for cell in cells)
    return plain(display(sheet.spec, sheet.structure, claim.span))


def plain(text: str) -> str:
    """Without marks and end punctuation, whitespace runs as one space, bars as `/` (a heading comes as it was written)."""
    return " ".join(_BARS.sub("/", _MARKS.sub("", text)).split()).rstrip(_END)


def headed(heading: str, text: str) -> str:
    """`heading: text`, the text cut so that the whole keeps to the cap."""
    if not heading:
        return capped(text)
    room = max(TITLE_CAP - len(heading) - 2, SHORT)
    return f"{heading}: {capped(text, room)}"


def capped(text: str, cap: int = TITLE_CAP) -> str:
    """At most `cap` code points: cut at the last clause mark after 20 (CJK 12) points, else at a space and `…`."""
    if len(text) <= cap:
        return text
    least = SHORT_CJK if is_cjk(text) else SHORT
    marks = [match.start() for match in _CLAUSE.finditer(text, 0, cap) if match.start() >= least]
    if marks:
        return _whole(text[: marks[-1]]).rstrip(_END)
    place = text.rfind(" ", least, cap - 1)
    return _whole(text[: place if place > 0 else cap - 1]).rstrip(_END) + "…"


def _whole(text: str) -> str:
    """Never half of a joined emoji or a letter without its mark: a cut before a joiner or a combining mark goes back."""
    return text.rstrip("\u200d\ufe0f")


def is_cjk(text: str) -> bool:
    return _CJK.search(text) is not None


def is_short(text: str) -> bool:
    """Too short to stand alone as a title ("TBC")."""
    return len(text) < (SHORT_CJK if is_cjk(text) else SHORT)


def line_text(sheet: Sheet, span: SpanT, own: list[DraftClaim], *, shared: bool) -> str:
    """One acceptance line: the unit; when it also holds claims of another card only the card's own quotes, joined by ` … `."""
    if not shared:
        return display(sheet.spec, sheet.structure, span)
    outermost = [
        claim for claim in own if not any(other is not claim and holds(other.span, claim.span) for other in own)
    ]
    return " … ".join(display(sheet.spec, sheet.structure, claim.span) for claim in outermost or own[:1])
