"""How often the words of a place stand in the text before it: what tells places with equal words apart."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Final

from text.coordinates import SpanT

_SCANS: Final = 40
"""Counting the words of a text costs about as much as looking through it this often."""


class Counts:
    """Answers for one text. Looks through it each time at first; once that has been dear, through its words once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._scanned = 0
        self._known: dict[SpanT, int] = {}

    def before(self, span: SpanT) -> int:
        """How often the text of `span` stands, apart from one another, in what comes before it."""
        known = self._known.get(span)
        if known is None:
            known = self._known[span] = 0 if self._stands_once(span) else self._count(span)
        return known

    def _count(self, span: SpanT) -> int:
        self._scanned += span[0]
        return self._text.count(self._text[span[0] : span[1]], 0, span[0])

    def _stands_once(self, span: SpanT) -> bool:
        """Whether a word inside, so a whole word of the text, is known to stand nowhere else."""
        if self._scanned <= _SCANS * len(self._text):
            return False
        return any(self._words[word] == 1 for word in self._text[span[0] : span[1]].split()[1:-1])

    @cached_property
    def _words(self) -> Counter[str]:
        return Counter(self._text.split())
