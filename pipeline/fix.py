"""Safe fixes of findings. One so far: two claims with one id (A104) after two branches each gave it to another claim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.bench import Bench
from pipeline.rounds import located
from schemas.anchors import Anchor, AnchorEdge, AnchorStore
from schemas.card import Card
from schemas.errors import ManyErrors, Place, RefusedError
from schemas.finding import Finding
from schemas.ids import tail
from schemas.kinds import kind_class
from schemas.refs import renamed
from store import anchors as anchor_files
from store import cards as card_files
from store import groupings
from store.cards import Actor
from store.snapshot import Snapshot
from store.transaction import Transaction
from text.coordinates import SpanT
from text.folding import fold

FIXER = Actor(name="isopod fix", by="fix")


@dataclass(frozen=True, slots=True)
class Renaming:
    """The later of two claims with one id gets the next id: where it stands in its store, and what it is called from now on."""

    spec: str
    index: int
    old: str
    new: str


@dataclass(frozen=True)
class Fixes:
    """What `fix` would do; the transaction is uncommitted."""

    renamings: tuple[Renaming, ...]
    transaction: Transaction


def fix(snapshot: Snapshot) -> Fixes:
    """Collect every safe fix of an instance.

    Raises ManyErrors naming each file that cannot be read (nothing is fixed around it), ConflictError when a file changed
    meanwhile.
    """
    if snapshot.problems:
        raise ManyErrors([_refusal(problem) for problem in snapshot.problems])
    instance = snapshot.instance
    transaction = Transaction(instance.root, instance.state_dir, command="fix")
    renamings = tuple(_renamings(snapshot))
    for key, file in snapshot.anchors.items():
        own = [one for one in renamings if one.spec == key]
        if own:
            anchor_files.write(transaction, instance, _renamed_store(snapshot, file.store, own), file.sha256)
    for card_file in snapshot.card_files:
        after = _renamed_card(snapshot, card_file.card, renamings)
        if after != card_file.card:
            patch = after.differing(card_file.card)
            card_files.edit(transaction, instance, card_file.card, patch, actor=FIXER, expected=card_file.sha256)
    for group_file in snapshot.group_files.values():
        holder = snapshot.card_by_id.get(group_file.group.card)
        names = _names(snapshot, holder, renamings) if holder is not None else {}
        group = renamed(group_file.group, lambda found, names=names: names.get(found, found))  # type: ignore[misc]
        if group != group_file.group:
            groupings.write(transaction, instance, group, group_file.sha256)
    return Fixes(renamings, transaction)


def _refusal(problem: Finding) -> RefusedError:
    where = problem.where
    return RefusedError(
        problem.name, problem.message, where=Place(where.file, where.line, where.column), fix=problem.fix
    )


def _renamings(snapshot: Snapshot) -> Iterator[Renaming]:
    """Every later claim of those that share an id, with the first id that was never given."""
    taken = {anchor.id for file in snapshot.anchors.values() for anchor in file.store.anchors}
    taken |= {card.id for card in snapshot.cards}
    seen: set[str] = set()
    for key, file in snapshot.anchors.items():
        for index, anchor in enumerate(file.store.anchors):
            if anchor.id not in seen:
                seen.add(anchor.id)
                continue
            new = _next_id(snapshot.config.anchor_prefix, key, anchor, taken)
            taken.add(new)
            seen.add(new)
            yield Renaming(key, index, anchor.id, new)


def _next_id(prefix: str, key: str, anchor: Anchor, taken: set[str]) -> str:
    n = 0
    while True:
        candidate = f"{prefix}-{tail([key, kind_class(anchor.kind), fold(anchor.exact), n])}"
        if candidate not in taken:
            return candidate
        n += 1


def _renamed_store(snapshot: Snapshot, store: AnchorStore, own: list[Renaming]) -> AnchorStore:
    """The claims with their new ids, and each edge with the one of the two that its cue is nearer to."""
    by_index = {one.index: one for one in own}
    anchors = [
        anchor.model_copy(update={"id": by_index[index].new}) if index in by_index else anchor
        for index, anchor in enumerate(store.anchors)
    ]
    edges = store.edges
    spec = snapshot.spec(store.spec.key)
    bench = Bench.of(spec) if spec is not None else None
    for one in own:
        earlier = next((anchor for anchor in store.anchors[: one.index] if anchor.id == one.old), None)
        edges = tuple(
            renamed(edge, lambda found, one=one: one.new if found == one.old else found)  # type: ignore[misc]
            if earlier is None or _is_nearer(bench, edge, store.anchors[one.index], earlier)
            else edge
            for edge in edges
        )
    return store.model_copy(update={"anchors": tuple(anchors), "edges": edges})


def _is_nearer(bench: Bench | None, edge: AnchorEdge, later: Anchor, earlier: Anchor) -> bool:
    if bench is None:
        return False
    found = bench.grounder.find(edge.cue, (0, len(bench.spec.text)))
    # Both carry one id, so they are looked for one at a time.
    spans = [located(bench, (anchor,)).get(anchor.id) for anchor in (later, earlier)]
    if found is None or spans[0] is None or spans[1] is None:
        return False
    cue = found[1][0]
    return _distance(cue, spans[0]) < _distance(cue, spans[1])


def _distance(one: SpanT, other: SpanT) -> int:
    return max(one[0] - other[1], other[0] - one[1], 0)


def _renamed_card(snapshot: Snapshot, card: Card, renamings: tuple[Renaming, ...]) -> Card:
    """A card names the claim of its own spec; where that spec holds both, the one in the section of its other claims."""
    names = _names(snapshot, card, renamings)
    return renamed(card, lambda found: names.get(found, found)) if names else card


def _names(snapshot: Snapshot, card: Card, renamings: tuple[Renaming, ...]) -> dict[str, str]:
    return {one.old: one.new for one in renamings if _means(snapshot, card, one)}


def _means(snapshot: Snapshot, card: Card, one: Renaming) -> bool:
    if card.spec != one.spec:
        return False
    store = snapshot.anchors[one.spec].store
    later = store.anchors[one.index]
    earlier = next((anchor for anchor in store.anchors[: one.index] if anchor.id == one.old), None)
    if earlier is None:
        return True
    others = [anchor.section for anchor in store.anchors if anchor.id in card.anchors and anchor.id != one.old]
    return others.count(later.section) > others.count(earlier.section)
