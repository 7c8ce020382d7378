"""Models that tests script: no network, no SDK; what they are asked is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from pipeline.bench import Bench
from pipeline.models.asking import Asking, StoredClaim
from pipeline.models.budget import Budget
from pipeline.models.desk import Desk
from pipeline.models.executor import InOrder
from pipeline.models.patience import Clock, Patience
from pipeline.models.protocol import Received
from pipeline.readers.protocol import ReadRequest, Repair
from schemas.call import Call, Usage
from schemas.config import Models, ReaderConfig
from store.answers import AnswerShelf
from text.coordinates import of_text

Brain = Callable[[Call], Any]
_NUMBERED = re.compile(r"^ *(\d+) \| ", re.MULTILINE)


@dataclass
class Scripted:
    """A model whose brain answers: a dict becomes JSON, a string stays as it is, an exception is raised."""

    brain: Brain
    asked: list[Call] = field(default_factory=list)
    provider: ClassVar[str] = "scripted"

    def missing(self, config: ReaderConfig) -> list[str]:
        return []

    def send(self, call: Call, config: ReaderConfig, seconds: float) -> Received:
        self.asked.append(call)
        answer = self.brain(call)
        if isinstance(answer, Exception):
            raise answer
        content = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return Received(content, "tool_use", Usage(input=100, output=10))


class StillClock(Clock):
    """Time passes only when somebody sleeps; every sleep is kept."""

    def __init__(self) -> None:
        self.time = 0.0
        self.slept: list[float] = []
        super().__init__(now=lambda: self.time, sleep=self._sleep, jitter=lambda: 1.0)

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


def desk_of(
    model: Scripted | None, folder: Path, *, limits: Models | None = None, clock: Clock | None = None, **config: Any
) -> Desk:
    """A desk with a shelf in `folder`."""
    limits = limits or Models()
    return Desk(
        provider="scripted",
        config=ReaderConfig(provider="scripted", model="model-x", **config),
        shelf=AnswerShelf(home=folder / "answers", state=folder),
        model=model,
        budget=Budget(limits),
        patience=Patience(limits, lambda _: None, clock or StillClock()),
        book=None,
        currency="USD",
    )


def request_of(
    text: str,
    desk: Desk,
    *,
    size: int = 6_000,
    path: str = "spec.md",
    changed: frozenset[int] | None = None,
    stored: Sequence[StoredClaim] = (),
    repair: Repair | None = None,
    number: int = 0,
) -> ReadRequest:
    """What a reader that asks a model is given; parts are worked off in order."""
    bench = Bench.of(of_text(text, path))
    asking = Asking(
        name="a",
        desk=desk,
        executor=InOrder(),
        models=Models(section_chars=max(size, 200)),
        grounder=bench.grounder,
        say=lambda _: None,
        changed=changed,
        stored=tuple(stored),
    )
    return ReadRequest(bench.spec, bench.structure, "a", "model-x", round=number, repair=repair, asking=asking)


def shown_lines(call: Call) -> list[int]:
    """The numbers of the lines that a call shows."""
    return [int(number) for number in _NUMBERED.findall(call.user)]


def claim(ref: str, quote: str, line: int, kind: str = "requirement", nth: int = 0) -> dict[str, Any]:
    """A claim as a model gives it."""
    return {"ref": ref, "kind": kind, "quote": quote, "first_line": line, "last_line": line, "nth": nth}


def relation(from_: str, kind: str, to: str, cue: str, line: int) -> dict[str, Any]:
    """A relation as a model gives it."""
    return {"from": from_, "to": to, "kind": kind, "cue": cue, "cue_first_line": line, "cue_last_line": line}


def reading(*claims: dict[str, Any], edges: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    return {"anchors": list(claims), "edges": list(edges)}
