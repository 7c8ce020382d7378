"""Folded text: the one form in which texts are compared for identity (DESIGN.md section 3).

NFC, whitespace runs as one space, zero-width characters dropped (U+200D kept), typographic quotes, dashes, ellipsis and spaces as
their plain forms. Never case, digits or NFKC. `Folded` keeps the way back to raw code points.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cache

from text.coordinates import SpanT

_DROPPED = "\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
_PLAIN = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    "\u2026": "...",
}
_TYPOGRAPHIC = "".join(_PLAIN)
_SPACE = r"[\s\u2800]"
# What is not copied as it is: odd whitespace (a lone plain space is), dropped and typographic characters.
_FOLDS = rf"(?P<space>(?:[^\S ]|\u2800){_SPACE}*| {_SPACE}+)|(?P<drop>[{_DROPPED}]+)|(?P<plain>[{_TYPOGRAPHIC}])"
# An underscore inside a word and an asterisk between spaces are text, not emphasis; one tilde means "about".
_MARKS = r"(?P<mark>`+|(?<!\s)\*+|\*+(?!\s)|(?<!\w)_+|_+(?!\w)|~~+)"
_FOLD = re.compile(_FOLDS)
_FOLD_MARKUP = re.compile(f"{_FOLDS}|{_MARKS}")
# ASCII has nothing to fold but space, and looking for that alone takes half the time.
_FOLD_ASCII = re.compile(r"(?P<space>[^\S ]\s*| \s+)")


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text and its map back: piece i of the text starts at `_starts[i]` and stands for `_raw[i]`; linear pieces map 1:1.

    `_composed` is the NFC stage before this one, None where the raw text was in NFC already.
    """

    text: str
    _starts: tuple[int, ...] = field(repr=False)
    _raw: tuple[SpanT, ...] = field(repr=False)
    _linear: tuple[bool, ...] = field(repr=False)
    _composed: Folded | None = field(repr=False, default=None)

    def raw_span(self, span: SpanT) -> SpanT:
        """The raw span of a non-empty folded span; a character that stands for several raw ones brings them all."""
        first = bisect_right(self._starts, span[0]) - 1
        last = bisect_right(self._starts, span[1] - 1) - 1
        start = self._raw[first][0] + (span[0] - self._starts[first] if self._linear[first] else 0)
        end = self._raw[last][0] + span[1] - self._starts[last] if self._linear[last] else self._raw[last][1]
        return self._composed.raw_span((start, end)) if self._composed else (start, end)

    def folded_window(self, span: SpanT) -> SpanT:
        """The folded positions whose raw characters all lie inside a raw span."""
        if self._composed:
            span = self._composed.folded_window(span)
        return self._position(span[0], up=True), self._position(span[1], up=False)

    def _position(self, offset: int, *, up: bool) -> int:
        piece = bisect_right(self._raw, offset, key=lambda raw: raw[0]) - 1
        if piece < 0:
            return 0
        start, end = self._raw[piece]
        piece_end = self._starts[piece + 1] if piece + 1 < len(self._starts) else len(self.text)
        if offset >= end:
            return piece_end
        if self._linear[piece]:
            return self._starts[piece] + offset - start
        return piece_end if up and offset > start else self._starts[piece]


def fold(text: str) -> str:
    """The folded text, without surrounding whitespace. Folding twice is folding once."""
    if text.isascii():
        return " ".join(text.split())
    if not _FOLD.search(text) and unicodedata.is_normalized("NFC", text):
        return text.strip()
    return folded(text).text.strip()


def folded(text: str, *, markup: bool = False) -> Folded:
    """Fold with the way back; with `markup` emphasis and code marks are dropped too (the third step of grounding)."""
    composed = None if text.isascii() else _compose(text)
    pattern = _FOLD_MARKUP if markup else _FOLD_ASCII if text.isascii() else _FOLD
    source = composed.text if composed else text
    pieces: list[str] = []
    starts: list[int] = []
    raw: list[SpanT] = []
    linear: list[bool] = []
    length = position = 0
    after_space = False  # two spaces never follow each other

    def copy(start: int, end: int) -> None:
        nonlocal length, after_space
        if after_space and source[start] == " ":
            start += 1
        if start < end:
            pieces.append(source[start:end])
            starts.append(length)
            raw.append((start, end))
            linear.append(True)
            length += end - start
            after_space = source[end - 1] == " "

    for match in pattern.finditer(source):
        start, end = match.span()
        if start > position:
            copy(position, start)
        position = end
        what = match.lastgroup
        if what == "plain" or (what == "space" and not after_space):
            piece = " " if what == "space" else _PLAIN[match.group()]
            pieces.append(piece)
            starts.append(length)
            raw.append((start, end))
            linear.append(False)
            length += len(piece)
            after_space = what == "space"
    if position < len(source):
        copy(position, len(source))
    return Folded("".join(pieces), tuple(starts), tuple(raw), tuple(linear), composed)


def occurrences(text: str, part: str, window: SpanT | None = None) -> list[SpanT]:
    """Every occurrence of `part` in the text, or inside a window of it; overlapping ones too."""
    start, end = window if window is not None else (0, len(text))
    hits = []
    place = text.find(part, start, end) if part else -1
    while place != -1:
        hits.append((place, place + len(part)))
        place = text.find(part, place + 1, end)
    return hits


_DROP = re.compile(f"[{_DROPPED}]+")


def _compose(text: str) -> Folded | None:
    """The NFC stage, None for a text that is in NFC. Dropped characters between two that compose do not part them."""
    if unicodedata.is_normalized("NFC", text) and unicodedata.is_normalized("NFC", _DROP.sub("", text)):
        return None
    joins = _joining_starters()
    starts: list[int] = []
    raws: list[SpanT] = []
    linear: list[bool] = []
    out: list[str] = []
    length = start = 0
    for index in range(1, len(text) + 1):
        if index < len(text) and (
            unicodedata.combining(text[index]) or text[index] in joins or _DROP.match(text[index])
        ):
            continue
        piece = text[start:index]
        normal = piece
        if len(piece) > 1 or not unicodedata.is_normalized("NFC", piece):
            normal = unicodedata.normalize("NFC", _DROP.sub("", piece))
        if normal == piece and linear and linear[-1]:
            raws[-1] = (raws[-1][0], index)
        elif normal:
            starts.append(length)
            raws.append((start, index))
            linear.append(normal == piece)
        out.append(normal)
        length += len(normal)
        start = index
    return Folded("".join(out), tuple(starts), tuple(raws), tuple(linear))


@cache
def _joining_starters() -> frozenset[str]:
    """Characters of combining class 0 that may compose with the one before (Hangul vowels and finals among them)."""
    found = {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    for code in range(0x110000):
        decomposition = unicodedata.decomposition(chr(code))
        if decomposition and not decomposition.startswith("<"):
            for part in decomposition.split()[1:]:
                char = chr(int(part, 16))
                if not unicodedata.combining(char):
                    found.add(char)
    return frozenset(found)
