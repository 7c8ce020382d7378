"""isopod diff: what a spec says now where its claims said something else."""

from __future__ import annotations

import click

from isopod import options
from isopod.face import Face
from schemas.errors import RefusedError


@options.command(
    "diff",
    examples=[
        ("isopod diff specs/link-shortener.md", "old and new words of each claim, and the cards that lean on it"),
        ("isopod diff link-shortener", "the spec by its key"),
        ("isopod diff specs/link-shortener.md --format json", "for a script"),
    ],
)
@click.argument("spec", required=False, metavar="[SPEC]")
def command(face: Face, spec: str | None) -> None:
    """Show what SPEC says now where it said something else when it was compiled, side by side.

    With each claim the cards that lean on it, their states, and what each state allows: drafted and planned cards follow with the next
    compile, others keep their words and are answered for by a person. Then the sections that nobody has read as they are.
    What is shown as new is the nearest text of the section: a suggestion until a compile has read it.
    """
    from isopod.deeds import at_hand, spec_key
    from isopod.render.difference import difference_lines
    from pipeline.difference import difference

    looking = at_hand(face)
    stores = looking.snapshot.anchor_stores
    if spec is None and len(stores) != 1:
        there = f"there are: {', '.join(stores)}" if stores else "none is compiled yet"
        raise RefusedError("spec-missing", f"say which spec; {there}", fix="isopod diff SPEC")
    key = next(iter(stores)) if spec is None else spec_key(looking, spec)
    found = difference(looking.snapshot, key)
    face.give(found, lambda: difference_lines(found, face))
