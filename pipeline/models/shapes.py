"""The shapes of answers, as a model is asked for them: flat, every field required, no maps, no limits on numbers.

They only tell a model what to send. What comes back is checked by our own code (`pipeline.models.envelope`), whatever a vendor promises.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.call import Shape
from schemas.ids import canonical
from schemas.kinds import AnchorKind, EdgeKind


class _Flat(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class ClaimAnswer(_Flat):
    """One claim of the text."""

    ref: str = Field(description="your own label, unique in this answer: a1, a2, ...")
    kind: AnchorKind
    quote: str = Field(description="the exact characters of the text, unchanged")
    first_line: int = Field(description="number of the first line of the quote")
    last_line: int = Field(description="number of the last line of the quote")
    nth: int = Field(description="which occurrence within those lines, from 1; 0 when the quote stands there once")


class RelationAnswer(_Flat):
    """One relation between two claims."""

    from_: str = Field(alias="from", description="ref of a claim")
    to: str = Field(description="ref of another claim")
    kind: EdgeKind
    cue: str = Field(description="the exact words of the text that show the relation")
    cue_first_line: int = Field(description="number of the first line of the cue")
    cue_last_line: int = Field(description="number of the last line of the cue")


class ReadingAnswer(_Flat):
    """The claims of the text and the relations between them."""

    anchors: list[ClaimAnswer]
    edges: list[RelationAnswer]


class EdgesAnswer(_Flat):
    """Relations between the listed claims."""

    edges: list[RelationAnswer]


GroupKind = Literal["story", "gate", "request", "decision", "epic", "glossary"]
"""What a model that drafts may make of a claim; `background` is a person's word in config."""


class JudgementAnswer(_Flat):
    """The four judgements on one claim."""

    anchor: str = Field(description="id of the claim")
    leader: str = Field(description="id of the claim that leads its card; its own id when it leads")
    kind: GroupKind = Field(description="the kind of that card")
    team: str = Field(description="id of the team")
    aligned: bool = Field(description="whether nothing contradicts the claim")


class JudgementsAnswer(_Flat):
    """Four judgements for every listed claim."""

    judgements: list[JudgementAnswer]


class CheckAnswer(_Flat):
    """A sign that you can answer in this form."""

    ready: bool


_SHAPES: Final[dict[Shape, type[BaseModel]]] = {
    "reading": ReadingAnswer,
    "edges": EdgesAnswer,
    "judgements": JudgementsAnswer,
    "check": CheckAnswer,
}


def model_of(shape: Shape) -> type[BaseModel]:
    """The pydantic model that SDKs make a tool of. Its name is the tool's, its docstring the tool's description."""
    return _SHAPES[shape]


def schema_of(shape: Shape) -> dict[str, Any]:
    """The JSON Schema of an answer."""
    return _SHAPES[shape].model_json_schema(by_alias=True)


@cache
def digest_of(shape: Shape, words: str) -> str:
    """Eight hex digits over the schema of a shape and our own words to the model: part of the prompt's version."""
    return hashlib.sha256(canonical([schema_of(shape), words])).hexdigest()[:8]
