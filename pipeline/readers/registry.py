"""Finds readers: every module of this package that defines one, and the entry points of other packages."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from typing import cast

import pipeline.readers
from pipeline.readers.protocol import Reader
from schemas.errors import OutsideError, RefusedError

GROUP = "isopod.readers"
_NOT_READERS = frozenset({"protocol", "registry"})


@cache
def providers() -> dict[str, type[Reader]]:
    """Every reader by its provider name, ours first; a third-party reader never replaces one of ours.

    Raises OutsideError naming the entry point when a third-party reader cannot be loaded.
    """
    found: dict[str, type[Reader]] = {}
    for module in pkgutil.iter_modules(pipeline.readers.__path__):
        if module.name not in _NOT_READERS:
            for reader in _readers_of(f"pipeline.readers.{module.name}"):
                found[reader.provider] = reader
    for point in entry_points(group=GROUP):
        try:
            reader = point.load()
        except Exception as error:
            raise OutsideError(
                "reader-broken",
                f"the reader {point.name!r} of the entry point {point.value!r} cannot be loaded: {error}",
                fix="uninstall or mend that package",
            ) from error
        found.setdefault(point.name, reader)
    return found


def reader_of(provider: str) -> Reader:
    """A new reader of this provider.

    Raises RefusedError naming the providers that there are.
    """
    known = providers()
    if provider not in known:
        raise RefusedError("unknown-reader", f"no reader is called {provider!r}; there are: {', '.join(sorted(known))}")
    return known[provider]()


def _readers_of(module_name: str) -> list[type[Reader]]:
    module = importlib.import_module(module_name)
    return [
        cast("type[Reader]", member)
        for _, member in inspect.getmembers(module, inspect.isclass)
        if member.__module__ == module_name and hasattr(member, "provider") and hasattr(member, "read")
    ]
