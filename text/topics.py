"""D2: a topic is a heading path cut to `draft.card_depth` levels below the title."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from text.folding import fold

if TYPE_CHECKING:
    from text.structure import Structure

_NUMBER = re.compile(r"^\d+(?:\.\d+)*[.)]?\s+")


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic: the section that opens it (-1 before and without headings) and its heading without a leading number."""

    section: int
    heading: str


class Topics:
    """The topics of one spec."""

    def __init__(self, structure: Structure, depth: int) -> None:
        self._structure = structure
        self._depth = depth
        self.title = _title(structure)
        self._topics = [self._topic(path) for path in _paths(structure)]

    def of(self, offset: int) -> Topic:
        """The topic that holds `offset`."""
        return self._topics[self._structure.section_at(offset).index]

    def _topic(self, path: tuple[int, ...]) -> Topic:
        """The topic of the section with this heading path."""
        below = path[1:] if self.title is not None and path[:1] == (self.title,) else path
        if below:
            section = below[: self._depth][-1]
            return Topic(section, self.heading(section))
        return Topic(-1, self.heading(self.title) if self.title is not None and path else "")

    def heading(self, section: int) -> str:
        """A section's own heading without its leading number."""
        titles = self._structure.sections[section].titles
        return _NUMBER.sub("", fold(titles[-1])) if titles else ""

    def headings(self, offset: int) -> list[tuple[str, str]]:
        """The heading path at `offset`, each as written and without its number."""
        titles = self._structure.section_at(offset).titles
        return [(fold(title), _NUMBER.sub("", fold(title))) for title in titles]

    @property
    def title_text(self) -> str:
        """The spec's title, "" when it has none."""
        return self.heading(self.title) if self.title is not None else ""

    def opening(self) -> list[tuple[int, int]]:
        """Spans of the text before the first section and of the first section with its deeper ones (D7), untitled."""
        sections = self._structure.sections
        real = [section for section in sections if section.heading is not None and section.index != self.title]
        if not real:
            return []
        first = real[0]
        following = next((one for one in real[1:] if one.level <= first.level), None)
        end = following.span[0] if following is not None else sections[-1].span[1]
        return [(0, first.span[0]), (first.span[0], end)]


def _paths(structure: Structure) -> list[tuple[int, ...]]:
    """For every section the sections of its heading path, itself last."""
    paths: list[tuple[int, ...]] = []
    open_: list[int] = []
    for section in structure.sections:
        if section.heading is None:
            paths.append(())
            continue
        while open_ and structure.sections[open_[-1]].level >= section.level:
            open_.pop()
        open_.append(section.index)
        paths.append(tuple(open_))
    return paths


def _title(structure: Structure) -> int | None:
    headed = [section for section in structure.sections if section.heading is not None]
    if not headed:
        return None
    first = headed[0]
    stands_before = any(unit.claim_bearing for unit in structure.units_in((0, first.span[0])))
    again = any(section.level == first.level for section in headed[1:])
    return None if stands_before or again else first.index
