"""A person cuts cards from the plan: what waited for them is cleaned and their claims are discarded, in one transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.bench import Bench
from pipeline.deeds.contradictions import Asked, answered_by, contradictions
from pipeline.deeds.hand import Hand
from pipeline.settle import Said, discard, in_turn
from pipeline.table import Table
from schemas.anchors import Anchor, AnchorStore, Discarded
from schemas.card import Card
from schemas.errors import ManyErrors, RefusedError
from schemas.ids import tail
from schemas.kinds import FINAL_STATES, OPEN_EDIT_STATES
from schemas.settlement import SettledAnchor, Settlement, Where
from store import anchors as anchor_files
from store import settlements
from store.snapshot import Snapshot
from text.folding import fold
from text.sections import unchanged_sections
from text.selectors import Located


@dataclass(frozen=True)
class Cut:
    """What went with the cards `ids`: `claims` that no card carries any more, `edges` of claims that went with them."""

    hand: Hand
    ids: tuple[str, ...]
    claims: tuple[str, ...]
    edges: int


@dataclass(frozen=True)
class Lost:
    """The cards all of whose claims a section has lost, and those that still have some (with these)."""

    ids: tuple[str, ...]
    partly: Mapping[str, tuple[str, ...]]


def cut(snapshot: Snapshot, ids: Sequence[str], said: Said) -> Cut:
    """Cut cards from the plan.

    No live card depends on them afterwards, cards of a cut epic stand alone, what a cut decision replaced is in force again, a gate
    that asks about a contradiction with one of their claims goes with them, and their claims are discarded as out of scope: in the
    store, without edges, and as answers, so that the next compile makes no card of them.
    Raises RefusedError without a reason, ManyErrors naming each card that is unknown, over, or asks about a contradiction that stands;
    and as `store.cards.edit` for what depends on them and may not be written.
    """
    if said.because is None or not said.because.strip():
        raise RefusedError("reason-missing", "cards are cut with a reason", fix='--because "..."')
    hand = Hand(snapshot, said, f"cut {' '.join(ids)}")
    chosen = {card_id: hand.card(card_id) for card_id in dict.fromkeys(ids)}
    asked = contradictions(snapshot)
    over = {gate for gate, ends in asked.items() if any(ends & set(card.anchors) for card in chosen.values())}
    standing = {gate: ends for gate, ends in asked.items() if gate not in over}
    errors = [error for card in chosen.values() for error in _refusals(snapshot, card, standing)]
    if errors:
        raise ManyErrors(errors)
    chosen |= {gate: hand.card(gate) for gate in sorted(over) if hand.card(gate).state not in FINAL_STATES}
    for card_id in chosen:
        hand.change(card_id, {"state": "deleted"})
    _clean(hand, chosen)
    carried = [anchor for card in chosen.values() for anchor in card.anchors]
    claims, edges = _discard(hand, [*carried, *_unnamed(snapshot, chosen.values())])
    return Cut(hand, tuple(chosen), claims, edges)


def lost_in(snapshot: Snapshot, section: str, key: str | None = None) -> Lost:
    """The cards of a section, named by its path or its last heading, whose claims the spec has lost.

    Raises RefusedError when no claim stands in such a section, several are called so, or nothing in it is lost.
    """
    store, path = _section(snapshot, section, key)
    standing = _standing(snapshot, store)
    inside = {anchor.id for anchor in store.anchors if anchor.section == path}
    gone = {anchor for anchor, found in standing.items() if found.status in ("edited", "lost")}
    ids, partly = [], {}
    for card in snapshot.cards:
        if card.state in FINAL_STATES or not gone & inside & set(card.anchors):
            continue
        left = tuple(anchor for anchor in card.anchors if anchor in standing and anchor not in gone)
        if left:
            partly[card.id] = left
        else:
            ids.append(card.id)
    if not ids and not partly:
        raise RefusedError(
            "nothing-lost", f"no card that is not over carries a claim that {store.spec.path} has lost there: {path}"
        )
    return Lost(tuple(ids), partly)


# --- what may be cut -------------------------------------------------------------------------------------------------


def _refusals(snapshot: Snapshot, card: Card, asked: Asked) -> Iterator[RefusedError]:
    if card.state in FINAL_STATES:
        way = f"isopod migrate {card.id} --line A1" if card.state == "done" else f"isopod show {card.id}"
        yield RefusedError("final-state", f"{card.id} is {card.state}, and that is final", fix=way)
    elif card.id in asked:
        yield RefusedError(
            "contradiction-stands",
            f"{card.id} asks about two claims that cannot both hold: say which does, or cut what carries one of them",
            fix=f"isopod answer {card.id} --with TEXT --by NAME",
        )
    elif (gate := answered_by(snapshot, card, asked)) is not None:
        yield RefusedError(
            "contradiction-stands",
            f"{card.id} says which of two claims of the spec holds ({gate}): another decision may replace it",
            fix=f"isopod decide TEXT --supersedes {card.id} --by NAME --because TEXT",
        )


# --- what hangs on it ------------------------------------------------------------------------------------------------


def _clean(hand: Hand, cut_ids: Collection[str]) -> None:
    """Take every link to the cut cards off the cards that are not over; what a published card says of its parent stays."""
    for card in hand.snapshot.cards:
        if card.id in cut_ids or card.state in FINAL_STATES:
            continue
        patch: dict[str, object] = {}
        kept = tuple(entry for entry in card.depends_on if entry.card not in cut_ids)
        if kept != card.depends_on:
            patch["depends_on"] = kept
        if card.state in OPEN_EDIT_STATES:
            related = tuple(other for other in card.related if other not in cut_ids)
            if related != card.related:
                patch["related"] = related
            if card.parent in cut_ids:
                patch["parent"] = None
        if patch:
            hand.change(card.id, patch, by="cleanup")
        if card.decision is not None and card.decision.superseded_by in cut_ids:
            hand.change(card.id, {"decision": card.decision.model_copy(update={"superseded_by": None})})


def _unnamed(snapshot: Snapshot, cut_cards: Iterable[Card]) -> Iterator[str]:
    """The claims of cut epics that these do not name, because they came after it was published."""
    keys = {card.spec for card in cut_cards if card.kind == "epic"}
    for key, store in snapshot.anchor_stores.items():
        for anchor in store.anchors if key in keys else ():
            if anchor.home == "epic" and anchor.id not in snapshot.cards_of_anchor:
                yield anchor.id


# --- claims ----------------------------------------------------------------------------------------------------------


def _discard(hand: Hand, claims: Collection[str]) -> tuple[tuple[str, ...], int]:
    """Discard claims in their stores; gives their ids and how many edges went with them."""
    snapshot, said = hand.snapshot, hand.said
    home = Discarded(discarded="out_of_scope", because=(said.because or "").strip(), by=said.by)
    discarded: list[str] = []
    edges = 0
    for key, file in snapshot.anchors.items():
        own = {anchor.id: anchor for anchor in file.store.anchors if anchor.id in claims and _is_at_home(anchor)}
        if not own:
            continue
        kept = tuple(edge for edge in file.store.edges if own.keys().isdisjoint((edge.from_, edge.to)))
        anchors = tuple(
            anchor.model_copy(update={"home": home}) if anchor.id in own else anchor for anchor in file.store.anchors
        )
        after = file.store.model_copy(update={"anchors": anchors, "edges": kept})
        anchor_files.write(hand.transaction, hand.instance, after, file.sha256)
        given = list(snapshot.settlements.get(key, ()))
        for settlement in _answers(snapshot, file.store, tuple(own.values()), said):
            one = in_turn(settlement, given)
            settlements.write(hand.transaction, hand.instance, key, one)
            given.append(one)
        discarded += own
        edges += len(file.store.edges) - len(kept)
    return tuple(discarded), edges


def _is_at_home(anchor: Anchor) -> bool:
    return anchor.status != "retired" and not isinstance(anchor.home, Discarded)


def _answers(snapshot: Snapshot, store: AnchorStore, anchors: Sequence[Anchor], said: Said) -> Iterator[Settlement]:
    """The answers that keep claims discarded. One that the spec has lost needs none: when its words come back, it is asked anew."""
    standing = _standing(snapshot, store)
    bench = _bench(snapshot, store)
    for anchor in anchors:
        found = standing[anchor.id]
        if found.span is not None and bench is not None:
            table = Table.empty(bench)
            yield discard(table, bench.claim(anchor.kind, found.span), "out_of_scope", said)
        elif found.status == "ambiguous":
            yield _by_words(anchor, said)


def _by_words(anchor: Anchor, said: Said) -> Settlement:
    """The answer by the words and the context that are stored, where the text of today is not there to tell the place."""
    words = fold(anchor.exact)
    return Settlement(
        id="X-" + tail(["discard", words, anchor.prefix, [anchor.kind]]),
        type="discard",
        where=Where(exact=words, prefix=anchor.prefix, suffix=anchor.suffix, section=anchor.section),
        anchors=(SettledAnchor(kind=anchor.kind, exact=words, prefix=anchor.prefix, suffix=anchor.suffix),),
        reason="out_of_scope",
        by=said.by,
        at=said.at,
        because=said.because,
    )


def _standing(snapshot: Snapshot, store: AnchorStore) -> dict[str, Located]:
    """How each claim that is not retired stands in the text of today; in several places when the spec cannot be read."""
    anchors = [anchor for anchor in store.anchors if anchor.status != "retired"]
    bench = _bench(snapshot, store)
    if bench is None:
        return {anchor.id: Located("ambiguous") for anchor in anchors}
    names = unchanged_sections(bench.spec, bench.structure, store.sections)
    return {anchor.id: found for anchor, found in zip(anchors, bench.finder.locate_all(anchors, names), strict=True)}


def _bench(snapshot: Snapshot, store: AnchorStore) -> Bench | None:
    spec, structure = snapshot.spec(store.spec.key), snapshot.structure(store.spec.key)
    return None if spec is None or structure is None else Bench.of(spec)


def _section(snapshot: Snapshot, name: str, key: str | None) -> tuple[AnchorStore, str]:
    """The one section that is called so, by its path or its last heading."""
    stores = [store for one, store in snapshot.anchor_stores.items() if key in (None, one)]
    every = [(store, path) for store in stores for path in dict.fromkeys(one.section for one in store.anchors)]
    found = [entry for entry in every if entry[1] == name] or [
        entry for entry in every if entry[1].rpartition(" > ")[2].casefold() == name.casefold()
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        there = "; ".join(path for _, path in every) or "none"
        raise RefusedError("unknown-section", f"no claim came from a section called {name!r}; there are: {there}")
    several = "; ".join(f"{path} ({store.spec.key})" for store, path in found)
    raise RefusedError(
        "several-sections", f"several sections are called {name!r}: {several}", fix="name its path, and --spec"
    )
