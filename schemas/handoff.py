"""isopod.handoff/1: which questions to a language model lie as files in a folder, `handoff.json` of that folder."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictInt, model_validator

from schemas.base import Record
from schemas.call import Purpose
from schemas.run import RunSpec
from schemas.spans import Sha256

PaperState = Literal["asked", "answered", "stale"]
"""`asked`: it waits for an answer. `answered`: its answer was taken. `stale`: nobody asks this any more."""

PromptName = Annotated[str, Field(pattern=r"^[0-9]{2,6}-(read|edges|repair|draft|check)-[0-9a-f]{8}\.prompt\.md$")]
SchemaName = Annotated[str, Field(pattern=r"^[a-z]{1,20}\.schema\.json$")]

PROMPT_END = ".prompt.md"


class Paper(Record):
    """One question as a file: `prompt` and `answer_schema` name files of the folder, `request` is its request hash.

    `why` says why it is asked again; empty when it is asked for the first time.
    """

    prompt: PromptName
    request: Sha256
    purpose: Purpose
    round: StrictInt = Field(ge=0)
    place: str
    answer_schema: SchemaName
    state: PaperState
    why: str = ""

    @model_validator(mode="after")
    def _is_named_after_its_request(self) -> Paper:
        if self.prompt.removesuffix(PROMPT_END).rpartition("-")[2] != self.request[:8]:
            raise ValueError("the name of the prompt does not end in the first eight digits of its request")
        return self

    @property
    def stem(self) -> str:
        """What the names of the prompt and of its answer begin with."""
        return self.prompt.removesuffix(PROMPT_END)


class Handoff(Record):
    """The questions to one reader about one spec, handed over as files."""

    schema_id: Literal["isopod.handoff/1"] = Field(default="isopod.handoff/1", alias="schema")
    spec: RunSpec
    reader: Literal["a", "b"]
    model: str
    prompts: tuple[Paper, ...] = ()

    def of_state(self, state: PaperState) -> tuple[Paper, ...]:
        """The questions in this state, in order."""
        return tuple(paper for paper in self.prompts if paper.state == state)
