"""isopod ground: find the words of a run in the spec."""

from __future__ import annotations

from collections.abc import Iterator

import click

from isopod import options
from isopod.face import Face
from schemas.errors import Exit


@options.command(
    "ground",
    examples=[
        ("isopod ground specs/links.md a.json", "does every claim quote the spec?"),
        ("isopod ground specs/links.md a.json --format json", "each claim with its place, for a script"),
        ("isopod extract specs/links.md --reader a | isopod ground specs/links.md -", "straight from a reader"),
    ],
)
@click.argument("spec")
@click.argument("run")
def command(face: Face, spec: str, run: str) -> int:
    """Find the exact words of every claim of RUN in SPEC, or say why they cannot be taken.

    Exit 0 when all of them stand, 2 otherwise. RUN is a file, or - for stdin.
    """
    from isopod.render.columns import wrap
    from isopod.render.joined import violation_lines
    from isopod.words import number_of
    from isopod.workplace import any_workspace, run_bytes, spec_path
    from pipeline.bench import Bench
    from pipeline.extract import take

    place = any_workspace(face)
    bench = Bench.of(place.read(spec_path(place, spec)))
    reading = take(bench, run_bytes(run), run).reading

    def lines() -> Iterator[str]:
        moved = sum(anchor.relocated for anchor in reading.anchors)
        elsewhere = f", {moved} of them not in the lines that the reader named" if moved else ""
        yield from wrap(
            f"{number_of(len(reading.anchors), 'claim')} found in {bench.spec.path}{elsewhere}.", face.width
        )
        yield from violation_lines(reading.violations, "Left out", face)

    face.give(reading.to_record(), lines)
    return Exit.REFUSED if reading.violations else Exit.HOLDS
