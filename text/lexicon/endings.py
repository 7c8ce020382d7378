"""Korean sentence endings by a morphological analyser, when one is installed (the extra `ko`: kiwipiepy)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any, Literal

Ending = Literal["statement", "past", "address", "none"]
"""How a sentence ends: it states; it tells what was; it asks, proposes or exclaims; or it has no final ending."""

_AFTER_ENDING = ("SF", "SP", "SS", "SE", "SO", "SW", "W_")
_PAST = frozenset({"었", "았", "였"})
# Final endings that speak to somebody: questions, proposals, exclamations.
_ADDRESS = (
    "까",
    "냐",
    "니",
    "느냐",
    "자",
    "시다",
    "네",
    "네요",
    "군",
    "군요",
    "구나",
    "죠",
    "나요",
    "을래",
    "ᆯ래",
    "세요",
)
_LONGEST = 1_000  # a longer "sentence" is no sentence, and the analyser's time grows with it


def available() -> bool:
    """Whether the analyser is installed; asking loads nothing."""
    return find_spec("kiwipiepy") is not None


def endings(sentences: Sequence[str]) -> list[Ending]:
    """The ending of each sentence, in order. The first call loads the analyser: seconds, and half a gigabyte."""
    if not sentences:
        return []
    return [_ending(tokens) for tokens in _analyser().tokenize([sentence[-_LONGEST:] for sentence in sentences])]


def _ending(tokens: Sequence[Any]) -> Ending:
    last = len(tokens) - 1
    while last >= 0 and str(tokens[last].tag).startswith(_AFTER_ENDING):
        last -= 1
    if last < 0 or tokens[last].tag != "EF":
        return "none"
    if str(tokens[last].form).endswith(_ADDRESS):
        return "address"
    if last > 0 and tokens[last - 1].tag == "EP" and tokens[last - 1].form in _PAST:
        return "past"
    return "statement"


@cache
def _analyser() -> Any:
    from kiwipiepy import Kiwi

    return Kiwi(num_workers=1)
