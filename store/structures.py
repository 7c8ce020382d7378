"""Structures of specs, kept with the cache of parsed files: Markdown is parsed again only where a spec has changed.

What is kept is what a parser says of some bytes and nothing else: which claims stand where is looked for every time.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import text
from store.cache import ParseCache, Parsed
from store.journal import digest
from text.coordinates import SpecText

if TYPE_CHECKING:
    from text.structure import Structure

_CHUNK = 50  # specs: what comes out of the cache lies in memory twice until its chunk is done
_PARSERS = ("markdown_it", "mdit_py_plugins")


def structures(specs: Mapping[str, SpecText], kept: ParseCache | None) -> dict[str, Structure]:
    """The structure of each spec, under the key that it came with.

    With a cache those of unchanged specs come out of it, and the others are put there.
    """
    parser = _parser_stamp() if kept is not None else None
    if kept is None or parser is None:
        return {key: _parsed(spec) for key, spec in specs.items()}
    found: dict[str, Structure] = {}
    keys = list(specs)
    for start in range(0, len(keys), _CHUNK):
        found |= _through(kept, parser, {key: specs[key] for key in keys[start : start + _CHUNK]})
    return found


def _through(kept: ParseCache, parser: str, specs: Mapping[str, SpecText]) -> dict[str, Structure]:
    """The structures of some specs, out of the cache or into it."""
    names = {key: f"{spec.path} structure" for key, spec in specs.items()}
    marks = {name: f"{specs[key].digest} {parser}" for key, name in names.items()}
    known = kept.get_by_content(marks)
    found: dict[str, Structure] = {}
    fresh: list[tuple[str, Parsed]] = []
    for key, spec in specs.items():
        name = names[key]
        if name in known:
            found[key] = _rebuilt(spec, known[name])
        else:
            found[key] = _parsed(spec)
            fresh.append((name, Parsed(marks[name], _plain(found[key]))))
    kept.keep(fresh)
    return found


def _parsed(spec: SpecText) -> Structure:
    from text.structure import structure  # loads the Markdown parser: not when every structure is known

    return structure(spec)


def _rebuilt(spec: SpecText, known: Parsed) -> Structure:
    from text.kept import of_plain

    return of_plain(spec, known.data)


def _plain(structure: Structure) -> object:
    from text.kept import to_plain

    return to_plain(structure)


@cache
def _parser_stamp() -> str | None:
    """Another word whenever other code would parse: our own modules, the Markdown parser, Python with its Unicode tables.

    None where the code does not lie in files of its own, so that nobody could tell.
    """
    try:
        origins = [importlib.util.find_spec(name) for name in _PARSERS]
        files = [Path(origin.origin) for origin in origins if origin is not None and origin.origin is not None]
        files += sorted(Path(path) for folder in text.__path__ for path in Path(folder).glob("*.py"))
        stats = [(file.stat().st_mtime_ns, file.stat().st_size) for file in files]
    except (OSError, ImportError, ValueError):
        return None
    return digest(f"{sys.version} {stats}".encode())
