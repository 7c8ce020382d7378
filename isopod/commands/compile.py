"""isopod compile: one spec goes down the whole line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import RefusedError

if TYPE_CHECKING:
    from pipeline.compile import CompileOptions
    from pipeline.settle import BulkAnswer


@options.command(
    "compile",
    examples=[
        ("isopod compile specs/links.md --preview", "see the cards that it would make; nothing is written"),
        ("isopod compile specs/links.md", "make the cards"),
        ("isopod compile README.md --offline --preview", "any file, with the readers that need no key"),
        (
            'isopod compile specs/links.md --offline --accept union --by Kim --because "first draft"',
            "take what either of them says",
        ),
    ],
)
@click.argument("spec", required=False)
@click.option("--preview", is_flag=True, help="Show the cards and what you may want to do; write nothing.")
@options.dry_run
@options.offline
@options.strict
@click.option(
    "--accept",
    type=click.Choice(["a", "b", "union", "agreed"]),
    help="Answer all that is open at once; with --by and --because.",
)
@options.by
@options.because
@click.option("--key", metavar="KEY", help="The name of a new spec among the cards, instead of its file's name.")
def command(
    face: Face,
    spec: str | None,
    preview: bool,
    dry_run: bool,
    offline: bool,
    strict: bool,
    accept: BulkAnswer | None,
    by: str | None,
    because: str | None,
    key: str | None,
) -> int:
    """Compile SPEC into cards: two readers read it alone, differences are decided, what is agreed becomes cards.

    Exit 0 when the cards are made, 3 when a person must decide something first (`isopod settle` lists it), 1 when a rule
    finds an error in the cards. An open question among the cards changes nothing of that. Compiling again changes no byte.
    """
    from pathlib import Path

    from isopod.render.compiled import compile_lines
    from isopod.workplace import any_workspace, refuse_unreadable, spec_path
    from isopod.writing import diff_lines
    from pipeline.compile import commit, compile_spec

    chosen = _options(offline, strict, accept, by, because, key)
    place = any_workspace(face)
    if place.snapshot is not None and not preview:
        refuse_unreadable(place.snapshot)
    path = spec_path(place, spec)
    outcome = compile_spec(place, path, chosen, preview=preview, say=lambda message: face.note(f"isopod: {message}"))
    if not (preview or dry_run):
        commit(place, outcome)
    root = place.snapshot.instance.root if place.snapshot is not None else Path.cwd()

    def lines() -> Iterator[str]:
        yield from compile_lines(outcome, face, preview=preview or dry_run, offline=offline, root=root)
        if dry_run and outcome.transaction is not None:
            yield from diff_lines(face, outcome.transaction.diff())

    face.give(outcome.compiled, lines)
    return int(outcome.exit_code)


def _options(
    offline: bool, strict: bool, accept: BulkAnswer | None, by: str | None, because: str | None, key: str | None
) -> CompileOptions:
    from isopod.workplace import said
    from pipeline.compile import CompileOptions

    if accept is None:
        if by is not None or because is not None:
            raise RefusedError("usage", "--by and --because go with --accept", fix="isopod compile --help")
        return CompileOptions(offline=offline, strict=strict, key=key)
    if because is None or not because.strip():
        raise RefusedError("reason-missing", "an answer to everything at once needs a reason", fix='--because "..."')
    return CompileOptions(offline=offline, strict=strict, accept=accept, said=said(by, because), key=key)
