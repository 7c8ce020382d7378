"""Replays recorded runs: `<spec name>.<reader>.round<k>.json` in the folder of recorded runs."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import ClassVar

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
        """The recorded run of this round, None when a repair round was not recorded.

        Raises RefusedError when no first reading of this very text is recorded.
        """
        name = PurePosixPath(request.spec.path).name.rpartition(".")[0] or request.spec.path
        found = recorded(request.recorded, name, request.name, request.round)
        if found is None:
            if request.round > 0:
                return None
            raise _nothing_recorded(request, f"no reading of {request.spec.path} by reader {request.name} is recorded")
        source = str(found.path)
        if parse_parts(read_json(found.data, source), source).spec.sha256 != request.spec.digest:
            if request.round > 0:
                return None
            raise _nothing_recorded(
                request, f"the recorded reading {found.path.name} is of another version of this text"
            )
        return found.data


def _nothing_recorded(request: ReadRequest, message: str) -> RefusedError:
    return RefusedError(
        "not-recorded",
        message,
        where=Place(request.spec.path),
        fix=f"isopod compile {request.spec.path} --offline (heuristic readers, no key), or hand the prompts over with the reader handoff",
    )
