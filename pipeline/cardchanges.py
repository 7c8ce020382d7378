"""What of a card changed, in words that a person reads: one sentence a change. State, edges and mirrored fields are told elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from schemas.card import Card

_NAMES: Final = {"team": "team", "parent": "epic", "due": "due"}


def changes_of(was: Card, now: Card) -> Iterator[str]:
    """Title, lines, steps, claims, team, epic, due and notes, where they differ."""
    if was.title != now.title:
        yield f"title: {was.title} -> {now.title}"
    yield from _lines(was, now)
    yield from _steps(was, now)
    yield from _counted("claim", set(now.anchors) - set(was.anchors), set(was.anchors) - set(now.anchors))
    for name, word in _NAMES.items():
        old, new = getattr(was, name), getattr(now, name)
        if old != new:
            yield f"{word}: {old or 'none'} -> {new or 'none'}"
    if was.migrates != now.migrates and now.migrates is not None:
        yield f"migrates {', '.join(now.migrates.lines)} of {now.migrates.card}"
    if was.tracker is None and now.tracker is not None:
        yield f"is the issue {now.tracker.key}"
    if was.notes != now.notes:
        yield "notes"


def _lines(was: Card, now: Card) -> Iterator[str]:
    old = {line.id: line.text for line in was.acceptance}
    new = {line.id: line.text for line in now.acceptance}
    for line in now.acceptance:
        if line.id not in old:
            tighter = f", tighter than {line.tightens}" if line.tightens else ""
            yield f"new line {line.id}{tighter}: {line.text}"
        elif old[line.id] != line.text:
            yield f"line {line.id}: {old[line.id]} -> {line.text}"
    for line_id, text in old.items():
        if line_id not in new:
            yield f"line {line_id} is gone: {text}"


def _steps(was: Card, now: Card) -> Iterator[str]:
    old = {step.id: step for step in was.subtasks}
    new = {step.id: step for step in now.subtasks}
    for step_id, step in new.items():
        if step_id not in old:
            yield f"new step {step_id}: {step.text}"
        elif old[step_id].text != step.text:
            yield f"step {step_id}: {old[step_id].text} -> {step.text}"
        elif old[step_id].done != step.done:
            yield f"step {step_id} is {'done' if step.done else 'open again'}: {step.text}"
    for step_id, step in old.items():
        if step_id not in new:
            yield f"step {step_id} is gone: {step.text}"


def _counted(thing: str, came: set[str], went: set[str]) -> Iterator[str]:
    for ids, words in ((came, "new"), (went, "gone")):
        if ids:
            yield f"{words} {thing}{'s' if len(ids) > 1 else ''}: {', '.join(sorted(ids))}"
