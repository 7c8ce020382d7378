"""isopod.ledger/1: one canonical JSON file an entry, named after its sha256 (DESIGN.md section 11)."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from schemas.base import Record
from schemas.spans import Date, TaggedSha256, Timestamp

ReasonKind = Literal["attested", "deadline", "tool_gap", "false_finding", "other"]
REASON_KINDS: Final[tuple[ReasonKind, ...]] = ("attested", "deadline", "tool_gap", "false_finding", "other")


class ExemptionBody(Record):
    """An override of a rule, made through the one seam."""

    rule: str
    surface: Literal["lifecycle", "ownership", "audit", "gate"]
    reason_kind: ReasonKind
    because: str = Field(min_length=1)
    until: Date | None = None


class SealBody(Record):
    """A card that became done, as it was: the digest of all that it says but `tracker` (`store.ledger.seal_digest`)."""

    card: TaggedSha256


class LedgerEntry(Record):
    schema_id: Literal["isopod.ledger/1"] = Field(default="isopod.ledger/1", alias="schema")
    prev: tuple[TaggedSha256, ...]
    at: Timestamp
    by: str = Field(min_length=1)
    type: Literal["seal", "exemption", "attestation", "publish", "contract"]
    subject: str
    body: dict[str, Any]


class Checkpoint(Record):
    """The heads of the ledger when it was last written."""

    heads: tuple[TaggedSha256, ...]
