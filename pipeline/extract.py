"""Extract and ground: each reader reads alone; every quote finds its place or is a violation (DESIGN.md sections 3 and 4)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.bench import Bench
from pipeline.models.asking import Asking
from pipeline.readers.protocol import Reader, ReadRequest, Repair
from schemas.errors import Place, RefusedError
from schemas.run import Run, RunReader
from store.runs import RunParts, canonical, parse_parts, read_json
from text.coordinates import SpanT
from text.grounding import Reading, ground
from text.intervals import hull


@dataclass(frozen=True, slots=True)
class Extracted:
    """One reading: its bytes as they came, who read, and what of it stands in the text."""

    data: bytes
    reader: RunReader
    reading: Reading
    run: Run


@dataclass(frozen=True, slots=True)
class ReaderSeat:
    """A reader of a compile: its name there (`a` or `b`), the reader, the model that config names."""

    name: str
    reader: Reader
    model: str


def read(bench: Bench, seat: ReaderSeat, recorded: Sequence[Path], asking: Asking | None = None) -> Extracted:
    """The first reading.

    Raises RefusedError when the reader cannot read this spec or its envelope does not validate, OutsideError when a model fails,
    PendingError when answers of a model are still to come.
    """
    request = ReadRequest(bench.spec, bench.structure, seat.name, seat.model, recorded=recorded, asking=asking)
    answer = seat.reader.read(request)
    if answer is None:
        raise RefusedError(
            "reader-silent",
            f"reader {seat.name} ({seat.reader.provider}) returned no reading",
            where=Place(bench.spec.path),
        )
    return take(bench, answer, bench.spec.path)


def reread(
    bench: Bench,
    seat: ReaderSeat,
    before: Extracted,
    units: tuple[SpanT, ...],
    number: int,
    recorded: Sequence[Path],
    asking: Asking | None = None,
) -> Extracted | None:
    """Repair round `number`: the reader decides its disputed units again, alone. None when it has nothing more to say.

    Raises as `read`.
    """
    if not seat.reader.repairs:
        return None
    repair = Repair(before.run, before.reading, units)
    answer = seat.reader.read(
        ReadRequest(
            bench.spec,
            bench.structure,
            seat.name,
            seat.model,
            round=number,
            repair=repair,
            recorded=recorded,
            asking=asking,
        )
    )
    return None if answer is None else take(bench, answer, bench.spec.path)


def disputed_units(bench: Bench, spans: Iterable[SpanT]) -> tuple[SpanT, ...]:
    """The units that these places touch, in text order, each once: what a reader is shown again, never the other's output."""
    found = {hull([unit.span for unit in units]) for span in spans if (units := bench.structure.units_in(span))}
    return tuple(sorted(found))


def take(bench: Bench, answer: Run | bytes, source: str) -> Extracted:
    """Ground a run, ours or from outside.

    Raises RefusedError when the envelope does not validate or names another text.
    """
    data = canonical(answer) if isinstance(answer, Run) else answer
    parts = _parts(bench, parse_parts(read_json(data, source), source), source)
    grounded = ground(bench.grounder, parts.anchors, parts.edges)
    reading = Reading(
        grounded.anchors,
        grounded.edges,
        tuple(sorted((*parts.violations, *grounded.violations), key=lambda one: (one.path, one.code))),
    )
    run = Run(
        spec=parts.spec,
        reader=parts.reader,
        anchors=tuple(anchor for _, anchor in parts.anchors),
        edges=tuple(edge for _, edge in parts.edges),
    )
    return Extracted(data, parts.reader, reading, run)


def _parts(bench: Bench, parts: RunParts, source: str) -> RunParts:
    if parts.spec.sha256 != bench.spec.digest:
        raise RefusedError(
            "other-spec",
            f"the run is of another text (its digest is {parts.spec.sha256[:12]}..., not {bench.spec.digest[:12]}...)",
            where=Place(source),
            fix=f"isopod extract {bench.spec.path} --reader NAME",
        )
    return parts


def printed(extracted: Extracted) -> str:
    """The run as `extract` prints it: the bytes from outside as they came, ours indented."""
    return json.dumps(json.loads(extracted.data), ensure_ascii=False, indent=1)
