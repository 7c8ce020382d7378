"""Runs on disk: kept by content under the state folder, recorded beside the specs, and taken apart part by part.

Nobody is trusted with format, least of all a model: `parse_parts` keeps what is valid of a run and says what is not,
and only an envelope that does not validate refuses the whole run (DESIGN.md section 4).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import rfc8785
from pydantic import ValidationError

from schemas.base import Record, message_of
from schemas.errors import Place, RefusedError
from schemas.kinds import ANCHOR_KINDS, EDGE_KINDS
from schemas.run import RUN_SCHEMA, Run, RunAnchor, RunEdge, RunReader, RunSpec, Violation
from store.files import read_file, write_by_content
from store.instance import Instance
from store.paths import ensure_within
from store.yamlio import load_json

MAX_RUN_BYTES: Final = 10_000_000
"""A run of 100,000 claims is 20 MB of pretty JSON at most; a reader's answer is three orders smaller."""

_BLANK: Final = " \t\n\r\f\v\u00a0\u200b\u200c\u200d\u2060\u3000\ufeff"
_Part = TypeVar("_Part", bound=Record)


@dataclass(frozen=True, slots=True)
class RunParts:
    """A run taken apart: what is valid, each with its index in the file's list, and what is not.

    An edge is valid here when both its refs are declared in the run, even when that anchor has a violation: whoever
    leaves an anchor out leaves its edges out too.
    """

    spec: RunSpec
    reader: RunReader
    anchors: tuple[tuple[int, RunAnchor], ...]
    edges: tuple[tuple[int, RunEdge], ...]
    violations: tuple[Violation, ...]


def parse_parts(data: object, source: str) -> RunParts:
    """Take a run apart: `data` is plain JSON, `source` names it in errors.

    Violations have the codes unknown-kind, unknown-key, missing-key, blank-quote, bad-lines, invalid-value,
    duplicate-ref, dangling-ref and self-edge, and stand in the order of the file.

    Raises RefusedError `invalid-run` when the envelope does not validate.
    """
    spec, reader, raw_anchors, raw_edges = _envelope(data, source)
    violations: list[Violation] = []
    anchors: list[tuple[int, RunAnchor]] = []
    declared: set[str] = set()
    for number, raw in enumerate(raw_anchors):
        path = f"anchors[{number}]"
        ref = _ref_of(raw, "ref")
        anchor = _part(RunAnchor, raw, path, ref, ANCHOR_KINDS, violations)
        if ref is not None and ref in declared:
            message = "an anchor before it has this ref: rename one of them"
            violations.append(Violation(code="duplicate-ref", path=f"{path}.ref", ref=ref, message=message))
            continue
        if ref is not None:
            declared.add(ref)
        if anchor is not None:
            anchors.append((number, anchor))
    edges = []
    for number, raw in enumerate(raw_edges):
        edge = _part(RunEdge, raw, f"edges[{number}]", None, EDGE_KINDS, violations)
        if edge is not None and _ends_stand(edge, f"edges[{number}]", declared, violations):
            edges.append((number, edge))
    return RunParts(spec, reader, tuple(anchors), tuple(edges), tuple(violations))


def _envelope(data: object, source: str) -> tuple[RunSpec, RunReader, Sequence[object], Sequence[object]]:
    problems: list[str] = []
    if not isinstance(data, dict):
        raise _invalid(source, [f"a run is a JSON object, found {_shown(data)}"])
    keys = ("schema", "spec", "reader", "anchors", "edges")
    problems += [f"{key}: this key is missing" for key in keys if key not in data]
    problems += [f"{key}: unknown key" for key in data if key not in keys]
    if "schema" in data and data["schema"] != RUN_SCHEMA:
        problems.append(f"schema: must be {RUN_SCHEMA!r}, found {_shown(data['schema'])}")
    problems += [
        f"{key}: must be a list, found {_shown(data[key])}"
        for key in ("anchors", "edges")
        if key in data and not isinstance(data[key], list)
    ]
    spec = _envelope_part(RunSpec, data, "spec", problems)
    reader = _envelope_part(RunReader, data, "reader", problems)
    if problems or spec is None or reader is None:
        raise _invalid(source, problems)
    return spec, reader, data["anchors"], data["edges"]


def _envelope_part(kind: type[_Part], data: Mapping[str, object], key: str, problems: list[str]) -> _Part | None:
    if key not in data:
        return None
    try:
        return kind.model_validate(data[key], by_alias=True, by_name=False)
    except ValidationError as error:
        for item in error.errors(include_url=False, include_context=False):
            path = ".".join(str(part) for part in (key, *item["loc"]))
            problems.append(f"{path}: {message_of(item)}")
        return None


def _invalid(source: str, problems: Sequence[str]) -> RefusedError:
    return RefusedError(
        "invalid-run", "this is not a run: " + "; ".join(problems), where=Place(source), fix="isopod schema run"
    )


def _part(
    kind: type[_Part],
    raw: object,
    path: str,
    ref: str | None,
    kinds: Sequence[str],
    violations: list[Violation],
) -> _Part | None:
    """One anchor or edge; None with its violations appended when it does not validate."""
    try:
        part = kind.model_validate(raw, by_alias=True, by_name=False)
    except ValidationError as error:
        items = error.errors(include_url=False, include_context=False)
        found = {(entry.code, entry.path): entry for entry in (_violation(item, path, ref, kinds) for item in items)}
        violations.extend(found.values())
        return None
    quote_path, quote = _quote_of(part)
    if not quote.strip(_BLANK):
        violations.append(_blank(f"{path}.{quote_path}", ref))
        return None
    return part


def _quote_of(part: Record) -> tuple[str, str]:
    if isinstance(part, RunEdge):
        return "cue.quote", part.cue.quote
    assert isinstance(part, RunAnchor)
    return "quote", part.quote


def _violation(item: Any, path: str, ref: str | None, kinds: Sequence[str]) -> Violation:
    """Our stable code for one error of pydantic."""
    location: tuple[str | int, ...] = item["loc"]
    if "lines" in location and not (item["type"] == "missing" and location[-1] == "lines"):
        where = f"{path}.{'cue.' if 'cue' in location else ''}lines"
        message = "lines are [first, last]: whole numbers from 1 on, the first not after the last"
        return Violation(code="bad-lines", path=where, ref=ref, message=message)
    where = path + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    if item["type"] == "extra_forbidden":
        return Violation(code="unknown-key", path=where, ref=ref, message="unknown key: leave it out")
    if item["type"] == "missing":
        return Violation(code="missing-key", path=where, ref=ref, message="this key is missing")
    if location == ("kind",):
        message = f"unknown kind {_shown(item['input'])}: one of {', '.join(kinds)}"
        return Violation(code="unknown-kind", path=where, ref=ref, message=message)
    if location[-1:] == ("quote",) and item["type"] == "string_too_short":
        return _blank(where, ref)
    return Violation(code="invalid-value", path=where, ref=ref, message=message_of(item))


def _blank(path: str, ref: str | None) -> Violation:
    return Violation(code="blank-quote", path=path, ref=ref, message="the quote is blank: quote the words of the spec")


def _ends_stand(edge: RunEdge, path: str, declared: set[str], violations: list[Violation]) -> bool:
    stands = True
    for key, ref in (("from", edge.from_), ("to", edge.to)):
        if ref not in declared:
            message = f"no anchor of this run has the ref {_shown(ref)}"
            violations.append(Violation(code="dangling-ref", path=f"{path}.{key}", ref=ref, message=message))
            stands = False
    if stands and edge.from_ == edge.to:
        message = "the edge leads from an anchor to itself: leave it out"
        violations.append(Violation(code="self-edge", path=path, ref=edge.from_, message=message))
        stands = False
    return stands


def _ref_of(raw: object, key: str) -> str | None:
    ref = raw.get(key) if isinstance(raw, dict) else None
    return ref if isinstance(ref, str) and ref else None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


# --- on disk ---------------------------------------------------------------------------------------------------------


def load_run(data: bytes, source: str, max_bytes: int = MAX_RUN_BYTES) -> Run:
    """A run all of whose parts must be valid, from bytes that anyone may have written.

    Raises RefusedError `run-too-big`, `invalid-json` or `invalid-run`; the last names the first part that is wrong.
    """
    parts = parse_parts(read_json(data, source, max_bytes), source)
    if parts.violations:
        raise _invalid(source, [f"{entry.path}: {entry.message} ({entry.code})" for entry in parts.violations[:20]])
    return Run(
        spec=parts.spec,
        reader=parts.reader,
        anchors=tuple(anchor for _, anchor in parts.anchors),
        edges=tuple(edge for _, edge in parts.edges),
    )


def read_json(data: bytes, source: str, max_bytes: int = MAX_RUN_BYTES) -> Any:
    """The plain JSON of a run's bytes, for `parse_parts`.

    Raises RefusedError `run-too-big` or `invalid-json`.
    """
    if len(data) > max_bytes:
        raise RefusedError("run-too-big", f"{len(data)} bytes, a run has at most {max_bytes}", where=Place(source))
    return load_json(data, source)


def canonical(run: Run) -> bytes:
    """The run as RFC 8785 bytes: what its sha256 is taken of, and what is stored."""
    return rfc8785.dumps(run.to_data())


def dump_raw(data: Mapping[str, Any]) -> bytes:
    """The bytes of a run some of whose parts may be wrong, for whoever takes it apart: lone surrogates stay JSON escapes."""
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace")


def put(instance: Instance, run: Run) -> str:
    """Store a run under `.isopod/runs/` and return its name, the sha256 (hex) of its canonical bytes.

    Raises OutsideError when the disk refuses.
    """
    data = canonical(run)
    name = hashlib.sha256(data).hexdigest()
    path = _path_of(instance, name)
    write_by_content(path, data, instance.relative(path))
    return name


def get(instance: Instance, name: str) -> Run:
    """The stored run of that name.

    Raises RefusedError when there is none or when its bytes are not those of its name.
    """
    path = _path_of(instance, name)
    source = instance.relative(path)
    data = read_file(path, source)
    if data is None:
        raise RefusedError("unknown-run", f"no run {name} is stored", where=Place(source))
    if hashlib.sha256(data).hexdigest() != name:
        raise RefusedError("run-changed", "the file is not the run that its name says", where=Place(source))
    return load_run(data, source)


def _path_of(instance: Instance, name: str) -> Path:
    return ensure_within(instance.runs_dir, instance.runs_dir / f"{name}.json")


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A recorded reading as it lies on disk: `data` goes through `read_json` and `parse_parts` like every answer."""

    path: Path
    data: bytes


def recorded(folders: Sequence[Path], spec_name: str, reader: str, number: int) -> RecordedRun | None:
    """The recorded reading of round `number`, from the first folder that has one; None when none has.

    Raises RefusedError when a name would leave the folder, OutsideError when the file cannot be read.
    """
    for folder in folders:
        path = ensure_within(folder, folder / f"{spec_name}.{reader}.round{number}.json")
        data = read_file(path, str(path))
        if data is not None:
            return RecordedRun(path, data)
    return None
