"""The ledger: what was sealed, attested, published, pinned and excepted, one canonical JSON file an entry.

An entry's file is named after the sha256 of its bytes and names the heads that it was written on, so two branches
join as a union and every changed, missing or cut entry shows (DESIGN.md section 11). `checkpoint.json` names the
heads. Each of its lines is a whole checkpoint: a union merge of two branches keeps both lines, and the next entry
makes them one again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import rfc8785

from schemas.card import Card, Dependency, PersonReason
from schemas.errors import ConflictError, IsopodError, Place, RefusedError
from schemas.ids import digest as content_digest
from schemas.ledger import Checkpoint, ExemptionBody, LedgerEntry, SealBody
from store.instance import Instance
from store.records import digest, names_in
from store.view import View
from store.yamlio import load_json

if TYPE_CHECKING:
    from store.transaction import Transaction

CHECKPOINT: Final = "checkpoint.json"
KEPT_EDGE: Final = "C222"
"""The rule from which an edge to a replaced decision is excepted when a person keeps it (superseded-dependency)."""
EntryType = Literal["seal", "exemption", "attestation", "publish", "contract"]
_ENDING: Final = ".json"
_TAG: Final = "sha256:"
_MARKER: Final = re.compile(rb"(?:<{7}|={7}|>{7}|\|{7})(?:[ \r]|\Z)")


@dataclass(frozen=True, slots=True)
class LedgerFile:
    """An entry, its name (the sha256, hex, of its file's bytes), and its path relative to the instance."""

    name: str
    path: str
    entry: LedgerEntry


@dataclass(frozen=True, slots=True)
class LedgerProblem:
    """What does not hold in the ledger.

    `changed`: a file's bytes are not those of its name, or are no entry; `missing`: another entry was written on one
    that is not there; `cut`: the checkpoint is gone, cannot be read, or names heads that are not there. A head that
    the checkpoint does not name is no problem: whoever merges two branches may have kept one side of that file.
    """

    kind: Literal["changed", "missing", "cut"]
    name: str
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """All that the ledger holds: valid entries by time and name, heads (no entry was written on them), problems.

    `named` are the heads that the checkpoint names; of a checkpoint that cannot be read there are none.
    """

    entries: tuple[LedgerFile, ...]
    heads: tuple[str, ...]
    problems: tuple[LedgerProblem, ...]
    named: tuple[str, ...] = ()


def read(view: View, instance: Instance) -> Ledger:
    """Read and verify the whole ledger; what does not hold is a problem in the result, never an error."""
    entries: list[LedgerFile] = []
    problems: list[LedgerProblem] = []
    for name in names_in(view, instance.ledger_dir, _ENDING):
        if name != CHECKPOINT:
            found = _entry(view, instance, name)
            (problems if isinstance(found, LedgerProblem) else entries).append(found)  # type: ignore[arg-type]
    here = {file.name for file in entries}
    present = here | {problem.name for problem in problems}
    for file in entries:
        for before in _untagged(file.entry.prev):
            if before not in present:
                message = f"the entry {short(before)} is missing, {short(file.name)} was written on it"
                problems.append(LedgerProblem("missing", before, file.path, message))
    heads = tuple(sorted(here.difference(*(_untagged(file.entry.prev) for file in entries))))
    named = _checkpoint_heads(view, instance)
    problems.extend(_checkpoint_problems(named, instance, heads, present))
    ordered = sorted(entries, key=lambda file: (file.entry.at, file.name))
    return Ledger(tuple(ordered), heads, tuple(problems), tuple(sorted(named)) if isinstance(named, set) else ())


def append(
    tx: Transaction,
    instance: Instance,
    *,
    kind: EntryType,
    subject: str,
    body: Mapping[str, Any],
    by: str,
    at: str,
) -> str:
    """Collect a new entry and the checkpoint that names it in `tx`; returns its name, the sha256 (hex) of its bytes.

    `at` is UTC, `YYYY-MM-DDTHH:MM:SSZ`. The same entry on the same heads is one entry.

    Raises ConflictError when the ledger does not hold (nothing is written on a broken ledger), ManyErrors when the
    entry is not valid.
    """
    prev = [f"{_TAG}{head}" for head in _heads(tx, instance)]
    data = {"prev": prev, "at": at, "by": by, "type": kind, "subject": subject, "body": dict(body)}
    entry = LedgerEntry.parse(data, source=instance.relative(instance.ledger_dir))
    content = rfc8785.dumps(entry.to_data())
    name = digest(content)
    tx.write(instance.within(instance.ledger_dir / f"{name}{_ENDING}"), content)
    tx.write(instance.within(instance.ledger_dir / CHECKPOINT), _checkpoint(name))
    return name


def checkpoint(tx: Transaction, instance: Instance) -> tuple[str, ...]:
    """Collect a checkpoint that names every head in `tx`, as after a merge; returns the heads.

    Raises ConflictError when the ledger does not hold: a head that is gone is not forgotten so.
    """
    heads = _holding(read(View(instance.root, instance.state_dir), instance), instance).heads
    if heads:
        tx.write(instance.within(instance.ledger_dir / CHECKPOINT), _checkpoint(*heads))
    return heads


def _heads(tx: Transaction, instance: Instance) -> tuple[str, ...]:
    """The heads to write on: those on disk, or the entry that `tx` already collected on them."""
    view = View(instance.root, instance.state_dir)
    path = instance.ledger_dir / CHECKPOINT
    pending = tx.read(path)
    if pending != view.read(path):
        return tuple(sorted(_named_heads(pending, instance.relative(path))))
    return _holding(read(view, instance), instance).heads


def _holding(ledger: Ledger, instance: Instance) -> Ledger:
    """The ledger, which holds. Raises ConflictError when it does not: nothing is written over a broken one."""
    if ledger.problems:
        first = ledger.problems[0]
        raise ConflictError(
            "ledger-broken",
            f"the ledger does not hold: {first.message}",
            where=Place(first.path),
            fix=f"git log -- {instance.relative(instance.ledger_dir)}",
        )
    return ledger


def short(name: str) -> str:
    """The name of an entry as a sentence shows it: as much of it as tells entries apart."""
    return name[:12]


def seal_digest(card: Card) -> str:
    """What a seal says of a done card: `sha256:` of the RFC 8785 JSON of its file without `tracker`.

    `tracker` lies outside the seal: it says where the issue is, and that may go on changing. Keys that are not set are
    left out, so that a key which a later version of the schema knows breaks no seal.
    """
    return content_digest(_set({key: value for key, value in card.to_file().items() if key != "tracker"}))


def seal(tx: Transaction, instance: Instance, *, card: Card, by: str, at: str) -> str:
    """Collect the seal of a card that is done in `tx`: from here on C240 tells every change of it.

    Returns the entry's name. Raises as `append`.
    """
    body = SealBody(card=seal_digest(card))
    return append(tx, instance, kind="seal", subject=card.id, body=body.to_data(), by=by, at=at)


def seals(ledger: Ledger) -> dict[str, tuple[str, ...]]:
    """By card id: the digests that its seals say. Two branches can each have sealed it; the merge took one of the two.

    A seal without a digest says nothing.
    """
    found: dict[str, tuple[str, ...]] = {}
    for file in ledger.entries:
        said = file.entry.body.get("card")
        if file.entry.type == "seal" and isinstance(said, str):
            found[file.entry.subject] = (*found.get(file.entry.subject, ()), said)
    return found


@dataclass(frozen=True, slots=True)
class Exemption:
    """An override of a rule: its entry, and what that says."""

    file: LedgerFile
    body: ExemptionBody


def exemptions(ledger: Ledger) -> tuple[Exemption, ...]:
    """Every override that the ledger holds, by time."""
    return tuple(
        Exemption(file, ExemptionBody.parse(file.entry.body, source=file.path))
        for file in ledger.entries
        if file.entry.type == "exemption"
    )


def edge_exemption(ledger: Ledger, card_id: str, entry: Dependency) -> Exemption | None:
    """The override by which a person keeps one edge of a card to a decision that was replaced, None when nobody did.

    An override names the card; which of its edges is meant is told by the reason on it: of the same person, of the same moment.
    """
    said = {(reason.person, reason.at) for reason in entry.because if isinstance(reason, PersonReason)}
    for file in ledger.entries if said else ():
        made = file.entry
        if made.type == "exemption" and made.subject == card_id and (made.by, made.at) in said:
            body = ExemptionBody.parse(made.body, source=file.path)
            if body.rule == KEPT_EDGE:
                return Exemption(file, body)
    return None


def exempt(tx: Transaction, instance: Instance, *, subject: str, body: ExemptionBody, by: str, at: str) -> str:
    """Collect an override of a rule in `tx`: the one seam through which every override goes. Returns the entry's name.

    Raises as `append`.
    """
    return append(tx, instance, kind="exemption", subject=subject, body=body.to_data(), by=by, at=at)


def _set(value: Any) -> Any:
    """Plain data without the keys that are null."""
    if isinstance(value, dict):
        return {key: _set(item) for key, item in value.items() if item is not None}
    return [_set(item) for item in value] if isinstance(value, list) else value


def _checkpoint(*heads: str) -> bytes:
    return rfc8785.dumps(Checkpoint(heads=tuple(f"{_TAG}{head}" for head in heads)).to_data()) + b"\n"


def _entry(view: View, instance: Instance, file_name: str) -> LedgerFile | LedgerProblem:
    path = instance.ledger_dir / file_name
    source = instance.relative(path)
    name = file_name.removesuffix(_ENDING)
    try:
        data = view.read(path) or b""
        if digest(data) != name:
            message = f"the entry {short(name)} was changed, its bytes are not those of its name"
            return LedgerProblem("changed", name, source, message)
        entry = LedgerEntry.parse(load_json(data, source), source=source)
        if entry.type == "exemption":
            ExemptionBody.parse(entry.body, source=source)
        return LedgerFile(name, source, entry)
    except IsopodError as error:
        return LedgerProblem("changed", name, source, f"the entry {short(name)} cannot be read: {error.message}")


def _checkpoint_heads(view: View, instance: Instance) -> set[str] | RefusedError:
    """The heads that the checkpoint names, or why it cannot be read."""
    path = instance.ledger_dir / CHECKPOINT
    try:
        return _named_heads(view.read(path), instance.relative(path))
    except RefusedError as error:
        return error


def _checkpoint_problems(
    named: set[str] | RefusedError, instance: Instance, heads: tuple[str, ...], present: set[str]
) -> Iterable[LedgerProblem]:
    source = instance.relative(instance.ledger_dir / CHECKPOINT)
    if isinstance(named, RefusedError):
        yield LedgerProblem("cut", CHECKPOINT, source, f"the checkpoint cannot be read: {named.message}")
        return
    for head in sorted(named - present):
        yield LedgerProblem("cut", head, source, f"the entry {short(head)}, a head in the checkpoint, is not there")
    if heads and not named:
        yield LedgerProblem("cut", CHECKPOINT, source, "the checkpoint, which names the heads of the ledger, is gone")


def _named_heads(data: bytes | None, source: str) -> set[str]:
    lines = [] if data is None else data.splitlines()
    markers = [number for number, line in enumerate(lines, 1) if _MARKER.match(line)]
    if markers:
        raise RefusedError(
            "merge-conflict",
            f"a merge left its conflict markers on the lines {', '.join(map(str, markers))}, keep the lines of both sides",
            where=Place(source, markers[0], 1),
            fix=f"take the conflict markers out of {source}, then git add it",
        )
    checkpoints = (Checkpoint.parse(load_json(line, source), source=source) for line in lines if line.strip())
    return {head for checkpoint in checkpoints for head in _untagged(checkpoint.heads)}


def _untagged(heads: Iterable[str]) -> list[str]:
    return [head.removeprefix(_TAG) for head in heads]
