"""isopod runs: what was read when, by which models, how far they agreed, what it cost."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import IsopodError, RefusedError

if TYPE_CHECKING:
    from schemas.outputs import ErrorItem
    from store.book import KeptBook


@options.command(
    "runs",
    examples=[
        ("isopod runs", "every run on this machine, the latest at the end, and what they cost together"),
        ("isopod runs specs/links.md --last 3", "the last three of one spec"),
        ("isopod runs --show last", "every call of a model in the last run"),
        ("isopod runs --compare", "how far each pair of models agrees, by kind and over time"),
        ("isopod runs --last 1 --format json", "for a script"),
    ],
)
@click.argument("spec", required=False)
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the last N runs.")
@click.option("--show", metavar="ID", help="Every call of one run: its id, the start of it, or `last`.")
@click.option("--compare", is_flag=True, help="Agreement by kind and pair of models, over time.")
def command(face: Face, spec: str | None, last: int | None, show: str | None, compare: bool) -> None:
    """List the runs: every command that asked models, with its rounds, calls, tokens and money.

    The records lie in the state folder of this machine and hold no text of a spec but headings. Agreement is not
    correctness: two readings agreeing proves agreement, not a right reading.
    """
    from store.book import load_books

    if show is not None and (compare or last is not None):
        raise RefusedError("usage", "--show is about one run", fix="isopod runs --show ID")
    books = load_books(face.instance())
    problems = tuple(_said(face, problem) for problem in books.problems)
    kept = _of_spec(face, books.kept, spec)
    if show is not None:
        _show(face, _one(kept, show), problems)
    elif compare:
        _compare(face, kept[-last:] if last else kept, problems)
    else:
        _list(face, kept[-last:] if last else kept, problems, of_all=len(kept))


def _said(face: Face, problem: IsopodError) -> ErrorItem:
    """What is wrong in a record, on stderr too: it hides nothing else."""
    from schemas.outputs import ErrorItem, ErrorPlace

    face.note(f"isopod: {problem.where}: {problem.message} ({problem.code})")
    return ErrorItem(code=problem.code, message=problem.message, where=ErrorPlace.of(problem.where), fix=problem.fix)


def _of_spec(face: Face, kept: Sequence[KeptBook], spec: str | None) -> Sequence[KeptBook]:
    """The runs of one spec, named by its path or its key; it may be gone, its records stay.

    Raises RefusedError for a name that is no spec's.
    """
    if spec is None:
        return kept
    names = {book.start.spec for book in kept if book.start is not None}
    here = Path(os.path.relpath(os.path.realpath(spec), face.instance().root)).as_posix()
    path = next((name for name in (spec, here) if name in names), None)
    if path is None:
        files = face.snapshot().spec_files
        path = next((file.path for file in files if spec in (file.key, file.path) or here == file.path), None)
    if path is None:
        there = f"there are runs of: {', '.join(sorted(names))}" if names else "there is no run yet"
        raise RefusedError("unknown-spec", f"no spec is called {spec!r}; {there}", fix="isopod runs")
    return [book for book in kept if book.start is not None and book.start.spec == path]


def _one(kept: Sequence[KeptBook], name: str) -> KeptBook:
    """The run that is meant. Raises RefusedError when none is, or several are."""
    if not kept:
        raise RefusedError("unknown-id", "there is no run yet", fix="isopod compile SPEC")
    if name == "last":
        return kept[-1]
    found = [book for book in kept if book.id == name] or [book for book in kept if book.id.startswith(name) and name]
    if len(found) != 1:
        several = f"several runs begin with {name!r}: {', '.join(book.id for book in found[:5])}"
        raise RefusedError("unknown-id", several if found else f"no run is called {name!r}", fix="isopod runs")
    return found[0]


def _list(face: Face, kept: Sequence[KeptBook], problems: tuple[ErrorItem, ...], *, of_all: int) -> None:
    from isopod.render.runs import run_lines
    from pipeline.history import bill_of, run_of
    from schemas.history import RunsOutput

    runs = tuple(map(run_of, kept))
    total = bill_of(call for book in kept for call in book.calls)
    face.give(RunsOutput(runs=runs, total=total, problems=problems), lambda: run_lines(runs, total, of_all, face))


def _show(face: Face, book: KeptBook, problems: tuple[ErrorItem, ...]) -> None:
    from isopod.render.runs import shown_lines
    from pipeline.history import run_of
    from schemas.history import RunsOutput

    run = run_of(book)
    face.give(RunsOutput(runs=(run,), total=run.bill, problems=problems), lambda: shown_lines(run, face))


def _compare(face: Face, kept: Sequence[KeptBook], problems: tuple[ErrorItem, ...]) -> None:
    from isopod.render.runs import compared_lines
    from pipeline.history import compare
    from schemas.history import ComparisonOutput

    pairs = compare(kept)
    face.give(ComparisonOutput(pairs=pairs, problems=problems), lambda: compared_lines(pairs, face))
