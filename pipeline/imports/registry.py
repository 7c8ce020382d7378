"""Finds importers: every module of this package that defines one."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from typing import cast

import pipeline.imports
from pipeline.imports.protocol import Importer
from schemas.errors import RefusedError


@cache
def importers() -> dict[str, type[Importer]]:
    """Every importer by its kind."""
    found: dict[str, type[Importer]] = {}
    for module in pkgutil.iter_modules(pipeline.imports.__path__):
        name = f"pipeline.imports.{module.name}"
        for _, member in inspect.getmembers(importlib.import_module(name), inspect.isclass):
            if member.__module__ == name and hasattr(member, "kind") and hasattr(member, "read"):
                found[member.kind] = cast("type[Importer]", member)
    return dict(sorted(found.items()))


def importer_of(kind: str) -> Importer:
    """The importer of this kind.

    Raises RefusedError naming those that there are.
    """
    known = importers()
    if kind not in known:
        raise RefusedError(
            "unknown-import",
            f"nothing is imported as {kind!r}; there are: {', '.join(known)}",
            fix="isopod import --help",
        )
    return known[kind]()
