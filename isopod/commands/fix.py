"""isopod fix: apply what is safe to apply."""

from __future__ import annotations

from collections.abc import Iterator

import click

from isopod import options
from isopod.face import Face
from schemas.errors import Exit, RefusedError


@options.command(
    "fix",
    examples=[
        ("isopod fix", "show what would change, and ask"),
        ("isopod fix --dry-run", "only show it"),
        ("isopod fix --yes", "for a script"),
    ],
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.dry_run
def command(face: Face, yes: bool, dry_run: bool) -> int:
    """Apply the safe fixes of findings, after showing what they change.

    One so far: two claims with one id, as two branches can make them (A104 duplicate-anchor-id). The later one gets the
    next id, and cards and relations that mean it follow.
    """
    from isopod.render.columns import wrap
    from isopod.writing import changed_lines, diff_lines
    from pipeline.fix import fix
    from schemas.line_outputs import FixItem, FixOutput

    fixes = fix(face.snapshot())
    diff = fixes.transaction.diff()
    waiting = bool(diff) and not dry_run and not yes
    if waiting and face.as_json:
        raise RefusedError("no-answer", "with --format json nobody can be asked", fix="isopod fix --yes, or --dry-run")
    if waiting:
        face.give_text(diff_lines(face, diff))
        if not click.confirm("Apply this?", err=True):
            face.note("isopod: nothing was written")
            return Exit.HOLDS
    changed = fixes.transaction.changed if dry_run else fixes.transaction.commit()
    record = FixOutput(
        fixes=tuple(FixItem(rule="A104", spec=one.spec, old=one.old, new=one.new) for one in fixes.renamings),
        dry_run=dry_run,
        changed=changed,
    )

    def lines() -> Iterator[str]:
        if dry_run and diff:
            yield from diff_lines(face, diff)
        for one in record.fixes:
            yield from wrap(f"{one.old} is now {one.new} for the later claim of {one.spec} ({one.rule})", face.width)
        if record.fixes or changed:
            yield from changed_lines(changed, dry_run)
        else:
            yield "Nothing to fix that is safe to fix; isopod audit says what a person must do."

    face.give(record, lines)
    return Exit.HOLDS
