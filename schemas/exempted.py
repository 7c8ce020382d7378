"""What `isopod exemptions` and `isopod ledger` print."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from schemas.base import Record
from schemas.ledger import ExemptionBody
from schemas.spans import Timestamp

Standing = Literal["open", "regular", "replaced"]


class ExemptionItem(Record):
    """One override: `entry` is its name in the ledger, `subject` the card (or the dispute) that it was made for.

    `standing`: open until what it let pass holds by itself (regular); one that was made anew replaced it. `ran_out`: open, and its
    date is over.
    """

    entry: str
    subject: str
    title: str | None = None
    by: str
    at: Timestamp
    exemption: ExemptionBody
    standing: Standing
    ran_out: StrictBool = False


class ExemptionsOutput(Record):
    """Every override in the ledger, the oldest first, and how many stand how."""

    schema_id: Literal["isopod.exemptions/1"] = Field(default="isopod.exemptions/1", alias="schema")
    exemptions: tuple[ExemptionItem, ...]
    counts: dict[str, StrictInt]


class LedgerFault(Record):
    kind: Literal["changed", "missing", "cut"]
    file: str
    message: str


class LedgerStateOutput(Record):
    """The ledger as a whole: how many entries of each type, its heads, those of them that the checkpoint does not name, its faults."""

    schema_id: Literal["isopod.ledger-state/1"] = Field(default="isopod.ledger-state/1", alias="schema")
    entries: dict[str, StrictInt]
    heads: tuple[str, ...]
    unnamed: tuple[str, ...] = ()
    problems: tuple[LedgerFault, ...] = ()
