"""Questions handed over as files: prompts that a person carries to a model or an agent, and the answers that come back.

A folder belongs to one reader and one spec, so that nothing of the other reader lies at hand. Beside each `NN-<purpose>-<hash>.prompt.md`
its answer is put as `.answer.json`, `.answer.txt` or `.answer.md`; it is a model's text and as little trusted as any.
"""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pipeline.models.envelope import MAX_BYTES
from pipeline.models.shapes import schema_of
from schemas.call import Call
from schemas.errors import IsopodError, ManyErrors, OutsideError, Place, RefusedError
from schemas.handoff import Handoff, Paper, PaperState
from store.disk import read_regular
from store.files import write_by_content
from store.yamlio import load_json

MANIFEST: Final = "handoff.json"
_README: Final = "README.md"
_ANSWER: Final = re.compile(r"(.+)\.answer\.(?:json|txt|md)", re.IGNORECASE)
_MOST_MANIFEST: Final = 10_000_000

_FORM: Final = """\
# How to answer

Everything that you need stands above: open no file, use no tool, ask nothing.
Answer with one JSON object and nothing else: no prose before or after it, no code fence. It has this JSON Schema:
"""


def prompt_text(call: Call) -> str:
    """A call as one text for whoever takes no schema apart from it: what to do, the task, the form of the answer."""
    schema = json.dumps(schema_of(call.shape), ensure_ascii=False)
    return f"{call.system.rstrip()}\n\n{call.user}\n\n{_FORM}\n{schema}\n"


@dataclass(frozen=True, slots=True)
class Found:
    """An answer that lies in a folder: to which question, its text, and the file that holds it."""

    paper: Paper
    content: str
    file: Path


def load_manifest(folder: Path) -> Handoff | None:
    """What lies in a folder, None when nothing was handed over there yet.

    Raises RefusedError when the folder is none, holds other things only, or its manifest cannot be read.
    """
    path = folder / MANIFEST
    data = _read(path, _MOST_MANIFEST)
    if data is not None:
        return Handoff.parse(load_json(data, str(path)), source=str(path), code="invalid-handoff")
    try:
        others = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RefusedError(
            "no-folder",
            f"not a folder that can be read: {error.strerror}",
            where=Place(str(folder)),
            fix="name a folder",
        ) from None
    if others:
        raise RefusedError(
            "folder-taken",
            f"the folder holds other things ({others[0]}) and no {MANIFEST}: prompts get a folder of their own",
            where=Place(str(folder)),
            fix="name a new folder",
        )
    return None


def folder_of(place: Path, specs: Collection[str], reader: str) -> str | None:
    """The name of the folder in `place` that holds this reader's prompts for one of these specs, the latest one; None when none does."""
    found: list[tuple[float, str]] = []
    with suppress(OSError):
        for folder in place.iterdir():
            with suppress(OSError, IsopodError):
                written = (folder / MANIFEST).stat().st_mtime
                manifest = load_manifest(folder)
                if manifest is not None and manifest.reader == reader and manifest.spec.path in specs:
                    found.append((written, folder.name))
    return max(found)[1] if found else None


def refuse_other(old: Handoff | None, new: Handoff, folder: Path) -> None:
    """Raise RefusedError when a folder belongs to another reader or another spec: readers must not see each other's answers."""
    if old is not None and (old.reader, old.spec.path) != (new.reader, new.spec.path):
        raise RefusedError(
            "other-handoff",
            f"this folder holds the prompts of reader {old.reader} for {old.spec.path}",
            where=Place(str(folder)),
            fix=f"name another folder for reader {new.reader} and {new.spec.path}",
        )


def manifest_of(
    new: Handoff, old: Handoff | None, pending: Iterable[Call], is_answered: Callable[[str], bool]
) -> Handoff:
    """`new` with every question that the folder ever held, as it stands now, and those that are new, numbered on."""
    asked = {call.request: call for call in pending}
    known = old.prompts if old is not None else ()

    def state(request: str) -> PaperState:
        if request in asked:
            return "asked"
        return "answered" if is_answered(request) else "stale"

    papers = [paper.model_copy(update={"state": state(paper.request)}) for paper in known]
    numbers = [int(paper.prompt.partition("-")[0]) for paper in known]
    there = {paper.request for paper in known}
    for number, call in enumerate(
        (call for call in asked.values() if call.request not in there), max(numbers, default=0) + 1
    ):
        papers.append(
            Paper(
                prompt=f"{number:02d}-{call.purpose}-{call.request[:8]}.prompt.md",
                request=call.request,
                purpose=call.purpose,
                round=call.round,
                place=call.place,
                answer_schema=f"{call.shape}.schema.json",
                state="asked",
                why=call.why,
            )
        )
    return new.model_copy(update={"prompts": tuple(papers)})


def write_papers(folder: Path, manifest: Handoff, pending: Iterable[Call]) -> None:
    """Write prompts, answer schemas and manifest; never an answer, and nothing that is there already. Raises OutsideError."""
    calls = {call.request: call for call in pending}
    files = {_README: _readme(manifest)}
    for paper in manifest.of_state("asked"):
        call = calls[paper.request]
        files[paper.prompt] = prompt_text(call)
        files[paper.answer_schema] = json.dumps(schema_of(call.shape), ensure_ascii=False, indent=1) + "\n"
    # Last: a manifest names only what is there.
    files[MANIFEST] = json.dumps(manifest.to_data(), ensure_ascii=False, indent=1) + "\n"
    for name, text in files.items():
        path = folder / name
        write_by_content(path, text.encode("utf-8", "backslashreplace"), str(path))


def answers_in(folder: Path, manifest: Handoff) -> tuple[Found, ...]:
    """The answers that lie in a folder, in the order of their questions; an empty file is none yet.

    Raises ManyErrors naming every file that is no answer to a prompt of this folder, is a link, is too large or is not UTF-8.
    """
    papers = {paper.stem.casefold(): paper for paper in manifest.prompts}
    found: dict[str, Found] = {}
    problems: list[IsopodError] = []
    for name in _answer_names(folder):
        try:
            one = _answer(folder / name, papers)
        except IsopodError as error:
            problems.append(error)
            continue
        if one is None:
            continue
        twin = found.setdefault(one.paper.request, one)
        if twin.content != one.content:
            problems.append(
                RefusedError(
                    "two-answers",
                    f"{twin.file.name} answers the same prompt otherwise",
                    where=Place(str(one.file)),
                    fix="keep one of the two files",
                )
            )
    if problems:
        raise ManyErrors(problems)
    return tuple(found[paper.request] for paper in manifest.prompts if paper.request in found)


def _answer_names(folder: Path) -> Iterator[str]:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise RefusedError(
            "no-folder",
            f"cannot be read: {error.strerror}",
            where=Place(str(folder)),
            fix="name the folder that --export wrote",
        ) from None
    # Hidden files are the system's or an editor's.
    yield from (name for name in names if ".answer" in name.casefold() and not name.startswith("."))


def _answer(path: Path, papers: dict[str, Paper]) -> Found | None:
    match = _ANSWER.fullmatch(path.name)
    paper = papers.get(match[1].casefold()) if match else None
    if paper is None:
        raise RefusedError(
            "unknown-answer",
            "no prompt of this folder has this name"
            if match
            else "an answer ends in .answer.json, .answer.txt or .answer.md",
            where=Place(str(path)),
            fix="name the answer after its prompt: 01-read-0123abcd.prompt.md is answered by 01-read-0123abcd.answer.json",
        )
    data = _read(path, MAX_BYTES)
    if data is None:
        return None
    try:
        content = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RefusedError(
            "invalid-encoding",
            f"not UTF-8: byte {data[error.start]:#04x} at offset {error.start}",
            where=Place(str(path)),
            fix="save it as UTF-8",
        ) from None
    return Found(paper, content, path) if content.strip() else None


def _read(path: Path, most: int) -> bytes | None:
    """A file of a folder that somebody else may have filled: no link is followed, no pipe waited for."""
    place = Place(str(path))
    try:
        data = read_regular(path, most + 1, follow=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise RefusedError(
                "unsafe-path",
                "a symbolic link, which could lead anywhere",
                where=place,
                fix="put the file in its place",
            ) from None
        if error.errno in (errno.EACCES, errno.EIO):
            raise OutsideError("unreadable-file", f"cannot be read: {error.strerror}", where=place) from None
        raise RefusedError("not-a-file", "this is not a file", where=place, fix="put a file in its place") from None
    if len(data) > most:
        raise RefusedError(
            "too-large", f"larger than {most:,} bytes", where=place, fix="keep only the JSON object of the answer"
        )
    return data


def _readme(manifest: Handoff) -> str:
    return f"""\
# Prompts of isopod for reader {manifest.reader}

Each `NN-....prompt.md` is one question to {manifest.model} about `{manifest.spec.path}`. Give the whole file to that model, in a
conversation of its own, and save what it says beside it under the same name with `.answer.json` (or `.answer.txt`, `.answer.md`) instead
of `.prompt.md`. Prose or a code fence around the JSON object does no harm.

Two models read the spec, each alone: show this one nothing that the other said, nor other prompts in the same conversation.
`{MANIFEST}` lists the prompts; those marked `stale` are not asked any more. `*.schema.json` are the forms of the answers, for a
program that wants them; every prompt holds its own.
"""
