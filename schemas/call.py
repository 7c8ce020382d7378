"""One question to a language model and its answer: what is sent, what came back, what it cost."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Literal

from pydantic import Field, StrictInt

from schemas.base import Record
from schemas.ids import canonical
from schemas.spans import Sha256

Purpose = Literal["read", "edges", "repair", "draft", "check"]
"""Why a model is asked: a first reading, relations across sections, disputed places again, the judgements of the drafter,
whether it answers at all."""

Shape = Literal["reading", "edges", "judgements", "check"]
"""What the answer looks like: `pipeline.models.shapes` holds the JSON schema of each."""


class Call(Record):
    """One question, whole: `system` is the same for every call of a purpose, `user` holds the task and the text of the spec.

    `reader` is the name in config (`a` or `b`), `attempt` counts from 1 how often the task was put, `prompt` the version and digest of
    our own words (prompt texts and answer schema), `max_tokens` the most that the answer may take. `place` says for people what is asked
    about, `why` why it is asked again; neither is part of the identity.
    """

    reader: str = Field(min_length=1)
    model: str = Field(min_length=1)
    purpose: Purpose
    round: StrictInt = Field(ge=0)
    attempt: StrictInt = Field(default=1, ge=1)
    prompt: str = Field(min_length=1)
    shape: Shape
    system: str
    user: str
    max_tokens: StrictInt = Field(ge=1)
    place: str
    why: str = ""

    @cached_property
    def request(self) -> str:
        """The request hash: the sha256 (hex) of the canonical JSON of everything but `place` and `why`.

        The same question to the same reader in the same round has the same hash on every machine, whichever provider carries it.
        """
        data = self.to_data()
        del data["place"], data["why"]
        return hashlib.sha256(canonical(data)).hexdigest()


class Usage(Record):
    """Tokens as the provider counts them. `input` holds those read from its cache too, which are `cached`."""

    input: StrictInt = Field(ge=0)
    output: StrictInt = Field(ge=0)
    cached: StrictInt = Field(default=0, ge=0)


class Answer(Record):
    """isopod.answer/1: what a model answered to one request, as it came: `content` is the envelope, not yet taken apart.

    `stop` is the provider's own word for why the model stopped; `usage` is null where the provider counts no tokens.
    """

    schema_id: Literal["isopod.answer/1"] = Field(default="isopod.answer/1", alias="schema")
    request: Sha256
    reader: str = Field(min_length=1)
    provider: str = Field(min_length=1)
    model: str = Field(min_length=1)
    purpose: Purpose
    stop: str
    content: str
    usage: Usage | None = None
