"""What a person writes behind `isopod edit ID`: `field=value`, `list+=text`, `list-=id`, `list.id=value`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from schemas.card import AcceptanceLine, Card, Subtask
from schemas.errors import RefusedError
from schemas.lifecycle import COMMAND_OF, FIXED_FIELDS

Sign = Literal["=", "+=", "-="]

_ASSIGNMENT: Final = re.compile(
    r"(?P<field>[A-Za-z_]+)(?:\.(?P<item>[^=+\-\s]+))?(?P<sign>\+=|-=|=)(?P<value>.*)", re.DOTALL
)
_NOTHING: Final = frozenset({"", "null", "none"})
_HELP: Final = "isopod edit --help"


@dataclass(frozen=True, slots=True)
class Assignment:
    """One of them: `item` is the id of a line or a subtask in the list `field`."""

    field: str
    item: str | None
    sign: Sign
    value: str

    def __str__(self) -> str:
        return f"{self.field}{'.' + self.item if self.item else ''}{self.sign}"


def assignment(text: str) -> Assignment:
    """Raises RefusedError when the text is none."""
    found = _ASSIGNMENT.fullmatch(text)
    if found is None:
        raise RefusedError("usage", f"{text!r} is not field=value", fix=_HELP)
    return Assignment(found["field"], found["item"], found["sign"], found["value"].strip())  # type: ignore[arg-type]


def assigned(card: Card, assignments: Sequence[Assignment], tightens: str | None = None) -> Card:
    """The card as the assignments leave it, each over what the ones before it left. Whether it may be so is asked later.

    `tightens` is the line that the one new acceptance line makes stricter. Raises RefusedError for a field that is not there or has a
    command of its own, a value that does not fit it, an id that the list does not hold.
    """
    lines = [one for one in assignments if one.field == "acceptance" and one.sign == "+="]
    if tightens is not None and len(lines) != 1:
        raise RefusedError("usage", "--tightens is said of one new line", fix='acceptance+="..." --tightens A2')
    after = card
    for one in assignments:
        refuse_other_hand(card.id, one.field)
        after = after.model_copy(update={one.field: _TAKEN[one.field](after, one)})
    if tightens is not None:
        *others, new = after.acceptance
        if tightens not in {line.id for line in others}:
            raise _no_item(card, "acceptance", tightens, [line.id for line in others])
        after = after.model_copy(update={"acceptance": (*others, new.model_copy(update={"tightens": tightens}))})
    return after


def refuse_other_hand(card_id: str, field: str) -> None:
    """Raises RefusedError for a field that no edit by hand changes, saying what does; and for one that no card has."""
    if field in FIXED_FIELDS:
        raise RefusedError("fixed-field", f"{card_id}: `{field}` is given at birth and kept for ever")
    if field in COMMAND_OF:
        fix = COMMAND_OF[field].replace("ID", card_id)
        raise RefusedError("other-command", f"{card_id}: `{field}` is not edited by hand", fix=fix)
    if field not in EDITED_BY_HAND:
        raise RefusedError(
            "unknown-field", f"no card has a field {field!r}; you can edit {', '.join(EDITED_BY_HAND)}", fix=_HELP
        )


# --- one value -------------------------------------------------------------------------------------------------------


def _plain(one: Assignment) -> str:
    if one.item is not None or one.sign != "=":
        raise RefusedError("usage", f"{one}: `{one.field}` is one value", fix=f"{one.field}=...")
    return one.value


def _words(card: Card, one: Assignment) -> str:
    value = _plain(one)
    if not value:
        raise RefusedError("value-missing", f"{card.id}: `{one.field}` cannot be empty")
    return " ".join(value.split())


def _text(_: Card, one: Assignment) -> str:
    return _plain(one)


def _maybe(_: Card, one: Assignment) -> str | None:
    value = _plain(one)
    return None if value.casefold() in _NOTHING else value


def _flag(card: Card, one: Assignment) -> bool | None:
    value = _plain(one).casefold()
    if value not in {"true", "false", *_NOTHING}:
        raise RefusedError("usage", f"{card.id}: `{one.field}` is true or false", fix=f"{one.field}=true")
    return None if value in _NOTHING else value == "true"


# --- lists -----------------------------------------------------------------------------------------------------------


def _acceptance(card: Card, one: Assignment) -> tuple[AcceptanceLine, ...]:
    lines = card.acceptance
    ids = [line.id for line in lines]
    if one.sign == "+=" and one.item is None:
        return (*lines, AcceptanceLine(id=_next("A", ids), text=_content(card, one)))
    if one.sign == "-=" and one.item is None:
        _known(card, one.field, one.value, ids)
        return tuple(line for line in lines if line.id != one.value)
    if one.sign == "=" and one.item is not None:
        _known(card, one.field, one.item, ids)
        text = _content(card, one)
        return tuple(line.model_copy(update={"text": text}) if line.id == one.item else line for line in lines)
    raise _is_list(one, "A1")


def _subtasks(card: Card, one: Assignment) -> tuple[Subtask, ...]:
    tasks = card.subtasks
    ids = [task.id for task in tasks]
    if one.sign == "+=" and one.item is None:
        return (*tasks, Subtask(id=_next("S", ids), text=_content(card, one)))
    if one.sign == "-=" and one.item is None:
        _known(card, one.field, one.value, ids)
        return tuple(task for task in tasks if task.id != one.value)
    if one.sign == "=" and one.item is not None:
        _known(card, one.field, one.item, ids)
        if one.value not in ("done", "open"):
            raise RefusedError("usage", f"{card.id}: a subtask is done or open", fix=f"{one}done")
        is_done = one.value == "done"
        return tuple(task.model_copy(update={"done": is_done}) if task.id == one.item else task for task in tasks)
    raise _is_list(one, "S1")


def _related(card: Card, one: Assignment) -> tuple[str, ...]:
    if one.sign == "=" or one.item is not None:
        raise RefusedError(
            "usage", f"{one}: `{one.field}` is a list of cards", fix=f"{one.field}+=ID or {one.field}-=ID"
        )
    if one.sign == "+=":
        return tuple(sorted({*card.related, one.value}))
    _known(card, one.field, one.value, card.related)
    return tuple(other for other in card.related if other != one.value)


def _depends_on(card: Card, one: Assignment) -> tuple[Any, ...]:
    if one.sign != "-=" or one.item is not None:
        fix = f'isopod depend {card.id} --on OTHER --because "..."'
        raise RefusedError("other-command", f"{card.id}: an edge needs a reason and a name", fix=fix)
    _known(card, one.field, one.value, [entry.card for entry in card.depends_on])
    return tuple(entry for entry in card.depends_on if entry.card != one.value)


def _content(card: Card, one: Assignment) -> str:
    if not one.value:
        raise RefusedError("value-missing", f"{card.id}: `{one}` needs words", fix=f'{one}"..."')
    return one.value


def _next(letter: str, ids: Sequence[str]) -> str:
    return f"{letter}{max((int(known[1:]) for known in ids), default=0) + 1}"


def _known(card: Card, field: str, item: str, ids: Sequence[str]) -> None:
    if item not in ids:
        raise _no_item(card, field, item, ids)


def _no_item(card: Card, field: str, item: str, ids: Sequence[str]) -> RefusedError:
    there = f"it has {', '.join(ids)}" if ids else "it has none"
    return RefusedError("unknown-item", f"{card.id}: `{field}` has no {item}; {there}", fix=f"isopod show {card.id}")


def _is_list(one: Assignment, example: str) -> RefusedError:
    fix = f'{one.field}+="...", {one.field}.{example}=... or {one.field}-={example}'
    return RefusedError("usage", f"{one}: `{one.field}` is a list", fix=fix)


_TAKEN: Final[Mapping[str, Callable[[Card, Assignment], Any]]] = {
    "title": _words,
    "team": _words,
    "parent": _maybe,
    "due": _maybe,
    "start": _flag,
    "notes": _text,
    "acceptance": _acceptance,
    "subtasks": _subtasks,
    "depends_on": _depends_on,
    "related": _related,
}
EDITED_BY_HAND: Final = tuple(_TAKEN)
"""The fields that a person edits; every other one has a command of its own."""
