"""Anchors and edges as a model gives them, brought into the form of a run, and what of them stands in the lines that it was shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from pipeline.models.chunks import Chunk
from schemas.reading import GroundedAnchor
from schemas.run import RUN_SCHEMA, Violation
from store.runs import parse_parts
from text.coordinates import SpecText
from text.grounding import Grounder, Reading, ground

_ANCHOR_KEYS: Final = {"first_line": 0, "last_line": 1}
_CUE_KEYS: Final = {"cue_first_line": 0, "cue_last_line": 1}


@dataclass(frozen=True, slots=True)
class Parts:
    """Raw anchors and edges in the form of isopod.run/1; nothing of them was checked yet."""

    anchors: tuple[Any, ...]
    edges: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """`reading` is what stands; `violations` what is wrong, `outside` the indexes of anchors that quote lines which were not shown."""

    reading: Reading
    violations: tuple[Violation, ...]
    outside: frozenset[int]


def parts_of(envelope: Mapping[str, Any]) -> Parts:
    """The flat answer of `pipeline.models.shapes` as parts of a run. What does not fit stays as it came, and is refused later."""
    return Parts(
        tuple(_anchor(raw) for raw in envelope.get("anchors", ())),
        tuple(_edge(raw) for raw in envelope.get("edges", ())),
    )


def check(grounder: Grounder, reader: Mapping[str, Any], parts: Parts, shown: Chunk | None) -> Checked:
    """Validate and ground the parts; `shown` are the lines that anchors may quote, None for no limit."""
    spec = grounder.spec
    taken = parse_parts(run_data(spec, reader, parts), spec.path)
    reading = ground(grounder, taken.anchors, taken.edges)
    index_of = {anchor.ref: index for index, anchor in taken.anchors}
    outside = [
        Violation(
            code="outside-lines",
            path=f"anchors[{index_of[one.ref]}].quote",
            ref=one.ref,
            message=f"these words stand in line {one.lines[0]}, which you were not shown: quote only the lines above",
        )
        for one in reading.anchors
        if shown is not None and not _stands_in(one, shown)
    ]
    violations = sorted((*taken.violations, *reading.violations, *outside), key=lambda one: (one.path, one.code))
    return Checked(reading, tuple(violations), frozenset(index_of[one.ref] for one in outside if one.ref is not None))


def run_data(spec: SpecText, reader: Mapping[str, Any], parts: Parts) -> dict[str, Any]:
    """The parts as an isopod.run/1 that anyone may check; `reader` is its reader part."""
    return {
        "schema": RUN_SCHEMA,
        "spec": {"path": spec.path, "sha256": spec.digest},
        "reader": dict(reader),
        "anchors": list(parts.anchors),
        "edges": list(parts.edges),
    }


def ref_of(raw: Any) -> str | None:
    """The ref of a raw anchor, None when it has none."""
    ref = raw.get("ref") if isinstance(raw, dict) else None
    return ref if isinstance(ref, str) and ref else None


def renamed(parts: Parts, names: Mapping[str, str], stray: str) -> Parts:
    """The parts with their refs renamed; a ref without a name gets `stray` before it, so that it means nothing elsewhere either."""

    def name(ref: Any) -> Any:
        return names.get(ref, f"{stray}{ref}") if isinstance(ref, str) and ref else ref

    def anchor(raw: Any) -> Any:
        return {**raw, "ref": name(raw["ref"])} if isinstance(raw, dict) and "ref" in raw else raw

    def edge(raw: Any) -> Any:
        return (
            {key: name(value) if key in ("from", "to") else value for key, value in raw.items()}
            if isinstance(raw, dict)
            else raw
        )

    return Parts(tuple(map(anchor, parts.anchors)), tuple(map(edge, parts.edges)))


def codes(violations: Sequence[Violation]) -> dict[str, int]:
    """How often each code stands there."""
    counts: dict[str, int] = {}
    for one in violations:
        counts[one.code] = counts.get(one.code, 0) + 1
    return dict(sorted(counts.items()))


def _stands_in(anchor: GroundedAnchor, shown: Chunk) -> bool:
    return any(passage.holds(anchor.core) for passage in shown) or any(
        one.span[0] <= anchor.core[0] and anchor.core[1] <= two.span[1] and one.span[1] == two.span[0]
        for one, two in pairwise(shown)
    )


def _anchor(raw: Any) -> Any:
    if not isinstance(raw, dict):
        return raw
    made = {key: value for key, value in raw.items() if key not in _ANCHOR_KEYS and key != "nth"}
    if all(key in raw for key in _ANCHOR_KEYS):
        made["lines"] = [raw["first_line"], raw["last_line"]]
    nth = raw.get("nth")
    made["nth"] = None if nth == 0 and not isinstance(nth, bool) else nth
    return made


def _edge(raw: Any) -> Any:
    if not isinstance(raw, dict):
        return raw
    made = {key: value for key, value in raw.items() if key not in _CUE_KEYS and key != "cue"}
    cue: dict[str, Any] = {"quote": raw["cue"]} if "cue" in raw else {}
    if all(key in raw for key in _CUE_KEYS):
        cue["lines"] = [raw["cue_first_line"], raw["cue_last_line"]]
    if cue:
        made["cue"] = cue
    return made
