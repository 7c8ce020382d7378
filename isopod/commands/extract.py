"""isopod extract: one reader reads one spec, alone."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.escape import escape_json
from isopod.face import Face

if TYPE_CHECKING:
    from pipeline.extract import ReaderSeat
    from pipeline.workspace import Workspace


@options.command(
    "extract",
    examples=[
        ("isopod extract specs/links.md --reader a > a.json", "what reader a of config.yaml says"),
        ("isopod extract README.md --reader lexicon", "a file anywhere, by a reader that needs no key"),
    ],
)
@click.argument("spec")
@click.option("--reader", metavar="NAME", default="a", show_default=True, help="a or b of config.yaml, or a provider.")
def command(face: Face, spec: str, reader: str) -> None:
    """Let one reader list the claims of SPEC and print its run (isopod.run/1), the format that every reader returns.

    Claims whose words are not in the spec, or that are wrong in another way, are named on stderr.
    """
    from isopod.workplace import any_workspace, spec_path
    from pipeline.bench import Bench
    from pipeline.extract import printed, read

    place = any_workspace(face)
    bench = Bench.of(place.read(spec_path(place, spec)))
    extracted = read(bench, _seat(place, reader), place.recorded)
    sys.stdout.write(escape_json(printed(extracted)) + "\n")
    for violation in extracted.reading.violations:
        face.note(f"isopod: {violation.path}: {violation.message} ({violation.code})")


def _seat(place: Workspace, reader: str) -> ReaderSeat:
    """A reader by its name in config, else by its provider."""
    from pipeline.extract import ReaderSeat
    from pipeline.readers.registry import reader_of

    if reader in ("a", "b") and place.snapshot is not None:
        config = place.config.readers.a if reader == "a" else place.config.readers.b
        return ReaderSeat(reader, reader_of(config.provider), config.model)
    return ReaderSeat(reader, reader_of(reader), reader)
