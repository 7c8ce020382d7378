"""Every claim's id bears the one prefix of kind `anchor`, and no card's id does.

**What** The id of a claim is config's anchor prefix, a dash and a tail; the id of a card never bears that prefix.

**Why** A claim and a card are told apart by their id alone wherever ids meet: in edges, in the ledger, in a tracker.
A claim whose id bears a story's prefix passes every schema and is then read as a story. Which prefix is whose stands
in config.

**Bad** With `{prefix: ANC, kind: anchor}` and `{prefix: STY, kind: story}` in config:

    - {id: STY-7Q4M2K9X, kind: requirement, exact: "..."}

**Good**

    - {id: ANC-7Q4M2K9X, kind: requirement, exact: "..."}

**Way out** Ids are given by `isopod compile` and never by hand: put the old id back with git. After a change of the
anchor prefix in config, put the prefix back: ids that were given stand for ever.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.claims import Claims
from gates.found import Found
from gates.words import command

CODE = "A103"
NAME = "anchor-prefix"
TIER = "error"
STAGES = ("adopt", "audit")
WHY = "config"
ON = "instance"


def check(subject: Claims | Audited) -> Iterator[Found]:
    if isinstance(subject, Claims):
        if subject.anchor_prefix is None:
            raise ValueError("stage adopt needs Claims.anchor_prefix")
        yield from _claims(subject, subject.anchor_prefix)
        return
    prefix = subject.snapshot.config.anchor_prefix
    for drafted in subject.specs.values():
        yield from _claims(drafted.claims, prefix)
    for card in subject.cards:
        if _prefix(card.id) == prefix:
            yield subject.on_card(
                card,
                ("id",),
                f"the card's id bears {prefix}, the prefix of claims: give it back the id that its "
                "file had when it was written",
                fix=command("git", "log", "--", subject.file_of(card)),
            )


def _claims(claims: Claims, prefix: str) -> Iterator[Found]:
    for claim in claims.claims:
        if _prefix(claim.id) != prefix:
            yield claims.report(
                claim,
                f"the id {claim.id} of a claim must begin with {prefix}-: ids are given by "
                "compile, put the old one back",
                fix=command("git", "log", "--", claims.where_stored(claim).file),
            )


def _prefix(identifier: str) -> str:
    return identifier.rpartition("-")[0]
