"""Two branches that changed the same cards: what meets when they are merged, before git is asked (DESIGN.md section 11).

Three versions of an instance are compared, the base and the two sides. A card falls into its parts (a field, a line, an
edge, a claim), so that two people who added two lines are told apart from two who wrote one line in two ways. Then both
sides are laid over each other and what no side has alone is looked for: a dependency of a card that the other side cut,
a decision that the other side replaced, a circle, one claim on two cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from schemas.anchors import Anchor
from schemas.card import Card, Dependency
from schemas.ids import canonical
from schemas.ledger import LedgerEntry
from schemas.mergecheck import (
    MergeCheckOutput,
    MergedCard,
    MergedClaim,
    MergedEdge,
    MergedLedger,
    MergedValue,
)
from store.graph import Graph
from store.past import Version
from text.folding import fold

_KEYS: Final = {"acceptance": "id", "subtasks": "id", "depends_on": "card", "consumer_contract": "version"}
"""Lists of records: what tells their items apart."""

_SETS: Final = frozenset({"anchors", "related"})
_PARTS: Final = frozenset({"gate", "decision", "request", "migrates", "tracker"})
_SHOWN: Final = ("text", "because")
"""The key of an item that a person reads first."""

T = TypeVar("T")

Atoms = Mapping[str, Any]
"""A card or a claim in its smallest parts that two people can change apart, by name."""


class _Cards(Protocol):
    """A version, as far as its cards go."""

    @property
    def cards(self) -> Mapping[str, Card]: ...


def merge_check(base: Version, a: Version, b: Version, names: tuple[str, str, str]) -> MergeCheckOutput:
    """What collides when two sides that come from `base` are merged. `names` are what people call the three."""
    cards = tuple(_both_changed(base, a, b))
    claims = tuple(_claims(base, a, b))
    edges = tuple(_edges(base, a, b))
    ledger = _ledger(base, a, b)
    collisions = (
        sum(one.collides for one in cards) + sum(one.collides for one in claims) + len(edges) + len(ledger.lost)
    )
    return MergeCheckOutput(
        base=names[0],
        a=names[1],
        b=names[2],
        cards=cards,
        claims=claims,
        edges=edges,
        ledger=ledger,
        unreadable=tuple(sorted({path for version in (base, a, b) for path in version.unreadable})),
        collisions=collisions,
    )


# --- cards ------------------------------------------------------------------------------------------------------------


def _both_changed(base: Version, a: Version, b: Version) -> Iterator[MergedCard]:
    for card_id in sorted(set(a.cards) | set(b.cards) | set(base.cards)):
        was, one, other = (version.cards.get(card_id) for version in (base, a, b))
        if one in (was, other) or other == was:
            continue
        fields = tuple(_met(_atoms_of(was), _atoms_of(one), _atoms_of(other)))
        reasons = tuple(_meetings(was, one, other))
        title = next(card.title for card in (one, other, was) if card is not None)
        yield MergedCard(
            card=card_id,
            title=title,
            fields=fields,
            reasons=reasons,
            collides=bool(reasons) or any(not field.same for field in fields),
        )


def _atoms_of(card: Card | None) -> Atoms:
    atoms: dict[str, Any] = {}
    for key, value in () if card is None else card.to_file().items():
        if key in _KEYS:
            tell = _KEYS[key]
            atoms |= {
                f"{key} {item[tell]}": {name: said for name, said in item.items() if name != tell} for item in value
            }
        elif key in _SETS:
            atoms |= {f"{key} {item}": item for item in value}
        elif key in _PARTS:
            atoms |= {f"{key}.{name}": said for name, said in value.items() if said not in (None, [])}
        else:
            atoms[key] = value
    return atoms


def _met(was: Atoms, one: Atoms, other: Atoms) -> Iterator[MergedValue]:
    """What both sides changed, in the order of the card's fields."""
    for path in dict.fromkeys([*was, *one, *other]):
        before, here, there = was.get(path), one.get(path), other.get(path)
        if here != before and there != before:
            yield MergedValue(path=path, base=_said(before), a=_said(here), b=_said(there), same=here == there)


def _said(value: Any) -> str | None:
    """A part of a card in one line."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):
        first = next((value[key] for key in _SHOWN if isinstance(value.get(key), str)), None)
        if first is not None:
            return str(first)
    return canonical(value).decode()


def _meetings(was: Card | None, one: Card | None, other: Card | None) -> Iterator[str]:
    """What collides though no field was changed by both sides."""
    for mine, theirs, me, them in ((one, other, "A", "B"), (other, one, "B", "A")):
        if mine is None:
            if theirs is not None and was is not None:
                yield f"{me} took the file away, {them} changed the card"
        elif was is not None and mine.state != was.state and theirs is not None and theirs.state == was.state:
            if mine.state == "deleted":
                yield f"{me} cut the card, {them} changed it"
            elif mine.state == "done" and _without_tracker(theirs) != _without_tracker(was):
                yield f"{me} sealed the card as done, {them} changed it: after the merge the seal would not hold"


def _without_tracker(card: Card) -> Card:
    return card.model_copy(update={"tracker": None})


# --- claims -----------------------------------------------------------------------------------------------------------


def _claims(base: Version, a: Version, b: Version) -> Iterator[MergedClaim]:
    was, one, other = (_anchors_of(version) for version in (base, a, b))
    for anchor_id in sorted(set(one) & set(other)):
        here, there, before = one[anchor_id], other[anchor_id], was.get(anchor_id)
        if here == there or before in (here, there):
            continue
        reasons = tuple(_claim_reasons(before, here, there))
        yield MergedClaim(
            anchor=anchor_id,
            spec=here[0],
            a=here[1].exact,
            b=there[1].exact,
            reasons=tuple(text for text, _ in reasons),
            collides=any(collides for _, collides in reasons),
        )


def _anchors_of(version: Version) -> dict[str, tuple[str, Anchor]]:
    """By id: the claim with the key of its spec."""
    return {anchor.id: (key, anchor) for key, store in version.anchor_stores.items() for anchor in store.anchors}


def _claim_reasons(
    before: tuple[str, Anchor] | None, here: tuple[str, Anchor], there: tuple[str, Anchor]
) -> Iterator[tuple[str, bool]]:
    if here[0] != there[0] or (before is None and fold(here[1].exact) != fold(there[1].exact)):
        yield "one id for two claims: after the merge `isopod fix` gives the later one the next id", True
        return
    was = {} if before is None else before[1].to_data()
    one, other = here[1].to_data(), there[1].to_data()
    for field in _met(was, one, other):
        said = "both say the same" if field.same else f"A says {field.a or 'nothing'}, B says {field.b or 'nothing'}"
        yield f"{field.path}: {said}", not field.same


# --- both sides in one graph ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Merged:
    cards: Mapping[str, Card]


def _edges(base: Version, a: Version, b: Version) -> Iterator[MergedEdge]:
    """What holds on each side alone and not once both are in one graph."""
    merged = _Merged(dict(_laid_over(base, a, b)))
    sides = (a, b)
    for find in (_dangling, _replaced, _cycles, _shared_claims):
        alone = {edge.cards for side in sides for edge in find(side)}
        yield from (edge for edge in find(merged) if edge.cards not in alone)


def _laid_over(base: Version, a: Version, b: Version) -> Iterator[tuple[str, Card]]:
    """Every card as the merge has it, as far as its edges, its claims, its state and what replaces it go."""
    for card_id in sorted(set(a.cards) | set(b.cards)):
        was, one, other = (version.cards.get(card_id) for version in (base, a, b))
        if one is None or other is None:
            present = one or other
            if present is not None and was is None:  # one side made it; else the other side took it away
                yield card_id, present
        elif one in (was, other):
            yield card_id, other
        else:
            yield card_id, one if other == was else _woven(was, one, other)


def _woven(was: Card | None, one: Card, other: Card) -> Card:
    depends_on = _union(was.depends_on if was else (), one.depends_on, other.depends_on, lambda entry: entry.card)
    anchors = _union(was.anchors if was else (), one.anchors, other.anchors, str)
    changed: dict[str, Any] = {"depends_on": depends_on, "anchors": anchors}
    if "deleted" in (one.state, other.state):
        changed["state"] = "deleted"
    if one.decision is not None and other.decision is not None:
        newer = one.decision.superseded_by or other.decision.superseded_by
        changed["decision"] = one.decision.model_copy(update={"superseded_by": newer})
    return one.model_copy(update=changed)


def _union(was: Iterable[T], one: Iterable[T], other: Iterable[T], name: Callable[[T], str]) -> tuple[T, ...]:
    """What either side has, without what either side took away."""
    before = {name(item) for item in was}
    here, there = {name(item): item for item in one}, {name(item): item for item in other}
    gone = {key for key in before if key not in here or key not in there}
    return tuple(item for key, item in (here | there).items() if key not in gone)


def _waits(version: _Cards) -> Iterator[tuple[Card, Dependency]]:
    for card in version.cards.values():
        if card.state != "deleted":
            yield from ((card, entry) for entry in card.depends_on)


def _dangling(version: _Cards) -> Iterator[MergedEdge]:
    for card, entry in _waits(version):
        other = version.cards.get(entry.card)
        if other is None or other.state == "deleted":
            message = f"{card.id} waits for {entry.card}, which the other side {'cut' if other else 'took away'}"
            yield MergedEdge(cards=(card.id, entry.card), kind="dangling", message=message)


def _replaced(version: _Cards) -> Iterator[MergedEdge]:
    graph = Graph.of(version.cards.values())
    for card, entry in _waits(version):
        if graph.is_superseded(entry.card) and card.state != "done":
            message = f"{card.id} leans on the decision {entry.card}, which the other side replaced"
            yield MergedEdge(cards=(card.id, entry.card), kind="replaced", message=message)


def _cycles(version: _Cards) -> Iterator[MergedEdge]:
    for cycle in Graph.of(version.cards.values()).cycles:
        message = f"together they wait in a circle: {' -> '.join((*cycle, cycle[0]))}"
        yield MergedEdge(cards=cycle, kind="cycle", message=message)


def _shared_claims(version: _Cards) -> Iterator[MergedEdge]:
    holders: dict[str, list[str]] = {}
    for card in version.cards.values():
        if card.state != "deleted":
            for anchor in dict.fromkeys(card.anchors):
                holders.setdefault(anchor, []).append(card.id)
    for anchor, cards in holders.items():
        if len(cards) > 1:
            message = f"the claim {anchor} would be on {' and '.join(cards)}"
            yield MergedEdge(cards=(*cards, anchor), kind="one-claim", message=message)


# --- the ledger -------------------------------------------------------------------------------------------------------


def _ledger(base: Version, a: Version, b: Version) -> MergedLedger:
    was, one, other = (version.ledger for version in (base, a, b))
    entries: dict[str, LedgerEntry] = {**one, **other}
    followed = {name.removeprefix("sha256:") for entry in entries.values() for name in entry.prev}
    return MergedLedger(
        heads=tuple(sorted(set(entries) - followed)),
        only_a=len(set(one) - set(other) - set(was)),
        only_b=len(set(other) - set(one) - set(was)),
        lost=tuple(sorted(name for name in was if name not in one or name not in other)),
    )
