"""The base of every record: frozen, unknown keys refused, lists as tuples."""

from __future__ import annotations

import operator
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from schemas.errors import ManyErrors, Place, RefusedError
from schemas.secrets import FROM_ENVIRONMENT, is_like_a_key, names_a_secret


class Record(BaseModel):
    """A frozen record. A change makes a new one: `record.model_copy(update=...)`."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        defer_build=True,
    )

    # Which keys a file held is never asked, and a set of them for every record is a third of what an instance takes in
    # memory: pydantic's set is dropped where it would be stored. The setter is any function of two arguments in C.
    __pydantic_fields_set__ = property(lambda self: set(type(self).model_fields), operator.is_)  # type: ignore[arg-type]

    @classmethod
    def parse(cls, data: object, *, source: str, code: str = "invalid-file") -> Self:
        """Validate `data` (plain dicts and lists).

        Raises ManyErrors naming `source` and the path of every key that is wrong.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise ManyErrors(
                [
                    RefusedError(code, f"{path_of(item['loc'])}: {message_of(item)}", where=Place(source))
                    for item in error.errors(include_url=False, include_context=False)
                ]
            ) from None

    def differing(self, other: Self) -> dict[str, Any]:
        """This record's own values of the fields in which the other one differs."""
        return {
            name: getattr(self, name) for name in type(self).model_fields if getattr(self, name) != getattr(other, name)
        }

    def to_data(self) -> dict[str, Any]:
        """The record as plain JSON values, keys in declared order."""
        return self.model_dump(mode="json", by_alias=True)


def path_of(location: tuple[str | int, ...]) -> str:
    """A JSON path such as `anchors[3].quote` from a pydantic location."""
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        elif not part.startswith(("function-", "tagged-union")):
            path += f".{part}" if path else part
    return path or "the file"


_CONTAINERS = {"model_type": "must be a map", "dict_type": "must be a map", "tuple_type": "must be a list"}


def message_of(item: Any) -> str:
    """One sentence for one pydantic error, in words that do not need pydantic's manual."""
    if item["type"] == "extra_forbidden":
        secret = names_a_secret(str(item["loc"][-1]))
        return f"unknown key; {FROM_ENVIRONMENT}" if secret else "unknown key"
    if item["type"] == "missing":
        return "this key is missing"
    message: str = _CONTAINERS.get(item["type"]) or item["msg"].removeprefix("Value error, ")
    found = item["input"]
    # A secret is shown nowhere, not even to who wrote it: messages end up in logs.
    if isinstance(found, str) and (item["loc"][-1:] == ("key_env",) or is_like_a_key(found)):
        return f"{message} (what is there is not shown; {FROM_ENVIRONMENT})"
    if isinstance(found, str | int | float | None):
        value = repr(found)
        return f"{message} (found {value if len(value) <= 80 else value[:77] + '...'})"
    # Of a map or a list only what it is: its text would bury the sentence. Where we ask more of it, that is known.
    if item["type"] == "value_error":
        return message
    return f"{message} (found a {'map' if isinstance(found, dict) else 'list'})"
