"""isopod.batch/1: questions that were sent as one batch, and what became of each; isopod.batches/1: how batches stand."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Record
from schemas.bookline import Count
from schemas.call import Call, Purpose
from schemas.outputs import ErrorItem
from schemas.spans import Sha256, Timestamp

BatchName = Annotated[str, Field(pattern=r"^[a-z0-9]+-[0-9a-f]{8}$")]
"""The reader and eight hex digits: the name of the file, and what people type."""

BatchStage = Literal["sending", "open", "collected", "dropped"]
"""`sending`: written down before it is sent, so a batch that stays so may have arrived or not. `open`: the provider has it.
`dropped`: a person gave it up; its questions may be asked anew."""


class BatchCall(Record):
    """One question of a batch by its request hash; the text is not kept. `outcome` is `answered` or the code of the failure."""

    request: Sha256
    purpose: Purpose
    round: Count
    place: str
    outcome: str | None = None


class Batch(Record):
    """One batch of one reader about one spec. `id` is the provider's, null until it gave one; `base_url` is that of the reader."""

    schema_id: Literal["isopod.batch/1"] = Field(default="isopod.batch/1", alias="schema")
    name: BatchName
    stage: BatchStage
    reader: str = Field(min_length=1)
    provider: str = Field(min_length=1)
    model: str = Field(min_length=1)
    base_url: str | None = None
    spec: str
    at: Timestamp
    id: str | None = None
    calls: tuple[BatchCall, ...] = Field(min_length=1)

    @classmethod
    def of(
        cls, name: str, calls: tuple[Call, ...], *, provider: str, base_url: str | None, spec: str, at: str
    ) -> Batch:
        """A batch of these calls that is about to be sent; they are of one reader and one model."""
        return cls(
            name=name,
            stage="sending",
            reader=calls[0].reader,
            provider=provider,
            model=calls[0].model,
            base_url=base_url,
            spec=spec,
            at=at,
            calls=tuple(
                BatchCall(request=call.request, purpose=call.purpose, round=call.round, place=call.place)
                for call in calls
            ),
        )

    @property
    def is_waiting(self) -> bool:
        """Whether its questions may still be answered, so that nobody may ask them a second time."""
        return self.stage in ("sending", "open")

    @property
    def requests(self) -> frozenset[str]:
        return frozenset(call.request for call in self.calls)

    @property
    def answered(self) -> int:
        return sum(call.outcome == "answered" for call in self.calls)


BatchStanding = Literal["waiting", "collected", "unknown", "unreachable", "dropped"]
"""`unknown`: whether it arrived is not known. `unreachable`: the provider did not say, or its answers could not be fetched."""


class BatchItem(Record):
    """How a batch stands. Of its `calls` questions `done` are answered and `failed` have no answer; `word` is the provider's own."""

    name: str
    standing: BatchStanding
    reader: str
    provider: str
    model: str
    spec: str
    at: Timestamp
    id: str | None
    calls: Count
    done: Count = 0
    failed: Count = 0
    word: str | None = None


class BatchesOutput(Record):
    """The batches that were open when the command began; `problems` is what kept it from looking at some of them."""

    schema_id: Literal["isopod.batches/1"] = Field(default="isopod.batches/1", alias="schema")
    batches: tuple[BatchItem, ...]
    problems: tuple[ErrorItem, ...] = ()
