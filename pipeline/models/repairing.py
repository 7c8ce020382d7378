"""A repair round for one reader: its disputed lines again with what it said there, never what the other said (DESIGN.md section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.models.asking import Asking
from pipeline.models.chunks import Chunk, passages_of, together
from pipeline.models.chunks import named as named_lines
from pipeline.models.dialogue import converse
from pipeline.models.parts import Checked, Parts, check, parts_of, ref_of, renamed, run_data
from pipeline.models.prompt import ShownClaim, ShownEdge, repair_task
from pipeline.readers.protocol import ReadRequest, Repair
from schemas.kinds import kind_class
from schemas.reading import GroundedAnchor
from schemas.run import Run, RunAnchor, RunEdge, Violation
from store.runs import dump_raw
from text.intervals import overlap


def repair(request: ReadRequest, asking: Asking, again: Repair) -> bytes:
    """The reader's whole reading after it decided its disputed lines again: the bytes of an isopod.run/1.

    Raises as `pipeline.models.dialogue.converse`.
    """
    return _Repairing(request, asking, again).run()


@dataclass(frozen=True, slots=True)
class _Again:
    """What came back for one region: its parts, with refs that no kept claim has."""

    parts: Parts
    provider: str


class _Repairing:
    def __init__(self, request: ReadRequest, asking: Asking, again: Repair) -> None:
        self.request = request
        self.asking = asking
        self.spec = request.spec
        self.previous: Run = again.previous
        self.standing = {anchor.ref: anchor for anchor in again.reading.anchors}
        self.regions = together(
            passages_of(self.spec, request.structure, self._closed(again.units)), asking.models.section_chars
        )
        self.inside = {ref for ref, one in self.standing.items() if any(_shows(chunk, one) for chunk in self.regions)}

    def run(self) -> bytes:
        regions = list(enumerate(self.regions))
        again = self.asking.all_of(lambda entry: self._ask(*entry), regions)
        anchors: list[Any] = [one.to_data() for one in self.previous.anchors if one.ref not in self.inside]
        anchors += [raw for one in again for raw in one.parts.anchors]
        edges: list[Any] = [
            one.to_data() for one in self.previous.edges if one.from_ not in self.inside and one.to not in self.inside
        ]
        successors = self._successors(again)
        edges += [_pointed(raw, successors) for one in again for raw in one.parts.edges]
        provider = again[0].provider if again else self.asking.desk.provider
        return dump_raw(run_data(self.spec, self._reader(provider), Parts(tuple(anchors), tuple(_distinct(edges)))))

    def _closed(self, units: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """The disputed units with the whole of every own claim that reaches into their lines: no claim is shown in half."""
        spans = list(units)
        while True:
            chunk = passages_of(self.spec, self.request.structure, spans)
            reaching = [one.span for one in self.standing.values() if _touched(chunk, one) and not _shows(chunk, one)]
            more = [span for span in reaching if span not in spans]
            if not more:
                return spans
            spans += more

    def _reader(self, provider: str) -> dict[str, Any]:
        request = self.request
        return {"name": request.name, "provider": provider, "model": request.model, "round": request.round}

    def _ask(self, number: int, chunk: Chunk) -> _Again:
        asking, place = self.asking, named_lines(self.spec, chunk)
        own = [
            one for one in self.previous.anchors if one.ref in self.standing and _shows(chunk, self.standing[one.ref])
        ]
        here = {one.ref for one in own}
        edges = [one for one in self.previous.edges if {one.from_, one.to} & here]
        ends = {end for edge in edges for end in (edge.from_, edge.to)} - here
        outside = [one for one in self.previous.anchors if one.ref in ends and one.ref in self.standing]
        task = repair_task(
            self.spec,
            self.request.structure,
            chunk,
            [_shown(one) for one in own],
            [_edge(one) for one in edges],
            [_shown(one) for one in outside],
        )
        reader = self._reader(asking.desk.provider)
        elsewhere = tuple(one.to_data() for one in outside)

        def judge(envelope: dict[str, Any]) -> tuple[tuple[Parts, Checked], Sequence[Violation]]:
            parts = parts_of(envelope)
            # The claims elsewhere come last, so that the paths of violations are those of the answer.
            checked = check(asking.grounder, reader, Parts((*parts.anchors, *elsewhere), parts.edges), None)
            beyond = self._beyond(parts, checked, chunk)
            violations = [one for one in checked.violations if _index(one) < len(parts.anchors) or _is_edge(one)]
            return (parts, checked), [*violations, *beyond, *_taken(parts, {one.ref for one in outside})]

        concluded = converse(
            asking.desk,
            lambda added: asking.call(self.request.round, "repair", task + added, place),
            ("anchors", "edges"),
            judge,
        )
        asking.note_left_out(place, concluded.violations)
        parts, _ = concluded.made
        lost = {_index(one) for one in concluded.violations if one.code in ("outside-lines", "ref-taken")}
        kept = tuple(raw for index, raw in enumerate(parts.anchors) if index not in lost)
        names = {ref: f"r{self.request.round}.{number + 1}.{ref}" for raw in kept if (ref := ref_of(raw)) is not None}
        known = {one.ref: one.ref for one in (*own, *outside)}
        return _Again(renamed(Parts(kept, parts.edges), known | names, "?"), concluded.answer.provider)

    def _beyond(self, parts: Parts, checked: Checked, chunk: Chunk) -> list[Violation]:
        """Claims that the answer makes of lines which it was not shown."""
        index_of = {ref: index for index, raw in enumerate(parts.anchors) if (ref := ref_of(raw)) is not None}
        return [
            Violation(
                code="outside-lines",
                path=f"anchors[{index_of[one.ref]}].quote",
                ref=one.ref,
                message=f"these words stand in line {one.lines[0]}, which you were not shown: quote only the lines above",
            )
            for one in checked.reading.anchors
            if one.ref in index_of and not _shows(chunk, one)
        ]

    def _successors(self, again: Sequence[_Again]) -> dict[str, str]:
        """For every claim that was decided again: the new claim of the same class on the same words, when there is one."""
        parts = Parts(tuple(raw for one in again for raw in one.parts.anchors), ())
        reading = check(self.asking.grounder, self._reader(self.asking.desk.provider), parts, None).reading
        places = {(kind_class(one.kind), one.core): one.ref for one in reading.anchors}
        old = ((ref, self.standing[ref]) for ref in self.inside)
        return {ref: places[key] for ref, one in old if (key := (kind_class(one.kind), one.core)) in places}


def _shown(anchor: RunAnchor) -> ShownClaim:
    return ShownClaim(anchor.ref, anchor.kind, anchor.lines, anchor.quote)


def _edge(edge: RunEdge) -> ShownEdge:
    return ShownEdge(edge.from_, edge.to, edge.kind, edge.cue.quote)


def _shows(chunk: Chunk, anchor: GroundedAnchor) -> bool:
    """Whether a claim stands whole in the shown lines."""
    return any(passage.holds(anchor.core) for passage in chunk)


def _touched(chunk: Chunk, anchor: GroundedAnchor) -> bool:
    return any(overlap(passage.span, anchor.core) for passage in chunk)


def _pointed(raw: Any, successors: dict[str, str]) -> Any:
    """An edge whose ends are those claims that stand now in the places of the old ones."""
    if not isinstance(raw, dict):
        return raw
    return {
        key: successors.get(value, value) if key in ("from", "to") and isinstance(value, str) else value
        for key, value in raw.items()
    }


def _distinct(edges: Iterable[Any]) -> list[Any]:
    """Edges between two regions come back from both: each once."""
    found: list[Any] = []
    seen: set[tuple[Any, Any, Any]] = set()
    for raw in edges:
        if isinstance(raw, dict) and all(isinstance(raw.get(key), str) for key in ("kind", "from", "to")):
            key = (raw["kind"], raw["from"], raw["to"])
            if key in seen:
                continue
            seen.add(key)
        found.append(raw)
    return found


def _taken(parts: Parts, refs: set[str]) -> list[Violation]:
    """New claims under the ref of a claim elsewhere: a relation that names it could mean either."""
    message = "a claim of yours elsewhere has this ref: use one that is free"
    return [
        Violation(code="ref-taken", path=f"anchors[{index}].ref", ref=ref, message=message)
        for index, raw in enumerate(parts.anchors)
        if (ref := ref_of(raw)) in refs
    ]


def _is_edge(violation: Violation) -> bool:
    return violation.path.startswith("edges")


def _index(violation: Violation) -> int:
    """The index in the list that a violation's path names."""
    return int(violation.path.partition("[")[2].partition("]")[0])
