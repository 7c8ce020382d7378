"""Which item a reference means: ids without case, and references from before a prefix was renamed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Generic, Protocol, TypeVar

from pipeline.imports.protocol import Foreign

_ID: Final = re.compile(r"(?P<prefix>.*?)[-_ ]?(?P<number>[0-9]+(?:\.[0-9]+)*)")


class _Named(Protocol):
    item: Foreign


P = TypeVar("P", bound=_Named)


class Names(Generic[P]):
    """The items of a source by what they are called. `gone` are the ids of items that were refused."""

    def __init__(self, items: Sequence[P], gone: set[str]) -> None:
        self._gone = gone
        self._by_id = {one.item.id.casefold(): one for one in items}
        self._prefixes = {_split(one.item.id)[0] for one in items}
        self._by_number: dict[str, list[P]] = {}
        for one in items:
            if one.item.renamable:
                self._by_number.setdefault(_split(one.item.id)[1], []).append(one)

    def find(self, name: str) -> P | None:
        """The item of this id.

        A reference with a prefix that no item bears means the one item of its number whose prefix can have been renamed.
        """
        known = self._by_id.get(name.casefold())
        if known is not None or not self.was_renamed(name):
            return known
        same = self._by_number.get(_split(name)[1], [])
        return same[0] if len(same) == 1 else None

    def was_renamed(self, name: str) -> bool:
        """Whether a reference bears a prefix that no item has any more, and was not refused either."""
        prefix, number = _split(name)
        folded = name.casefold()
        return bool(number) and folded not in self._by_id and folded not in self._gone and prefix not in self._prefixes

    def why_not(self, name: str) -> str:
        """Why a reference leads nowhere, as the end of a sentence that begins with `which`."""
        return "is refused" if name.casefold() in self._gone else "is not here"


def _split(name: str) -> tuple[str, str]:
    """The prefix and the number of an id such as `task-12.3`; no number for another form."""
    found = _ID.fullmatch(name.casefold())
    return (found["prefix"], found["number"]) if found else (name.casefold(), "")
