"""The closed set of words that turn a sentence round, four languages (rule A111)."""

from __future__ import annotations

import re

# English: the word alone, also contracted. Korean, Japanese, Chinese: the particle or ending wherever it stands.
_WORDS = r"\b(?:not|never|no|neither|nor|cannot|without|unless|except)\b|n['\u2019]t\b"
_KOREAN = r"(?<![가-힣])(?:안|못)(?![가-힣])|않|아니|없|말아야|마라|금지|불가"
_JAPANESE = r"ない|なく|なければ|ません|ずに|べからず|禁止|不可"
_CHINESE = r"不得|不要|不能|不会|不應|不应|不可|禁止|勿|未|没有|沒有"
NEGATION = re.compile("|".join((_WORDS, _KOREAN, _JAPANESE, _CHINESE)), re.IGNORECASE)
"""A negation, searched in raw text."""
