"""What looks like a key of a provider, so that no message shows it: keys come from the environment, and people put them into files.

The prefixes are those that providers give their keys (OpenAI and Anthropic `sk-`, Groq `gsk_`, xAI `xai-`, Google `AIza`, Hugging
Face `hf_`).
"""

from __future__ import annotations

import re
from typing import Final

FROM_ENVIRONMENT: Final = "keys come from the environment only: export the key there, and let key_env name the variable"

_LIKE_A_KEY: Final = re.compile(r"\b(?:(?:sk|pk|rk|gsk|xai|hf)[-_]|AIza)[\w*.…-]{8,}")
_NAME: Final = (
    r"(?:[\w-]*(?:api|access|auth|secret|private)[_-]?(?:key|token)|[\w-]*(?:password|secret|credential)s?|key|token)"
)
_NAMED_SECRET: Final = re.compile(_NAME, re.IGNORECASE)
_SECRET_VALUE: Final = re.compile(rf"(?<![\w-])((?:key_env|{_NAME})[\"']?\s*:\s*)([^\s,}}#][^,}}#]*)", re.IGNORECASE)


def is_like_a_key(text: str) -> bool:
    """Whether there is something in a text that has the form of a provider's key."""
    return _LIKE_A_KEY.search(text) is not None


def names_a_secret(name: str) -> bool:
    """Whether a key of a file is called as people call what opens something: `api_key`, `token`, `password`."""
    return _NAMED_SECRET.fullmatch(name) is not None


def masked(line: str) -> str:
    """A line of a config with every secret in it starred out; as long as before, so that a caret below it stays in place."""
    line = _SECRET_VALUE.sub(lambda found: found[1] + "*" * len(found[2]), line)
    return _LIKE_A_KEY.sub(lambda found: "*" * len(found[0]), line)
