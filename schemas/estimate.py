"""isopod.estimate/1: what a compile would ask of models, before anything is sent."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from schemas.base import Record
from schemas.call import Purpose


class EstimateRow(Record):
    """Calls of one purpose to one model. `exact` calls stand ready to be sent; the others depend on what is answered first.

    `input` and `output` are tokens, about; `money` is null when config has no price for the model.
    """

    reader: str
    provider: str
    model: str
    purpose: Purpose
    exact: StrictBool
    calls: StrictInt
    input: StrictInt
    output: StrictInt
    money: float | None = None


class EstimateOutput(Record):
    """`waiting` questions were sent in batches before: they are in no row, since they are not sent again."""

    schema_id: Literal["isopod.estimate/1"] = Field(default="isopod.estimate/1", alias="schema")
    spec: str
    estimate: tuple[EstimateRow, ...]
    currency: str
    batch: StrictBool
    waiting: StrictInt = 0
