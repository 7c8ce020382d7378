"""What a card promises to those that wait for it, as the instance stands: the `seen` of an edge made or confirmed now."""

from __future__ import annotations

from collections.abc import Mapping

from schemas.anchors import Anchor
from schemas.card import Card
from schemas.promise import promise
from text.folding import fold


def promise_of(card: Card, anchor_by_id: Mapping[str, Anchor]) -> str:
    """The digest of DESIGN.md section 7. A decision promises the words of its claim; one made by a person has none."""
    if card.kind != "decision":
        return promise(card)
    claims = (anchor_by_id[name] for name in card.anchors if name in anchor_by_id)
    decided = next((claim for claim in claims if claim.kind == "decision"), None)
    return promise(card, fold(decided.exact) if decided is not None else None)
