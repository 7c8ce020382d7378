"""An exception from a rule is for a time, until what it was made for is regular.

**What** No override in the ledger is open. It is open until what it let pass holds by itself:

- of a rule of the audit: until the rule no longer finds anything at that card;
- of a gate that was kept with a reason (`settle ... keep`): until the answer was taken back, or no claim has those words
  any more;
- of evidence (`isopod done --because`): until there is evidence, so each card that a person attests stays listed;
- of anything else: until the card is deleted.

`until` closes none of them: an override that has run past its date is told so.

**Why** Each exception had a good reason on its day. Nobody looks at it again by themselves, and the card that it was made
for looks like every other one: the ledger remembers, and config and cards say whether it is still needed.

**Bad** A ledger entry of last year, and STY-7Q4M2K9X still depends on a decision that was replaced:

    {"type": "exemption", "subject": "STY-7Q4M2K9X", "body": {"rule": "C222", "until": "2027-01-31", ...}}

**Good** STY-7Q4M2K9X leans on the new decision: the entry stays in the ledger, and no longer counts here.

**Way out** Do what the rule asks for. `isopod exemptions` lists and counts them all.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.registry import Rule, rules
from gates.words import command, shown
from schemas.errors import NoHistoryError
from schemas.finding import FindingPlace
from store.ledger import Exemption, exemptions
from text.folding import fold

CODE = "C263"
NAME = "exemption-open"
TIER = "warn"
STAGES = ("audit",)
WHY = "config"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    for exemption in newest(audited):
        if is_open(audited, exemption):
            entry, body = exemption.file.entry, exemption.body
            over = has_run_out(audited, exemption)
            yield Found(
                entry.subject,
                f"{entry.by} made an exception from {body.rule} here on {entry.at[:10]} ({body.reason_kind}): "
                f"{shown(body.because)}; {f'it ran out on {body.until}' if over else 'it is not regular yet'}",
                # An entry is one line of JSON.
                FindingPlace(file=exemption.file.path, line=1, column=1),
                fix=command("isopod", "exemptions"),
            )


def newest(audited: Audited) -> tuple[Exemption, ...]:
    """The overrides that stand: one that was made anew takes the place of the one before."""
    return tuple({(one.body.rule, one.file.entry.subject): one for one in exemptions(audited.ledger)}.values())


def has_run_out(audited: Audited, exemption: Exemption) -> bool:
    """Whether an override was for a time that is over."""
    return exemption.body.until is not None and exemption.body.until < audited.now.date().isoformat()


def is_open(audited: Audited, exemption: Exemption) -> bool:
    """Whether what an override let pass does not hold by itself yet."""
    subject = exemption.file.entry.subject
    if exemption.body.surface == "gate":
        return _is_kept(audited, subject)
    card = audited.card_by_id.get(subject)
    if card is not None and card.state == "deleted":
        return False
    rule = next((rule for rule in rules() if exemption.body.rule in (rule.code, rule.name)), None)
    return rule is None or _fires(audited, rule, subject)


def _is_kept(audited: Audited, dispute: str) -> bool:
    """Whether the last answer to a dispute keeps words against a gate, and a live claim has them still."""
    for key, answers in audited.snapshot.settlements.items():
        # A later answer to the dispute D-X is kept as D-X-2.
        last = next((one for one in reversed(answers) if one.id == dispute or one.id.startswith(f"{dispute}-")), None)
        if last is not None and last.answer == "keep":
            store = audited.stores.get(key)
            live = {fold(anchor.exact) for anchor in store.anchors if anchor.status == "live"} if store else set()
            return any(fold(anchor.exact) in live for anchor in last.anchors)
    return False


def _fires(audited: Audited, rule: Rule, subject: str) -> bool:
    """Whether a rule of the audit finds something at a card; what cannot be asked here counts as open."""
    if rule.on != "instance" or rule.code == CODE or (rule.history is not None and audited.past is None):
        return True
    try:
        return any(found.subject == subject for found in rule.check(audited))
    except NoHistoryError:
        return True
