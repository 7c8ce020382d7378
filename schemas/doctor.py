"""isopod.doctor/1: what this machine and this instance have, and what they lack, for reading specs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.base import Record
from schemas.bookline import Amount
from schemas.call import Usage

CheckState = Literal["ok", "missing", "not-used", "failed"]
"""`missing`: something configured here does not work without it; `not-used`: nothing configured here needs it; `failed`: a call that
was sent brought no answer that can be used."""


class CheckedCall(Record):
    """The one question that was sent: how long it took with all tries, why the model stopped, what the provider counted."""

    seconds: Amount
    stop: str | None = None
    usage: Usage | None = None


class Check(Record):
    """One thing that was looked at. `fix` says what to do when it is missing or failed; `call` is set where a question was sent."""

    name: str
    state: CheckState
    message: str
    fix: str | None = None
    call: CheckedCall | None = None


class DoctorOutput(Record):
    """All that was looked at, in order; `instance` is the folder of the instance, null outside of one."""

    schema_id: Literal["isopod.doctor/1"] = Field(default="isopod.doctor/1", alias="schema")
    instance: str | None
    checks: tuple[Check, ...]
