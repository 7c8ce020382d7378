"""What slips with a card, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator

from isopod.face import Face
from isopod.render.columns import table, wrap
from schemas.outputs import CardItem, ImpactItem


def impact_lines(card: CardItem, slips: tuple[ImpactItem, ...], face: Face) -> Iterator[str]:
    """The card, then what waits for it: what is due too early first, then what is due, then the rest."""
    yield from wrap(f"{card.id}  {card.title}", face.width, indent="  ", first="")
    if card.standing in _OVER:
        yield f"  It is {card.standing} and holds nothing up{'; these depend on it' if slips else ''}."
    if not slips:
        yield "  No card that is not over depends on it."
    late = [slip for slip in slips if slip.before]
    due = [slip for slip in slips if slip.due and not slip.before]
    rest = [slip for slip in slips if not slip.due]
    for title, group in (("Due before what they wait for", late), ("Due", due), ("Without a due date", rest)):
        if group:
            yield ""
            yield face.paint(f"{title} ({len(group)})", "bold")
            yield from table([(f"  {one.card}", _due(one), _how(one, card.id), one.title) for one in group], face.width)


_OVER = frozenset({"done", "deleted", "answered", "opened", "in force"})


def _due(slip: ImpactItem) -> str:
    return f"{slip.due} < {slip.before}" if slip.before else slip.due or ""


def _how(slip: ImpactItem, card_id: str) -> str:
    if slip.alone:
        return "waits for nothing else"
    return "" if slip.through == card_id else f"over {slip.through}"
