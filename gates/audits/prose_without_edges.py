"""Whoever rewrites what a card says has looked at what it waits for.

**What** When the title, the words of an acceptance line or of a subtask changed since the base, some entry of
`depends_on` changed too or was confirmed. Cards that wait for nothing, done and deleted cards, and those of other teams
are not asked; neither is a subtask that was ticked.

**Why** New words in the old place are how a plan that is no longer true survives: every edge exists, none is cyclic,
and the card waits for what the old words needed. Card and edges are valid alone; that only one of the two moved is in
the history.

**Bad** Since the base, and `depends_on` as it was:

    -title: Store links in Redis
    +title: Store links in PostgreSQL
     depends_on:
       - card: STY-2F81ZD3A      # Set up Redis

**Good** The edge went with the words, or `isopod confirm STY-7Q4M2K9X STY-2F81ZD3A --because TEXT` says that it still holds.

**Way out** Look at each card that this one waits for: confirm the edge, or take it out and draw the one that holds now.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gates.audited import Audited
from gates.found import Found
from gates.words import command, listed
from schemas.card import AcceptanceLine, Card, Subtask
from schemas.kinds import FINAL_STATES

CODE = "C243"
NAME = "prose-without-edges"
TIER = "warn"
STAGES = ("audit",)
WHY = "git"
ON = "instance"
HISTORY = "all"


def check(audited: Audited) -> Iterator[Found]:
    past = audited.past
    if past is None:
        return
    for card in audited.cards:
        copy = past.cards.get(card.id)
        if copy is None or copy is card or not card.depends_on or card.depends_on != copy.depends_on:
            continue
        if card.state in FINAL_STATES or card.kind == "external":
            continue
        changed = list(_changed_words(copy, card))
        if changed:
            others = [entry.card for entry in card.depends_on]
            yield audited.on_card(
                card,
                changed[0][1],
                f"{listed([name for name, _ in changed])} changed since {past.base.words}, and its edges did not: does it "
                f"still wait for {listed(others)}?",
                related=others,
                fix=command("isopod", "confirm", card.id, others[0]) + ' --by NAME --because "..."',
            )


def _changed_words(before: Card, now: Card) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """What reads differently now: its name, and its place in the card."""
    from text.folding import fold

    if fold(before.title) != fold(now.title):
        yield "the title", ("title",)
    yield from _changed_items("acceptance", "line", before.acceptance, now.acceptance)
    yield from _changed_items("subtasks", "subtask", before.subtasks, now.subtasks)


def _changed_items(
    key: str, noun: str, before: Sequence[AcceptanceLine | Subtask], now: Sequence[AcceptanceLine | Subtask]
) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    from text.folding import fold

    was = {item.id: fold(item.text) for item in before}
    for index, item in enumerate(now):
        if was.pop(item.id, None) != fold(item.text):
            yield f"{noun} {item.id}", (key, index)
    for name in was:
        yield f"{noun} {name} (gone)", (key,)
