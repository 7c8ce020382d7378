"""JSON Schemas of every record, generated; the schema of cards is composed with what an instance's config says.

An editor with a YAML language server validates cards by `docs/schemas/card.json`, which the first line of a card names.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any, Final, get_args

import schemas
from schemas.base import Record
from schemas.config import Config, id_pattern
from schemas.errors import RefusedError
from schemas.kinds import CARD_KINDS, CardKind

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_DATE: Final = r"^\d{4}-\d\d-\d\d$"


@cache
def records() -> dict[str, type[Record]]:
    """Every record that stands on its own, by the name in its `schema` key: `card` for isopod.card/1."""
    found: dict[str, type[Record]] = {}
    for module in pkgutil.iter_modules(schemas.__path__):
        members = vars(importlib.import_module(f"schemas.{module.name}")).values()
        for member in members:
            if isinstance(member, type) and issubclass(member, Record) and "schema_id" in member.model_fields:
                found[name_of(member)] = member
    return dict(sorted(found.items()))


def name_of(record: type[Record]) -> str:
    """`card` for the record whose schema is isopod.card/1."""
    return _schema_id(record).removeprefix("isopod.").split("/")[0]


def summary_of(record: type[Record]) -> str:
    """The first line of the record's description, or of its module's where it has none of its own."""
    own = record.__doc__ if record.__doc__ and "__doc__" in vars(record) else None
    return (own or importlib.import_module(record.__module__).__doc__ or "").strip().split("\n")[0]


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of one record, for every instance: ids, teams and milestones are open strings.

    Raises RefusedError naming what there is.
    """
    known = records()
    if name not in known:
        raise RefusedError(
            "unknown-schema", f"no schema is called {name!r}; there are: {', '.join(known)}", fix="isopod schema"
        )
    record = known[name]
    made = record.model_json_schema(by_alias=True)
    head = {"$schema": DIALECT, "$id": f"isopod:{name}", "title": _schema_id(record)}
    return head | {key: value for key, value in made.items() if key not in head}


def card_schema(config: Config) -> dict[str, Any]:
    """The schema of cards in one instance: its prefixes, its teams, its milestones."""
    schema = schema_of("card")
    defs = schema["$defs"]
    card = {"pattern": _ids(config, *CARD_KINDS)}
    anchor = {"pattern": id_pattern((config.anchor_prefix,))}
    properties = schema["properties"]

    _narrow(properties["id"], card)
    _narrow(properties["parent"], {"pattern": _ids(config, "epic")})
    _narrow(properties["related"]["items"], card)
    _narrow(properties["anchors"]["items"], anchor)
    _narrow(defs["AcceptanceLine"]["properties"]["anchors"]["items"], anchor)
    _narrow(defs["Dependency"]["properties"]["card"], card)
    _narrow(defs["DecisionPart"]["properties"]["supersedes"]["items"], {"pattern": _ids(config, "decision")})
    _narrow(defs["DecisionPart"]["properties"]["superseded_by"], {"pattern": _ids(config, "decision")})
    _narrow(defs["RequestPart"]["properties"]["external"], {"pattern": _ids(config, "external")})
    _narrow(defs["MigratesPart"]["properties"]["card"], card)
    teams = {"enum": [team.id for team in config.teams]}
    _narrow(properties["team"], teams)
    _narrow(defs["RequestPart"]["properties"]["team"], teams)
    properties["due"] = properties["due"] | {
        "anyOf": [{"enum": list(config.milestones)}, {"type": "string", "pattern": _DATE}, {"type": "null"}],
        "description": "a milestone of config.yaml, or a date YYYY-MM-DD",
    }
    # An id and its kind go together: the prefix says the kind.
    schema["allOf"] = [
        {
            "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
            "then": {"properties": {"id": {"pattern": _ids(config, kind)}}},
        }
        for kind in CARD_KINDS
    ]
    return schema


def _ids(config: Config, *kinds: CardKind) -> str:
    return id_pattern(tuple(prefix.prefix for prefix in config.prefixes if prefix.kind in kinds))


def _narrow(schema: dict[str, Any], constraint: dict[str, Any]) -> None:
    """Add a constraint on strings; `null`, where it is allowed, stays allowed."""
    target = next((option for option in schema.get("anyOf", ()) if option.get("type") == "string"), schema)
    target.update(constraint)


def _schema_id(record: type[Record]) -> str:
    return str(get_args(record.model_fields["schema_id"].annotation)[0])
