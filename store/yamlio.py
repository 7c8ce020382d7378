"""YAML and JSON, in and out: the front door of yamlload, yamldump, yamledit and jsonio."""

from __future__ import annotations

from store.jsonio import load_json
from store.yamldump import dump
from store.yamledit import edit_keeping_comments, has_comments
from store.yamlload import Positions, ValuePath, decode, load, load_bytes, positions

__all__ = [
    "Positions",
    "ValuePath",
    "decode",
    "dump",
    "edit_keeping_comments",
    "has_comments",
    "load",
    "load_bytes",
    "load_json",
    "positions",
]
