"""isopod schema: print a JSON Schema, or write the one that editors validate cards by."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from isopod import options
from isopod.face import Face
from schemas.errors import RefusedError

if TYPE_CHECKING:
    from schemas.config import Config

CARD_SCHEMA = "docs/schemas/card.json"


@options.command(
    "schema",
    examples=[
        ("isopod schema", "list the schemas"),
        ("isopod schema run > run.schema.json", "what every reader returns"),
        ("isopod schema card", "the schema of this instance's cards: its prefixes, teams and milestones"),
        ("isopod schema --write", "after a change of config.yaml, let editors know"),
    ],
)
@click.argument("name", required=False)
@click.option("--write", is_flag=True, help="Write the schema of cards to where the cards' first line says.")
@options.dry_run
def command(face: Face, name: str | None, write: bool, dry_run: bool) -> None:
    """Print the JSON Schema NAME of a file or of an output of isopod, or list them all.

    Inside an instance the schema of cards knows the prefixes, teams and milestones of its config.yaml, so that an
    editor with a YAML language server points at a wrong id or team while it is typed.
    """
    if write:
        _write(face, dry_run)
        return
    if dry_run:
        raise RefusedError("usage", "--dry-run goes with --write", fix="isopod schema --write --dry-run")
    if name is None:
        _list(face)
        return
    face.give_json(_schema(face, name))


def _list(face: Face) -> None:
    from schemas.jsonschema import records, summary_of
    from schemas.outputs import SchemaItem, SchemasOutput

    items = tuple(
        SchemaItem(name=name, id=f"isopod.{name}/1", what=summary_of(record)) for name, record in records().items()
    )
    face.give(SchemasOutput(schemas=items), lambda: [f"{item.name:12} {item.what}" for item in items])


def _schema(face: Face, name: str) -> dict[str, Any]:
    from schemas.jsonschema import card_schema, schema_of

    if name != "card":
        return schema_of(name)
    try:
        instance = face.instance()
    except RefusedError as error:
        if error.code != "no-instance":
            raise
        return schema_of(name)
    return card_schema(instance.config)


def card_schema_text(config: Config) -> str:
    """The file that cards name in their first line."""
    from schemas.jsonschema import card_schema

    return json.dumps(card_schema(config), ensure_ascii=False, indent=2) + "\n"


def _write(face: Face, dry_run: bool) -> None:
    from isopod.writing import commit_or_show
    from store.transaction import Transaction

    instance = face.instance()
    transaction = Transaction(instance.root, instance.state_dir, command="schema")
    transaction.write(instance.root / CARD_SCHEMA, card_schema_text(instance.config).encode())
    commit_or_show(face, transaction, command="schema", dry_run=dry_run)
