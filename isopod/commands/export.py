"""isopod export: what others are shown, as a file that they can open."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import RefusedError

if TYPE_CHECKING:
    from schemas.trace import TraceOutput

_BOM = "\ufeff"


@options.command(
    "export",
    examples=[
        ("isopod export trace", "claim by claim: which line of which card carries it, and as which issue"),
        (
            "isopod export trace --format csv --bom --out trace.csv",
            "for a spreadsheet program that takes UTF-8 for something else",
        ),
        ("isopod export trace --format xlsx --out trace.xlsx", "a spreadsheet (pip install 'isopod-cards[xlsx]')"),
        ("isopod export trace --spec link-shortener --format html --out trace.html", "a page to print or to send"),
    ],
    formats=("text", "json", "csv", "xlsx", "html"),
)
@click.argument("what", type=click.Choice(["trace"]), metavar="trace")
@click.option("--spec", metavar="SPEC", help="Only this spec, its key or its file, and the cards made of it.")
@click.option("--out", metavar="FILE", help="Write a file; without it the result goes to stdout.")
@click.option("--bom", is_flag=True, help="With csv: begin with a byte order mark, for spreadsheet programs.")
@click.option("--yes", is_flag=True, help="With --out: replace a file that is there.")
@click.option("--dry-run", is_flag=True, help="With --out: say what would be written, write nothing.")
def command(face: Face, what: str, spec: str | None, out: str | None, bom: bool, yes: bool, dry_run: bool) -> None:
    """Export the trace: claim -> line -> card -> issue, a row for each claim and line.

    Claims without a card and lines without a claim are in it and marked. Cards that were cut are not. In csv no cell
    can be taken for a formula: one that begins like one gets an apostrophe in front.
    """
    from isopod.deeds import spec_key
    from isopod.looking import look
    from pipeline.trace import trace

    if bom and face.format != "csv":
        raise RefusedError("usage", "--bom is for csv", fix="--format csv --bom")
    if out is None and (yes or dry_run):
        raise RefusedError("usage", "--yes and --dry-run belong to --out", fix="isopod export --help")
    if out is None and face.format == "xlsx":
        raise RefusedError("usage", "a spreadsheet is no text: say where it goes", fix="--out trace.xlsx")
    looking = look(face)
    found = trace(looking.snapshot, looking.passage, None if spec is None else spec_key(looking, spec))
    if out is not None:
        _write(face, found, out, bom=bom, anew=yes, dry_run=dry_run)
    else:
        _print(face, found, bom=bom)


def _print(face: Face, found: TraceOutput, *, bom: bool) -> None:
    from isopod.render.trace import trace_lines

    if face.format in ("csv", "html"):
        sys.stdout.flush()
        sys.stdout.buffer.write(_data(face, found, bom=bom))
        sys.stdout.buffer.flush()
    else:
        face.give(found, lambda: trace_lines(found, face))


def _write(face: Face, found: TraceOutput, out: str, *, bom: bool, anew: bool, dry_run: bool) -> None:
    """Write the file that was named. What was said about it goes to stderr: the result is the file."""
    from isopod.words import number_of
    from store.exports import write_export

    data = _data(face, found, bom=bom)
    if not dry_run:
        write_export(face.instance(), Path(out), data, out, anew=anew)
    face.note(f"{'would write' if dry_run else 'wrote'} {out}: {number_of(len(found.trace), 'row')}")


def _data(face: Face, found: TraceOutput, *, bom: bool) -> bytes:
    """The bytes of the trace in the format that was asked for."""
    if face.format == "xlsx":
        from isopod.render.trace_xlsx import trace_xlsx

        return trace_xlsx(found)
    if face.format == "csv":
        from isopod.render.trace_csv import trace_csv

        return ((_BOM if bom else "") + trace_csv(found)).encode()
    if face.format == "html":
        from isopod.render.trace_html import trace_html

        return trace_html(found).encode()
    if face.as_json:
        import json

        from isopod.escape import escape_json

        return (escape_json(json.dumps(found.to_data(), ensure_ascii=False, indent=2)) + "\n").encode()
    from isopod.render.trace import trace_lines

    return "".join(f"{line}\n" for line in trace_lines(found, face)).encode()
