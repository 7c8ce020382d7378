"""isopod extract: one reader reads one spec, alone; its questions can be carried by hand."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.escape import escape_json
from isopod.face import Face
from schemas.errors import Exit, RefusedError

if TYPE_CHECKING:
    from pipeline.extract import Extracted, ReaderSeat
    from pipeline.handing import Handed
    from pipeline.workspace import Workspace


@options.command(
    "extract",
    examples=[
        ("isopod extract specs/links.md --reader a > a.json", "what reader a of config.yaml says"),
        ("isopod extract README.md --reader lexicon", "a file anywhere, by a reader that needs no key"),
        ("isopod extract specs/links.md --reader a --export prompts-a", "write its questions as files, to carry them"),
        ("isopod extract specs/links.md --reader a --import prompts-a", "take the answers that lie beside them"),
    ],
)
@click.argument("spec")
@click.option("--reader", metavar="NAME", default="a", show_default=True, help="a or b of config.yaml, or a provider.")
@click.option(
    "--export", "out", metavar="DIR", help="Send nothing: write what a compile would ask this reader into DIR."
)
@click.option("--import", "back", metavar="DIR", help="Send nothing: take the answers that lie in DIR, and go on.")
def command(face: Face, spec: str, reader: str, out: str | None, back: str | None) -> int:
    """Let one reader list the claims of SPEC and print its run (isopod.run/1), the format that every reader returns.

    Claims whose words are not in the spec, or that are wrong in another way, are named on stderr.

    With --export and --import somebody carries the questions: to a chat, or to an agent. DIR holds each question as one text; its answer
    is saved beside it. What is wrong with an answer, disputed places and the questions of a drafter become new files there. Exit 3 while
    answers are to come; once there is nothing left to ask, the run (the first reading) is printed. Give each reader a folder of its own.
    """
    from isopod.workplace import any_workspace

    if out is not None and back is not None:
        raise RefusedError("usage", "--export or --import, one at a time", fix="isopod extract --help")
    place = any_workspace(face)
    if out is not None or back is not None:
        return _by_hand(face, place, spec, reader, out, back)
    _print(face, _read(face, place, spec, reader))
    return Exit.HOLDS


def _read(face: Face, place: Workspace, spec: str, reader: str) -> Extracted:
    """The reading of one reader, which may ask its model now."""
    from isopod.workplace import spec_path
    from pipeline.handing import read_alone, with_ways_on
    from pipeline.models.pending import PendingError

    try:
        return read_alone(
            place, spec_path(place, spec), _seat(place, reader), lambda message: face.note(f"isopod: {message}")
        )
    except PendingError as error:
        raise with_ways_on(place, spec, error.calls, error) from None


def _print(face: Face, extracted: Extracted) -> None:
    from pipeline.extract import printed

    sys.stdout.write(escape_json(printed(extracted)) + "\n")
    for violation in extracted.reading.violations:
        face.note(f"isopod: {violation.path}: {violation.message} ({violation.code})")


def _by_hand(face: Face, place: Workspace, spec: str, reader: str, out: str | None, back: str | None) -> int:
    """Write questions or take answers; `spec` and the folder are named in what is said as the person named them."""
    from isopod.render.handoff import asked_lines, notes
    from isopod.workplace import spec_path
    from pipeline.handing import hand_out, import_command, take_back

    given = out or back or ""
    folder, path = Path(given), spec_path(place, spec)
    handed = hand_out(place, path, reader, folder) if out is not None else take_back(place, path, reader, folder)
    for note in notes(handed, folder):
        face.note(f"isopod: {note}")
    _say_rest(face, place, spec, handed)
    manifest = handed.manifest
    if manifest is not None and handed.asked:
        next_command = import_command(spec, reader, given)
        face.give(manifest, lambda: asked_lines(manifest, given, next_command, face))
        return Exit.WAITS
    if handed.extracted is not None:
        _print(face, handed.extracted)
        face.note(f"isopod: nothing more is asked of reader {reader}; isopod compile {shlex.quote(spec)} goes on")
    else:
        face.note(f"isopod: no section of {spec} is to be read: nothing is asked of reader {reader}")
    return Exit.HOLDS


def _say_rest(face: Face, place: Workspace, spec: str, handed: Handed) -> None:
    """What keeps a compile from going on besides this reader."""
    from isopod.words import number_of
    from pipeline.handing import ways_on

    if handed.other:
        other = handed.other[0].reader
        way = ways_on(place, spec, handed.other) or f"isopod compile {shlex.quote(spec)} asks it"
        face.note(f"isopod: reader {other} is still to read, {number_of(len(handed.other), 'question')}: {way}")
    if handed.stopped is not None:
        face.note(f"isopod: a compile stops elsewhere: {handed.stopped.message} ({handed.stopped.code})")


def _seat(place: Workspace, reader: str) -> ReaderSeat:
    """A reader by its name in config, else by its provider."""
    from pipeline.extract import ReaderSeat
    from pipeline.readers.registry import reader_of

    if reader in ("a", "b") and place.snapshot is not None:
        config = place.config.readers.a if reader == "a" else place.config.readers.b
        return ReaderSeat(reader, reader_of(config.provider), config.model)
    return ReaderSeat(reader, reader_of(reader), reader)
