"""The one screen of `isopod status`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from isopod.face import Face
from isopod.render.cards import KIND_TITLES
from isopod.render.columns import table, wrap
from isopod.words import number_of
from schemas.outputs import CardItem, SpecStatus, Status

AGREEMENT = "Two readings agreeing proves agreement, not a right reading."


def status_lines(status: Status, face: Face) -> Iterator[str]:
    """Specs, cards, questions, what others owe us, what is wrong, and what to do next."""
    yield from wrap(status.project, face.width)
    yield ""
    yield face.paint("Specs", "bold")
    if not status.specs:
        yield "  none yet: put a Markdown or text file into the specs folder"
    for spec in status.specs:
        yield from _spec(spec, face.width)
    if any(spec.readings for spec in status.specs):
        yield f"  {AGREEMENT}"
    if status.last_reading:
        yield f"  Last reading on this machine: {status.last_reading}"
    if status.cards:
        yield ""
        yield face.paint("Cards", "bold")
        counts = (
            (kind, ", ".join(f"{count} {state}" for state, count in states.items()))
            for kind, states in status.cards.items()
        )
        yield from table([(f"  {KIND_TITLES[kind]}", states) for kind, states in counts], face.width)
        yield f"  Stories and migrations that are not done: {status.ready} ready, {status.waiting} waiting."
    yield from _waiting("Questions that are open", status.questions, face)
    yield from _waiting("What we need from other teams", status.requests, face)
    yield from _trouble(status, face)


def _spec(spec: SpecStatus, width: int) -> Iterator[str]:
    if not spec.present:
        yield from wrap(f"{spec.key}: {spec.path} is gone", width, indent="    ", first="  ")
        return
    if spec.readings is None:
        yield from wrap(
            f"{spec.key}: not compiled yet (isopod compile {shlex.quote(spec.path)})", width, indent="    ", first="  "
        )
        return
    total = sum(count for status, count in spec.claims.items() if status != "retired")
    changed = ", ".join(
        f"{count} {_CLAIM_WORDS[status]}" for status, count in spec.claims.items() if status in _CLAIM_WORDS
    )
    readers = ", ".join(dict.fromkeys(reading.provider for reading in spec.readings))
    facts = (
        number_of(total, "claim") + (f" ({changed})" if changed else ""),
        f"{number_of(spec.cards, 'card')}, {spec.ready} ready",
        f"{number_of(spec.answers, 'answer')} by people" if spec.answers else "",
        f"read by {readers}" + (" (heuristics: check against the spec)" if spec.heuristic else ""),
    )
    yield from wrap(f"{spec.key}: {'; '.join(filter(None, facts))}", width, indent="    ", first="  ")
    if spec.changed_sections:
        words = f"{number_of(spec.changed_sections, 'section')} changed since it was read: isopod compile {shlex.quote(spec.path)}"
        yield from wrap(words, width, indent="      ", first="    ")


_CLAIM_WORDS = {
    "ambiguous": "there more than once now",
    "edited": "changed in the spec",
    "lost": "no longer in the spec",
}


def _waiting(title: str, items: tuple[CardItem, ...], face: Face) -> Iterator[str]:
    if items:
        yield ""
        yield face.paint(f"{title} ({len(items)})", "bold")
        yield from table([(f"  {item.id}", item.title) for item in items], face.width)


def _trouble(status: Status, face: Face) -> Iterator[str]:
    if status.problems:
        yield ""
        yield face.paint(f"{number_of(status.problems, 'file')} cannot be read: isopod audit says why.", "red")
    if status.unfinished_write:
        yield ""
        yield face.paint(
            "A write was cut off; the next command that writes finishes it (see isopod recover).", "yellow"
        )
