"""Draft again, without reading: from what is adopted, with the config as it is now (DRAFTING.md D15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.adopt import Adopted, PlacedAnchor
from pipeline.bench import Bench
from pipeline.compile import sheet_of
from pipeline.draft.redraft import Movement, redraft
from pipeline.draft.suggest import suggest
from pipeline.drafting import place
from pipeline.gate import late_gates
from pipeline.keep import collect, homed_store
from pipeline.models.desk import now
from pipeline.room import Room, RoomOptions, failure_on_record, open_room
from pipeline.rounds import Say, located, silent, stored_table
from pipeline.workspace import Workspace
from schemas.bookline import End
from schemas.card import Card
from schemas.compiled import Suggestion
from schemas.errors import Exit, Place, RefusedError
from schemas.finding import Finding
from store.transaction import Transaction
from text.sections import changed_sections


@dataclass(frozen=True)
class DraftOutcome:
    """What drafting again would write; `transaction` is uncommitted, `room` is where a model that drafts was asked."""

    key: str
    cards: tuple[Card, ...]
    findings: tuple[Finding, ...]
    suggestions: tuple[Suggestion, ...]
    transaction: Transaction
    room: Room | None


def draft_spec(workspace: Workspace, path: Path, *, again: bool = False, say: Say = silent) -> DraftOutcome:
    """Place what has no card; with `again` drafted cards are dissolved and made anew, so that a changed config shows.

    Raises RefusedError when nothing is adopted from the spec, or its text changed since, and as `pipeline.drafting.place`.
    """
    bench = Bench.of(workspace.read(path))
    key = workspace.key_of(bench.spec.path)
    store = workspace.store(key)
    if workspace.snapshot is None or store is None:
        raise RefusedError(
            "nothing-adopted",
            "no claims of this spec are adopted yet",
            where=Place(bench.spec.path),
            fix=f"isopod compile {bench.spec.path}",
        )
    if changed_sections(bench.spec, bench.structure, store.sections):
        raise RefusedError(
            "spec-changed",
            "the spec changed since it was compiled",
            where=Place(bench.spec.path),
            fix=f"isopod compile {bench.spec.path}",
        )
    spans = located(bench, store.anchors, store.sections)
    placed = tuple(PlacedAnchor(anchor, spans.get(anchor.id)) for anchor in store.anchors)
    nothing: frozenset[str] = frozenset()
    adopted = Adopted(placed, store.edges, nothing, nothing, nothing)
    sheet = sheet_of(bench, workspace, key, adopted, keep_background=not again)
    room = open_room(workspace, bench.spec.path, None, RoomOptions(), command="draft", say=say)
    with failure_on_record(room):
        placed_claims = place(sheet, workspace, room, say, again=again)
    old_edges = frozenset((edge.kind, edge.from_, edge.to) for edge in store.edges)
    drafted = redraft(
        sheet,
        placed_claims.judged.judgements,
        workspace.cards(key),
        Movement(nothing, nothing, old_edges),
        heuristic=store.heuristic,
        issued=workspace.issued(),
        again=again,
    )
    after = homed_store(store, adopted, drafted, key)
    findings = late_gates(bench, workspace.config, after, adopted, drafted.cards)
    _refuse_errors(findings)
    spans_claimed = [one.span for one in placed if one.span is not None]
    spans_claimed += stored_table(bench, workspace, key).unclaimable
    return DraftOutcome(
        key=key,
        cards=drafted.cards,
        findings=findings,
        suggestions=(*suggest(sheet, drafted.cards, placed_claims.judged.too_big, spans_claimed), *placed_claims.notes),
        transaction=collect(workspace, workspace.snapshot, key, after, drafted, None),
        room=room,
    )


def note(outcome: DraftOutcome) -> None:
    """Put on record that the command ended well, when a model was asked. Raises OutsideError when the disk refuses."""
    book = outcome.room.book if outcome.room is not None else None
    if book is not None and book.path is not None:
        book.write(End(at=now(), exit_code=int(Exit.HOLDS)))


def _refuse_errors(findings: Sequence[Finding]) -> None:
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        first = errors[0]
        raise RefusedError(
            "gate-failed", f"{first.message} ({first.name} {first.code})", where=Place(first.where.file), fix=first.fix
        )
