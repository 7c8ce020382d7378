"""Carrying questions by hand: what a compile would ask of one reader goes out as files, and the answers come back (DESIGN.md section 9).

Nothing is sent by anyone here: the compile runs on kept answers alone, as far as they go.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from pipeline.bench import Bench
from pipeline.compile import CompileOptions, compile_spec
from pipeline.drafting import RULES
from pipeline.extract import Extracted, ReaderSeat, read
from pipeline.models.desk import now
from pipeline.models.dialogue import NeverInFormError
from pipeline.models.papers import (
    MANIFEST,
    Found,
    answers_in,
    folder_of,
    load_manifest,
    manifest_of,
    refuse_other,
    write_papers,
)
from pipeline.models.pending import PendingError
from pipeline.models.protocol import Model
from pipeline.room import Room, RoomOptions, asking_alone, failure_on_record, open_room
from pipeline.rounds import Say, askings, silent
from pipeline.workspace import Workspace
from schemas.anchors import Reading
from schemas.bookline import CallLine, End, Start
from schemas.call import Answer, Call
from schemas.errors import Exit, IsopodError, OutsideError, Place, RefusedError, WaitsError
from schemas.handoff import Handoff, Paper
from schemas.run import RunSpec
from store.answers import FOLDER, AnswerShelf
from store.book import Book
from store.instance import Instance
from text.sections import changed_sections

BY_HAND: Final = "handoff"
"""The provider of an answer that somebody carried, whichever provider the reader has."""

_STOP: Final = "file"
_KEPT: Final = RoomOptions(mode="kept")


@dataclass(frozen=True, slots=True)
class Handed:
    """How one reader stands after its questions went out, or answers came back.

    `manifest` is what lies in the folder, None when nothing was ever asked there. `taken` are the answers that came in now, `replaced`
    those that were kept otherwise before, `unused` those to questions that nobody asks any more, `outdated` prompts of which that is so
    only now, `other` the questions to the other reader. `extracted` is the first reading when it is complete, None also when no section
    is to be read; `stopped` is why the compile goes no farther for another reason than missing answers.
    """

    manifest: Handoff | None
    extracted: Extracted | None
    other: tuple[Call, ...]
    stopped: IsopodError | None
    taken: tuple[Found, ...] = ()
    replaced: tuple[Found, ...] = ()
    unused: tuple[Found, ...] = ()
    outdated: tuple[Paper, ...] = ()

    @property
    def asked(self) -> tuple[Paper, ...]:
        """The questions that wait for an answer."""
        return self.manifest.of_state("asked") if self.manifest is not None else ()


def read_alone(workspace: Workspace, path: Path, seat: ReaderSeat, say: Say) -> Extracted:
    """The whole first reading of one reader, outside a compile; a reader of config.yaml may ask its model now.

    Raises as `pipeline.extract.read`.
    """
    bench = Bench.of(workspace.read(path))
    room = open_room(workspace, bench.spec.path, (seat,), RoomOptions(), command="extract", say=say)
    named = room is not None and seat.name in workspace.config.both_readers
    asking = room.asking(seat, bench.grounder, None, (), (), say) if room is not None and named else None
    with asking_alone(room if named else None), failure_on_record(room):
        extracted = read(bench, seat, workspace.recorded, asking)
    if room is not None and room.book is not None:
        room.book.end(int(Exit.HOLDS), now())
    return extracted


def hand_out(workspace: Workspace, path: Path, reader: str, folder: Path) -> Handed:
    """Write every question of this reader that has no answer yet into `folder`.

    What lies there already stays. Raises RefusedError when the folder is not for this, the reader asks no model or config.yaml is wrong,
    OutsideError when the disk refuses.
    """
    hands = _Hands.of(workspace, path, reader)
    _refuse_place(hands.instance, folder)
    old = load_manifest(folder)
    refuse_other(old, hands.blank, folder)
    while True:
        try:
            return hands.write(folder, old, hands.look())
        except NeverInFormError as error:
            # Nothing can be made of these answers: the question is put anew.
            hands.shelf.forget(call.request for call in error.calls)


def take_back(workspace: Workspace, path: Path, reader: str, folder: Path) -> Handed:
    """Take the answers that lie in `folder`, and go on: what was wrong with them becomes new questions there.

    A file that changed since its answer was taken replaces it, when no model gave that answer to us itself. Raises as `hand_out`,
    ManyErrors for files that are no answers to what was asked there (then none is taken), OutsideError `no-envelope` when a question was
    never answered in form.
    """
    hands = _Hands.of(workspace, path, reader)
    old = load_manifest(folder)
    if old is None:
        raise RefusedError(
            "no-prompts",
            f"no {MANIFEST} in this folder: no prompts were written there",
            where=Place(str(folder)),
            fix=export_command(hands.bench.spec.path, reader, str(folder)),
        )
    refuse_other(old, hands.blank, folder)
    found = {one.paper.request: one for one in answers_in(folder, old)}
    replaced = hands.exchange(found.values())
    taken: list[Found] = []
    try:
        while True:
            look = hands.look()
            # Answers to later questions count only once the earlier ones are in: then those are asked.
            fresh = [(call, found[call.request]) for call in look.own if call.request in found]
            if not fresh:
                break
            for call, one in fresh:
                hands.keep(call, one)
                taken.append(one)
    except NeverInFormError as error:
        hands.end(error.exit_code)
        raise _never_in_form(error, old, found, folder) from error
    hands.end(Exit.WAITS if look.own else Exit.HOLDS)
    unused = tuple(one for request, one in found.items() if hands.shelf.get(request) is None)
    handed = hands.write(folder, old, look)
    return replace(handed, taken=tuple(taken), replaced=tuple(replaced), unused=unused)


def export_command(spec: str, reader: str, folder: str) -> str:
    """The command that writes a reader's questions as files."""
    return f"isopod extract {shlex.quote(spec)} --reader {reader} --export {shlex.quote(folder)}"


def import_command(spec: str, reader: str, folder: str) -> str:
    """The command that takes the answers back."""
    return f"isopod extract {shlex.quote(spec)} --reader {reader} --import {shlex.quote(folder)}"


def ways_on(workspace: Workspace, spec: str, calls: Sequence[Call]) -> str | None:
    """What to do about questions that this command cannot send: the commands that hand them over, None when all can be sent."""
    carries = {seat.name: isinstance(seat.reader, Model) for seat in workspace.seats(offline=False)}
    readers = sorted({call.reader for call in calls if not carries.get(call.reader, True)})
    stem = Path(spec).stem or "spec"
    names = {spec, workspace.name_of(Path(spec))}
    folders = {name: folder_of(Path(), names, name) or f"prompts-{stem}-{name}" for name in readers}
    return ", and ".join(export_command(spec, name, folder) for name, folder in folders.items()) or None


def with_ways_on(
    workspace: Workspace, spec: str, calls: Sequence[Call], error: IsopodError, *, again: bool = False
) -> IsopodError:
    """The error of a command whose questions wait, with what to do about those that somebody must carry.

    With `again` drafted cards are made anew, which no compile asks: then the rules are the only way.
    """
    way = ways_on(workspace, spec, calls)
    if way is None or not isinstance(error, WaitsError):
        return error
    way = RULES if again else way
    return WaitsError(error.code, error.message, where=error.where, fix=f"{error.fix}; {way}" if error.fix else way)


@dataclass(frozen=True, slots=True)
class _Look:
    """How far kept answers go: the questions of this reader and of the other, and the first reading when this reader has none."""

    own: tuple[Call, ...]
    other: tuple[Call, ...]
    extracted: Extracted | None = None
    stopped: IsopodError | None = None


@dataclass
class _Hands:
    workspace: Workspace
    instance: Instance
    path: Path
    bench: Bench
    seat: ReaderSeat
    shelf: AnswerShelf
    blank: Handoff
    book: Book

    @classmethod
    def of(cls, workspace: Workspace, path: Path, reader: str) -> _Hands:
        if workspace.snapshot is None:
            raise RefusedError(
                "no-instance",
                "which model reads is said in a config.yaml, and answers are kept beside it",
                fix="isopod init (or -C DIR to name the folder of an instance)",
            )
        seat = {seat.name: seat for seat in workspace.seats(offline=False)}.get(reader)
        if seat is None or not seat.reader.calls_model:
            raise RefusedError(
                "asks-no-model",
                f"reader {reader} asks no model, so there is nothing to carry",
                where=Place("config.yaml"),
                fix="name a reader of config.yaml that asks a model, for example one of the provider handoff",
            )
        instance = workspace.snapshot.instance
        bench = Bench.of(workspace.read(path))
        spec = RunSpec(path=bench.spec.path, sha256=bench.spec.digest)
        named: Literal["a", "b"] = "a" if reader == "a" else "b"
        reading = Reading(reader=reader, provider=BY_HAND, model=seat.model)
        return cls(
            workspace=workspace,
            instance=instance,
            path=path,
            bench=bench,
            seat=seat,
            shelf=AnswerShelf(home=instance.state_dir / FOLDER, state=instance.state_dir),
            blank=Handoff(spec=spec, reader=named, model=seat.model),
            book=Book(instance.state_dir, Start(at=now(), command="extract", spec=spec.path, readers=(reading,))),
        )

    def look(self) -> _Look:
        """Compile on kept answers as far as it goes; when that stops elsewhere, only this reader's reading.

        Raises NeverInFormError when a question of this reader was never answered in form.
        """
        name = self.seat.name
        try:
            outcome = compile_spec(self.workspace, self.path, CompileOptions(models=_KEPT), preview=True)
        except PendingError as error:
            own = tuple(call for call in error.calls if call.reader == name)
            other = tuple(call for call in error.calls if call.reader != name)
            return _Look(own, other) if own else self._alone(other)
        except (RefusedError, OutsideError) as error:
            if isinstance(error, NeverInFormError) and error.calls[0].reader == name:
                raise
            return self._alone((), error)
        return self._alone(()) if outcome.reached is not None else _Look((), ())

    def _alone(self, other: tuple[Call, ...], stopped: IsopodError | None = None) -> _Look:
        """This reader's first reading, which needs nothing of the other, of the sections that a compile would read."""
        store = self.workspace.store(self.workspace.key_of(self.bench.spec.path))
        changed = changed_sections(self.bench.spec, self.bench.structure, store.sections) if store is not None else None
        room = Room.open(
            self.instance, (self.seat,), command="extract", spec=self.bench.spec.path, options=_KEPT, say=silent
        )
        asking = askings(self.bench, (self.seat,), room, store, changed, silent)
        try:
            reading = read(self.bench, self.seat, self.workspace.recorded, asking[self.seat.name])
        except PendingError as error:
            return _Look(error.calls, other, None, stopped)
        return _Look((), other, reading, stopped)

    def exchange(self, found: Iterable[Found]) -> list[Found]:
        """Keep what now lies in a file instead of what somebody carried here before."""
        replaced = []
        for one in found:
            kept = self.shelf.get(one.paper.request)
            if kept is not None and kept.stop == _STOP and kept.content != one.content:
                self.shelf.put(kept.model_copy(update={"content": one.content}))
                replaced.append(one)
        return replaced

    def keep(self, call: Call, found: Found) -> None:
        """Keep an answer and put it on record."""
        self.shelf.put(
            Answer(
                request=call.request,
                reader=call.reader,
                provider=BY_HAND,
                model=call.model,
                purpose=call.purpose,
                stop=_STOP,
                content=found.content,
            )
        )
        self.book.write(
            CallLine(
                at=now(),
                request=call.request,
                reader=call.reader,
                provider=BY_HAND,
                model=call.model,
                purpose=call.purpose,
                round=call.round,
                place=call.place,
                outcome="answered",
                stop=_STOP,
                seconds=0,
            )
        )

    def end(self, code: Exit) -> None:
        """Close the record, when there is one."""
        if self.book.path is not None:
            self.book.write(End(at=now(), exit_code=int(code)))

    def write(self, folder: Path, old: Handoff | None, look: _Look) -> Handed:
        """Bring the folder to what is asked now; a folder that has none of it and would get none is not made."""
        if old is None and not look.own:
            return Handed(None, look.extracted, look.other, look.stopped)
        manifest = manifest_of(self.blank, old, look.own, lambda request: self.shelf.get(request) is not None)
        write_papers(folder, manifest, look.own)
        before = {paper.request for paper in old.of_state("stale")} if old is not None else set()
        outdated = tuple(paper for paper in manifest.of_state("stale") if paper.request not in before)
        return Handed(manifest, look.extracted, look.other, look.stopped, outdated=outdated)


def _refuse_place(instance: Instance, folder: Path) -> None:
    """Prompts in a folder that isopod reads would be taken for specs or cards."""
    real = Path(os.path.realpath(folder))
    paths = instance.config.paths
    for name, ours in (
        ("specs", paths.specs),
        ("cards", paths.cards),
        ("recorded", paths.recorded),
        ("state", paths.state),
    ):
        if real.is_relative_to(Path(os.path.realpath(instance.root / ours))):
            raise RefusedError(
                "folder-taken",
                f"this folder lies in paths.{name}, which is for other files",
                where=Place(str(folder)),
                fix="name a folder outside of it",
            )


def _never_in_form(error: NeverInFormError, old: Handoff, found: dict[str, Found], folder: Path) -> OutsideError:
    requests = [call.request for call in error.calls]
    files = [str(found[request].file) for request in requests if request in found]
    if not files:
        files = [str(folder / f"{paper.stem}.answer.json") for paper in old.prompts if paper.request in requests]
    return OutsideError(
        error.code,
        error.message,
        where=Place(files[0]) if files else None,
        fix=f"put a better answer into {files[0]}, then run the same command again" if files else error.fix,
    )
