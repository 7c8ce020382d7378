"""Settling on a terminal: one dispute after the other, one key each, every answer written at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import click

from isopod.face import Face
from isopod.failure import failure_lines
from isopod.render.compiled import table_dispute
from isopod.workplace import said
from pipeline.answers import Docket, settle_one, undo
from pipeline.settle import Cut, Said, allowed_answers
from schemas.errors import RefusedError
from schemas.kinds import ANCHOR_KINDS, Answer
from schemas.reading import Dispute

_KEYS: Final[dict[str, tuple[Answer, str]]] = {
    "a": ("a", "reader a is right"),
    "b": ("b", "reader b is right"),
    "2": ("both", "both"),
    "k": ("keep", "keep it"),
    "d": ("drop", "drop it"),
    "n": ("none", "no claim here"),
    "c": ("cut", "my own words"),
}
_OTHERS: Final = (("s", "skip"), ("u", "undo"), ("q", "quit"))
_END: Final = ("q", "\x04", "")


def ask(face: Face, docket: Docket, reopen: Callable[[], Docket], by: str | None) -> int:
    """Go through the disputes until they are answered, skipped or left. Gives how many are still open."""
    name = by or str(click.prompt("Your name (it is kept with your answers)", err=True))
    skipped: set[str] = set()
    while waiting := [dispute for dispute in docket.disputes if dispute.id not in skipped]:
        dispute = waiting[0]
        face.note("")
        face.give_text(table_dispute(docket.table, dispute.id, face))
        key = _key(face, dispute, len(waiting))
        if key in _END:
            break
        if key == "s":
            skipped.add(dispute.id)
            continue
        try:
            if key == "u":
                taken, transaction = undo(docket)
                transaction.commit()
                face.note(f"took back the answer to {taken.settlement.id}")
                docket = reopen()
            else:
                _answer(docket, dispute, _KEYS[key][0], name)
        except RefusedError as error:
            for line in failure_lines(error):
                face.note(line)
    face.note(f"{len(docket.disputes)} open." if docket.disputes else "Nothing is open any more.")
    return len(docket.disputes)


def _key(face: Face, dispute: Dispute, left: int) -> str:
    """One key that means something here."""
    fitting = allowed_answers(dispute)
    keys = [(key, words) for key, (answer, words) in _KEYS.items() if answer in fitting]
    choices = "  ".join(f"[{key}] {words}" for key, words in (*keys, *_OTHERS))
    known = {key for key, _ in (*keys, *_OTHERS)} | set(_END)
    while True:
        face.note(f"{left} open:  {choices}")
        key = click.getchar()
        if key in known:
            return key


def _answer(docket: Docket, dispute: Dispute, answer: Answer, name: str) -> None:
    because = str(click.prompt("Why", err=True)) if dispute.type == "gate" else None
    who: Said = said(name, because)
    settle_one(docket, dispute.id, answer, who, [_cut()] if answer == "cut" else []).commit()


def _cut() -> Cut:
    kind = click.prompt("Kind", type=click.Choice(ANCHOR_KINDS), default="requirement", err=True)
    return Cut(kind, str(click.prompt("Exact words", err=True)))
