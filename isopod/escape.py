"""Text from outside (spec, card, tracker, model, file name) made safe for a terminal and for JSON on a terminal."""

from __future__ import annotations

import re

# C0 and C1 controls, DEL, lone surrogates, line and paragraph separators, and what can reorder a line (bidi controls).
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e"}


def escape(text: str) -> str:
    """`text` on one line, every character that could move the cursor, colour or reorder shown as a visible escape."""
    return _UNSAFE.sub(_visible, text)


def escape_block(text: str) -> str:
    """Like `escape`, line by line: newlines stay, so that several lines of our own layout can be shown."""
    return "\n".join(escape(line) for line in text.split("\n"))


def escape_json(encoded: str) -> str:
    """JSON text with the same characters as `\\uXXXX`; the values that a parser reads stay what they were.

    The encoder has written controls below U+0020 as escapes already, so the newlines that are left are its own.
    """
    return _UNSAFE.sub(lambda match: match[0] if match[0] == "\n" else f"\\u{ord(match[0]):04x}", encoded)


def _visible(match: re.Match[str]) -> str:
    char = match[0]
    if char in _SHORT:
        return _SHORT[char]
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"
