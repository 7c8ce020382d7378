"""Hands its questions over: nothing is sent, answers come as files (`isopod extract SPEC --export DIR`, `--import DIR`)."""

from __future__ import annotations

from typing import ClassVar

from pipeline.models.reading import read_by_model
from pipeline.readers.protocol import ReadRequest
from schemas.run import Run


class Handoff:
    """A model that a person asks: a chat, or an agent without a command line. It carries no call, so each waits for its file."""

    provider: ClassVar[str] = "handoff"
    heuristic: ClassVar[bool] = False
    repairs: ClassVar[bool] = True
    calls_model: ClassVar[bool] = True

    def read(self, request: ReadRequest) -> Run | bytes | None:
        """As `Reader.read`."""
        return read_by_model(request)
