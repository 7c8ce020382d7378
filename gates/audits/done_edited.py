"""A done card is what was sealed when it became done.

**What** The digest of a done card without `tracker` is the one of its seal in the ledger, and a sealed card is there.
With git, for done cards that have no seal (an answered question, a request that was taken over): nothing but `tracker`
has changed since the base. And a card does not become done without a seal: `isopod done` says who attests it.

**Why** What was done was done by the words of that day; words that change later make a record of something that never
was. The changed card is as valid as the sealed one: only the ledger and the history tell them apart. Cards of other
teams are not sealed here: their state is what their tracker says.

**Bad** Weeks after the card was done:

    -  - {id: A1, text: A link lives for 30 days., anchors: [ANC-7Q4M2K9X]}
    +  - {id: A1, text: A link lives for 60 days., anchors: [ANC-7Q4M2K9X]}

**Good** The card stays as it is; `isopod migrate STY-7Q4M2K9X --line A1` makes a card for the new words.

**Way out** Take the change back (`git log -p` shows it); what is wrong with a done card is answered by a migration. A
card that was set to done by hand goes back to its state and through `isopod done`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command, listed
from schemas.card import Card
from schemas.finding import FindingPlace
from schemas.kinds import SEALED_KINDS
from store.ledger import seal_digest, seals
from store.permission import changed_paths

CODE = "C240"
NAME = "done-edited"
TIER = "error"
STAGES = ("audit",)
WHY = "git"
ON = "instance"
NEEDS = "cards"  # a card that cannot be read is not called gone
HISTORY = "more"


def check(audited: Audited) -> Iterator[Found]:
    sealed = seals(audited.ledger)
    before = audited.past.cards if audited.past else {}
    for card_id, said in sealed.items():
        card = audited.card_by_id.get(card_id)
        if card is None:
            yield _gone(audited, card_id, "its seal is in the ledger")
        elif seal_digest(card) not in said:
            copy = before.get(card_id)
            known = copy is not None and seal_digest(copy) in said
            yield _edited(audited, card, _differences(copy, card) if copy and known else ())
    if audited.past is None:
        return
    for card_id, copy in before.items():
        if copy.state != "done" or copy.kind == "external" or card_id in sealed:
            continue
        card = audited.card_by_id.get(card_id)
        if card is None:
            yield _gone(audited, card_id, f"it was done; its file is gone since {audited.past.base.words}")
        elif card is not copy and (paths := _differences(copy, card)):
            yield _edited(audited, card, paths)
    for card in audited.cards:
        if card.state == "done" and card.kind in SEALED_KINDS and card.id not in sealed:
            copy = before.get(card.id)
            if copy is None or copy.state != "done":
                yield _unsealed(audited, card)


def _differences(before: Card, now: Card) -> tuple[str, ...]:
    return tuple(sorted(changed_paths(before, now) - {"tracker"}))


def _edited(audited: Audited, card: Card, paths: tuple[str, ...]) -> Found:
    what = f" ({listed(paths)})" if paths else ""
    return audited.on_card(
        card,
        tuple(paths[0].split(".")) if paths else ("state",),
        f"was changed after it was done{what}: take the change back, what is wrong with it is answered by a migration",
        fix=command("git", "log", "-p", "--", audited.file_of(card)),
    )


def _gone(audited: Audited, card_id: str, why: str) -> Found:
    instance = audited.snapshot.instance
    path = f"{instance.relative(instance.cards_dir)}/{card_id}.yaml"
    return Found(
        card_id,
        f"no file holds this card, and {why}: bring it back from git",
        FindingPlace(file=path),
        fix=command("git", "log", "--", path),
    )


def _unsealed(audited: Audited, card: Card) -> Found:
    return audited.on_card(
        card,
        ("state",),
        "is done and has no seal in the ledger: set the state back, then let somebody attest it",
        fix=command("isopod", "done", card.id, "--by", "NAME", "--because", "TEXT"),
    )
