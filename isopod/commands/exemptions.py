"""isopod exemptions: every override of a rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face

if TYPE_CHECKING:
    from schemas.exempted import ExemptionItem, ExemptionsOutput


@options.command(
    "exemptions",
    examples=[
        ("isopod exemptions", "who excepted what from which rule, why, and whether it is regular by now"),
        ("isopod exemptions --open", "only those that still wait to be made regular"),
        ("isopod exemptions --format json", "for a report"),
    ],
)
@click.option("--open", "only_open", is_flag=True, help="Only those that are open.")
def command(face: Face, only_open: bool) -> None:
    """List and count every override in the ledger: who made it, for which card, of which rule, why, until when.

    There is one way to override a rule, and it leads through the ledger; nothing else opens anything, no variable of the environment
    either. An override is open until what it let pass holds by itself; until then every audit shows it (C263).
    """
    from isopod.looking import look
    from pipeline.exempted import exempted

    found = exempted(look(face).snapshot)
    if only_open:
        kept = tuple(one for one in found.exemptions if one.standing == "open")
        found = found.model_copy(update={"exemptions": kept})
    face.give(found, lambda: _lines(found, face))


def _lines(found: ExemptionsOutput, face: Face) -> Iterator[str]:
    from isopod.words import number_of

    for one in found.exemptions:
        yield from _item(one, face)
    counts = found.counts
    total = counts["open"] + counts["regular"] + counts["replaced"]
    if not total:
        yield "No rule was ever overridden here."
        return
    words = f"{counts['open']} open, {counts['regular']} regular, {counts['replaced']} made anew since"
    ran_out = f"; {counts['ran_out']} ran out" if counts["ran_out"] else ""
    yield f"{number_of(total, 'exemption')}: {words}{ran_out}"


def _item(one: ExemptionItem, face: Face) -> Iterator[str]:
    from isopod.render.columns import wrap

    body = one.exemption
    until = f", until {body.until}" if body.until is not None else ""
    standing = f"ran out on {body.until}" if one.ran_out else one.standing
    yield from wrap(f"{one.subject}  {standing}  {one.title or ''}", face.width, indent="    ", first="")
    words = f"{body.rule} ({body.surface}), by {one.by} on {one.at[:10]}{until}, {body.reason_kind}: {body.because}"
    yield from wrap(words, face.width, indent="      ", first="    ")
