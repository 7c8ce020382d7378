"""Answers of language models, kept by request hash: nothing that was answered is asked, or paid for, again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from schemas.call import Answer
from schemas.errors import IsopodError, ManyErrors, OutsideError, Place, RefusedError
from store.files import read_file, refuse_unwritable, shown, write_by_content
from store.lock import make_state_dir
from store.paths import ensure_within
from store.yamlio import load_json

FOLDER = "answers"
"""Below the state folder."""

_INVALID: Final = "invalid-answer"


@dataclass(frozen=True, slots=True)
class AnswerShelf:
    """Where kept answers lie: `home` is read and written, `copies` are written too (`--record`), `sources` are only read.

    `home` is None where nothing may be kept (a replay). All are absolute folders of `<request hash>.json`. `state` is the folder that git
    passes by and that `home` lies in. Without `forgets` nothing is dropped: for commands that cannot ask anew.
    `seen` are the requests whose answers were found or kept by this command.
    """

    home: Path | None
    state: Path | None = None
    copies: Sequence[Path] = ()
    sources: Sequence[Path] = ()
    forgets: bool = True
    seen: set[str] = field(default_factory=set)

    def get(self, request: str) -> Answer | None:
        """The kept answer to this request, None when there is none. What is found is written to the copies too.

        Raises RefusedError for a file that is no answer to this request, with all such files of its folder; OutsideError without the right
        to read.
        """
        for folder in (*((self.home,) if self.home is not None else ()), *self.copies, *self.sources):
            answer = _read(folder, request)
            if answer is not None:
                self.seen.add(request)
                self._write(answer, [copy for copy in self.copies if copy != folder])
                return answer
        return None

    def refuse_unwritable(self) -> None:
        """Raises OutsideError when an answer could not be kept everywhere that it is to be kept: before one is paid for."""
        for folder in (*((self.home,) if self.home is not None else ()), *self.copies):
            refuse_unwritable(folder)

    def put(self, answer: Answer) -> None:
        """Keep an answer: on disk, synced, before this returns. Raises OutsideError when the disk refuses."""
        if self.home is not None and self.state is not None:
            try:
                make_state_dir(self.state)
            except OSError as error:
                raise OutsideError(
                    "cannot-write",
                    f"the state folder cannot be written: {error.strerror}",
                    where=Place(str(self.state)),
                ) from None
        self.seen.add(answer.request)
        self._write(answer, (*((self.home,) if self.home is not None else ()), *self.copies))

    @staticmethod
    def _write(answer: Answer, folders: Iterable[Path]) -> None:
        data = (json.dumps(answer.to_data(), ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace")
        for folder in folders:
            path = _path(folder, answer.request)
            write_by_content(path, data, str(path))

    def forget(self, requests: Iterable[str]) -> None:
        """Drop answers that led to nothing, so that they are asked for anew; recordings keep them. Raises OutsideError."""
        for request in requests:
            if self.home is not None and self.forgets:
                path = _path(self.home, request)
                try:
                    path.unlink(missing_ok=True)
                except OSError as error:
                    raise OutsideError(
                        "cannot-write", f"cannot be removed: {error.strerror}", where=Place(str(path))
                    ) from None


def _read(folder: Path, request: str) -> Answer | None:
    """The answer of a folder; when its file is broken, all that are broken there are said at once."""
    try:
        path = _path(folder, request)
        return _parsed(path)
    except PermissionError as error:
        raise OutsideError(
            "unreadable-file",
            f"kept answers cannot be read: {error.strerror}",
            where=Place(shown(folder)),
            fix=f"chmod u+rwx {shlex.quote(shown(folder))}",
        ) from None
    except RefusedError as error:
        raise _all_broken(folder, error) from None


def _parsed(path: Path) -> Answer | None:
    source = shown(path)
    data = read_file(path, source)
    if data is None:
        return None
    try:
        answer = Answer.parse(load_json(data, source), source=source, code=_INVALID)
        why = "the file holds the answer to another request than its name says" if answer.request != path.stem else None
    except RefusedError as error:
        why = error.message
    if why is not None:
        fix = f"rm {shlex.quote(source)} (the question is asked, and paid for, again), or bring the file back as it was"
        raise RefusedError(_INVALID, f"no kept answer of a model: {why}", where=Place(source), fix=fix)
    return answer


def _all_broken(folder: Path, first: RefusedError) -> RefusedError:
    broken: list[IsopodError] = []
    for path in sorted(folder.glob("*.json")):
        try:
            _parsed(path)
        except RefusedError as error:
            broken.append(error)
        except OutsideError:
            continue  # what is not read is not broken
    return ManyErrors(broken) if len(broken) > 1 else first


def _path(folder: Path, request: str) -> Path:
    return ensure_within(folder, folder / f"{request}.json")
