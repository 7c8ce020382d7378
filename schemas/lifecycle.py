"""The lifecycle of a card as data: who may move it from which state to which, and what may be edited where.

Source: DESIGN.md section 7. Code asks the functions at the end and holds no rule of its own. A field path is a key of
the card, or `part.key` for the parts `gate`, `decision` and `request`, whose keys live by different rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from schemas.kinds import CARD_KINDS, CARD_STATES, FINAL_STATES, OPEN_EDIT_STATES, PUBLISHED_STATES, CardKind, CardState

By = Literal["draft", "person", "cleanup", "fix", "publish", "sync", "mirror"]
"""What writes: the drafter; a person's command; the clean-up of a cut card's dependents; `isopod fix` giving an anchor
a new id; `publish`; `sync` of our own issues; the mirror of another team's issue."""

EditMode = Literal["any", "append"]
"""`any`: every change. `append`: what stands stays word for word, new items may be added."""

ALL_KINDS: Final[frozenset[CardKind]] = frozenset(CARD_KINDS)
OWN_KINDS: Final[frozenset[CardKind]] = ALL_KINDS - {"external"}
ALL_STATES: Final[frozenset[CardState]] = frozenset(CARD_STATES)
LIVE_STATES: Final[frozenset[CardState]] = ALL_STATES - FINAL_STATES


@dataclass(frozen=True, slots=True)
class Transition:
    """Cards of `kinds` may come from a state of `before` into one of `after`, by `by`; people type `command`."""

    before: frozenset[CardState]
    after: frozenset[CardState]
    by: frozenset[By]
    command: str
    kinds: frozenset[CardKind] = OWN_KINDS


TRANSITIONS: Final[tuple[Transition, ...]] = (
    Transition(frozenset({"drafted"}), frozenset({"planned"}), frozenset({"person"}), "isopod approve ID"),
    Transition(
        frozenset({"planned"}), frozenset({"drafted"}), frozenset({"draft", "person", "mirror"}), "isopod edit ID"
    ),
    Transition(frozenset({"planned"}), frozenset({"published"}), frozenset({"publish"}), "isopod publish"),
    Transition(PUBLISHED_STATES, PUBLISHED_STATES, frozenset({"sync", "person"}), "isopod start ID, isopod review ID"),
    Transition(
        PUBLISHED_STATES,
        frozenset({"done"}),
        frozenset({"person"}),
        "isopod done ID --by NAME --because TEXT",
        OWN_KINDS - {"gate", "request", "decision"},
    ),
    Transition(
        LIVE_STATES, frozenset({"done"}), frozenset({"person"}), "isopod answer ID --with TEXT", frozenset({"gate"})
    ),
    Transition(
        LIVE_STATES,
        frozenset({"done"}),
        frozenset({"mirror"}),
        "isopod mirror add KEY --for ID",
        frozenset({"request"}),
    ),
    Transition(
        LIVE_STATES - {"drafted"},
        frozenset({"done"}),
        frozenset({"person"}),
        "isopod done ID --by NAME --because TEXT",
        frozenset({"decision"}),
    ),
    Transition(LIVE_STATES, frozenset({"deleted"}), frozenset({"person"}), "isopod cut ID --because TEXT", ALL_KINDS),
    # A card that a recompile left empty (DRAFTING.md D15).
    Transition(OPEN_EDIT_STATES, frozenset({"deleted"}), frozenset({"draft"}), "isopod compile SPEC"),
    # Another team's card is in the state that its issue says, in any order.
    Transition(ALL_STATES, ALL_STATES, frozenset({"mirror", "sync"}), "isopod sync", frozenset({"external"})),
)

BIRTHS: Final[tuple[Transition, ...]] = (
    Transition(frozenset(), frozenset({"drafted"}), frozenset({"draft", "person"}), "isopod compile SPEC"),
    # The one lawful way to an external card: an issue that exists is mirrored (DESIGN.md section 8).
    Transition(
        frozenset(), ALL_STATES - {"deleted"}, frozenset({"mirror"}), "isopod mirror add KEY --for ID", frozenset({"external"})
    ),
)

FIXED_FIELDS: Final = frozenset({"schema", "id", "kind"})
"""Given at birth, kept for ever, in every state."""

CARD_FIELDS: Final = frozenset(
    {
        "title", "title_by", "state", "team", "parent", "spec", "anchors", "heuristic", "acceptance", "subtasks",
        "depends_on", "related", "due", "start", "gate.waits_for", "gate.answer", "gate.opened",
        "decision.supersedes", "decision.superseded_by", "decision.affects", "request.team", "request.external",
        "migrates", "consumer_contract", "tracker", "notes",
    }
)  # fmt: skip
"""Every field path that can change at all."""

_FREE: Final[Mapping[str, EditMode]] = MappingProxyType(dict.fromkeys(sorted(CARD_FIELDS), "any"))
_TIGHTER_ONLY: Final[Mapping[str, EditMode]] = MappingProxyType(
    {
        "title": "any",
        "title_by": "any",
        "state": "any",
        "team": "any",
        "anchors": "append",
        "acceptance": "append",
        "subtasks": "any",
        "depends_on": "any",
        "due": "any",
        "gate.answer": "any",
        "gate.opened": "any",
        "decision.supersedes": "append",
        "decision.superseded_by": "any",
        "request.external": "any",
        "tracker": "any",
        "notes": "any",
    }
)
_TRACKER_ONLY: Final[Mapping[str, EditMode]] = MappingProxyType({"tracker": "any"})

EDITABLE: Final[Mapping[CardState, Mapping[str, EditMode]]] = MappingProxyType(
    {
        "drafted": _FREE,
        "planned": _FREE,
        "published": _TIGHTER_ONLY,
        "in_progress": _TIGHTER_ONLY,
        "in_review": _TIGHTER_ONLY,
        "done": _TRACKER_ONLY,
        "deleted": _TRACKER_ONLY,
    }
)
"""What may be edited on a card of ours in each state, and how; external cards have a table in schemas/ownership.py."""

FALL_BACK_FIELDS: Final = frozenset({"title", "acceptance", "depends_on", "anchors"})
"""An edit of one of these takes a planned card back to drafted: nobody has looked at that yet."""

FALL_BACK_BY: Final = frozenset({"draft", "person", "mirror"})
"""Clean-up after a cut and a new anchor id say nothing new, so they keep a planned card planned."""

STATES_OF: Final[Mapping[By, frozenset[CardState]]] = MappingProxyType({"draft": OPEN_EDIT_STATES})
"""The states in which a writer may touch a card of ours at all; who is not named here may in every state."""

WAYS_OUT: Final[Mapping[CardState, str]] = MappingProxyType(
    {
        "drafted": "isopod edit ID",
        "planned": "isopod edit ID",
        "published": "isopod edit ID acceptance+=TEXT --tightens A1, or isopod cut ID and compile again",
        "in_progress": "isopod edit ID acceptance+=TEXT --tightens A1, or isopod migrate ID --line A1",
        "in_review": "isopod edit ID acceptance+=TEXT --tightens A1, or isopod migrate ID --line A1",
        "done": "isopod migrate ID --line A1",
        "deleted": "isopod compile SPEC gives the claim a new card",
    }
)
"""What a person can do instead of an edit that the state does not allow; ID stands for the card."""

COMMAND_OF: Final[Mapping[str, str]] = MappingProxyType(
    {
        "state": "isopod approve ID (or start, review, done, cut)",
        "spec": "isopod spec mv OLD NEW",
        "anchors": "isopod move CLAIM --to ID",
        "heuristic": "isopod compile SPEC",
        "gate": "isopod answer ID --with TEXT, or isopod open ID",
        "decision": "isopod supersede OLD --by NEW",
        "request": "isopod mirror add KEY --for ID",
        "migrates": "isopod migrate ID --line A1",
        "consumer_contract": "isopod contract pin ID",
        "tracker": "isopod sync",
        "title_by": "isopod edit ID title=TEXT --by NAME",
    }
)
"""Keys of a card that no edit by hand changes, and the command that does; ID stands for the card."""


def may_be_born(kind: CardKind, state: CardState, by: By) -> bool:
    """Whether `by` may make a card of this kind in this state."""
    return any(kind in birth.kinds and state in birth.after and by in birth.by for birth in BIRTHS)


def may_move(kind: CardKind, before: CardState, after: CardState, by: By) -> bool:
    """Whether `by` may take a card of this kind from one state to another one."""
    return any(by in way.by for way in ways(kind, before, after))


def ways(kind: CardKind, before: CardState, after: CardState) -> tuple[Transition, ...]:
    """Every way from one state to another one, whoever may go it; empty when there is none."""
    return tuple(way for way in TRANSITIONS if kind in way.kinds and before in way.before and after in way.after)


def may_touch(state: CardState, by: By) -> bool:
    """Whether `by` may edit a card of ours in this state at all."""
    return state in STATES_OF.get(by, ALL_STATES)


def edit_mode(state: CardState, path: str) -> EditMode | None:
    """How a field of a card of ours in this state may change; None when it may not."""
    return EDITABLE[state].get(path)


def falls_back(state: CardState, paths: Iterable[str], by: By) -> bool:
    """Whether an edit of these fields takes the card back from planned to drafted."""
    return state == "planned" and by in FALL_BACK_BY and not FALL_BACK_FIELDS.isdisjoint(paths)
