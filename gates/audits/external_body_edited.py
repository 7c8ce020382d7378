"""What another team's card says is what its mirror gave.

**What** On a card of kind `external` only `tracker`, `state` and `due` change, and `consumer_contract` gets new versions.
Everything else is as it was at the base, and as it was in the commit that the card came with; a card that is new since
the base says which issue it mirrors.

**Why** The other team owns those words; a title or a line changed here says nothing to them, and is believed by those
who wait for the card. The changed card is valid: that a field was another yesterday is in the history only.

**Bad** Somebody made their card say more than their issue does:

    id: EXT-7Q4M2K9X
    kind: external
    -title: Event stream
    +title: Event stream with country and device

**Good** What we expect of them is a version of `consumer_contract` (`isopod contract pin EXT-7Q4M2K9X`).

**Way out** Put the field back as `git log -p` shows it; pin what we expect as a contract, and ask the team for the rest.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command, listed
from schemas.card import Card
from schemas.ownership import MIRROR_MODES
from store.permission import changed_paths

CODE = "C242"
NAME = "external-body-edited"
TIER = "error"
STAGES = ("audit",)
WHY = "git"
ON = "instance"
HISTORY = "all"


def check(audited: Audited) -> Iterator[Found]:
    past = audited.past
    mirrored = [card for card in audited.cards if card.kind == "external"]
    if past is None or not mirrored:
        return
    first = past.first_copies(card.id for card in mirrored)
    for card in mirrored:
        base = past.cards.get(card.id)
        changed = {path for copy in (base, first.get(card.id)) if copy is not None for path in _locked(copy, card)}
        if changed:
            paths = sorted(changed)
            yield audited.on_card(
                card,
                tuple(paths[0].split(".")),
                f"is the card of team {card.team}, and {listed(paths)} of it changed here: put that back, what we "
                "expect of them is a new version of its contract",
                fix=command("git", "log", "-p", "--", audited.file_of(card)),
            )
        elif base is None and card.tracker is None:
            yield audited.on_card(
                card,
                ("kind",),
                f"is the card of team {card.team} and mirrors no issue: a card of theirs comes from an issue that they "
                "have, and until there is one it is a request",
                fix=command("isopod", "mirror", "add", "KEY", "--for", "REQUEST", "--title", "TEXT", "--by", "NAME"),
            )


def _locked(before: Card, now: Card) -> Iterator[str]:
    """The field paths that differ and may not."""
    if before is now:
        return
    for path in changed_paths(before, now):
        if MIRROR_MODES.get(path) == "append":
            old, new = getattr(before, path), getattr(now, path)
            if new[: len(old)] != old:
                yield path
        elif path not in MIRROR_MODES:
            yield path
