"""The digest in words, on a terminal and as Markdown: one sentence a change, under the heading of what changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from isopod.deeds import STATE_WORDS
from isopod.escape import escape
from isopod.face import Face
from isopod.render.cards import KIND_WORDS
from isopod.render.columns import wrap
from isopod.words import number_of, one_line
from schemas.digest import (
    CardChange,
    CardTurn,
    ClaimChange,
    ClaimTurn,
    DecisionChange,
    DecisionTurn,
    DigestOutput,
    EdgeChange,
    EdgeTurn,
    MirrorChange,
    MirrorTurn,
)

_CLAIM: Final[dict[ClaimTurn, str]] = {
    "new": "new",
    "reworded": "says something else",
    "gone": "no longer said",
    "left-out": "left out",
    "back": "said again",
}
_CARD: Final[dict[CardTurn, str]] = {
    "new": "new",
    "done": "done",
    "cut": "cut from the plan",
    "removed": "file gone",
    "moved": "moved",
    "changed": "changed",
}
_CARD_ORDER: Final[tuple[CardTurn, ...]] = ("done", "moved", "new", "changed", "cut", "removed")
_DECISION: Final[dict[DecisionTurn, str]] = {"replaced": "replaced by", "answered": "answered", "opened": "opened by"}
_EDGE: Final[dict[EdgeTurn, str]] = {
    "new": "now waits for",
    "gone": "no longer waits for",
    "for-other-reasons": "waits, for other reasons, for",
    "confirmed": "was confirmed to wait for",
}
_MIRROR: Final[dict[MirrorTurn, str]] = {
    "new": "mirrored from now on",
    "state": "state",
    "due": "due",
    "contract": "what we expect, by",
    "issue": "their issue",
    "unreachable": "cannot be read",
    "reachable": "can be read again",
    "requested": "took over our request",
}
_CLIP: Final = 400
_MARKUP: Final = re.compile(r"([\\`*_\[\]<>#|~&])")


@dataclass(frozen=True)
class _Entry:
    """A change: what it is about (an id), one sentence, and what belongs to it."""

    subject: str
    words: str
    below: tuple[str, ...] = ()


def digest_lines(output: DigestOutput, face: Face) -> Iterator[str]:
    """As text, or with the format `md` as Markdown."""
    yield from _markdown(output) if face.format == "md" else _text(output, face)


def _text(output: DigestOutput, face: Face) -> Iterator[str]:
    yield from wrap(_head(output), face.width)
    for heading, entries in _sections(output):
        yield ""
        yield face.paint(f"{heading} ({len(entries)})", "bold")
        for entry in entries:
            yield from wrap(f"{entry.subject}  {entry.words}", face.width, indent="    ", first="  ")
            for text in entry.below:
                yield from wrap(text, face.width, indent="        ", first="      ")
    for path in output.unreadable:
        yield from wrap(f"not read: {path}", face.width)


def _markdown(output: DigestOutput) -> Iterator[str]:
    yield f"# {_marked(output.project)}: what changed since {_marked(output.since)}"
    yield ""
    yield _marked(_head(output))
    for heading, entries in _sections(output):
        yield ""
        yield f"## {heading} ({len(entries)})"
        yield ""
        for entry in entries:
            yield f"- **{_marked(entry.subject)}** {_marked(entry.words)}"
            yield from (f"  - {_marked(text)}" for text in entry.below)
    if output.unreadable:
        yield ""
        yield f"Not read: {', '.join(map(_marked, output.unreadable))}"


def _marked(text: str) -> str:
    """Text that stays text in Markdown."""
    return _MARKUP.sub(r"\\\1", escape(text))


def _head(output: DigestOutput) -> str:
    since = "before the first commit" if output.commit is None else f"{output.since} ({output.commit[:12]})"
    if not output.changes:
        return f"Nothing changed since {since}."
    return f"{number_of(output.changes, 'change')} since {since}."


def _sections(output: DigestOutput) -> Iterator[tuple[str, list[_Entry]]]:
    found = output.digest
    cards = sorted(found.cards, key=lambda change: _CARD_ORDER.index(change.turn))
    exemptions = [
        _Entry(one.subject, f"{one.rule} overridden ({one.reason_kind}) by {one.by}: {one.because}")
        for one in found.exemptions
    ]
    sections = (
        ("What the specs say", [_claim(change) for change in found.claims]),
        ("Cards", [_card(change) for change in cards]),
        ("Decisions and questions", [_decision(change) for change in found.decisions]),
        ("What waits for what", [_edge(change) for change in found.edges]),
        ("Other teams", [_mirror(change) for change in found.mirrors]),
        ("Overridden rules", exemptions),
    )
    yield from ((heading, entries) for heading, entries in sections if entries)


def _claim(change: ClaimChange) -> _Entry:
    words = one_line(change.after or change.before or "", _CLIP)
    below = [f"before: {one_line(change.before or '', _CLIP)}"] if change.turn == "reworded" else []
    if change.because:
        below.append(f"because {change.because}")
    return _Entry(change.claim, f"{_CLAIM[change.turn]} ({change.spec}, {change.kind}): {words}", tuple(below))


def _card(change: CardChange) -> _Entry:
    turn = _CARD[change.turn]
    if change.turn == "moved" and change.before and change.after:
        turn = f"{STATE_WORDS[change.before]} -> {STATE_WORDS[change.after]}"
    details = tuple(one_line(detail, _CLIP) for detail in change.details)
    return _Entry(change.card, f"{turn} ({KIND_WORDS[change.kind]}): {one_line(change.title, _CLIP)}", details)


def _decision(change: DecisionChange) -> _Entry:
    by = f" {change.by}" if change.by else ""
    return _Entry(
        change.card,
        f"{_DECISION[change.turn]}{by}: {one_line(change.title, _CLIP)}",
        (f"-> {one_line(change.words, _CLIP)}",),
    )


def _edge(change: EdgeChange) -> _Entry:
    words = f"{_EDGE[change.turn]} {change.on} {one_line(change.on_title, _CLIP)}"
    return _Entry(change.card, words, tuple(f"because {one_line(reason, _CLIP)}" for reason in change.because))


def _mirror(change: MirrorChange) -> _Entry:
    values = " -> ".join(filter(None, (change.before, change.after)))
    told = f" {one_line(values, _CLIP)}" if values else ""
    return _Entry(change.card, f"{_MIRROR[change.turn]}{told} ({change.team}): {one_line(change.title, _CLIP)}")
