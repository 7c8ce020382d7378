"""What an import makes of each item, as a table, and what it refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from isopod.face import Face
from isopod.render.cards import KIND_WORDS
from isopod.render.columns import fit, table, wrap
from isopod.words import number_of
from schemas.imported import ImportedItem, ImportOutcome, ImportOutput, ImportRefusal

_OUTCOMES: Final[dict[ImportOutcome, str]] = {
    "new": "become cards",
    "here": "are here already",
    "left-out": "are left out",
}
_IDS: Final = 24
_STATUS: Final = 14


def imported_lines(output: ImportOutput, face: Face) -> Iterator[str]:
    """Counts, the cards with what they wait for, what is here already, what is left out, what was refused."""
    counts = Counter(item.outcome for item in output.items)
    told = [f"{counts[outcome]} {words}" for outcome, words in _OUTCOMES.items() if counts[outcome]]
    found = f"{number_of(len(output.items), 'item')} of {output.tool} in {output.source}"
    yield from wrap(": ".join(filter(None, (found, ", ".join(told)))) + ".", face.width)
    done = sum(item.stage == "done" for item in output.items if item.outcome == "new")
    if done:
        text = f"{done} of them are done there. Here a card becomes done by evidence: they are drafted, and their notes say it."
        yield from wrap(text, face.width)
    renamed = [name for item in output.items for name in item.renamed]
    if renamed:
        text = f"{number_of(len(renamed), 'reference')} found by number alone: no id begins like {renamed[0]} any more."
        yield from wrap(text, face.width)
    if output.passed_by:
        yield f"{number_of(output.passed_by, 'file')} without front matter passed by."
    new = [item for item in output.items if item.outcome == "new"]
    yield from _cards("Cards, all of them drafted", new, face, output)
    yield from _cards(
        "Here already, left as they are", [one for one in output.items if one.outcome == "here"], face, output
    )
    yield from _left_out([item for item in output.items if item.outcome == "left-out"], face)
    yield from _refused(output, face)


def _refused(output: ImportOutput, face: Face) -> Iterator[str]:
    """What was refused, by why."""
    if not output.refused:
        return
    yield ""
    yield face.paint(f"Refused ({len(output.refused)})", "bold")
    for refusal in sorted(output.refused, key=_order):
        place = ":".join(str(part) for part in (refusal.where.file, refusal.where.line, refusal.where.column) if part)
        yield from wrap(f"{refusal.message} ({refusal.code})", face.width, indent="    ", first="  ")
        yield from wrap(place, face.width, indent="    ")
        if refusal.fix:
            yield from wrap(f"try: {refusal.fix}", face.width, indent="    ")


def _order(refusal: ImportRefusal) -> tuple[str, str, int]:
    return refusal.code, refusal.where.file, refusal.where.line or 0


def _cards(title: str, items: list[ImportedItem], face: Face, output: ImportOutput) -> Iterator[str]:
    if not items:
        return
    theirs = {item.card: item.theirs for item in output.items if item.card is not None}
    place = {card: number for number, card in enumerate(theirs)}
    yield ""
    yield face.paint(f"{title} ({len(items)})", "bold")
    rows = [_row(item) for item in items]
    for item, line in zip(items, table(rows, face.width), strict=True):
        yield line
        is_new = item.outcome == "new"
        told = [f"part of {theirs.get(item.parent, item.parent)}"] if is_new and item.parent else []
        if is_new and item.waits_for:
            waits_for = sorted(item.waits_for, key=lambda card: place.get(card, 0))
            told.append(f"waits for {', '.join(theirs.get(card, card) for card in waits_for)}")
        for text in (*told, *item.remarks):
            yield from wrap(text, face.width, indent="        ", first="      ")


def _row(item: ImportedItem) -> tuple[str, ...]:
    kind = KIND_WORDS[item.kind] if item.kind else ""
    return (f"  {fit(item.theirs, _IDS)}", item.card or "", kind, fit(item.says, _STATUS), item.title)


def _left_out(items: list[ImportedItem], face: Face) -> Iterator[str]:
    if not items:
        return
    yield ""
    yield face.paint(f"Left out ({len(items)})", "bold")
    for item in items:
        yield from wrap(
            f"{item.theirs}  {'; '.join(item.remarks)}: {item.title}", face.width, indent="    ", first="  "
        )
