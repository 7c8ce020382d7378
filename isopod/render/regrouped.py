"""What a regrouping did, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from isopod.deeds import hand_lines
from isopod.face import Face
from isopod.render.columns import wrap

if TYPE_CHECKING:
    from pipeline.deeds.regroup import Regrouped


def regrouped_lines(done: Regrouped, face: Face) -> Iterator[str]:
    """One line a card, the cards that went, and what the gates of a draft would warn of."""
    yield from hand_lines(done.hand, face)
    if done.emptied:
        words = f"left empty, and gone: {', '.join(done.emptied)}"
        yield from wrap(words, face.width, indent="    ", first="")
    for warning in done.warnings:
        words = f"{warning.subject} {warning.message} ({warning.name} {warning.code})"
        yield from wrap(words, face.width, indent="    ", first="")
