"""Batches as a table, each with what it is and what to do about it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from isopod.face import Face, Style
from isopod.render.columns import table, wrap
from isopod.words import number_of
from schemas.batch import BatchItem, BatchStanding

_STYLES: Final[dict[BatchStanding, Style]] = {
    "waiting": "cyan",
    "collected": "green",
    "unknown": "red",
    "unreachable": "red",
    "dropped": "dim",
}
_INDENT: Final = "    "


def batch_lines(items: Sequence[BatchItem], face: Face) -> Iterator[str]:
    """Every batch: a row, below it who was asked and, where something is to be done, what; then the next command."""
    if not items:
        yield "No batch waits (isopod compile SPEC --batch sends one)."
        return
    heads = ("batch", "standing", "answered", "sent", "spec")
    rows = [(item.name, item.standing, _count(item), f"{item.at[:10]} {item.at[11:16]}", item.spec) for item in items]
    head, *lines = table([heads, *rows], face.width)
    yield face.paint(head, "bold")
    for item, line in zip(items, lines, strict=True):
        yield face.paint(line, _STYLES[item.standing])
        yield from _details(item, face)
    yield ""
    yield from wrap(f"{_next(items)}.", face.width)


def _count(item: BatchItem) -> str:
    failed = f", {item.failed} failed" if item.failed else ""
    return f"{item.done} of {item.calls}{failed}"


def _details(item: BatchItem, face: Face) -> Iterator[str]:
    word = f": {item.word}" if item.word is not None else ""
    about = f"{item.reader}: {item.model} ({item.provider}) {item.id or 'without an id'}{word}"
    yield from wrap(about, face.width, indent=_INDENT + "  ", first=_INDENT)
    advice = _advice(item)
    if advice is not None:
        yield from wrap(advice, face.width, indent=_INDENT + "  ", first=_INDENT)


def _advice(item: BatchItem) -> str | None:
    if item.standing == "unknown":
        return (
            "a command broke off while it was sent, so it may be there or not, and nothing of it is sent again. Look at the provider's "
            f"console. It is there: isopod batches --found {item.name} ID. It is not: isopod batches --drop {item.name}"
        )
    if item.standing == "collected" and item.failed:
        return "what has no answer is sent again by the next compile --batch, as far as it is still needed"
    if item.standing == "dropped" and item.id is not None:
        return "the provider may still work on it and charge for it: cancel it there"
    return None


def _next(items: Sequence[BatchItem]) -> str:
    waiting = sum(item.standing == "waiting" for item in items)
    over = [item for item in items if item.standing == "collected"]
    collected = list(dict.fromkeys(item.spec for item in over if item.done))
    lost = list(dict.fromkeys(item.spec for item in over if item.spec not in collected))
    parts = []
    if collected:
        parts.append(f"Answers are kept; go on with: {_compiles(collected)}")
    if lost:
        parts.append(f"No answer came; to send the questions again: {_compiles(lost)}")
    if waiting:
        verb = "waits" if waiting == 1 else "wait"
        parts.append(f"{number_of(waiting, 'batch', 'batches')} {verb}: isopod batches --wait")
    unknown = sum(item.standing == "unknown" for item in items)
    if unknown:
        parts.append(f"{number_of(unknown, 'batch', 'batches')} must be looked for at the provider")
    return ". ".join(parts) or "Nothing waits"


def _compiles(specs: Sequence[str]) -> str:
    return " and ".join(f"isopod compile {shlex.quote(spec)} --batch" for spec in specs)
