"""Which items of another tool become cards, of which kind, and which of their edges can be kept: one set of rules for all importers.

Nothing is guessed. Two items of one id are both refused, an edge to nothing, to what an item is part of, or inside a circle is refused,
and so is a status that nobody explained.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pipeline.imports.naming import Names
from pipeline.imports.protocol import Foreign, Foreigners, ForeignKind, refusal
from pipeline.imports.reading import MAX_FIELD, MAX_LIST
from pipeline.imports.stages import Stages
from schemas.imported import ImportRefusal, RefusalCode, Stage
from store.digraph import components, shortest_cycle

_STATUS: Final = '--status "{}=open" (or underway, done, dropped)'


@dataclass
class Placed:
    """An item that is taken into account: `left_out` says why it becomes no card; the other items are named by their own ids."""

    item: Foreign
    stage: Stage
    left_out: str | None
    parent: Placed | None = None
    waits_for: list[Placed] = field(default_factory=list)
    related: list[Placed] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    renamed: list[str] = field(default_factory=list)
    has_parts: bool = False

    @property
    def kind(self) -> ForeignKind:
        """What has parts is an epic for us, whatever it is called there, and a decision that is not made yet a question."""
        if self.has_parts:
            return "epic"
        return "question" if self.item.kind == "decision" and self.stage != "done" else self.item.kind

    def above(self) -> Iterator[Placed]:
        """What the item is part of, the nearest first."""
        seen: set[int] = set()
        parent = self.parent
        while parent is not None and id(parent) not in seen:
            seen.add(id(parent))
            yield parent
            parent = parent.parent


@dataclass(frozen=True)
class Placing:
    """Every item in the order of the source, and everything that was refused."""

    placed: tuple[Placed, ...]
    refused: tuple[ImportRefusal, ...]


def place(found: Foreigners, stages: Stages, *, open_only: bool) -> Placing:
    """Settle what becomes of each item. With `open_only` what is done there is left out."""
    refused = list(found.refused)
    whole = list(_whole(found.items, stages, refused))
    placed = [
        Placed(item, stage, item.left_out or _left_out(item, stage, open_only=open_only)) for item, stage in whole
    ]
    unique = list(_without_twins(placed, refused))
    names = Names(unique, gone=_ids(found.items) - _ids(one.item for one in unique))
    for one in unique:
        if one.left_out is None:
            _join(one, names, refused)
    _part(unique, refused)
    _keep_out_of_epics(unique, refused)
    _break_cycles(unique, refused)
    return Placing(tuple(unique), tuple(refused))


def _ids(items: Iterable[Foreign]) -> set[str]:
    return {item.id.casefold() for item in items}


def _left_out(item: Foreign, stage: Stage, *, open_only: bool) -> str | None:
    """A decision that is made there is in force, and no work that is over."""
    if stage == "dropped":
        return f"{item.status} there"
    is_over = open_only and stage == "done" and item.kind != "decision"
    return f"{item.status} there, and only open ones were asked for" if is_over else None


# --- items ------------------------------------------------------------------------------------------------------------


def _whole(items: Iterable[Foreign], stages: Stages, refused: list[ImportRefusal]) -> Iterator[tuple[Foreign, Stage]]:
    """The items that can be read as cards, each with its stage. What is left out anyway needs no more than an id."""
    for item in items:
        title = " ".join(item.title.split())
        stage = stages.of_status(item.status)
        if item.left_out is not None:
            yield replace(item, title=title), stage or "open"
        elif not title:
            refused.append(
                refusal("no-title", f"{item.id} has no title", item.where, theirs=item.id, fix="give it one there")
            )
        elif _size(item) is not None:
            refused.append(
                refusal("too-large", f"{item.id}: {_size(item)}", item.where, theirs=item.id, fix="split it there")
            )
        elif stage is None:
            message = f"{item.id}: what the status {item.status!r} means is not known"
            fix = _STATUS.format(item.status)
            refused.append(refusal("unknown-status", message, item.where, theirs=item.id, fix=fix))
        else:
            yield replace(item, title=title), stage


def _size(item: Foreign) -> str | None:
    """Why an item is too large for a card."""
    texts = (item.title, item.notes, *item.lines, *(step.text for step in item.subtasks), *item.facts.values())
    if any(len(text) > MAX_FIELD for text in texts):
        return f"a text of more than {MAX_FIELD:,} characters"
    lists: tuple[Sequence[object], ...] = (item.lines, item.subtasks, item.waits_for, item.related)
    return f"more than {MAX_LIST} lines, steps or edges" if any(len(one) > MAX_LIST for one in lists) else None


def _without_twins(placed: list[Placed], refused: list[ImportRefusal]) -> Iterator[Placed]:
    """Items whose id no other one has; of several, one stands when all others are left out anyway."""
    live = Counter(one.item.id.casefold() for one in placed if one.left_out is None)
    where: dict[str, list[str]] = {}
    for one in placed:
        where.setdefault(one.item.id.casefold(), []).append(str(one.item.where))
    for one in placed:
        name = one.item.id.casefold()
        places = where[name]
        if len(places) == 1 or (one.left_out is None and live[name] == 1):
            if len(places) > 1:
                one.remarks.append(f"the id is there {len(places)} times, all others are left out")
            yield one
        else:
            others = ", ".join(other for other in places if other != str(one.item.where))
            what = f"{one.left_out}, and its id is there again" if one.left_out else "has an id that is there again"
            message = f"{one.item.id} {what}: {others or one.item.where}"
            fix = None if one.left_out else "give one of them another id there"
            refused.append(refusal("duplicate-id", message, one.item.where, theirs=one.item.id, fix=fix))


# --- edges ------------------------------------------------------------------------------------------------------------


def _join(one: Placed, names: Names[Placed], refused: list[ImportRefusal]) -> None:
    """Find what the item names: what it is part of, waits for and is related to."""
    item = one.item

    def seek(named: Iterable[str], verb: str, code: RefusalCode) -> list[Placed]:
        found: dict[int, Placed] = {}
        for name in dict.fromkeys(named):
            other = names.find(name)
            problem = _not_found(one, name, other, names)
            if other is None or problem is not None:
                message = f"{item.id} {verb} {problem}"
                refused.append(refusal(code, message, item.where, theirs=item.id, fix="mend it there first"))
                continue
            if names.was_renamed(name):
                one.renamed.append(name)
            found[id(other)] = other
        return list(found.values())

    above = seek([item.parent] if item.parent is not None else [], "is part of", "no-parent")
    one.parent = above[0] if above else None
    one.waits_for = seek(item.waits_for, "waits for", "dangling-edge")
    one.related = seek(item.related, "is related to", "dangling-edge")


def _not_found(one: Placed, name: str, other: Placed | None, names: Names[Placed]) -> str | None:
    """What is wrong with a name, as the end of a sentence; None when it means another item that is taken."""
    if other is None:
        return f"{name}, which {names.why_not(name)}"
    if other is one:
        return "itself"
    return None if other.left_out is None else f"{name}, which is left out: {other.left_out}"


def _part(placed: Iterable[Placed], refused: list[ImportRefusal]) -> None:
    """Make epics of what has parts. Only work can have some, and nothing is part of itself, over however many others."""
    for one in placed:
        parent = one.parent
        if parent is None:
            continue
        item = one.item
        if parent.item.kind not in ("epic", "story"):
            message = f"{item.id} is part of {parent.item.id}, which is a {parent.item.kind}"
        elif any(above is one for above in one.above()):
            message = f"{item.id} is part of {parent.item.id}, which is part of {item.id}"
        else:
            parent.has_parts = True
            continue
        one.parent = None
        refused.append(refusal("no-parent", message, item.where, theirs=item.id, fix="mend it there first"))


def _keep_out_of_epics(placed: Iterable[Placed], refused: list[ImportRefusal]) -> None:
    """A part cannot wait for the whole: the whole is done when its parts are."""
    for one in placed:
        above = list(one.above())
        for other in [other for other in one.waits_for if any(other is whole for whole in above)]:
            one.waits_for.remove(other)
            message = f"{one.item.id} waits for {other.item.id}, which it is part of: neither could ever be done"
            refused.append(refusal("edge-to-epic-above", message, one.item.where, theirs=one.item.id))


def _break_cycles(placed: Sequence[Placed], refused: list[ImportRefusal]) -> None:
    """Refuse every edge inside of a circle: which of them is wrong only the people there know."""
    number = {id(one): index for index, one in enumerate(placed)}
    out = [[number[id(other)] for other in one.waits_for] for one in placed]
    for component in components(out):
        if len(component) < 2:
            continue
        circle = [placed[index].item.id for index in shortest_cycle(component, out)]
        members = {index: placed[index] for index in component}
        for one in members.values():
            for other in [other for other in one.waits_for if number[id(other)] in members]:
                one.waits_for.remove(other)
                message = f"{one.item.id} waits for {other.item.id} in a circle: {' -> '.join((*circle, circle[0]))}"
                fix = "say here which of these edges hold: isopod depend"
                refused.append(refusal("cycle", message, one.item.where, theirs=one.item.id, fix=fix))
