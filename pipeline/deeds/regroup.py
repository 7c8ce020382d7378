"""People group claims otherwise than the drafter did: `move`, `split`, `merge` (DESIGN.md section 7).

One transaction over all cards that it touches; lines go with their claims, edges follow (DRAFTING.md D13), and what people said is kept
as data, so that every later draft groups so too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pipeline import pins
from pipeline.adoption import Adoption, adoption_of
from pipeline.bench import Bench
from pipeline.deeds.hand import Hand
from pipeline.deeds.lines import Place
from pipeline.deeds.succession import succeeded
from pipeline.deeds.transfer import Transfer
from pipeline.draft.build import free_id
from pipeline.draft.grouped import grouped
from pipeline.draft.judge import judge, named_team
from pipeline.draft.standing import leader_of, tail_of
from pipeline.gate import late_gates
from pipeline.redrafting import refuse_errors
from pipeline.said import Said
from pipeline.workspace import Workspace
from schemas.anchors import Anchor, AnchorStore, Discarded
from schemas.card import Card
from schemas.errors import ManyErrors, RefusedError
from schemas.errors import Place as FilePlace
from schemas.finding import Finding
from schemas.kinds import FINAL_STATES, OPEN_EDIT_STATES, CardKind
from schemas.lifecycle import WAYS_OUT
from store import anchors as anchor_files
from store.graph import Graph
from store.snapshot import Snapshot

HOLDING: Final[frozenset[CardKind]] = frozenset({"story", "gate", "decision", "request", "epic"})
"""The kinds of cards that hold claims which people may move."""


@dataclass(frozen=True)
class Regrouped:
    """What became of the cards: `made` is the new one of a split, `emptied` those that went, `warnings` what the draft's gates say."""

    hand: Hand
    made: Card | None
    emptied: tuple[str, ...]
    warnings: tuple[Finding, ...]


def move(snapshot: Snapshot, claims: Sequence[str], to: str, said: Said, *, instead_of: str | None = None) -> Regrouped:
    """Put claims on another card of their spec; a card that is left empty is deleted.

    On a published card they become new lines. With `instead_of` the one claim takes the place of a claim that the spec says no more
    (`succeed`); when that is on the same card the new line tightens its line.
    Raises ManyErrors naming each claim that cannot go there, RefusedError when the spec changed since it was compiled, when cards would
    wait for each other in a circle, or a gate of the draft is in error; and as `store.cards.edit`.
    """
    hand = Hand(snapshot, said, f"move {' '.join(claims)} --to {to}")
    target = hand.card(to)
    _refuse_all([*_as_target(target)])
    adoption = _adoption(snapshot, target.spec)
    names = [anchor for anchor in dict.fromkeys(claims) if anchor not in target.anchors]
    errors = [error for name in names for error in _cannot_move(snapshot, adoption, name, target)]
    _refuse_all(errors)
    if not names and instead_of is not None:
        store = succeeded(adoption.store, instead_of, list(claims))
        anchor_files.write(hand.transaction, hand.instance, store, snapshot.anchors[store.spec.key].sha256)
        return Regrouped(hand, None, (), ())
    if not names:
        raise RefusedError("nothing-to-move", f"{to} holds these claims already", fix=f"isopod show {to}")
    names = _with_lineless(snapshot, adoption, names)
    if instead_of is not None:
        adoption = replace(adoption, store=succeeded(adoption.store, instead_of, names))
    return _regroup(hand, adoption, dict.fromkeys(names, to), instead_of=instead_of)


def succeed(snapshot: Snapshot, old: str, new: str, said: Said) -> Hand:
    """A person says that the claim `new` is what the spec says now instead of `old`: the card of `old` is answered for (C231).

    Raises RefusedError when the spec still says `old`, or does not say `new`.
    """
    hand = Hand(snapshot, said, f"move {new} --instead-of {old}")
    key = next((key for key, store in snapshot.anchor_stores.items() if new in {one.id for one in store.anchors}), None)
    adoption = _adoption(snapshot, key)
    after = succeeded(adoption.store, old, [new])
    anchor_files.write(hand.transaction, hand.instance, after, snapshot.anchors[adoption.store.spec.key].sha256)
    return hand


def split(
    snapshot: Snapshot,
    card_id: str,
    said: Said,
    *,
    lines: Sequence[str] = (),
    claims: Sequence[str] = (),
    title: str | None = None,
) -> Regrouped:
    """Make a story of some lines, or claims, of a card.

    Raises RefusedError when nothing or everything would go, for a line or a claim that the card has not, and as `move`.
    """
    hand = Hand(snapshot, said, f"split {card_id}")
    card = hand.card(card_id)
    chosen = [line for line in card.acceptance if line.id in lines]
    unknown = [one for one in lines if one not in {line.id for line in chosen}]
    unknown += [one for one in claims if one not in card.anchors]
    if unknown:
        there = ", ".join([*(line.id for line in card.acceptance), *card.anchors]) or "nothing"
        raise RefusedError("unknown-item", f"{card_id} has no {', '.join(unknown)}; it has {there}")
    names = list(dict.fromkeys([*(anchor for line in chosen for anchor in line.anchors), *claims]))
    if not names:
        raise RefusedError(
            "nothing-to-split",
            f"{card_id}: a story is split off with at least one claim of the spec",
            fix=f"isopod split {card_id} --lines A2",
        )
    adoption = _adoption(snapshot, card.spec)
    errors = [error for name in names for error in _cannot_move(snapshot, adoption, name, None)]
    _refuse_all(errors)
    names = _with_lineless(snapshot, adoption, names)
    if set(card.anchors) <= set(names):
        raise RefusedError(
            "nothing-left",
            f"{card_id}: all its claims would go, and it would be the same card",
            fix="name some of them",
        )
    born = _born(snapshot, adoption, card, names, said, title)
    own = [(card_id, line.id) for line in chosen if not line.anchors]
    return _regroup(hand, adoption, dict.fromkeys(names, born.id), born=born, lines=own)


def merge(snapshot: Snapshot, card_id: str, others: Sequence[str], said: Said) -> Regrouped:
    """Put everything of other cards on one: their claims, and the lines, subtasks, notes and edges that people gave them.

    The others are deleted. Raises as `move`.
    """
    hand = Hand(snapshot, said, f"merge {card_id} {' '.join(others)}")
    target = hand.card(card_id)
    cards = [hand.card(other) for other in dict.fromkeys(others) if other != card_id]
    if not cards:
        raise RefusedError("nothing-to-merge", f"name the cards that {card_id} takes over", fix="isopod merge --help")
    _refuse_all([*_as_target(target), *(error for card in cards for error in _cannot_merge(card, target))])
    adoption = _adoption(snapshot, target.spec)
    names = [anchor for card in cards for anchor in card.anchors]
    errors = [error for name in names for error in _cannot_move(snapshot, adoption, name, target)]
    _refuse_all(errors)
    whole = {card.id: card_id for card in cards}
    return _regroup(hand, adoption, dict.fromkeys(names, card_id), whole=whole)


# --- what may go where -----------------------------------------------------------------------------------------------


def _refuse_all(errors: Sequence[RefusedError]) -> None:
    if errors:
        raise ManyErrors(errors)


def _adoption(snapshot: Snapshot, key: str | None) -> Adoption:
    """Raises RefusedError when the spec is gone or changed since it was compiled: its claims must stand where they are put together."""
    store = snapshot.anchor_stores.get(key or "")
    if store is None:
        raise RefusedError("no-spec", "the card comes from no compiled spec, so it holds no claims to group")
    spec = snapshot.spec(store.spec.key)
    if spec is None:
        raise RefusedError(
            "missing-spec",
            "the spec cannot be read",
            where=FilePlace(store.spec.path),
            fix=f"isopod spec mv {store.spec.path} NEW",
        )
    return adoption_of(Workspace.of(snapshot), Bench.of(spec))


def _as_target(card: Card) -> Iterator[RefusedError]:
    if card.state in FINAL_STATES:
        way = f"isopod migrate {card.id} --line A1" if card.state == "done" else f"isopod show {card.id}"
        yield RefusedError(
            "final-state", f"{card.id} is {card.state}, and that is final: nothing is added to it", fix=way
        )
    elif card.kind not in HOLDING or (card.kind == "gate" and not card.anchors):
        what = "contradiction" if card.kind == "gate" else card.kind
        yield RefusedError("holds-no-claims", f"{card.id} is a {what}, and no claims are put on it", fix="isopod cards")


def _cannot_move(snapshot: Snapshot, adoption: Adoption, name: str, target: Card | None) -> Iterator[RefusedError]:
    """Why a claim cannot go to the target, or to a new story."""
    anchor = next((one for one in adoption.store.anchors if one.id == name), None)
    if anchor is None:
        elsewhere = name in snapshot.anchor_by_id
        said = f"is no claim of {adoption.store.spec.path}" if elsewhere else "is called no claim"
        yield RefusedError(
            "unknown-claim", f"{name} {said}", fix=f"isopod show {name}" if elsewhere else "isopod cards"
        )
        return
    where = FilePlace(adoption.store.spec.path)
    if isinstance(anchor.home, Discarded):
        message = f"{name} was left out of the plan ({anchor.home.discarded}: {anchor.home.because})"
        yield RefusedError("discarded", message, where=where, fix=f"isopod settle {adoption.store.spec.path}")
        return
    if name not in adoption.sheet.by_id:
        message = f"{name} is not in the spec any more, so it stays with the card that was made of it"
        yield RefusedError("claim-gone", message, where=where, fix=f"isopod show {name}")
        return
    claim = adoption.sheet.by_id[name]
    if not claim.is_obligation:
        home = {"term": "the glossary", "exclusion": "its epic"}.get(claim.kind, "a card of its own")
        yield RefusedError("kind-of-claim", f"{name} is a {claim.kind}: its place is {home}", fix=f"isopod show {name}")
        return
    holder = next((card for card in snapshot.cards_of_anchor.get(name, ()) if card.state != "deleted"), None)
    if holder is not None and holder.state not in OPEN_EDIT_STATES:
        yield _stays(holder, name)
    if target is not None and target.request is not None:
        team = named_team(adoption.sheet, claim)
        if team is None or team.id != target.request.team:
            message = f"{name} does not name the team {target.request.team}, which {target.id} asks"
            yield RefusedError("no-team-named", message, fix=f"isopod show {name}")


def _with_lineless(snapshot: Snapshot, adoption: Adoption, names: Sequence[str]) -> list[str]:
    """The claims with those that have no line (D12: they are the reason of an edge) and stand in a block of which all else goes."""
    sheet = adoption.sheet
    result = list(names)
    for card in snapshot.cards:
        if card.state == "deleted" or not set(names) & set(card.anchors):
            continue
        lined = {anchor for line in card.acceptance for anchor in line.anchors}
        held = [sheet.by_id[anchor] for anchor in card.anchors if anchor in sheet.by_id]
        block_of = {claim.id: sheet.outer_block(claim) for claim in held}
        for claim in held:
            if claim.id in lined or claim.id in names or block_of[claim.id] is None:
                continue
            mates = [one for one in lined if block_of.get(one) == block_of[claim.id]]
            if mates and set(mates) <= set(names):
                result.append(claim.id)
    return result


def _stays(card: Card, name: str) -> RefusedError:
    """What a published card was published with stays on it; what is done stays for ever."""
    state = card.state.replace("_", " ")
    return RefusedError(
        "claim-stays",
        f"{card.id} is {state}: {name} stays on it, as it was published",
        fix=WAYS_OUT[card.state].replace("ID", card.id),
    )


def _cannot_merge(card: Card, target: Card) -> Iterator[RefusedError]:
    if card.state not in OPEN_EDIT_STATES:
        state = card.state.replace("_", " ")
        other = f"isopod merge {card.id} {target.id}" if target.state in OPEN_EDIT_STATES else f"isopod show {card.id}"
        yield RefusedError("stays", f"{card.id} is {state}: it is not taken over by another card", fix=other)
    if card.kind not in ("story", "request") or (card.kind == "request" and target.kind != "request"):
        yield RefusedError(
            "other-kind", f"{card.id} is a {card.kind}: it cannot become part of a {target.kind}", fix="isopod cards"
        )
    if card.spec != target.spec:
        yield RefusedError("other-spec", f"{card.id} comes from another spec than {target.id}", fix="isopod cards")


def _born(
    snapshot: Snapshot, adoption: Adoption, card: Card, names: Sequence[str], said: Said, title: str | None
) -> Card:
    """The new story, without its claims' lines; it is called as the rules call it unless a title is given."""
    own = [adoption.sheet.by_id[name] for name in names]
    leader = leader_of(adoption.sheet, "story", own)
    words = " ".join((title or "").split())
    prefix = snapshot.config.prefix_of("story")
    return Card(
        id=free_id(prefix, leader.id, tail_of(leader.id), Workspace.of(snapshot).issued()),
        kind="story",
        title=words or adoption.sheet.text(leader),
        title_by=said.by if words else "rules",
        team=card.team,
        parent=card.id if card.kind == "epic" else card.parent,
        spec=card.spec,
        anchors=tuple(names),
        heuristic=card.heuristic,
        start=True,
    )


# --- the deed --------------------------------------------------------------------------------------------------------


def _regroup(
    hand: Hand,
    adoption: Adoption,
    wanted: Mapping[str, str],
    *,
    born: Card | None = None,
    whole: Mapping[str, str] | None = None,
    lines: Collection[Place] = (),
    instead_of: str | None = None,
) -> Regrouped:
    """Collect the cards, the claims' homes and the groups in the hand's transaction."""
    snapshot = hand.snapshot
    workspace = Workspace.of(snapshot)
    key = adoption.store.spec.key
    judged = grouped(adoption.sheet, judge(adoption.sheet).judgements, workspace.groups(key))
    transfer = Transfer(snapshot, adoption, judged, workspace.issued(), wanted, born, whole or {}, lines)
    after = transfer.cards()
    if instead_of is not None:
        target = next(iter(wanted.values()))
        after[target] = _tightening(snapshot.card_by_id[target], after[target], instead_of)
    _refuse_circles(snapshot, after)
    store = _homed(adoption.store, wanted, after)
    spec_cards = tuple(after.get(card.id, card) for card in snapshot.cards if card.spec == key)
    if born is not None:
        spec_cards = (*spec_cards, after[born.id])
    findings = late_gates(adoption.bench, snapshot.config, store, adoption.adopted, spec_cards)
    refuse_errors(findings)
    for card_id, card in after.items():
        before = snapshot.card_by_id.get(card_id)
        if before is None:
            hand.make(card)
        elif card != before:
            hand.change(card_id, {**card.differing(before), "title_by": card.title_by})
    file = snapshot.anchors[key]
    anchor_files.write(hand.transaction, hand.instance, store, file.sha256)
    found = pins.pins(
        adoption.sheet,
        snapshot.group_files.values(),
        lambda card_id: after.get(card_id) or snapshot.card_by_id.get(card_id),
        pins.Moves(wanted, hand.said),
    )
    pins.write(hand.transaction, hand.instance, found)
    touched = {now.id for _, now in hand.changes}
    return Regrouped(
        hand=hand,
        made=after[born.id] if born is not None else None,
        emptied=tuple(transfer.heirs),
        warnings=tuple(one for one in findings if one.subject in touched),
    )


def _tightening(before: Card, after: Card, old: str) -> Card:
    """The card whose new line says that it makes the line of the old claim stricter, where it stands on the same card."""
    known = {line.id for line in before.acceptance}
    tightened = next((line.id for line in after.acceptance if line.id in known and old in line.anchors), None)
    if tightened is None:
        return after
    lines = tuple(
        line if line.id in known else line.model_copy(update={"tightens": tightened}) for line in after.acceptance
    )
    return after.model_copy(update={"acceptance": lines})


def _refuse_circles(snapshot: Snapshot, after: Mapping[str, Card]) -> None:
    before = set(snapshot.graph.cycles)
    rest = [card for card in snapshot.cards if card.id not in after]
    errors = [
        RefusedError(
            "edge-closes-cycle",
            f"then {' waits for '.join((*cycle, cycle[0]))}: none of them could ever start",
            fix=f"isopod why {next((one for one in cycle if one in snapshot.card_by_id), cycle[0])}",
        )
        for cycle in Graph.of([*rest, *after.values()]).cycles
        if cycle not in before
    ]
    _refuse_all(errors)


def _homed(store: AnchorStore, wanted: Mapping[str, str], after: Mapping[str, Card]) -> AnchorStore:
    """The store in which each moved claim has the home that its card is."""

    def homed(anchor: Anchor) -> Anchor:
        if anchor.id not in wanted:
            return anchor
        home = "epic" if after[wanted[anchor.id]].kind == "epic" else "card"
        return anchor if anchor.home == home else anchor.model_copy(update={"home": home})

    return store.model_copy(update={"anchors": tuple(homed(anchor) for anchor in store.anchors)})
