"""Every override of a rule, as the ledger holds it and as it stands today."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from gates.audited import Audited
from gates.audits.exemption_open import has_run_out, is_open, newest
from schemas.exempted import ExemptionItem, ExemptionsOutput, Standing
from schemas.ledger import REASON_KINDS
from store.ledger import Exemption, exemptions
from store.snapshot import Snapshot

STANDINGS: tuple[Standing, ...] = ("open", "regular", "replaced")


def exempted(snapshot: Snapshot, now: datetime | None = None) -> ExemptionsOutput:
    """Every override with what it was for, by time, and how many there are: by standing, by reason, run out.

    `now` is the moment, in UTC, that dates are measured from; the clock's when it is not given.
    """
    audited = Audited(snapshot, now=now if now is not None else datetime.now(UTC))
    standing = {one.file.name for one in newest(audited)}
    items = tuple(_item(audited, one, is_newest=one.file.name in standing) for one in exemptions(snapshot.ledger))
    by_standing = Counter(item.standing for item in items)
    by_reason = Counter(item.exemption.reason_kind for item in items if item.standing == "open")
    counts: dict[str, int] = {name: by_standing[name] for name in STANDINGS}
    counts |= {"ran_out": sum(item.ran_out for item in items)}
    counts |= {f"open_{kind}": by_reason[kind] for kind in REASON_KINDS if by_reason[kind]}
    return ExemptionsOutput(exemptions=items, counts=counts)


def _item(audited: Audited, exemption: Exemption, *, is_newest: bool) -> ExemptionItem:
    entry = exemption.file.entry
    card = audited.card_by_id.get(entry.subject)
    standing: Standing = "replaced"
    if is_newest:
        standing = "open" if is_open(audited, exemption) else "regular"
    return ExemptionItem(
        entry=exemption.file.name,
        subject=entry.subject,
        title=card.title if card is not None else None,
        by=entry.by,
        at=entry.at,
        exemption=exemption.body,
        standing=standing,
        ran_out=standing == "open" and has_run_out(audited, exemption),
    )
