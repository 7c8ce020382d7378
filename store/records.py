"""YAML files into records: one file with its errors, or a whole folder in bulk with findings for what is not valid."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

from pydantic import ValidationError

from schemas.base import Record, message_of, path_of
from schemas.errors import IsopodError, ManyErrors, Place, RefusedError
from schemas.finding import Finding, FindingPlace
from store.cache import ParseCache, load_all
from store.view import View
from store.yamlio import decode, edit_keeping_comments, has_comments, load, positions

R = TypeVar("R", bound=Record)

ENDING: Final = ".yaml"
INVALID_FILE: Final = ("F100", "invalid-file")
MERGE_CONFLICT: Final = ("F101", "merge-conflict")


class Reads(Protocol):
    """Where one file is read from: a `View`, which looks through an unfinished journal, or a `Transaction`."""

    def read(self, path: Path) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class RecordFile(Generic[R]):
    """A record with its file: the path relative to the instance, and the sha256 (hex) of the bytes that were read.

    `blob` is the name that git gives to those bytes.
    """

    path: str
    record: R
    sha256: str
    blob: str


def names_in(view: View, folder: Path, ending: str = ENDING) -> list[str]:
    """The names of the files in a folder that end so, sorted; hidden ones are passed by."""
    names = (path.rsplit("/", 1)[-1] for path, _ in view.scan(folder, ending))
    return [name for name in names if not name.startswith(".")]


def load_folder(
    view: View, folder: Path, kind: type[R], cache: ParseCache | None = None
) -> tuple[list[RecordFile[R]], list[Finding]]:
    """The record of every YAML file directly in a folder, sorted by name, and a finding for each that holds none."""
    files: list[RecordFile[R]] = []
    problems: list[Finding] = []
    with without_gc():
        for path, found in load_all(view, folder, cache=cache, suffix=ENDING):
            if "/." in path:
                continue
            try:
                if isinstance(found, IsopodError):
                    raise found
                files.append(RecordFile(path, _valid(found.data, kind, path, view), found.sha256, found.blob))
            except IsopodError as error:
                problems.extend(findings_of(error, path))
    return files, problems


def _valid(data: Any, kind: type[R], path: str, view: View) -> R:
    try:
        return kind.model_validate(data, by_alias=True, by_name=False)
    except ValidationError as error:
        text = decode(view.read(view.root / path) or b"", path)
        raise ManyErrors(list(_errors(error, kind, data, text, path))) from None


def record_of(data: bytes, source: str, kind: type[R]) -> R:
    """The record that the bytes of a YAML file hold; keys are those of the file format, never Python names.

    Raises RefusedError when they are no YAML, ManyErrors with file, line and column of every key that is wrong.
    """
    text = decode(data, source)
    plain = load(text, source)
    try:
        return kind.model_validate(plain, by_alias=True, by_name=False)
    except ValidationError as error:
        raise ManyErrors(list(_errors(error, kind, plain, text, source))) from None


def _errors(error: ValidationError, kind: type[Record], plain: Any, text: str, source: str) -> Iterator[RefusedError]:
    from schemas.jsonschema import name_of  # loads every record, and most files are valid

    where = positions(text)
    fix = f"isopod schema {name_of(kind)}" if "schema_id" in kind.model_fields else "isopod schema"
    items = error.errors(include_url=False, include_context=False)
    locations = [item["loc"] for item in items]
    for item in items:
        location = item["loc"]
        # A list whose items were refused also counts as too short: that says nothing new.
        if item["type"] == "too_short" and any(
            len(other) > len(location) and other[: len(location)] == location for other in locations
        ):
            continue
        message = f"{path_of(_data_path(plain, location))}: {message_of(item)}"
        if plain is None:
            message = "the file is empty"
        yield RefusedError("invalid-file", message, where=where.place(source, location), fix=fix)


def _data_path(data: Any, location: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The location without the names of union members, which nobody wrote; a missing key stays as the last part."""
    path: list[str | int] = []
    here = data
    for number, part in enumerate(location):
        if _holds(here, part):
            here = here[part]
        elif number < len(location) - 1 or not isinstance(here, dict):
            continue
        path.append(part)
    return tuple(path)


def _holds(value: Any, part: str | int) -> bool:
    return part in value if isinstance(value, dict) else isinstance(value, list) and part in range(len(value))


def findings_of(error: IsopodError, path: str) -> Iterator[Finding]:
    """The findings of a file that cannot be read as what it should be, one for each error in it."""
    for single in error.errors if isinstance(error, ManyErrors) else (error,):
        place = single.where or Place(path)
        code, name = MERGE_CONFLICT if single.code == MERGE_CONFLICT[1] else INVALID_FILE
        yield Finding(
            code=code,
            name=name,
            severity="error",
            subject=Path(path).stem,
            message=single.message,
            where=FindingPlace(file=path, line=place.line, column=place.column),
            fix=single.fix,
        )


def text_over(old: bytes | None, canonical: str, data: dict[str, Any]) -> str:
    """What to write over a file: the canonical text; where a person left comments, their text with `data` in it."""
    text = None if old is None else old.decode()
    return edit_keeping_comments(text, data) if text is not None and has_comments(text) else canonical


@contextmanager
def without_gc() -> Iterator[None]:
    """No garbage collection while objects are made in bulk, and none of them looked through afterwards.

    They all stay, and looking them through again and again is most of what a bulk load takes.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def digest(data: bytes) -> str:
    """sha256 (hex)."""
    return hashlib.sha256(data).hexdigest()
