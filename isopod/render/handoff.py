"""What lies in a folder of prompts, what came of the answers, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from isopod.escape import escape
from isopod.face import Face
from isopod.render.columns import wrap
from isopod.words import number_of, one_line
from schemas.handoff import PROMPT_END

if TYPE_CHECKING:
    from pipeline.handing import Handed
    from schemas.handoff import Handoff, Paper

_WHY = 600
_SHOWN = 12


def asked_lines(manifest: Handoff, folder: str, next_command: str, face: Face) -> Iterator[str]:
    """The prompts that wait for an answer, why they are asked again, and how to answer them."""
    asked = manifest.of_state("asked")
    count = number_of(len(asked), "question")
    waits = "waits" if len(asked) == 1 else "wait"
    yield escape(f"{count} for {manifest.model} (reader {manifest.reader}) {waits} for an answer in {folder}:")
    yield ""
    for paper in asked:
        yield from _paper_lines(paper, face)
    yield ""
    yield from wrap(
        f"Give each file, whole, to {manifest.model} in a conversation of its own, and save what it answers beside it: "
        f"{asked[0].stem}.answer.json answers {asked[0].prompt} (.answer.txt and .answer.md do as well).",
        face.width,
    )
    yield escape(f"then: {next_command}")


def _paper_lines(paper: Paper, face: Face) -> Iterator[str]:
    yield escape(f"  {paper.prompt}  {paper.place}{', again' if paper.why else ''}")
    if paper.why:
        yield from wrap(one_line(paper.why, _WHY), face.width, indent="      ")


def notes(handed: Handed, folder: Path) -> Iterator[str]:
    """What to say on stderr of answers that came in, that were of no use, and of prompts that nobody asks any more."""
    for verb, found in (("taken", handed.taken), ("replaced by what the file says now", handed.replaced)):
        if found:
            yield f"{number_of(len(found), 'answer')} {verb}: {_names([one.file.name for one in found])}"
    if handed.unused:
        yield (
            f"{number_of(len(handed.unused), 'answer')} not used, since the question is not asked any more: "
            f"{_names([one.file.name for one in handed.unused])}"
        )
    left = [paper.prompt for paper in handed.outdated if (folder / paper.prompt).exists()]
    if left:
        yield (
            f"{number_of(len(left), 'prompt')} not asked any more, since the text, config.yaml, isopod's words or an answer before "
            f"{'it' if len(left) == 1 else 'them'} changed: {_names(left)} (delete what you like)"
        )
    given = [paper for paper in handed.asked if _is_answered(folder, paper)] if not handed.taken else []
    if given:
        yield f"answers lie there that were not taken yet: {_names([paper.stem for paper in given])}; --import takes them"


def _is_answered(folder: Path, paper: Paper) -> bool:
    stem = paper.prompt.removesuffix(PROMPT_END)
    return any((folder / f"{stem}.answer.{ending}").exists() for ending in ("json", "txt", "md"))


def _names(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
