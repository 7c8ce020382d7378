"""A spec that people go on writing, line by line, and what both readers say of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from scenes import AnchorT, EdgeT

SECTIONS = ("Sending", "Keeping", "Counting")
WORDS = {
    "requirement": "The sender must send lot {n}",
    "constraint": "Lot {n} must hold no more than {n} letters",
    "interface": "The header `X-{n}` must name lot {n}",
    "need": "The Data team gives us list {n}",
    "term": "Word{n}",
    "decision": "We keep lot {n} in files",
    "question": "Whether lot {n} is kept is not decided",
    "exclusion": "Lot {n} is not part of this",
    "opening": "The whole must serve office {n}",
}
KIND = {"need": "interface", "opening": "requirement"}
RELATIONS = {
    "requires": "after item {n}",
    "blocked_by": "once item {n} is said",
    "refines": "as in item {n}",
    "supersedes": "instead of item {n}",
    "conflicts_with": "against item {n}",
}


@dataclass(frozen=True)
class Item:
    """A line of a spec: one claim; its edges go to other items by their numbers."""

    number: int
    kind: str
    section: int
    words: str
    edges: tuple[tuple[str, int], ...] = ()


class LivingSpec:
    """A spec that is written line by line, and what both readers say of it."""

    def __init__(self, name: str, chance: Random) -> None:
        self.name = name
        self.items: list[Item] = []
        self._gone: list[Item] = []
        self._chance = chance
        self._number = 0
        for kind in (
            "requirement",
            "requirement",
            "constraint",
            "need",
            "question",
            "decision",
            "exclusion",
            "term",
            "requirement",
        ):
            self._add(kind)

    def change(self) -> None:
        """One edit of its text."""
        edits = (
            self._add,
            self._add,
            self._drop,
            self._drop,
            self._reword,
            self._shift,
            self._tie,
            self._tie,
            self._untie,
            self._back,
        )
        self._chance.choice(edits)()

    def text(self) -> str:
        opening = "".join(f"{_line(item)}\n\n" for item in self.items if item.kind == "opening")
        parts = [f"# {self.name.capitalize()}\n\n## Purpose\n\n{opening}"]
        for index, heading in enumerate(SECTIONS):
            parts.append(f"\n## {heading}\n\n")
            parts += [f"- {_line(item)}\n" for item in self.items if item.section == index and item.kind != "opening"]
        notes = "".join(f"- Somebody must look at letter {number} of {self.name}.\n" for number in range(4))
        return "".join(parts) + f"\n## Notes\n\n{notes}"

    def anchors(self) -> list[AnchorT]:
        return [
            (f"i{item.number}", KIND.get(item.kind, item.kind), _quote(item)) for item in self.items
        ]

    def edges(self) -> list[EdgeT]:
        return [
            (f"i{item.number}", kind, f"i{other}", RELATIONS[kind].format(n=other))
            for item in self.items
            for kind, other in item.edges
        ]

    # --- edits ----------------------------------------------------------------------------------------------------

    def _add(self, kind: str | None = None) -> None:
        kind = kind or self._chance.choice((*WORDS, "requirement", "requirement"))
        self._number += 1
        section = self._chance.randrange(len(SECTIONS))
        item = Item(self._number, kind, section, WORDS[kind].format(n=self._number))
        self.items.insert(self._chance.randint(0, len(self.items)), item)
        if self._chance.random() < 0.6:
            self._tie(item)

    def _drop(self) -> None:
        if len(self.items) > 4:
            gone = self.items.pop(self._chance.randrange(len(self.items)))
            self._gone.append(replace(gone, edges=()))
            self.items = [_without(item, gone.number) for item in self.items]

    def _back(self) -> None:
        """What was taken out stands there again, word for word."""
        if self._gone:
            self.items.append(self._gone.pop())

    def _reword(self) -> None:
        item = self._any()
        if item.kind != "term":
            self._put(replace(item, words=f"{item.words} today"))

    def _shift(self) -> None:
        """A line moves to another section; what it was tied to is told anew there."""
        item = self._any()
        self._put(replace(item, section=self._chance.randrange(len(SECTIONS)), edges=()))
        self.items = [_without(one, item.number) for one in self.items]

    def _tie(self, item: Item | None = None) -> None:
        item = item or self._any()
        ways = [(kind, other.number) for other in self.items for kind in _ties(item, other)]
        known = {other for _, other in item.edges}
        fitting = [way for way in ways if way[1] not in known and way[1] != item.number]
        if fitting and len(item.edges) < 3:
            self._put(replace(item, edges=(*item.edges, self._chance.choice(fitting))))

    def _untie(self) -> None:
        item = self._any()
        self._put(replace(item, edges=item.edges[1:]))

    def _any(self) -> Item:
        return self._chance.choice(self.items)

    def _put(self, item: Item) -> None:
        self.items = [item if one.number == item.number else one for one in self.items]


def _ties(item: Item, other: Item) -> list[str]:
    """The relations that a spec may state between two lines. What waits stands in a later section, so that no spec goes in a circle."""
    kinds = (item.kind, other.kind)
    found = []
    if kinds == ("requirement", "requirement") and other.section < item.section:
        found += ["requires", "conflicts_with"]
    if kinds in (("requirement", "need"), ("requirement", "decision")):
        found.append("requires")
    if kinds == ("requirement", "question"):
        found.append("blocked_by")
    if kinds == ("constraint", "requirement") and item.section == other.section:
        found.append("refines")
    if kinds == ("decision", "decision") and other.number < item.number:
        found.append("supersedes")
    return found


def _without(item: Item, gone: int) -> Item:
    return replace(item, edges=tuple(edge for edge in item.edges if edge[1] != gone))


def _cues(item: Item) -> str:
    return "".join(f", {RELATIONS[kind].format(n=other)}" for kind, other in item.edges)


def _quote(item: Item) -> str:
    return item.words if item.kind == "term" else f"{item.words}{_cues(item)}."


def _line(item: Item) -> str:
    return f"**{item.words}**: what it means{_cues(item)}." if item.kind == "term" else _quote(item)
