"""How every reader that asks a model reads a spec: section by section, then the relations across parts; disputed places again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, count, product
from typing import Any, Final

from pipeline.models.asking import Asking, StoredClaim
from pipeline.models.chunks import Chunk, chunks_of, named
from pipeline.models.dialogue import converse
from pipeline.models.glossary import glossary
from pipeline.models.parts import Checked, Parts, check, parts_of, ref_of, renamed, run_data
from pipeline.models.prompt import ShownClaim, edges_task, reading_task
from pipeline.models.repairing import repair
from pipeline.readers.protocol import ReadRequest
from schemas.errors import RefusedError
from schemas.reading import GroundedAnchor
from schemas.run import Violation
from store.runs import dump_raw
from text.coordinates import SpecText
from text.grounding import nth_of

_CLAIMS_A_CALL: Final = 60_000
"""Code points of the claims of one side of a call about relations across parts."""


def read_by_model(request: ReadRequest) -> bytes:
    """A reading by the model at the request's desk: the bytes of an isopod.run/1, which nobody trusts.

    Raises PendingError with every call that has no answer yet, OutsideError when a model fails for good, RefusedError without a desk.
    """
    asking = request.asking
    if asking is None:
        raise RefusedError(
            "no-model",
            f"a reader that asks a model needs a config.yaml that names it (reader {request.name})",
            fix="isopod init",
        )
    if request.repair is not None:
        return repair(request, asking, request.repair)
    return _Reading(request, asking).read()


@dataclass(frozen=True, slots=True)
class _Read:
    """One part of the spec as it was read: refs are the model's own, unique in this part only."""

    parts: Parts
    standing: tuple[GroundedAnchor, ...]
    provider: str


class _Reading:
    def __init__(self, request: ReadRequest, asking: Asking) -> None:
        self.request = request
        self.asking = asking
        self.spec = request.spec
        self.counter = count(1)

    def read(self) -> bytes:
        wanted = range(len(self.request.structure.sections)) if self.asking.changed is None else self.asking.changed
        chunks = chunks_of(self.spec, self.request.structure, wanted, self.asking.models.section_chars)
        read = self.asking.all_of(lambda chunk: self._read_chunk(chunk, len(chunks)), chunks)
        named_parts = [_renamed(one.parts, number, len(read)) for number, one in enumerate(read)]
        across, stored = self._across([_standing(one, number, len(read)) for number, one in enumerate(read)])
        parts = Parts(
            (*(anchor for one in named_parts for anchor in one.anchors), *stored),
            (*(edge for one in named_parts for edge in one.edges), *across),
        )
        provider = read[0].provider if read else self.asking.desk.provider
        return dump_raw(run_data(self.spec, self._reader(provider), parts))

    def _reader(self, provider: str) -> dict[str, Any]:
        request = self.request
        return {"name": request.name, "provider": provider, "model": request.model, "round": request.round}

    def _read_chunk(self, chunk: Chunk, parts_in_all: int) -> _Read:
        asking, place = self.asking, named(self.spec, chunk)
        terms = glossary(self.spec, self.request.structure, chunk, asking.terms)
        task = reading_task(self.spec, self.request.structure, chunk, terms)
        reader = self._reader(asking.desk.provider)

        def judge(envelope: dict[str, Any]) -> tuple[tuple[Parts, Checked], Sequence[Violation]]:
            parts = parts_of(envelope)
            checked = check(asking.grounder, reader, parts, chunk)
            return (parts, checked), checked.violations

        concluded = converse(
            asking.desk,
            lambda added: asking.call(self.request.round, "read", task + added, place),
            ("anchors", "edges"),
            judge,
        )
        parts, checked = concluded.made
        asking.note_left_out(place, concluded.violations)
        if parts_in_all > 1:
            asking.say(f"reader {self.request.name}: {next(self.counter)} of {parts_in_all} parts read ({place})")
        anchors = tuple(raw for index, raw in enumerate(parts.anchors) if index not in checked.outside)
        gone = {ref_of(parts.anchors[index]) for index in checked.outside}
        edges = tuple(raw for raw in parts.edges if not _touches(raw, gone))
        standing = tuple(one for one in checked.reading.anchors if one.ref not in gone)
        return _Read(Parts(anchors, edges), standing, concluded.answer.provider)

    def _across(self, read: Sequence[tuple[GroundedAnchor, ...]]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The relations between claims of different parts, and the stored claims that they name, as raw parts of the run."""
        own = [(self._shown(one), number) for number, part in enumerate(read) for one in part]
        kept = [
            (ShownClaim(f"s{number}", one.kind, self.spec.lines_of(one.span), self.spec.quoted(one.span)), -1)
            for number, one in enumerate(self.asking.stored, 1)
        ]
        if not own or len({part for _, part in (*own, *kept)}) < 2:
            return (), ()
        batches, old = _batches(own), _batches(kept)
        if len(batches) == 1 and not old:
            pairs = [(batches[0], batches[0][:0])]
        else:
            pairs = [*combinations(batches, 2), *product(batches, old)]
        found = self.asking.all_of(lambda pair: self._relate([*pair[0], *pair[1]]), pairs)
        edges: dict[tuple[Any, ...], Any] = {}
        for raw in (edge for one in found for edge in one):
            edges.setdefault((raw["kind"], raw["from"], raw["to"]), raw)
        ends = {end for kind, from_, to in edges for end in (from_, to)}
        stored = tuple(
            _raw(claim, one, self.spec)
            for (claim, _), one in zip(kept, self.asking.stored, strict=True)
            if claim.ref in ends
        )
        return tuple(edges.values()), stored

    def _shown(self, one: GroundedAnchor) -> ShownClaim:
        return ShownClaim(one.ref, one.kind, one.lines, self.spec.quoted(one.span))

    def _relate(self, claims: Sequence[tuple[ShownClaim, int]]) -> list[dict[str, Any]]:
        """The relations between these claims that a model draws, those of different parts only."""
        asking = self.asking
        part = {claim.ref: number for claim, number in claims}
        sections = [
            self.request.structure.section_at(self.spec.line_span(claim.lines[0])[0]).name for claim, _ in claims
        ]
        listed = Parts(tuple(_listed(claim) for claim, _ in claims), ())
        task = edges_task([claim for claim, _ in claims], [number for _, number in claims], sections)
        place = f"{self.spec.path}, relations between {len(set(part.values()))} parts"
        reader = self._reader(asking.desk.provider)

        def judge(envelope: dict[str, Any]) -> tuple[list[Any], Sequence[Violation]]:
            edges = parts_of(envelope).edges
            checked = check(asking.grounder, reader, Parts(listed.anchors, edges), None)
            wrong = [
                *(one for one in checked.violations if one.path.startswith("edges")),
                *_within_a_part(edges, part),
            ]
            bad = {one.path.split("]")[0] + "]" for one in wrong}
            return [raw for index, raw in enumerate(edges) if f"edges[{index}]" not in bad], wrong

        concluded = converse(
            asking.desk, lambda added: asking.call(self.request.round, "edges", task + added, place), ("edges",), judge
        )
        asking.note_left_out(place, concluded.violations)
        return concluded.made


def _renamed(parts: Parts, number: int, count: int) -> Parts:
    """The refs of a part as they are in the run: as they came when there is one part, else with its number before."""
    if count == 1:
        return parts
    names = {ref: f"{number + 1}.{ref}" for raw in parts.anchors if (ref := ref_of(raw)) is not None}
    return renamed(parts, names, f"{number + 1}.")


def _standing(read: _Read, number: int, count: int) -> tuple[GroundedAnchor, ...]:
    if count == 1:
        return read.standing
    return tuple(one.model_copy(update={"ref": f"{number + 1}.{one.ref}"}) for one in read.standing)


def _touches(raw: Any, refs: Iterable[str | None]) -> bool:
    return isinstance(raw, dict) and any(
        raw.get(key) in refs for key in ("from", "to") if isinstance(raw.get(key), str)
    )


def _within_a_part(edges: Sequence[Any], part: dict[str, int]) -> Iterator[Violation]:
    for index, raw in enumerate(edges):
        if not isinstance(raw, dict):
            continue
        from_, to = raw.get("from"), raw.get("to")
        if isinstance(from_, str) and isinstance(to, str) and from_ in part and part[from_] == part.get(to):
            message = "both claims are of one part: only relations between different parts are asked for"
            yield Violation(code="same-part", path=f"edges[{index}]", ref=from_, message=message)


def _listed(claim: ShownClaim) -> dict[str, Any]:
    return {"ref": claim.ref, "kind": claim.kind, "quote": claim.quote, "lines": list(claim.lines), "nth": None}


def _raw(claim: ShownClaim, stored: StoredClaim, spec: SpecText) -> dict[str, Any]:
    return _listed(claim) | {"nth": nth_of(spec, stored.span)}


def _batches(claims: Sequence[tuple[ShownClaim, int]]) -> list[list[tuple[ShownClaim, int]]]:
    """The claims in order, in lists of about `_CLAIMS_A_CALL` code points."""
    batches: list[list[tuple[ShownClaim, int]]] = []
    size = 0
    for entry in claims:
        length = len(entry[0].quote) + 40
        if not batches or size + length > _CLAIMS_A_CALL:
            batches.append([])
            size = 0
        batches[-1].append(entry)
        size += length
    return batches
