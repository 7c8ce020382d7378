"""Whether an edit of a card is lawful: the tables of schemas/lifecycle.py and schemas/ownership.py, asked for one edit.

Pure: nothing is read or written here. `store.cards.edit` is the only caller that writes afterwards. Deny is the
default.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from schemas import lifecycle, ownership
from schemas.card import Card
from schemas.config import Config, id_pattern
from schemas.errors import ImmutableCardError, ManyErrors, OwnershipError, Place, RefusedError
from schemas.kinds import CARD_KINDS
from schemas.lifecycle import By, EditMode

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_PARTS = ("gate", "decision", "request")


@dataclass(frozen=True, slots=True)
class Actor:
    """Who edits: a name for the record, and `by`, the kind of writer that the tables know."""

    name: str
    by: By


def changed_paths(before: Card | None, after: Card) -> frozenset[str]:
    """The field paths in which two versions of a card differ; of a new card, those that are not at their default."""
    changed: set[str] = set()
    for name in Card.model_fields:
        old = Card.model_fields[name].default if before is None else getattr(before, name)
        new = getattr(after, name)
        if old == new:
            continue
        if name in _PARTS:
            changed.update(f"{name}.{key}" for key in _part_keys(old, new))
        else:
            changed.add("schema" if name == "schema_id" else name)
    return frozenset(changed)


def _part_keys(old: Any, new: Any) -> Iterable[str]:
    """The keys in which two versions of a part differ; a part that is not there has every key at its default."""
    for name, field in type(new if new is not None else old).model_fields.items():
        default = None if field.is_required() else field.default
        if getattr(old, name, default) != getattr(new, name, default):
            yield name


def refuse_birth(card: Card, config: Config, actor: Actor, source: str) -> None:
    """Raise OwnershipError or RefusedError when `actor` may not make this card; `source` is its file."""
    place = Place(source)
    if not lifecycle.may_be_born(card.kind, card.state, actor.by):
        if card.kind == "external":
            raise OwnershipError(
                "external-birth",
                f"{card.id}: a card of another team is made only by mirroring an issue that they have",
                where=place,
                fix="isopod mirror add KEY --for REQUEST --title TEXT --by NAME",
            )
        raise RefusedError(
            "birth-state",
            f"{card.id}: {_writer(actor)} cannot make a {card.kind} in state {card.state}; cards are born drafted",
            where=place,
        )
    _refuse_other_team(card, config, place)
    if card.kind != "external":
        given = changed_paths(None, card) - lifecycle.FIXED_FIELDS - {"state"}
        for path in sorted(given):
            if not ownership.may_write("own", path, actor.by):
                raise _not_owned(card, path, actor, place, _writers("own", path))
    refuse_invalid(None, card, config, source)


def refuse_edit(before: Card, after: Card, config: Config, actor: Actor, source: str) -> None:
    """Raise ImmutableCardError, OwnershipError or RefusedError when `actor` may not turn one version into the other."""
    place = Place(source)
    paths = changed_paths(before, after)
    for path in sorted(paths & lifecycle.FIXED_FIELDS):
        message = f"{before.id}: `{path}` is given at birth and kept for ever"
        raise ImmutableCardError("fixed-field", message, where=place)
    variant = ownership.variant_of(before.kind, config.team(before.team))
    if variant is None:
        if paths != {"team"} or actor.by != "person":
            raise OwnershipError(
                "unknown-team",
                f"{before.id}: team {before.team} is not in config, so nobody owns the card",
                where=place,
                fix=f"isopod edit {before.id} team={config.default_team}",
            )
    elif variant == "mirror":
        _refuse_on_mirror(before, after, paths, actor, place)
    else:
        _refuse_on_own(before, after, paths, actor, place)
    if "team" in paths:
        _refuse_other_team(after, config, place)
    if "state" in paths and not lifecycle.may_move(before.kind, before.state, after.state, actor.by):
        raise _no_way(before, after, actor, place)
    refuse_invalid(before, after, config, source)


def _refuse_other_team(card: Card, config: Config, place: Place) -> None:
    team = config.team(card.team)
    if team is not None and not ownership.fits_team(card.kind, team):
        raise OwnershipError(
            "team-owns-cards",
            f"{card.id}: a {card.kind} cannot belong to team {team.id} (writes_cards: "
            f"{str(team.capabilities.writes_cards).lower()}, schema: {team.capabilities.schema_})",
            where=place,
            fix="give the card to a team whose cards are written here, or ask for it with a request",
        )


def _refuse_on_mirror(before: Card, after: Card, paths: frozenset[str], actor: Actor, place: Place) -> None:
    for path in sorted(paths):
        mode = ownership.MIRROR_MODES.get(path)
        if mode is None or not ownership.may_write("mirror", path, actor.by):
            raise _not_owned(before, path, actor, place, f"team {before.team}")
        _refuse_mode(mode, before, after, path, place)


def _refuse_on_own(before: Card, after: Card, paths: frozenset[str], actor: Actor, place: Place) -> None:
    for path in sorted(paths):
        mode = lifecycle.edit_mode(before.state, path)
        if mode is None or not lifecycle.may_touch(before.state, actor.by):
            raise _immutable(before, path, place)
        if not ownership.may_write("own", path, actor.by):
            raise _not_owned(before, path, actor, place, _writers("own", path))
        _refuse_mode(mode, before, after, path, place)
    if "title" in paths and actor.by == "draft" and before.title_by != "rules":
        raise _not_owned(before, "title", actor, place, before.title_by)
    if actor.by == "cleanup" and not _only_less(before, after):
        raise _not_owned(before, "depends_on", actor, place, "people and the drafter, clean-up only takes away")
    if actor.by == "fix" and _without_anchor_ids(before) != _without_anchor_ids(after):
        raise _not_owned(before, "acceptance", actor, place, "people and the drafter, a fix only renames claims")


def _refuse_mode(mode: EditMode, before: Card, after: Card, path: str, place: Place) -> None:
    if mode == "any":
        return
    old, new = _value(before, path), _value(after, path)
    kept = set(old) <= set(new) if path == "anchors" else new[: len(old)] == old
    if not kept:
        raise ImmutableCardError(
            "append-only",
            f"{before.id} is {before.state}: what `{path}` says stays word for word, new lines come after it",
            where=place,
            fix=_way_out(before),
        )


def _value(card: Card, path: str) -> tuple[Any, ...]:
    """The list at a field path, empty when its part is not there."""
    part, _, key = path.partition(".")
    value = getattr(card, part)
    if key:
        value = () if value is None else getattr(value, key)
    return tuple(value)


def _only_less(before: Card, after: Card) -> bool:
    return (
        set(after.depends_on) <= set(before.depends_on)
        and set(after.related) <= set(before.related)
        and after.parent in (before.parent, None)
    )


def _without_anchor_ids(card: Card) -> tuple[object, ...]:
    """What a card says when every claim's id is blanked out."""
    lines = tuple((line.id, line.text, len(line.anchors), line.tightens) for line in card.acceptance)
    edges = tuple(
        (entry.card, entry.seen, entry.scope, tuple(_reason_without_ids(reason) for reason in entry.because))
        for entry in card.depends_on
    )
    return len(card.anchors), lines, edges


def _reason_without_ids(reason: BaseModel) -> tuple[object, ...]:
    return tuple(value for key, value in reason if key not in ("from_", "to"))


# --- what a card may hold under this config --------------------------------------------------------------------------


def refuse_invalid(before: Card | None, after: Card, config: Config, source: str) -> None:
    """Raise ManyErrors with all that config does not know in what the edit changes (ids, teams, milestones, lines)."""
    paths = changed_paths(before, after)
    problems = list(_problems(after, paths, config))
    if problems:
        place = Place(source)
        raise ManyErrors([RefusedError("invalid-card", f"{after.id}: {text}", where=place) for text in problems])


def _problems(card: Card, paths: frozenset[str], config: Config) -> Iterable[str]:
    if "id" in paths:
        own = tuple(entry.prefix for entry in config.prefixes if entry.kind == card.kind)
        if not re.fullmatch(id_pattern(own), card.id):
            yield f"the id of a {card.kind} is {' or '.join(own)}, a dash and 8 characters of 0-9 A-Z without I L O U"
    if "team" in paths and config.team(card.team) is None:
        yield f"team {card.team!r} is not in config (it knows {', '.join(team.id for team in config.teams)})"
    if "request.team" in paths and card.request is not None and config.team(card.request.team) is None:
        yield f"request.team {card.request.team!r} is not in config"
    if "due" in paths and card.due is not None and not _is_due(card.due, config):
        known = ", ".join(config.milestones) or "none are set"
        yield f"due {card.due!r} is neither a milestone of config ({known}) nor a date YYYY-MM-DD"
    if "anchors" in paths or "acceptance" in paths:
        yield from _anchor_problems(card, config)
    if "acceptance" in paths:
        yield from _line_problems(card)
    if "subtasks" in paths:
        yield from (f"subtask {name} is there twice" for name in _twice(task.id for task in card.subtasks))
    if "depends_on" in paths or "related" in paths:
        yield from _reference_problems(card, config)
    if "consumer_contract" in paths:
        yield from _contract_problems(card)


def _is_due(due: str, config: Config) -> bool:
    return due in config.milestones or _DATE.fullmatch(due) is not None


def _anchor_problems(card: Card, config: Config) -> Iterable[str]:
    pattern = re.compile(id_pattern((config.anchor_prefix,)))
    named = dict.fromkeys((*card.anchors, *(anchor for line in card.acceptance for anchor in line.anchors)))
    for anchor in named:
        if not pattern.fullmatch(anchor):
            yield f"{anchor!r} is not the id of a claim: those begin with {config.anchor_prefix}-"
    yield from (f"claim {name} is there twice" for name in _twice(card.anchors))


def _line_problems(card: Card) -> Iterable[str]:
    ids = {line.id for line in card.acceptance}
    yield from (f"acceptance line {name} is there twice" for name in _twice(line.id for line in card.acceptance))
    for line in card.acceptance:
        if line.tightens is not None and (line.tightens not in ids or line.tightens == line.id):
            yield f"line {line.id} tightens {line.tightens}, which is no other line of this card"


def _reference_problems(card: Card, config: Config) -> Iterable[str]:
    pattern = re.compile(id_pattern(tuple(entry.prefix for entry in config.prefixes if entry.kind in CARD_KINDS)))
    names = [entry.card for entry in card.depends_on]
    for name in dict.fromkeys((*names, *card.related)):
        if not pattern.fullmatch(name):
            yield f"{name!r} is not the id of a card"
        elif name == card.id:
            yield "it refers to itself"
    yield from (f"it depends on {name} twice" for name in _twice(names))


def _contract_problems(card: Card) -> Iterable[str]:
    if card.kind != "external":
        yield "only the card of another team states what we expect of it (consumer_contract)"
    versions = [version.version for version in card.consumer_contract]
    if versions != list(range(1, len(versions) + 1)):
        yield f"the versions of consumer_contract count 1, 2, 3 ..., found {versions}"


def _twice(names: Iterable[str]) -> list[str]:
    return sorted(name for name, count in Counter(names).items() if count > 1)


# --- words -----------------------------------------------------------------------------------------------------------

_WRITER_WORDS: dict[By, str] = {
    "draft": "the drafter",
    "person": "a person",
    "cleanup": "clean-up after a cut",
    "fix": "isopod fix",
    "publish": "publish",
    "sync": "sync",
    "mirror": "the mirror",
}


def _writer(actor: Actor) -> str:
    return _WRITER_WORDS[actor.by]


def _writers(variant: ownership.Variant, path: str) -> str:
    names = sorted(_WRITER_WORDS[by] for by in ownership.writers_of(variant, path))
    return " and ".join(names) if names else "nobody"


def _not_owned(card: Card, path: str, actor: Actor, place: Place, owner: str) -> OwnershipError:
    return OwnershipError(
        "not-owned",
        f"{card.id}: `{path}` belongs to {owner}; {_writer(actor)} cannot write it",
        where=place,
        fix=f"isopod show {card.id}",
    )


def _immutable(card: Card, path: str, place: Place) -> ImmutableCardError:
    return ImmutableCardError(
        "immutable", f"{card.id} is {card.state}: `{path}` cannot change", where=place, fix=_way_out(card)
    )


def _no_way(before: Card, after: Card, actor: Actor, place: Place) -> ImmutableCardError:
    found = lifecycle.ways(before.kind, before.state, after.state)
    return ImmutableCardError(
        "no-transition",
        f"{before.id}: {_writer(actor)} cannot take a {before.kind} from {before.state} to {after.state}",
        where=place,
        fix=found[0].command.replace("ID", before.id) if found else _way_out(before),
    )


def _way_out(card: Card) -> str:
    return lifecycle.WAYS_OUT[card.state].replace("ID", card.id)
