"""The story that `isopod demo` tells: each step in plain words with its figures, then the cards, then what to try."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from isopod.escape import escape
from isopod.face import Face
from isopod.looking import Looking
from isopod.render.columns import table, wrap
from isopod.render.compiled import SAME_MODEL, counts
from isopod.render.findings import counted
from isopod.render.joined import claims_of
from isopod.render.preview import board_of, card_lines, suggestion_lines
from isopod.render.status import AGREEMENT
from isopod.words import number_of
from schemas.compiled import Compiled
from schemas.finding import Findings
from schemas.outputs import CardItem

if TYPE_CHECKING:
    from pipeline.compile import Outcome

_WHAT: Final = {
    "link-shortener": "a link shortener, in English",
    "reminder-ko": "a reminder service for clinics, in Korean",
}


def demo_lines(
    folder: str,
    outcomes: Sequence[Outcome],
    findings: Findings,
    frontier: tuple[CardItem, ...],
    looking: Looking,
    face: Face,
) -> Iterator[str]:
    """The whole story."""
    yield from wrap(f"Two specs become cards, in {folder}. Everything below is computed now.", face.width)
    for outcome in outcomes:
        compiled = outcome.compiled
        yield ""
        what = _WHAT.get(compiled.spec.key, "")
        yield face.paint(f"{compiled.spec.path}: {what}", "bold")
        yield ""
        yield from _steps(outcome, face)
        yield ""
        yield from card_lines(board_of(compiled), face)
        yield from suggestion_lines(compiled.suggestions, face)
    yield ""
    yield face.paint(f"Ready now ({len(frontier)})", "bold")
    yield from table([(f"  {item.id}", item.title) for item in frontier], face.width)
    yield ""
    yield from wrap(f"`isopod audit` over everything: {counted(findings)}.", face.width, first="")
    yield ""
    yield from _next(folder, looking, face)


def _steps(outcome: Outcome, face: Face) -> Iterator[str]:
    compiled = outcome.compiled
    steps = (*_reading_steps(outcome), *_rule_steps(outcome), *_card_steps(compiled))
    for number, step in enumerate(steps, start=1):
        yield from wrap(step, face.width, indent="     ", first=f"  {number}. ")


def _reading_steps(outcome: Outcome) -> Iterator[str]:
    rounds = outcome.compiled.rounds
    if not rounds:
        yield "It was compiled before and no section changed, so nothing is read again."
    for one in rounds:
        join = one.join
        difference, strict = join.symmetric_difference, join.strict
        found = (
            f"{claims_of(join, 'a')} claims by reader a, {claims_of(join, 'b')} by reader b, {len(join.agreed)} agreed."
        )
        differ = (
            f"Difference: {number_of(difference.anchors, 'claim')} and {number_of(difference.edges, 'relation')} "
            f"(strictly {strict.anchors} and {strict.edges})."
        )
        if one.round == 0:
            yield f"Two readers read the spec, each alone, and quote it for every claim: {found} {differ}"
        else:
            yield f"Where they differ, each decides again, alone, without seeing the other's answer: {found} {differ}"
        if join.verdict == "agree":
            edges = join.edges
            yield (
                f"They agree: {number_of(len(edges.agreed), 'relation')} that order work and "
                f"{number_of(len(edges.hints.agreed), 'hint')} (what details what) stand in both. {AGREEMENT}"
                f"{' ' + SAME_MODEL if outcome.same_model else ''}"
            )


def _rule_steps(outcome: Outcome) -> Iterator[str]:
    errors = sum(finding.severity == "error" for finding in outcome.findings)
    warnings = len(outcome.findings) - errors
    yield f"Rules look at every claim before it counts: {number_of(errors, 'error')}, {number_of(warnings, 'warning')}."


def _card_steps(compiled: Compiled) -> Iterator[str]:
    yield f"{number_of(len(compiled.anchors), 'claim')} get ids that never change, and become {counts(compiled.cards)}:"


def _next(folder: str, looking: Looking, face: Face) -> Iterator[str]:
    """Three things to try, with ids of this instance."""
    waiting = [item for item in looking.items(looking.snapshot.cards) if item.kind == "story" and not item.ready]
    place = f"{program()} -C {shlex.quote(folder)}"
    yield face.paint("Three things to try next", "bold")
    if waiting:
        yield from _try(f"{escape(place)} why {waiting[0].id}", "what a story waits for, in the words of the spec")
    yield from _try(
        f"{escape(place)} audit",
        f"after changing a sentence of {escape(folder)}/specs/link-shortener.md: which cards are no longer true?",
    )
    yield from _try(
        f"{escape(program())} compile YOUR-SPEC.md --offline --preview",
        "the cards of a spec of your own; no key, nothing written",
    )


def program() -> str:
    """How this program was called, as a person can type it again: its name alone where the shell finds it."""
    called = Path(sys.argv[0])
    if called.name != "isopod":
        return "python -m isopod"
    found = shutil.which("isopod")
    if found is not None and Path(found).resolve() == called.resolve():
        return "isopod"
    return shlex.quote(os.path.relpath(called))


def _try(line: str, meaning: str) -> Iterator[str]:
    yield f"  {line}"
    yield f"      {meaning}"
