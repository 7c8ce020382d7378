"""What people say of a spec: answers to disputes, claims that both readers missed, units that are none, claims that no card carries.

Every answer is written at once, as one file, so that a crash loses none.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.batching import explained
from pipeline.bench import Bench, StandingClaim
from pipeline.models.pending import PendingError
from pipeline.room import RoomOptions, open_room
from pipeline.rounds import Reached, Say, located, reach, silent, stored_table
from pipeline.settle import BulkAnswer, Cut, Said, answer, bulk, claim, discard, find_words, in_turn, not_a_claim
from pipeline.table import Table
from pipeline.workspace import Workspace
from schemas.errors import Place, RefusedError, WaitsError
from schemas.kinds import OPEN_EDIT_STATES, AnchorKind, Answer, DiscardReason
from schemas.ledger import ExemptionBody
from schemas.lifecycle import WAYS_OUT
from schemas.reading import Dispute
from schemas.settlement import Settlement
from store import anchors as anchor_files
from store import ledger, settlements
from store.settlements import SettlementFile
from store.transaction import Transaction
from text.intervals import holds, hull
from text.sections import changed_sections


@dataclass(frozen=True)
class Docket:
    """A spec on the table with all answers so far; `reached` is None when nothing had to be read."""

    workspace: Workspace
    key: str
    table: Table
    reached: Reached | None

    @property
    def disputes(self) -> tuple[Dispute, ...]:
        return self.table.open()


def open_docket(
    workspace: Workspace,
    path: Path,
    *,
    offline: bool = False,
    strict: bool = False,
    again: Collection[str] = (),
    say: Say = silent,
) -> Docket:
    """Read what must be read, join, replay the answers: what is left is open.

    `again` names disputes that a person answers anew: their answers so far are put aside, so that they are open.
    Raises as `pipeline.compile.compile_spec`.
    """
    if workspace.snapshot is None or not workspace.is_inside(path):
        raise RefusedError(
            "no-instance", "answers are kept in an instance, and this spec lies in none", fix="isopod init"
        )
    instance = workspace.snapshot.instance
    bench = Bench.of(workspace.read(path))
    key = workspace.key_of(bench.spec.path)
    store = workspace.store(key)
    changed = changed_sections(bench.spec, bench.structure, store.sections) if store is not None else None
    docket_workspace = workspace
    aside = [one for one in workspace.settlements(key) if _dispute_of(one) in again]
    if aside:
        workspace = _without(workspace, key, aside)
        sections = {one.where.section for one in aside}
        if changed is not None:
            changed |= {section.index for section in bench.structure.sections if section.name in sections}
    if changed is None or changed:
        seats = workspace.seats(offline=offline)
        strict = strict or workspace.config.join == "strict"
        room = open_room(workspace, bench.spec.path, seats, RoomOptions(mode="kept"), command="settle", say=say)
        try:
            reached = reach(bench, workspace, key, seats, strict=strict, changed=changed, say=say, room=room)
        except PendingError as error:
            waits = explained(instance, error)
            if not isinstance(waits, WaitsError):
                raise waits from None
            compile_ = f"isopod compile {shlex.quote(bench.spec.path)}"
            raise WaitsError(
                error.code,
                f"{bench.spec.path} is not read to the end: {waits.message}",
                where=Place(bench.spec.path),
                fix=compile_ if waits is error else f"`isopod batches --wait`, then `{compile_} --batch`",
            ) from None
        return Docket(docket_workspace, key, reached.table, reached)
    return Docket(docket_workspace, key, stored_table(bench, workspace, key), None)


def _dispute_of(settlement: Settlement) -> str:
    """The dispute that an answer answers: the second answer to `D-X` is kept as `D-X-2`."""
    return "-".join(settlement.id.split("-")[:2])


def _without(workspace: Workspace, key: str, aside: Sequence[Settlement]) -> Workspace:
    if workspace.snapshot is None:
        return workspace
    kept = tuple(one for one in workspace.settlements(key) if one not in aside)
    given = {**workspace.snapshot.settlements, key: kept}
    return Workspace(workspace.config, replace(workspace.snapshot, settlements=given))


def settle_one(docket: Docket, dispute_id: str, given: Answer, said: Said, cuts: Sequence[Cut] = ()) -> Transaction:
    """The write of one answer, uncommitted; the docket's table has it already. Raises as `pipeline.settle.answer`."""
    dispute = docket.table.disputes.get(dispute_id)
    settlement = answer(docket.table, dispute_id, given, said, cuts)
    transaction = _written(docket, settlement)
    if dispute is not None and dispute.type == "gate" and given == "keep":
        _exempt(docket, transaction, dispute, said)
    docket.table.apply(settlement)
    docket.table.disputes.pop(dispute_id, None)
    return transaction


def settle_all(docket: Docket, given: BulkAnswer, said: Said) -> Transaction:
    """The write of one answer to everything that is open, uncommitted. Raises RefusedError when nothing is open."""
    if not docket.table.disputes:
        raise RefusedError(
            "nothing-open", f"nothing is in dispute in {docket.table.bench.spec.path}", fix="isopod compile"
        )
    settlement = bulk(docket.table, given, said)
    transaction = _written(docket, settlement)
    docket.table.take_bulk(settlement)
    return transaction


def say_claim(
    docket: Docket, kind: AnchorKind, words: str, said: Said, lines: tuple[int, int] | None = None
) -> Transaction:
    """The write of a claim that both readers missed, uncommitted. Raises as `pipeline.settle.claim`."""
    return _take(docket, claim(docket.table, kind, words, said, lines))


def say_no_claim(docket: Docket, words: str | None, lines: tuple[int, int] | None, said: Said) -> Transaction:
    """The write that the units of these words (or of these lines) are no claims, uncommitted.

    Raises RefusedError when neither names a unit.
    """
    bench = docket.table.bench
    if words is not None:
        span = find_words(docket.table, words, lines)
    elif lines is not None and bench.spec.has_lines(lines):
        span = bench.spec.lines_span(lines)
    else:
        raise RefusedError("unit-missing", "say which unit: its exact words, or its line", fix="--line N")
    units = [unit for unit in bench.structure.units_in(span) if unit.claim_bearing]
    if not units:
        numbers = "" if lines is None else f" {lines[0]}" if lines[0] == lines[1] else f"s {lines[0]}-{lines[1]}"
        raise RefusedError(
            "unit-missing",
            f"no unit that could be a claim stands there (line{numbers})" if lines else "no unit stands there",
        )
    return _take(docket, not_a_claim(docket.table, hull([unit.span for unit in units]), said))


def say_discard(docket: Docket, anchor_id: str, reason: DiscardReason, said: Said) -> Transaction:
    """The write that no card is to carry a claim, uncommitted.

    Raises RefusedError when the spec has no such standing claim, or a card that is not rewritten carries it.
    """
    _refuse_kept(docket, anchor_id)
    return _take(docket, discard(docket.table, _standing(docket, anchor_id), reason, said))


def latest(docket: Docket) -> SettlementFile:
    """The answer that was given last.

    Raises RefusedError when there is none.
    """
    given = _files(docket)
    if not given:
        raise RefusedError("nothing-to-undo", f"no answer was given to {docket.table.bench.spec.path} yet")
    return given[-1]


def undo(docket: Docket) -> tuple[SettlementFile, Transaction]:
    """Take the latest answer back, uncommitted; what it settled is read and asked again."""
    last = latest(docket)
    snapshot = docket.workspace.snapshot
    if snapshot is None:
        raise RefusedError("no-instance", "answers are kept in an instance", fix="isopod init")
    transaction = Transaction(snapshot.instance.root, snapshot.instance.state_dir, command="settle --undo")
    settlements.take_back(transaction, snapshot.instance, last)
    stored = snapshot.anchors.get(docket.key)
    if stored is not None and last.settlement.type != "discard":
        touched = _sections_of(docket, last.settlement)
        kept = tuple(section for section in stored.store.sections if section.path not in touched)
        anchor_files.write(
            transaction, snapshot.instance, stored.store.model_copy(update={"sections": kept}), stored.sha256
        )
    return last, transaction


def _sections_of(docket: Docket, settlement: Settlement) -> frozenset[str]:
    """The sections whose claims the answer made; a bulk answer may have touched any."""
    structure = docket.table.bench.structure
    if settlement.type == "bulk":
        return frozenset(section.name for section in structure.sections)
    return frozenset([settlement.where.section])


def _take(docket: Docket, settlement: Settlement) -> Transaction:
    transaction = _written(docket, settlement)
    docket.table.apply(settlement)
    return transaction


def _written(docket: Docket, settlement: Settlement) -> Transaction:
    snapshot = docket.workspace.snapshot
    if snapshot is None:
        raise RefusedError("no-instance", "answers are kept in an instance", fix="isopod init")
    transaction = Transaction(
        snapshot.instance.root, snapshot.instance.state_dir, command=f"settle {docket.table.bench.spec.path}"
    )
    given = [file.settlement for file in _files(docket)]
    settlements.write(transaction, snapshot.instance, docket.key, in_turn(settlement, given))
    return transaction


def _files(docket: Docket) -> tuple[SettlementFile, ...]:
    """The answers on disk now: another command may have added one since the docket was opened."""
    snapshot = docket.workspace.snapshot
    return settlements.load(snapshot.view, snapshot.instance, docket.key) if snapshot is not None else ()


def _exempt(docket: Docket, transaction: Transaction, dispute: Dispute, said: Said) -> None:
    """A gate let through is an exemption: through the one seam, with its reason, counted from then on."""
    snapshot = docket.workspace.snapshot
    if snapshot is not None:
        reason = docket.table.reasons.get(dispute.id, "")
        rule = reason.rpartition(" ")[2].rstrip(")")
        body = ExemptionBody(rule=rule, surface="gate", reason_kind="other", because=said.because or "")
        ledger.exempt(transaction, snapshot.instance, subject=dispute.id, body=body, by=said.by, at=said.at)


def _refuse_kept(docket: Docket, anchor_id: str) -> None:
    """Raises RefusedError for a claim on a card that was published: a compile takes nothing off it."""
    snapshot = docket.workspace.snapshot
    for card in snapshot.cards_of_anchor.get(anchor_id, ()) if snapshot is not None else ():
        if card.state not in OPEN_EDIT_STATES and card.state != "deleted":
            state = card.state.replace("_", " ")
            words = f"{card.id} is {state}: {anchor_id} stays on it, as it was published"
            raise RefusedError("claim-stays", words, fix=WAYS_OUT[card.state].replace("ID", card.id))


def _standing(docket: Docket, anchor_id: str) -> StandingClaim:
    store = docket.workspace.store(docket.key)
    table = docket.table
    anchor = (
        next((one for one in store.anchors if one.id == anchor_id and one.status != "retired"), None) if store else None
    )
    span = located(table.bench, store.anchors, store.sections).get(anchor_id) if store is not None else None
    if anchor is None or span is None:
        raise RefusedError(
            "unknown-anchor",
            f"{table.bench.spec.path} has no standing claim {anchor_id}",
            fix="isopod show " + anchor_id,
        )
    wanted = table.bench.claim(anchor.kind, span)
    found = next(
        (one for one in table.claims.near(wanted.core) if one.key == wanted.key and holds(one.core, wanted.core)), None
    )
    if found is None:
        raise RefusedError(
            "unknown-anchor",
            f"{anchor_id} does not stand in {table.bench.spec.path} any more",
            fix="isopod show " + anchor_id,
        )
    return found
