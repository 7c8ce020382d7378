"""config.yaml as a record, with the line of whatever is wrong in it."""

from __future__ import annotations

from schemas.config import Config
from store.records import validated
from store.yamlio import load, positions

CONFIG_NAME = "config.yaml"


def parse_config(text: str, source: str = CONFIG_NAME) -> Config:
    """The config that a text holds. Raises RefusedError (not YAML) or ManyErrors (each wrong key with its line)."""
    return validated(load(text, source), Config, source, positions(text))
