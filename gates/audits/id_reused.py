"""An id is one card's for ever.

**What** No card bears an id that the history knows as another card: one whose file was taken away before, one that was
cut, or one that stands at the base and is not what it was. Two copies are one card when they share a claim (or its
successor), a title or a line; a card that may still be rewritten stays itself while its kind and its spec do.

**Why** Links, seals, issues and people's memories mean the old card by that id. A new card under it inherits all of
them. Nothing in the files of today tells: the old card is in the history only.

**Bad** A year ago STY-7Q4M2K9X was cut; today

    id: STY-7Q4M2K9X
    title: Owners see opens by country

is a card about something else.

**Good** The new card has an id of its own, as compiling gives it; an old card that is wanted again comes back as it was.

**Way out** Give the new card the id that `isopod compile` gives it, and bring the old one back from git.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gates.audited import Audited
from gates.found import Found
from gates.words import command, shown
from schemas.anchors import Anchor
from schemas.card import Card
from schemas.kinds import OPEN_EDIT_STATES

CODE = "C244"
NAME = "id-reused"
TIER = "error"
STAGES = ("audit",)
WHY = "git"
ON = "instance"
HISTORY = "all"


def check(audited: Audited) -> Iterator[Found]:
    past = audited.past
    if past is None:
        return
    new = [card for card in audited.cards if card.id not in past.cards]
    # A walk through the whole history: only for ids that the base does not know.
    removed = past.removed_copies(card.id for card in new) if new else {}
    for card in audited.cards:
        base = past.cards.get(card.id)
        copy = removed.get(card.id) if base is None else base
        if copy is None or copy is card:
            continue
        stayed = base is not None and base.state != "deleted"
        if not _same(copy, card, audited.anchor_by_id, stayed=stayed):
            was = f"the {copy.kind} {shown(copy.title)}"
            yield audited.on_card(
                card,
                ("id",),
                f"is another card since {past.base.words}, it was {was}: an id is one card's for ever"
                if base is not None
                else f"has the id of {was}, whose file was taken away once: an id is one card's for ever",
                fix=command("git", "log", "-p", "--", audited.file_of(card)),
            )


def _same(before: Card, now: Card, anchors: Mapping[str, Anchor], *, stayed: bool) -> bool:
    """Whether two copies under one id are one card. `stayed`: its file was there all the time, and it was not cut."""
    if before.kind != now.kind:
        return False
    if _shares(before, now, anchors):
        return True
    if not stayed:
        return False
    if before.state in OPEN_EDIT_STATES:
        # Compiling again may change every word of a card that nobody published.
        return before.spec == now.spec or None in (before.spec, now.spec)
    return not (before.anchors or before.acceptance)  # of a published card only a title may be replaced


def _shares(before: Card, now: Card, anchors: Mapping[str, Anchor]) -> bool:
    from text.folding import fold

    if set(before.anchors) & set(now.anchors):
        return True
    followed = {anchors[name].successor for name in before.anchors if name in anchors}
    if followed & set(now.anchors) or fold(before.title) == fold(now.title):
        return True
    return bool({fold(line.text) for line in before.acceptance} & {fold(line.text) for line in now.acceptance})
