"""The words that a spec has defined so far: told to a model that is shown only a part of the spec."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pipeline.models.chunks import Chunk
from text.coordinates import SpecText
from text.folding import fold
from text.structure import Structure

_BOLD_LEAD: Final = re.compile(
    r"(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__)\s{0,3}[:：—–-]|(?:\*\*|__)[^*_\n]{1,80}[:：](?:\*\*|__)"
)
_LONGEST: Final = 240
_MOST: Final = 3_000
"""Code points of all entries together."""


def glossary(spec: SpecText, structure: Structure, chunk: Chunk, adopted: Iterable[str]) -> tuple[str, ...]:
    """The adopted terms, and the sentences outside the chunk that open with a word in bold and a colon or dash, in text order.

    Only the text decides, never what a model said before: the same chunk of the same spec is always told the same.
    """
    entries: dict[str, None] = {fold(term): None for term in adopted}
    for unit in structure.units:
        if any(passage.holds(unit.span) for passage in chunk) or not unit.claim_bearing:
            continue
        if _BOLD_LEAD.match(spec.text, *unit.span):
            entries[fold(spec.quoted(unit.span))[:_LONGEST]] = None
    told: list[str] = []
    for entry in entries:
        if sum(map(len, told)) + len(entry) > _MOST:
            break
        told.append(entry)
    return tuple(told)
