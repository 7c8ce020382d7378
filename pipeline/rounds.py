"""The first reading and the repair rounds: read alone, join, replay the answers of people, ask again where readers differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pipeline.bench import Bench, EdgeKey, StandingClaim, ordered_key
from pipeline.extract import Extracted, ReaderSeat, disputed_units, read, reread
from pipeline.gate import judge_claims
from pipeline.join import TwoJoins, join
from pipeline.joinrecord import to_record
from pipeline.models.asking import Asking, StoredClaim
from pipeline.models.executor import InOrder
from pipeline.models.pending import PendingError, merged
from pipeline.room import Room
from pipeline.roundlines import round_line
from pipeline.table import Table
from pipeline.workspace import Workspace
from schemas.anchors import Anchor, AnchorStore, Section
from schemas.bookline import RoundLine
from schemas.compiled import Round
from schemas.finding import Finding
from text.coordinates import SpanT
from text.cores import core
from text.coverage import coverage
from text.sections import unchanged_sections

Say = Callable[[str], None]
Made = TypeVar("Made")


def silent(_: str) -> None:
    """No progress is wanted."""


@dataclass(frozen=True, slots=True)
class Reached:
    """Where the rounds ended: every round's figures, both last readings, the table, what the gates said, calls of models,
    and the rounds as the run record keeps them."""

    rounds: tuple[Round, ...]
    readings: tuple[Extracted, Extracted]
    joins: TwoJoins
    table: Table
    findings: tuple[Finding, ...]
    calls: int
    lines: tuple[RoundLine, ...]


def reach(
    bench: Bench,
    workspace: Workspace,
    key: str,
    seats: tuple[ReaderSeat, ReaderSeat],
    *,
    strict: bool,
    changed: frozenset[int] | None = None,
    say: Say = silent,
    room: Room | None = None,
) -> Reached:
    """Read, join and repair until nothing is in dispute, the rounds are used up or no reader has more to say.

    `changed` are the sections that the store does not know; None without a store. `room` is where models are asked; without one no
    reader can. Raises RefusedError when a reader or a run is refused, OutsideError when a model fails, PendingError when answers of
    models are still to come.
    """
    store = workspace.store(key)
    heuristic = any(seat.reader.heuristic for seat in seats)
    asking = askings(bench, seats, room, store, changed, say)

    def first(seat: ReaderSeat) -> Extracted:
        say(f"reader {seat.name} ({seat.reader.provider}) reads {bench.spec.path}")
        return read(bench, seat, workspace.recorded, asking[seat.name])

    readings = _both(room, first, seats)
    rounds: list[Round] = []
    lines: list[RoundLine] = []
    number = 0
    while True:
        a, b = readings[0].reading, readings[1].reading
        joins = join(bench.spec, bench.structure, a, b)
        shown = joins.shown(strict=strict)
        covered = coverage(bench.spec, bench.structure, [one.span for one in shown.pairs])
        rounds.append(Round(round=number, join=to_record(joins, bench.spec, a, b, covered, strict=strict)))
        lines.append(round_line(number, joins, a, b, strict=strict))
        table = Table.lay(bench, shown, a, b)
        if store is not None and changed is not None:
            claims, edges = stored_claims(bench, store)
            table.stand_on(changed, claims, edges)
        table.replay(workspace.settlements(key))
        if not table.disputes or number >= workspace.config.repair_rounds:
            break
        number += 1
        if any(seat.reader.repairs for seat in seats):
            open_ = len(table.disputes)
            say(f"{open_} dispute{'' if open_ == 1 else 's'}: repair round {number}, each reader alone")
        units = disputed_units(bench, table.disputed_places())
        again = _both(room, _second(bench, seats, readings, units, number, workspace.recorded, asking), seats)
        if not any(again):
            break
        readings = [new or old for new, old in zip(again, readings, strict=True)]
    findings = judge_claims(table, [a, b], heuristic=heuristic)
    calls = room.calls if room is not None else 0
    return Reached(tuple(rounds), (readings[0], readings[1]), joins, table, findings, calls, tuple(lines))


def _second(
    bench: Bench,
    seats: Sequence[ReaderSeat],
    before: Sequence[Extracted],
    units: tuple[SpanT, ...],
    number: int,
    recorded: Sequence[Path],
    asking: Mapping[str, Asking | None],
) -> Callable[[ReaderSeat], Extracted | None]:
    """How each reader decides its disputed units again; it is given its own reading and nothing else."""
    own = {seat.name: reading for seat, reading in zip(seats, before, strict=True)}

    def again(seat: ReaderSeat) -> Extracted | None:
        return reread(bench, seat, own[seat.name], units, number, recorded, asking[seat.name])

    return again


def _both(room: Room | None, work: Callable[[ReaderSeat], Made], seats: Sequence[ReaderSeat]) -> list[Made]:
    """The work of both readers, at the same time where both ask models; the answers that one waits for do not keep the other waiting.

    Raises PendingError with all that both wait for.
    """

    def tried(seat: ReaderSeat) -> Made | PendingError:
        try:
            return work(seat)
        except PendingError as error:
            return error

    executor = room.executor if room is not None and all(seat.reader.calls_model for seat in seats) else InOrder()
    results = executor.run(tried, seats)
    waiting = [one for one in results if isinstance(one, PendingError)]
    if waiting:
        raise merged(waiting)
    return [one for one in results if not isinstance(one, PendingError)]


def askings(
    bench: Bench,
    seats: Sequence[ReaderSeat],
    room: Room | None,
    store: AnchorStore | None,
    changed: frozenset[int] | None,
    say: Say,
) -> dict[str, Asking | None]:
    """What each reader needs to ask its model: the sections to read, and what stands in the others; None where no model is asked."""
    if room is None:
        return {seat.name: None for seat in seats}
    standing = located(bench, store.anchors, store.sections) if store is not None else {}
    live = [one for one in store.anchors if one.status == "live" and one.id in standing] if store is not None else []
    stored = [
        StoredClaim(one.kind, standing[one.id])
        for one in live
        if changed is not None and bench.structure.section_at(standing[one.id][0]).index not in changed
    ]
    terms = [one.exact for one in live if one.kind == "term"]
    return {seat.name: room.asking(seat, bench.grounder, changed, stored, terms, say) for seat in seats}


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
