"""isopod join: where two readings meet and where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import Exit, ManyErrors, RefusedError

if TYPE_CHECKING:
    from pipeline.bench import Bench
    from schemas.reading import Join
    from text.grounding import Reading


@options.command(
    "join",
    examples=[
        ("isopod join specs/links.md a.json b.json", "what both say, and each place where they differ"),
        ("isopod join specs/links.md a.json b.json --strict", "without counting near kinds as the same"),
        ("isopod join specs/links.md a.json b.json --format json", "for a script"),
    ],
)
@click.argument("spec")
@click.argument("a")
@click.argument("b")
@click.option("--strict", is_flag=True, help="Show the strict join: kinds must be equal, and parts count.")
def command(face: Face, spec: str, a: str, b: str, strict: bool) -> int:
    """Join two readings A and B of SPEC: what they agree on, and each place where they differ.

    Two readings agreeing proves agreement, not a right reading: what neither of them claimed is listed too. Exit 0 when
    they agree on everything, 1 when they do not or when nothing was claimed, 2 when a run cannot be read.
    """
    from isopod.render.joined import join_lines
    from isopod.workplace import any_workspace, run_bytes, spec_path
    from pipeline.bench import Bench
    from pipeline.join import join
    from pipeline.joinrecord import to_record
    from text.coverage import coverage

    place = any_workspace(face)
    bench = Bench.of(place.read(spec_path(place, spec)))
    strict = strict or place.config.join == "strict"
    runs = [(side, name, run_bytes(name)) for side, name in (("a", a), ("b", b))]
    readings: list[Reading] = []
    for side, name, data in runs:
        try:
            readings.append(_read(bench, data, name))
        except RefusedError as error:
            if not face.as_json:
                raise
            face.give(_refused(side, error), lambda: ())
            _explain(face, error)
            return Exit.REFUSED
    one, other = readings
    joins = join(bench.spec, bench.structure, one, other)
    shown = joins.shown(strict=strict)
    covered = coverage(bench.spec, bench.structure, [pair.span for pair in shown.pairs])
    record = to_record(joins, bench.spec, one, other, covered, strict=strict)
    placed = [{anchor.ref: anchor for anchor in reading.anchors} for reading in readings]
    face.give(record, lambda: join_lines(record, bench.spec, placed[0], placed[1], face))
    return Exit.HOLDS if record.verdict == "agree" else Exit.DOES_NOT_HOLD


def _read(bench: Bench, data: bytes, source: str) -> Reading:
    from pipeline.extract import take

    return take(bench, data, source).reading


def _refused(side: str, error: RefusedError) -> Join:
    """The join that did not happen: which run was refused, and why."""
    from schemas.reading import Coverage, Difference, Join, JoinEdges, Parts, SideViolations
    from schemas.run import Violation

    errors = error.errors if isinstance(error, ManyErrors) else (error,)
    violations = tuple(Violation(code=one.code, path=str(one.where or side), message=one.message) for one in errors)
    return Join(
        verdict="refused",
        agreed=(),
        parts=Parts(),
        disputes=(),
        edges=JoinEdges(),
        symmetric_difference=Difference(anchors=0, edges=0),
        strict=Difference(anchors=0, edges=0),
        violations=SideViolations(a=violations) if side == "a" else SideViolations(b=violations),
        coverage=Coverage(units=0, claimed=0, unclaimed=()),
    )


def _explain(face: Face, error: RefusedError) -> None:
    from isopod.failure import failure_lines

    for line in failure_lines(error):
        face.note(line)
