"""config.yaml as a record, with the line of whatever is wrong in it."""

from __future__ import annotations

from schemas.config import Config

CONFIG_NAME = "config.yaml"


def parse_config(data: bytes, source: str = CONFIG_NAME) -> Config:
    """The config that a file holds. Raises RefusedError (no YAML) or ManyErrors (each wrong key with its line)."""
    from store.records import record_of  # records load what lies in an instance, and so stand above it

    return record_of(data, source, Config)
