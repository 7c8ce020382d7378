"""What a card says to those who read it in a tracker: the digest that `tracker.published` holds."""

from __future__ import annotations

from typing import Any, Final

from schemas.card import Card
from schemas.ids import digest

_NOT_TOLD: Final = frozenset({"schema", "state", "title_by", "heuristic", "start", "tracker"})
"""Where the card stands with us, and what the tracker itself says."""


def publication(card: Card) -> str:
    """`sha256:` of the RFC 8785 JSON of what a publish tells: of every edge only the other card, not why it is there."""
    data: dict[str, Any] = {key: value for key, value in card.to_file().items() if key not in _NOT_TOLD}
    data["depends_on"] = sorted(entry.card for entry in card.depends_on)
    return digest(data)
