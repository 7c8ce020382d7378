"""isopod import: cards from the files of another tool."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import Exit, RefusedError

if TYPE_CHECKING:
    from pipeline.imports.bring import Brought
    from pipeline.imports.protocol import Importer
    from schemas.imported import ImportOutput


@options.command(
    "import",
    examples=[
        ("isopod import backlog-md . --dry-run", "what would become of a Backlog.md project"),
        ("isopod import task-master .taskmaster/tasks/tasks.json --by Kim", "shows it and asks"),
        ("isopod import beads .beads/issues.jsonl --open-only --yes", "only what is not done there"),
        (
            'isopod import csv issues.csv --map title="Short text" --status "Waiting for legal=open"',
            "a table of one's own",
        ),
        ("isopod import csv other.csv --name shop --team growth", "a second project whose ids are the same"),
    ],
)
@click.argument("kind", metavar="KIND")
@click.argument("source", metavar="FILE|DIR")
@click.option(
    "--team", default=None, metavar="TEAM", help="The team of the cards; the default team of config.yaml otherwise."
)
@click.option("--name", default="", metavar="NAME", help="Tells two projects apart whose ids are the same.")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    metavar="STATUS=STAGE",
    help="What a status means: open, underway, done or dropped.",
)
@click.option("--map", "columns", multiple=True, metavar="FIELD=COLUMN", help="Which column of a table is which field.")
@click.option("--open-only", is_flag=True, help="Leave out what is done there.")
@options.named
@options.yes
@options.dry_run
def command(
    face: Face,
    kind: str,
    source: str,
    team: str | None,
    name: str,
    statuses: tuple[str, ...],
    columns: tuple[str, ...],
    open_only: bool,
    by: str | None,
    yes: bool,
    dry_run: bool,
) -> int:
    """Make cards of another tool's items.

    KIND is backlog-md (a folder), task-master (tasks.json), beads (issues.jsonl) or csv (a table of issues).

    Every card is born drafted, also what is done there: a card becomes done by evidence. What has parts becomes an epic. An
    item that was imported before is left as it is here, so that importing a file twice changes nothing. Two items of one id, edges
    that lead nowhere or in a circle and statuses that nobody explained are refused and listed.

    Exit 0 when nothing was refused, 1 otherwise; the rest is written either way.
    """
    from isopod.deeds import anybody, at_hand
    from pipeline.imports.bring import ImportOptions, bring
    from pipeline.imports.protocol import ImportRequest
    from pipeline.imports.registry import importer_of
    from pipeline.imports.stages import Stages

    importer = importer_of(kind)
    looking = at_hand(face)
    request = ImportRequest(Path(source), source, _columns(columns, importer))
    wanted = ImportOptions(
        team=team or looking.snapshot.config.default_team, name=name, stages=Stages.of(statuses), open_only=open_only
    )
    brought = bring(looking.snapshot, importer, request, wanted, anybody(by))
    _ask_and_give(face, brought, importer, source, dry_run=dry_run, yes=yes)
    return Exit.DOES_NOT_HOLD if brought.refused else Exit.HOLDS


def _columns(said: Iterable[str], importer: Importer) -> dict[str, str]:
    columns = {}
    for word in said:
        field, equals, column = word.partition("=")
        if not equals or not column.strip():
            raise RefusedError("usage", f"{word!r} is not FIELD=COLUMN", fix="--map title=Summary")
        columns[field.strip()] = column
    if columns and not importer.by_columns:
        raise RefusedError("usage", f"--map is for tables, not for {importer.tool}", fix="isopod import --help")
    return columns


def _ask_and_give(face: Face, brought: Brought, importer: Importer, source: str, *, dry_run: bool, yes: bool) -> None:
    """Show what becomes of each item, ask, and commit.

    Raises RefusedError when nobody can be asked and `yes` was not said; what the person does not want is not written, and no error.
    """
    from isopod.render.imported import imported_lines

    transaction = brought.hand.transaction

    def output(changed: tuple[str, ...]) -> ImportOutput:
        from schemas.imported import ImportOutput

        return ImportOutput(
            kind=importer.kind,
            tool=importer.tool,
            source=source,
            dry_run=dry_run,
            items=brought.items,
            refused=brought.refused,
            passed_by=brought.passed_by,
            changed=changed,
        )

    asks = bool(transaction.changed) and not dry_run and not yes
    if asks:
        if face.as_json or not sys.stdin.isatty():
            raise RefusedError("not-confirmed", "nobody is there to be asked", fix="--yes to write, --dry-run to look")
        face.give_text(imported_lines(output(transaction.changed), face))
        if not click.confirm(f"Write {len(transaction.changed)} cards?", err=True):
            face.note("nothing was written")
            return
    changed = transaction.changed if dry_run else transaction.commit()
    told = output(changed)
    face.give(told, lambda: [] if asks else imported_lines(told, face))
    if not face.as_json and changed:
        face.note(f"{'would write' if dry_run else 'wrote'} {len(changed)} cards")
