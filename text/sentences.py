"""Where a sentence ends: one rule for English, Korean, Japanese and Chinese (DESIGN.md section 3 "Units").

A stop inside inline code, a link's target or a comment ends nothing; `:` and `;` end nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise

from text.coordinates import SpanT
from text.marks import COMMENT, code_spans, link_targets

# Closing marks that stand directly after a stop belong to its sentence; so does a footnote mark such as `[^1]`.
_CLOSERS = "\"'”’»›)\\]}」』）】》〉］｝*_~`\u200b\u2060\ufeff"
_NOTE = r"(?:\[\^?[\w.-]{1,20}\])*+"
_WESTERN = re.compile(rf"[.!?…]++{_NOTE}[{_CLOSERS}]*+(?=\s|\Z)")
_EASTERN = re.compile(r"[。！？｡]++")
_STOPS = re.compile(r"[.!?…。！？｡]")
_EAST_CLOSERS = "」』）】》〉］｝”’)]\u200b\u2060\ufeff"
_EAST_QUOTES = "」』"
_PAIRED = ("**", "__", "~~", "`", '"', "*", "_", "'")
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘«「『（*_~`/—–]*\Z")

_ABBREVIATIONS = re.compile(
    r"e\.g|i\.e|eg|ie|etc|vs|cf|al|approx|ca|mr|mrs|ms|dr|prof|st|jr|sr|inc|ltd|corp|co|dept|est|resp|incl|excl|viz"
    r"|ibid|gov|gen|hon|sen|rep|messrs",
    re.IGNORECASE,
)
# Words in their own right: an abbreviation only before a number.
_NUMBERED = re.compile(r"nos?|figs?|secs?|eqs?|ch|chap|vol|art|pp?|para|pt|ver|v|rev|refs?|app", re.IGNORECASE)
_SPACES = re.compile(r"\s*")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\Z")
_REFERENCE = re.compile(r"\[+[^\[\]]{1,40}\]+[.!?]")
_LABEL = re.compile(r"(?:\d{1,3}(?:\.\d{1,3})*|[^\W\d_]|[ivxIVX]{1,5})\.\Z")


def sentences(text: str, spans: Iterable[SpanT], *, breaks: Iterable[int] = ()) -> list[SpanT]:
    """Cut each span of `text` into sentences, in text order.

    The sentences of a span are trimmed of whitespace, never overlap, and hold every other character of it. At each
    offset of `breaks` a sentence ends in any case.
    """
    found: list[SpanT] = []
    forced = sorted(breaks)
    for span in spans:
        cuts = [span[0], *_ends(text, span), *(at for at in forced if span[0] < at < span[1]), span[1]]
        for start, end in pairwise(sorted(set(cuts))):
            trimmed = trim(text, (start, end))
            if trimmed[0] < trimmed[1]:
                found.append(trimmed)
    return found


def trim(text: str, span: SpanT) -> SpanT:
    """The span without whitespace at both ends (empty at its start when nothing else is in it)."""
    piece = text[span[0] : span[1]]
    start = span[0] + len(piece) - len(piece.lstrip())
    return (start, span[0] + len(piece.rstrip())) if start < span[1] else (span[0], span[0])


def _ends(text: str, span: SpanT) -> list[int]:
    """The offsets behind the last character of each sentence but the last, in order."""
    start, end = span
    piece = _masked(text, span)
    if not _STOPS.search(piece):
        return []
    candidates = [(match.start(), match.end(), False) for match in _WESTERN.finditer(piece)]
    candidates += [(match.start(), match.end(), True) for match in _EASTERN.finditer(piece)]
    ends: list[int] = []
    begin = 0
    for stop, after, eastern in sorted(candidates):
        if stop < begin:
            continue
        finish = _eastern_end(piece, begin, stop, after) if eastern else _western_end(piece, begin, stop, after)
        if finish is not None and finish < len(piece):
            ends.append(start + finish)
            begin = finish
    return [at for at in ends if at < end]


def _masked(text: str, span: SpanT) -> str:
    """The span's text with the stops inside code, link targets and comments made harmless; the length stays."""
    start, end = span
    piece = text[start:end]
    hidden: list[SpanT] = []
    if "`" in piece:
        hidden += [(code.content_start, code.content_end) for code in code_spans(text, span)]
    if "](" in piece:
        hidden += [(target[0] + 1, target[1]) for target in link_targets(text, span)]
    if "<!--" in piece:
        hidden += [match.span() for match in COMMENT.finditer(text, start, end)]
    position = start
    kept: list[str] = []
    for first, last in sorted(hidden):
        if first < position:
            continue
        kept += [text[position:first], _STOPS.sub("x", text[first:last])]
        position = last
    return "".join([*kept, text[position:end]])


def _eastern_end(piece: str, begin: int, stop: int, after: int) -> int | None:
    """The end of a sentence at `。！？`, which needs no space behind it."""
    place = after
    while place < len(piece):
        character = piece[place]
        if character in _EAST_CLOSERS or _continues(character):
            place += 1
            continue
        mark = next((mark for mark in _PAIRED if piece.startswith(mark, place)), None)
        # `。**` closes what the sentence opened, else it opens the next one.
        if mark is None or piece.count(mark, begin, stop) % 2 == 0:
            break
        place += len(mark)
    last = piece[after:place].rstrip("\u200b\u2060\ufeff")[-1:]
    if last and last in _EAST_QUOTES and _is_hiragana(piece[place : place + 1]):
        return None  # 「はい。」と答える is one sentence
    spaces = _SPACES.match(piece, place)
    return place if _starts_cluster(piece, place) and _starts_cluster(piece, spaces.end() if spaces else place) else None


def _western_end(piece: str, begin: int, stop: int, after: int) -> int | None:
    """The end of a sentence at `. ! ?` before whitespace, or None when it is an abbreviation, a label or a number."""
    spaces = _SPACES.match(piece, after)
    opening = spaces.end() if spaces else after
    if opening == len(piece) or not _starts_cluster(piece, after) or _continues(piece[opening]):
        return None
    previous = piece[stop - 1 : stop] if stop > begin else " "
    if piece[stop] in ".…" and previous.isspace():
        return None  # dots that stand alone leave something out
    is_dot = piece[stop] == "." and piece[stop + 1 : stop + 2] not in (".", "!", "?", "…")
    if is_dot and _LABEL.fullmatch(piece[begin : stop + 1].strip()):
        return None
    if _is_hangul(previous):
        return after
    if not _may_start(piece, opening):
        return None
    word_match = _LAST_WORD.search(piece, max(begin, stop - 40), stop)
    word = word_match.group().strip("\u2060") if word_match else ""
    if is_dot and _is_abbreviation(word, piece[opening]):
        closes_list = word.lower() == "etc" and ")" in piece[stop:after]
        return after if closes_list else None
    return after


def _is_abbreviation(word: str, following: str) -> bool:
    is_initial = len(word) == 1 and word.isupper()
    if is_initial or _ABBREVIATIONS.fullmatch(word) or _DOTTED.fullmatch(word):
        return True
    return _NUMBERED.fullmatch(word) is not None and following.isdigit()


def _may_start(piece: str, offset: int) -> bool:
    """Whether a sentence may start here: anything but a small letter or punctuation that only continues."""
    character = piece[offset]
    if character == "[" and _REFERENCE.match(piece, offset):
        return False  # `... here. [[COOKIES]].` ends behind the reference
    if character in "*_~":
        inner = piece[offset:].lstrip("*_~")[:1]
        return not inner.islower()
    if character in "-—–":
        return piece[offset + 1 : offset + 2].isdigit()
    return not character.islower() and character not in ",;:.!?)]}»”’、，；：…=|&%"


def _continues(character: str) -> bool:
    """Whether the character belongs to the grapheme cluster before it (combining marks, joiners, selectors)."""
    return character == "\u200d" or unicodedata.category(character) in ("Mn", "Mc", "Me")


def _starts_cluster(piece: str, offset: int) -> bool:
    return offset >= len(piece) or not _continues(piece[offset])


def _is_hangul(character: str) -> bool:
    return "\uac00" <= character <= "\ud7a3" or "\u1100" <= character <= "\u11ff" or "\u3130" <= character <= "\u318f"


def _is_hiragana(character: str) -> bool:
    return "\u3041" <= character <= "\u309f"
