"""Replays what was recorded: a whole run `<spec name>.<reader>.round<k>.json`, else the answers of a model by request hash."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import ClassVar

from pipeline.models.pending import PendingError
from pipeline.models.reading import read_by_model
from pipeline.readers.protocol import ReadRequest
from schemas.errors import Place, RefusedError
from store.runs import parse_parts, read_json, recorded


class Recorded:
    """The answers of a reader that were recorded; each round is a whole reading."""

    provider: ClassVar[str] = "recorded"
    heuristic: ClassVar[bool] = False
    repairs: ClassVar[bool] = True
    calls_model: ClassVar[bool] = False

    def read(self, request: ReadRequest) -> bytes | None:
        """The recorded run of this round, else one made of recorded answers to the very questions that would be asked; None when a
        repair round was not recorded.

        Raises RefusedError when no first reading of this very text is recorded.
        """
        name = PurePosixPath(request.spec.path).name.rpartition(".")[0] or request.spec.path
        found = recorded(request.recorded, name, request.name, request.round)
        if found is None:
            return _by_answers(request)
        source = str(found.path)
        if parse_parts(read_json(found.data, source), source).spec.sha256 != request.spec.digest:
            return _by_answers(request, f"the recorded reading {found.path.name} is of another version of this text")
        return found.data


def _by_answers(request: ReadRequest, otherwise: str | None = None) -> bytes | None:
    try:
        if request.asking is not None:
            return read_by_model(request)
    except PendingError:
        pass
    if request.round > 0:
        return None
    raise _nothing_recorded(
        request, otherwise or f"no reading of {request.spec.path} by reader {request.name} is recorded"
    )


def _nothing_recorded(request: ReadRequest, message: str) -> RefusedError:
    return RefusedError(
        "not-recorded",
        message,
        where=Place(request.spec.path),
        fix=f"isopod compile {request.spec.path} --offline (heuristic readers, no key), or hand the prompts over with the reader handoff",
    )
