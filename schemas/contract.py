"""What `isopod contract` prints: what we expect of another team's card, version by version."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from schemas.base import Record
from schemas.card import ContractVersion


class ContractOutput(Record):
    """Every version of what we expect of a card; `requests` are ours that its issue took over."""

    schema_id: Literal["isopod.contract/1"] = Field(default="isopod.contract/1", alias="schema")
    card: str
    title: str
    team: str
    requests: tuple[str, ...] = ()
    contract: tuple[ContractVersion, ...]


class ContractDifference(Record):
    """What one version says otherwise than the one before; `after` is null for what the requests say today."""

    before: StrictInt
    after: StrictInt | None
    differs: StrictBool
    text_before: str
    text_after: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class ContractDiffOutput(Record):
    """Versions of a contract compared, and the last one with what our requests say today."""

    schema_id: Literal["isopod.contract-diff/1"] = Field(default="isopod.contract-diff/1", alias="schema")
    card: str
    requests: tuple[str, ...] = ()
    diff: tuple[ContractDifference, ...]
