"""What the tracker shows of a published card is what the card says.

**What** A card that is published and not done says what was last confirmed in its tracker: the digest of what a publish
tells (title, lines, subtasks, claims, team, due, notes, the cards that it waits for) is `tracker.published`. Where that
is not set, the card is compared with its copy at the base, if it was published there already.

**Why** A published card may still get tighter lines, subtasks and dates. Those who work from the issue see none of it
until it is published again. Card and issue lie in two places; the digest and the history know what they shared last.

**Bad** Line A2 was added after the issue was written:

    state: in_progress
    acceptance:
      - {id: A1, text: A link lives for 30 days.}
      - {id: A2, text: Its owner is told a day before., tightens: A1}
    tracker: {provider: jira, key: GROW-12, published: "sha256:9f3c..."}

**Good** `isopod publish` has confirmed it, and `published` is the digest of the card with A2.

**Way out** Publish again, or take the change back.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command, listed
from schemas.card import Card
from schemas.kinds import PUBLISHED_STATES
from schemas.publication import publication
from store.permission import changed_paths

CODE = "C241"
NAME = "to-republish"
TIER = "warn"
STAGES = ("audit",)
WHY = "git"
ON = "instance"
HISTORY = "part"


def check(audited: Audited) -> Iterator[Found]:
    before = audited.past.cards if audited.past else {}
    for card in audited.cards:
        if card.state not in PUBLISHED_STATES or card.kind == "external":
            continue
        copy = before.get(card.id)
        confirmed = card.tracker.published if card.tracker else None
        if confirmed is None and copy is not None and copy.state in PUBLISHED_STATES and copy is not card:
            confirmed = publication(copy)
        if confirmed is not None and publication(card) != confirmed:
            yield _stale(audited, card, copy if copy is not None and publication(copy) == confirmed else None)


def _stale(audited: Audited, card: Card, shown: Card | None) -> Found:
    """`shown` is the copy that the tracker shows, where it is known."""
    paths = () if shown is None else sorted(changed_paths(shown, card) - {"state", "title_by", "start", "tracker"})
    what = f" ({listed(paths)})" if paths else ""
    return audited.on_card(
        card,
        (paths[0] if paths else "state",),
        f"was changed since it was last published{what}: those who read its issue do not see that",
        fix=command("isopod", "publish"),
    )
