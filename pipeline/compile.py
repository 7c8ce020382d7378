"""Compile: one spec goes down the whole line (DESIGN.md section 1). The command line calls this and renders; it computes nothing."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.adopt import CONFIG, Adopted, adopt
from pipeline.bench import Bench, Key, ordered_key
from pipeline.draft.ask import Placed
from pipeline.draft.redraft import Movement, Offer, Redrafted, redraft
from pipeline.draft.sheet import DraftClaim, DraftEdge, Sheet
from pipeline.draft.suggest import suggest
from pipeline.drafting import place
from pipeline.gate import involved, judge_claims, late_gates, rejected
from pipeline.keep import collect, homed_store
from pipeline.models.desk import now
from pipeline.offers import offers
from pipeline.room import Room, RoomOptions, asking_alone, failure_on_record, open_room
from pipeline.rounds import Reached, Say, reach, silent, stored_table
from pipeline.settle import BulkAnswer, Said, bulk
from pipeline.table import Table
from pipeline.workspace import Workspace, same_model
from schemas.anchors import Anchor, AnchorsSpec, AnchorStore, Discarded, Reading
from schemas.compiled import Compiled, CompiledAnchor, CompiledSpec
from schemas.errors import Exit, Place, RefusedError
from schemas.finding import Finding
from schemas.kinds import OPEN_EDIT_STATES
from schemas.settlement import Settlement
from store import runs
from store.anchors import path_of
from store.transaction import Transaction, finish
from text.folding import fold
from text.sections import changed_sections, sections_of


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """What a person asks of a compile. `accept` answers all that is open at once, and then `said` says who and why."""

    offline: bool = False
    strict: bool = False
    accept: BulkAnswer | None = None
    said: Said | None = None
    key: str | None = None
    models: RoomOptions = field(default_factory=RoomOptions)


@dataclass(frozen=True)
class Outcome:
    """What a compile found and would write. `room` is where models were asked, None when nothing was read.

    `transaction` holds the writes, uncommitted; None when there is nothing that may be written. `reached` is None when no
    section changed, so that nothing was read.
    """

    compiled: Compiled
    exit_code: Exit
    table: Table
    reached: Reached | None
    findings: tuple[Finding, ...]
    offers: tuple[Offer, ...]
    too_big: tuple[str, ...]
    same_model: bool
    settlement: Settlement | None
    transaction: Transaction | None
    room: Room | None = None

    @property
    def waits(self) -> bool:
        return self.exit_code == Exit.WAITS


def compile_spec(
    workspace: Workspace, path: Path, options: CompileOptions, *, preview: bool = False, say: Say = silent
) -> Outcome:
    """Compile one spec as far as it goes; nothing is written before `commit`.

    Raises RefusedError for input that is not accepted, OutsideError when a model fails, PendingError when answers of models are still
    to come: handed over, in a batch, or because `options.models` says to send nothing.
    """
    bench = Bench.of(workspace.read(path))
    key = workspace.key_of(bench.spec.path, options.key)
    _refuse_outside(workspace, path, preview=preview)
    if workspace.snapshot is not None:
        # Refused before anything is asked, not when its file is to be written.
        path_of(workspace.snapshot.instance, key)
    store = workspace.store(key)
    strict = options.strict or workspace.config.join == "strict"
    changed = changed_sections(bench.spec, bench.structure, store.sections) if store is not None else None
    seats = workspace.seats(offline=options.offline) if changed is None or changed else None
    heuristic = bool(store and store.heuristic) or bool(seats and any(seat.reader.heuristic for seat in seats))
    drafts = not options.offline
    room = open_room(workspace, bench.spec.path, seats, options.models, command="compile", say=say, drafts=drafts)
    with asking_alone(room), failure_on_record(room):
        reached = None
        if seats is not None:
            reached = reach(bench, workspace, key, seats, strict=strict, changed=changed, say=say, room=room)
        table = reached.table if reached is not None else stored_table(bench, workspace, key)
        findings = reached.findings if reached is not None else judge_claims(table, [], heuristic=heuristic)
        settlement = _accept(table, reached, options)
        if settlement is not None and reached is not None:
            findings = judge_claims(table, [one.reading for one in reached.readings], heuristic=heuristic)
        if table.stale:
            count = "an answer says" if len(table.stale) == 1 else f"{len(table.stale)} answers say"
            say(
                f"{count} nothing any more, since the words or those beside them changed: isopod settle {bench.spec.path}"
            )
        say("adopting and drafting")
        adopted = _adopt(bench, workspace, key, table, store, changed)
        # While something waits for a person nothing is written, so no model is asked to group what may change.
        asks = drafts and not table.disputes
        sheet, placed, drafted = _draft(
            bench, workspace, key, adopted, store, room if asks else None, say, heuristic=heuristic
        )
        too_big = placed.judged.too_big
        after = _store(bench, key, adopted, drafted, reached, store, heuristic=heuristic)
        findings = (*findings, *late_gates(bench, workspace.config, after, adopted, drafted.cards))
        exit_code = _exit(table, findings)
        transaction = None
        if not preview and exit_code == Exit.HOLDS and workspace.snapshot is not None:
            transaction = collect(workspace, workspace.snapshot, sheet, after, drafted, settlement)
        shown = Compiled(
            spec=CompiledSpec(key=key, path=bench.spec.path, sha256=bench.spec.digest),
            rounds=reached.rounds if reached is not None else (),
            anchors=_compiled_anchors(bench, adopted),
            cards=drafted.cards,
            disputes=table.open(),
            suggestions=(
                *suggest(sheet, drafted.cards, too_big, _coverage_spans(table)),
                *offers(sheet, after, drafted.cards, drafted.offers, adopted.fresh if store is not None else ()),
                *placed.notes,
            ),
            heuristic=heuristic,
            calls=room.calls if room is not None else 0,
            changed=transaction.changed if transaction is not None else (),
        )
        one_model = seats is not None and same_model(seats)
        return Outcome(
            shown,
            exit_code,
            table,
            reached,
            findings,
            drafted.offers,
            too_big,
            one_model,
            settlement,
            transaction,
            room,
        )


def commit(workspace: Workspace, outcome: Outcome) -> tuple[str, ...]:
    """Write what a compile found: the readings first, by content, then claims, cards and answers as one transaction.

    What a crash left unfinished is finished first, also when there is nothing new to write: the compile has looked through it.
    Returns the changed paths. Raises ConflictError when a file is not what was read, OutsideError when the disk refuses.
    """
    if workspace.snapshot is None:
        return ()
    instance = workspace.snapshot.instance
    with failure_on_record(outcome.room):
        if outcome.reached is not None:
            for extracted in outcome.reached.readings:
                runs.put(instance, extracted.run)
        finished = finish(instance.root, instance.state_dir)
        written = outcome.transaction.commit() if outcome.transaction is not None else ()
    note(outcome, opens=True)
    return tuple(sorted({*finished, *written}))


def note(outcome: Outcome, *, opens: bool = False) -> None:
    """Put on record how far the readings agreed and how the compile ended; with `opens` also when no model was asked.

    Raises OutsideError when the disk refuses.
    """
    if outcome.room is None or outcome.room.book is None:
        return
    book = outcome.room.book
    if book.path is None and (outcome.reached is None or not opens):
        return
    for line in outcome.reached.lines if outcome.reached is not None else ():
        book.write(line)
    book.end(int(outcome.exit_code), now())


def _refuse_outside(workspace: Workspace, path: Path, *, preview: bool) -> None:
    if preview or workspace.is_inside(path):
        return
    if workspace.snapshot is None:
        raise RefusedError(
            "no-instance", "cards are written into an instance, and here is none", fix="isopod init, or add --preview"
        )
    here, there = shlex.quote(path.as_posix()), shlex.quote(os.path.realpath(path))
    if path.absolute().is_relative_to(workspace.snapshot.instance.root):
        raise RefusedError(
            "spec-outside",
            "a link to a file outside the instance, so its cards could not be audited against it",
            where=Place(path.as_posix()),
            fix=f"replace the link by the file (rm {here} && cp {there} {here}), or add --preview"
            if path.is_symlink()
            else "replace the link by the folder that it leads to, or add --preview",
        )
    specs = workspace.config.paths.specs
    raise RefusedError(
        "spec-outside",
        "the spec lies outside the instance, so its cards could not be audited against it",
        where=Place(path.as_posix()),
        fix=f"cp {here} {shlex.quote(specs)}/ and compile it there, or add --preview",
    )


def _accept(table: Table, reached: Reached | None, options: CompileOptions) -> Settlement | None:
    """One answer to all that is open, when the person gave one; claims that a gate refuses are left out of it."""
    if options.accept is None or options.said is None or reached is None or not table.disputes:
        return None
    readings = [one.reading for one in reached.readings]
    refused: frozenset[Key] = frozenset()
    while True:
        settlement = bulk(table, options.accept, options.said, refused)
        trial = table.copy()
        trial.take_bulk(settlement)
        more = rejected(trial, readings)
        if not more:
            table.take_bulk(settlement)
            return settlement
        refused |= more


def _adopt(
    bench: Bench,
    workspace: Workspace,
    key: str,
    table: Table,
    store: AnchorStore | None,
    changed: frozenset[int] | None,
) -> Adopted:
    cards = workspace.cards(key)
    frozen = {anchor for card in cards if card.state not in (*OPEN_EDIT_STATES, "deleted") for anchor in card.anchors}
    refused: frozenset[Key] = frozenset()
    while True:
        adopted = adopt(
            bench,
            key,
            workspace.config.anchor_prefix,
            table.claims,
            table.standing_edges(),
            issued=workspace.issued(),
            old=store.anchors if store is not None else (),
            old_edges=store.edges if store is not None else (),
            changed=changed if changed is not None else range(len(bench.structure.sections)),
            frozen=frozen,
            discarded=table.discarded,
            discards=frozenset(
                fold(anchor.exact)
                for one in workspace.settlements(key)
                if one.type == "discard"
                for anchor in one.anchors
            ),
            decided=table.decided,
            asked_again=_asked_again(store),
            refused=refused,
        )
        more = _out_of_place(bench, table, adopted) - refused
        if not more:
            return adopted
        refused |= more


def _out_of_place(bench: Bench, table: Table, adopted: Adopted) -> frozenset[Key]:
    """Stored claims that met no new one, and that a gate refuses beside the new ones: they were read otherwise this time."""
    stand = {one.anchor.id: bench.claim(one.anchor.kind, one.span) for one in adopted.placed if one.span is not None}
    if all(claim.key in table.claims for claim in stand.values()):
        return frozenset()
    trial = Table.empty(bench)
    trial.put(stand.values())
    trial.edges = {
        ordered_key(edge.kind, stand[edge.from_].key, stand[edge.to].key): stand[edge.from_].span
        for edge in adopted.edges
    }
    return frozenset(key for key in involved(trial) if key not in table.claims)


def _asked_again(store: AnchorStore | None) -> frozenset[str]:
    """The sections that taking an answer back has taken out of the store."""
    if store is None:
        return frozenset()
    return frozenset(anchor.section for anchor in store.anchors) - {section.path for section in store.sections}


def _draft(
    bench: Bench,
    workspace: Workspace,
    key: str,
    adopted: Adopted,
    store: AnchorStore | None,
    room: Room | None,
    say: Say,
    *,
    heuristic: bool,
) -> tuple[Sheet, Placed, Redrafted]:
    sheet = sheet_of(bench, workspace, key, adopted)
    placed = place(sheet, workspace, room, say)
    old_edges = (
        frozenset((edge.kind, edge.from_, edge.to) for edge in store.edges) if store is not None else frozenset()
    )
    movement = Movement(adopted.reworded, adopted.gone, old_edges)
    drafted = redraft(
        sheet,
        placed.judged.judgements,
        workspace.cards(key),
        movement,
        heuristic=heuristic,
        issued=workspace.issued(),
        replaced=workspace.replaced(),
    )
    return sheet, placed, drafted


def sheet_of(bench: Bench, workspace: Workspace, key: str, adopted: Adopted, *, keep_background: bool = True) -> Sheet:
    """The adopted claims as the drafter sees them: those that stand and that nobody discarded.

    Without `keep_background` what config once called background is judged anew.
    """
    claims = [
        DraftClaim(one.anchor.id, one.anchor.kind, one.span)
        for one in adopted.placed
        if one.span is not None and not _is_out(one.anchor, keep_background=keep_background)
    ]
    edges = [DraftEdge(edge.kind, edge.from_, edge.to, edge.cue) for edge in adopted.edges]
    return Sheet(bench.spec, bench.structure, key, claims, edges, workspace.config)


def _is_out(anchor: Anchor, *, keep_background: bool) -> bool:
    return isinstance(anchor.home, Discarded) and (keep_background or anchor.home.by != CONFIG)


def _store(
    bench: Bench,
    key: str,
    adopted: Adopted,
    drafted: Redrafted,
    reached: Reached | None,
    store: AnchorStore | None,
    *,
    heuristic: bool,
) -> AnchorStore:
    readings = store.readings if store is not None else ()
    if reached is not None:
        readings = tuple(
            Reading(reader=name, provider=one.reader.provider, model=one.reader.model)
            for name, one in zip("ab", reached.readings, strict=True)
        )
    fresh = AnchorStore(
        spec=AnchorsSpec(key=key, path=bench.spec.path),
        readings=readings,
        heuristic=heuristic,
        sections=sections_of(bench.spec, bench.structure),
        anchors=(),
    )
    return homed_store(fresh, adopted, drafted, key)


def _exit(table: Table, findings: Sequence[Finding]) -> Exit:
    """3 while something waits for a person or nothing was claimed, 1 when a late gate fails, else 0."""
    if table.disputes or not len(table.claims):
        return Exit.WAITS
    late = [finding for finding in findings if finding.severity == "error" and finding.code not in _JOIN_ERRORS]
    return Exit.DOES_NOT_HOLD if late else Exit.HOLDS


_JOIN_ERRORS = frozenset({"A101", "A110", "A144"})
"""Errors of stage join open a dispute, or were let through by a person."""


def _compiled_anchors(bench: Bench, adopted: Adopted) -> tuple[CompiledAnchor, ...]:
    return tuple(
        CompiledAnchor(
            id=one.anchor.id,
            kind=one.anchor.kind,
            span=one.span,
            lines=bench.spec.lines_of(one.span),
            exact=bench.spec.quoted(one.span),
        )
        for one in adopted.placed
        if one.span is not None
    )


def _coverage_spans(table: Table) -> list[tuple[int, int]]:
    return [*(one.span for one in table.claims), *table.unclaimable]
