"""What the commands that change cards share: the instance at hand, the cards that were named, and what became of them in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from isopod.looking import Looking
from isopod.render.columns import wrap
from isopod.workplace import refuse_unreadable
from schemas.card import Card
from schemas.kinds import CardState
from store.permission import changed_paths

if TYPE_CHECKING:
    from isopod.face import Face
    from pipeline.deeds.hand import Hand
    from pipeline.said import Said

STATE_WORDS: Final[dict[CardState, str]] = {
    "drafted": "drafted",
    "planned": "planned",
    "published": "published",
    "in_progress": "in progress",
    "in_review": "in review",
    "done": "done",
    "deleted": "deleted",
}


def at_hand(face: Face) -> Looking:
    """The instance around, for a command that changes cards of it.

    Raises RefusedError (no-instance) outside of one, and for every file of it that cannot be read.
    """
    snapshot = face.snapshot()
    refuse_unreadable(snapshot)
    return Looking(snapshot)


def anybody(by: str | None, because: str | None = None) -> Said:
    """Who says it, for what is kept without a name; a name that is given is used where one is kept."""
    from isopod.workplace import said

    return said(by if by is not None else "a person", because)


def ids_of(looking: Looking, words: Iterable[str]) -> list[str]:
    """The ids of the cards that were named, once each. Raises RefusedError naming the nearest ids."""
    return list(dict.fromkeys(looking.card(word).id for word in words))


def spec_key(looking: Looking, given: str) -> str:
    """The key of a compiled spec that was named by its key or its file. Raises RefusedError naming those that there are."""
    from pipeline.workspace import Workspace

    stores = looking.snapshot.anchor_stores
    if given not in stores:
        name = Workspace.of(looking.snapshot).name_of(Path(given))
        given = next((key for key, store in stores.items() if store.spec.path == name), given)
    looking.refuse_unknown_spec(given)
    return given


def hand_lines(hand: Hand, face: Face) -> Iterator[str]:
    """One line a card: what became of it."""
    for before, after in hand.changes:
        yield from wrap(
            f"{after.id}  {change_words(before, after)}  {after.title}", face.width, indent="    ", first=""
        )


def change_words(before: Card | None, after: Card) -> str:
    """What became of a card: it is new, its state, or what of it changed."""
    if before is None:
        return "is new:"
    if before.state != after.state:
        moved = f"{STATE_WORDS[before.state]} -> {STATE_WORDS[after.state]}"
        fell = before.state == "planned" and after.state == "drafted"
        return f"{moved}, so that somebody looks at it again" if fell else moved
    return ", ".join(sorted(changed_paths(before, after)))


def waiting_lines(hand: Hand, looking: Looking, face: Face) -> Iterator[str]:
    """One line for each changed card that still waits for something."""
    for _, after in hand.changes:
        waiting = looking.graph.unsatisfied(after.id)
        if waiting:
            yield from wrap(f"{after.id} still waits for {', '.join(waiting)}", face.width, indent="    ", first="")
