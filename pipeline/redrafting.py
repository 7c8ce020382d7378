"""Draft again, without reading: from what is adopted, with the config as it is now (DRAFTING.md D15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.adoption import adoption_of
from pipeline.bench import Bench
from pipeline.draft.redraft import Movement, redraft
from pipeline.draft.suggest import suggest
from pipeline.drafting import place
from pipeline.gate import late_gates
from pipeline.keep import collect, homed_store
from pipeline.models.desk import now
from pipeline.room import Room, RoomOptions, asking_alone, failure_on_record, open_room
from pipeline.rounds import Say, silent, stored_table
from pipeline.workspace import Workspace
from schemas.card import Card
from schemas.compiled import Suggestion
from schemas.errors import Exit, Place, RefusedError
from schemas.finding import Finding
from store.transaction import Transaction


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
    adoption = adoption_of(workspace, bench, keep_background=not again)
    store, adopted, sheet = adoption.store, adoption.adopted, adoption.sheet
    if workspace.snapshot is None:
        raise AssertionError("outside an instance nothing is adopted")
    key = store.spec.key
    nothing: frozenset[str] = frozenset()
    room = open_room(workspace, bench.spec.path, None, RoomOptions(), command="draft", say=say, drafts=True)
    with asking_alone(room), failure_on_record(room):
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
            replaced=workspace.replaced(),
        )
        after = homed_store(store, adopted, drafted, key)
        findings = late_gates(bench, workspace.config, after, adopted, drafted.cards)
        refuse_errors(findings)
        spans_claimed = [one.span for one in adopted.placed if one.span is not None]
        spans_claimed += stored_table(bench, workspace, key).unclaimable
        return DraftOutcome(
            key=key,
            cards=drafted.cards,
            findings=findings,
            suggestions=(
                *suggest(sheet, drafted.cards, placed_claims.judged.too_big, spans_claimed),
                *placed_claims.notes,
            ),
            transaction=collect(workspace, workspace.snapshot, sheet, after, drafted, None),
            room=room,
        )


def commit(outcome: DraftOutcome) -> tuple[str, ...]:
    """Write what was drafted; returns the changed paths. Raises as `Transaction.commit`."""
    with failure_on_record(outcome.room):
        changed = outcome.transaction.commit()
    note(outcome)
    return changed


def note(outcome: DraftOutcome) -> None:
    """Put on record that the command ended well, when a model was asked. Raises OutsideError when the disk refuses."""
    if outcome.room is not None and outcome.room.book is not None:
        outcome.room.book.end(int(Exit.HOLDS), now())


def refuse_errors(findings: Sequence[Finding]) -> None:
    """Raises RefusedError with the first error that a late gate found."""
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        first = errors[0]
        raise RefusedError(
            "gate-failed", f"{first.message} ({first.name} {first.code})", where=Place(first.where.file), fix=first.fix
        )
