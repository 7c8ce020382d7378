"""The words of four languages by which a unit looks like a claim: one file a language."""

from __future__ import annotations

import re
from typing import Final

from text.lexicon.base import Lexicon, SectionClass
from text.lexicon.en import EN
from text.lexicon.ja import JA
from text.lexicon.ko import KO
from text.lexicon.zh import ZH

LEXICONS: Final[tuple[Lexicon, ...]] = (EN, KO, JA, ZH)

_HANGUL = re.compile("[\uac00-\ud7a3]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_SAMPLE = 20_000  # code points of a spec that tell its language
_CLASSES: Final[tuple[SectionClass, ...]] = (
    "exclusions", "questions", "decisions", "terms", "scenario", "goals", "overview", "background", "requirements",
)  # fmt: skip
# Numbers, signs and check marks before the words of a heading: "3.1 ", "A. ", "IV) ", "§2 ".
_NUMBERING = re.compile(
    r"\A[^\w(]*(?:(?:\d{1,3}|[A-Z]|[IVX]{1,5})(?:\.\d{1,3}){0,6}[.):]?\s+|\d{1,3}(?:\.\d{1,3}){0,6}[.)])?[^\w(]*"
)
_BRACKETED = re.compile(r"[(\[（【]([^)\]）】]{1,60})[)\]）】]")
_LONGEST_HEADING = 160

__all__ = ["LEXICONS", "Lexicon", "SectionClass", "class_of_heading", "lexicon_of"]


def lexicon_of(text: str, document: Lexicon = EN) -> Lexicon:
    """The lexicon of a piece of text by its script: Hangul, else kana, else Han, else English.

    Han characters alone are read as `document`'s language when that is Japanese or Korean, else as Chinese.
    """
    if text.isascii():
        return EN
    if _HANGUL.search(text):
        return KO
    if _KANA.search(text):
        return JA
    if _HAN.search(text):
        return document if document in (JA, KO) else ZH
    return EN


def lexicon_of_document(text: str) -> Lexicon:
    """The language of a whole spec: the one whose script is frequent in its first pages."""
    sample = text[:_SAMPLE]
    if sample.isascii():
        return EN
    hangul, kana, han = (len(pattern.findall(sample)) for pattern in (_HANGUL, _KANA, _HAN))
    letters = max(len(sample), 1)
    if hangul >= max(kana, han) and hangul * 50 > letters:
        return KO
    if kana * 50 > letters:
        return JA
    return ZH if han * 50 > letters else EN


def class_of_heading(title: str) -> SectionClass | None:
    """What a heading says about its text; None when it says nothing.

    Its number is left out; the words in brackets and those before a colon are tried too (`목표 (Goal)`,
    `Requirement: ...`).
    """
    if len(title) > _LONGEST_HEADING:
        return None
    plain = _NUMBERING.sub("", title, count=1)
    bracketed = _BRACKETED.findall(plain)
    plain = _BRACKETED.sub(" ", plain).strip()
    before = re.split(r"[:：]", plain, maxsplit=1)[0].strip()
    tried = dict.fromkeys(part.strip() for part in (plain, before, *bracketed) if part.strip())
    for section_class in _CLASSES:
        for lexicon in LEXICONS:
            pattern = lexicon.headings[section_class]
            if any(pattern.search(part) for part in tried):
                return section_class
    return None
