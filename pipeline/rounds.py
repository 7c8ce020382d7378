"""The first reading and the repair rounds: read alone, join, replay the answers of people, ask again where readers differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pipeline.bench import Bench, EdgeKey, StandingClaim, ordered_key
from pipeline.extract import Extracted, ReaderSeat, read, reread
from pipeline.gate import judge_claims
from pipeline.join import TwoJoins, join
from pipeline.joinrecord import to_record
from pipeline.table import Table
from pipeline.workspace import Workspace
from schemas.anchors import Anchor, AnchorStore, Section
from schemas.compiled import Round
from schemas.finding import Finding
from text.coordinates import SpanT
from text.cores import core
from text.coverage import coverage
from text.sections import unchanged_sections

Say = Callable[[str], None]


def silent(_: str) -> None:
    """No progress is wanted."""


@dataclass(frozen=True, slots=True)
class Reached:
    """Where the rounds ended: every round's figures, both last readings, the table, what the gates said, calls of models."""

    rounds: tuple[Round, ...]
    readings: tuple[Extracted, Extracted]
    joins: TwoJoins
    table: Table
    findings: tuple[Finding, ...]
    calls: int


def reach(
    bench: Bench,
    workspace: Workspace,
    key: str,
    seats: tuple[ReaderSeat, ReaderSeat],
    *,
    strict: bool,
    changed: frozenset[int] | None = None,
    say: Say = silent,
) -> Reached:
    """Read, join and repair until nothing is in dispute, the rounds are used up or no reader has more to say.

    `changed` are the sections that the store does not know; None without a store. Raises RefusedError when a reader or a run is
    refused, OutsideError when a model fails.
    """
    store = workspace.store(key)
    heuristic = any(seat.reader.heuristic for seat in seats)
    readings: list[Extracted] = []
    calls = 0
    for seat in seats:
        say(f"reader {seat.name} ({seat.reader.provider}) reads {bench.spec.path}")
        readings.append(read(bench, seat, workspace.recorded))
        calls += seat.reader.calls_model
    rounds: list[Round] = []
    number = 0
    while True:
        a, b = readings[0].reading, readings[1].reading
        joins = join(bench.spec, bench.structure, a, b)
        shown = joins.shown(strict=strict)
        covered = coverage(bench.spec, bench.structure, [one.span for one in shown.pairs])
        rounds.append(Round(round=number, join=to_record(joins, bench.spec, a, b, covered, strict=strict)))
        table = Table.lay(bench, shown, a, b)
        if store is not None and changed is not None:
            claims, edges = stored_claims(bench, store)
            table.stand_on(changed, claims, edges)
        table.replay(workspace.settlements(key))
        if not table.disputes or number >= workspace.config.repair_rounds:
            break
        number += 1
        again = [
            reread(bench, seat, old, table.open(), number, workspace.recorded)
            for seat, old in zip(seats, readings, strict=True)
        ]
        if not any(again):
            break
        open_ = len(table.disputes)
        say(f"{open_} dispute{'' if open_ == 1 else 's'}: repair round {number}, each reader alone")
        calls += sum(seat.reader.calls_model for seat, new in zip(seats, again, strict=True) if new is not None)
        readings = [new or old for new, old in zip(again, readings, strict=True)]
    findings = judge_claims(table, [a, b], heuristic=heuristic)
    return Reached(tuple(rounds), (readings[0], readings[1]), joins, table, findings, calls)


def stored_table(bench: Bench, workspace: Workspace, key: str) -> Table:
    """No section changed: the stored claims stand, and what people said since."""
    table = Table.empty(bench)
    store = workspace.store(key)
    if store is not None:
        claims, edges = stored_claims(bench, store)
        table.stand_on(frozenset(), claims, edges)
    table.replay(workspace.settlements(key))
    return table


def stored_claims(bench: Bench, store: AnchorStore) -> tuple[list[StandingClaim], list[tuple[EdgeKey, SpanT]]]:
    """What the store holds of a spec, where it stands in the current text."""
    spans = located(bench, store.anchors, store.sections)
    claims = {}
    for anchor in store.anchors:
        if anchor.status == "live" and anchor.id in spans:
            span = spans[anchor.id]
            claims[anchor.id] = StandingClaim(anchor.kind, span, core(bench.spec.text, span), anchor.labels)
    edges = []
    for edge in store.edges:
        found = bench.grounder.find(edge.cue, (0, len(bench.spec.text)))
        if edge.from_ in claims and edge.to in claims and found is not None:
            edges.append((ordered_key(edge.kind, claims[edge.from_].key, claims[edge.to].key), found[1][0]))
    return list(claims.values()), edges


def located(bench: Bench, anchors: tuple[Anchor, ...], sections: tuple[Section, ...] = ()) -> dict[str, SpanT]:
    """The spans of the anchors that stand in the current text; `sections` are those that are stored with them."""
    names = unchanged_sections(bench.spec, bench.structure, sections)
    standing = [anchor for anchor in anchors if anchor.status != "retired"]
    found = zip(standing, bench.finder.locate_all(standing, names), strict=True)
    return {anchor.id: place.span for anchor, place in found if place.span is not None}
