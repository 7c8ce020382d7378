"""isopod batches: questions that were sent as batches, and their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import Exit, OutsideError, RefusedError

if TYPE_CHECKING:
    from pipeline.collecting import Looked


@options.command(
    "batches",
    examples=[
        ("isopod batches", "how the batches stand; answers that are there are fetched and kept"),
        ("isopod batches --wait && isopod compile specs/links.md --batch", "wait for all of them and go on"),
        (
            "isopod batches --found a-3f9c21d0 msgbatch_01Hkc",
            "a batch that broke off arrived after all: this is its id",
        ),
        ("isopod batches --drop a-3f9c21d0", "give a batch up, so that its questions can be asked anew"),
    ],
)
@click.option("--wait", is_flag=True, help="Look again and again until no batch waits.")
@click.option("--drop", metavar="NAME", help="Give this batch up; what the provider charges for it is lost.")
@click.option(
    "--found", nargs=2, metavar="NAME ID", help="The provider's id of a batch that broke off while it was sent."
)
def command(face: Face, wait: bool, drop: str | None, found: tuple[str, str] | None) -> int:
    """Show the batches that `isopod compile --batch` sent, and fetch the answers of those that are over.

    Answers are kept: the same compile takes them and goes on. A question without an answer is sent again by the next compile --batch.
    Exit 0 when nothing waits, 3 while something does, 4 when a provider fails, a batch ends without
    any answer or it is not known whether a batch arrived.
    """
    from isopod.render.batches import batch_lines
    from pipeline import collecting
    from schemas.batch import BatchesOutput
    from schemas.outputs import ErrorItem, ErrorPlace

    if sum((wait, drop is not None, found is not None)) > 1:
        raise RefusedError("usage", "--wait, --drop and --found go one by one", fix="isopod batches --help")

    def say(message: str) -> None:
        face.note(f"isopod: {message}")

    instance = face.instance()
    if drop is not None:
        batch = collecting.drop(instance, drop)
        record = BatchesOutput(batches=(collecting.item_of(batch, "dropped"),))
        face.give(record, lambda: batch_lines(record.batches, face))
        return Exit.HOLDS
    if found is not None:
        collecting.found(instance, *found)
    looked = collecting.wait(instance, say) if wait else collecting.look(instance, say)
    problems = tuple(
        ErrorItem(code=one.error.code, message=one.message, where=ErrorPlace.of(one.error.where), fix=one.error.fix)
        for one in looked.failures
    )
    record = BatchesOutput(batches=looked.items, problems=problems)
    for problem in problems:
        say(f"{problem.message} ({problem.code})" + (f"; try: {problem.fix}" if problem.fix else ""))
    face.give(record, lambda: batch_lines(record.batches, face))
    return _exit(looked)


def _exit(looked: Looked) -> Exit:
    """What failed comes before what waits; a provider that fails before a reader that is not ready."""
    if any(isinstance(one.error, OutsideError) for one in looked.failures):
        return Exit.OUTSIDE
    if any(item.standing == "unknown" or (item.standing == "collected" and not item.done) for item in looked.items):
        return Exit.OUTSIDE
    if looked.failures:
        return Exit.REFUSED
    return Exit.WAITS if looked.waits else Exit.HOLDS
