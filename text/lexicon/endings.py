"""Korean sentence endings by a morphological analyser, when one is installed (the extra `ko`: kiwipiepy)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any, Literal

Ending = Literal["action", "state", "past", "other"]
"""What a sentence's last predicate says: something is done or can be, something is so, something was, or none of these."""

_TRAILING = ("SF", "SP", "SS", "SSO", "SSC", "SE", "SO", "SW", "JX", "W_")
_LONGEST = 1_000  # a longer "sentence" is no sentence; the analyser's time grows with it


def available() -> bool:
    """Whether the analyser is installed; asking loads nothing."""
    return find_spec("kiwipiepy") is not None


def endings(sentences: Sequence[str]) -> list[Ending]:
    """The ending of each sentence. The first call loads the analyser: some seconds and half a gigabyte."""
    if not sentences:
        return []
    analysed = _analyser().tokenize([sentence[-_LONGEST:] for sentence in sentences])
    return [_ending(tokens) for tokens in analysed]


def _ending(tokens: Sequence[Any]) -> Ending:
    last = len(tokens) - 1
    while last >= 0 and str(tokens[last].tag).startswith(_TRAILING):
        last -= 1
    if last < 0 or tokens[last].tag != "EF":
        return "other"
    before = last - 1
    if before >= 0 and tokens[before].tag == "EP":
        if tokens[before].form in ("었", "았", "였"):
            return "past"
        before -= 1
    if before < 0:
        return "other"
    tag = str(tokens[before].tag)
    if tag.startswith(("VV", "XSV", "VX")):
        return "action"
    # 수 있다, 수 없다: what can and cannot be done.
    if tag.startswith("VA") and before > 0 and str(tokens[before - 1].tag) in ("NNB", "JKS", "JX"):
        return "action"
    return "state"


@cache
def _analyser() -> Any:
    from kiwipiepy import Kiwi

    return Kiwi(num_workers=1)
