"""How a message shows text that is not ours: on one line, short, without characters that act on a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from shlex import quote

_SHOWN = 72
_SENTENCE = 1000
_SPACE = re.compile(r"\s+")
# Cf holds the bidirectional controls; the joiner is needed inside emoji and some scripts.
_ACTS = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_KEPT = "\u200d"


def escaped(text: str) -> str:
    """The text with whitespace runs as one space and every character that acts, not shows, as a visible escape."""
    return "".join(_visible(char) for char in _SPACE.sub(" ", text).strip())


def shown(text: str, limit: int = _SHOWN) -> str:
    """The text in quotation marks, escaped, cut after `limit` code points."""
    clean = escaped(text[: limit * 4])
    return f'"{clean}"' if len(clean) <= limit and len(text) <= limit * 4 else f'"{clean[: limit - 1].rstrip()}…"'


def sentence(message: str) -> str:
    """A whole message, escaped, of a bounded length: the ids and names in it may come from anywhere."""
    clean = escaped(message[: _SENTENCE * 2])
    return clean if len(clean) <= _SENTENCE else clean[: _SENTENCE - 1] + "…"


def listed(items: Collection[str], limit: int = 5) -> str:
    """Names in a sentence: `A`, `A and B`, `A, B and 4 more`."""
    names = list(items)
    if len(names) > limit:
        return f"{', '.join(names[:limit])} and {len(names) - limit} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def counted(number: int, noun: str) -> str:
    """`1 claim`, `2 claims`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def command(*words: str) -> str:
    """A command line that can be pasted into a shell."""
    return " ".join(quote(escaped(word)) for word in words)


def one_of(items: Iterable[str]) -> str:
    """The known values of a closed set, for a message that refuses another."""
    return ", ".join(sorted(items)) or "none"


def _visible(char: str) -> str:
    if char in _KEPT or unicodedata.category(char) not in _ACTS:
        return char
    return f"\\u{ord(char):04x}" if ord(char) > 0xFF else f"\\x{ord(char):02x}"
