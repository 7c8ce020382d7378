"""Who owns which field of a card, as data. Code branches on capability flags, never on a team's name.

Source: DESIGN.md section 8. The capabilities of a card's team pick the table: `own` for a team whose cards we write,
`mirror` for a team whose tracker is the truth. What no table names belongs to nobody and cannot be written.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from schemas.config import Team
from schemas.kinds import CardKind
from schemas.lifecycle import By, EditMode

Variant = Literal["own", "mirror"]

_DRAFT_OR_PERSON: Final[frozenset[By]] = frozenset({"draft", "person"})
_PERSON: Final[frozenset[By]] = frozenset({"person"})
_TRACKER: Final[frozenset[By]] = frozenset({"publish", "sync", "mirror"})

WRITERS: Final[Mapping[Variant, Mapping[str, frozenset[By]]]] = MappingProxyType(
    {
        "own": MappingProxyType(
            {
                "title": _DRAFT_OR_PERSON,
                "title_by": _PERSON,
                "state": frozenset({"draft", "person", "publish", "sync", "mirror"}),
                "team": _DRAFT_OR_PERSON,
                "parent": _DRAFT_OR_PERSON | {"cleanup"},
                "spec": _DRAFT_OR_PERSON,
                "anchors": _DRAFT_OR_PERSON | {"fix"},
                "heuristic": _DRAFT_OR_PERSON,
                "acceptance": _DRAFT_OR_PERSON | {"fix"},
                "subtasks": _PERSON,
                "depends_on": _DRAFT_OR_PERSON | {"cleanup", "fix", "mirror"},
                "related": _DRAFT_OR_PERSON | {"cleanup"},
                "due": _PERSON,
                "start": _DRAFT_OR_PERSON,
                "gate.waits_for": _DRAFT_OR_PERSON,
                "gate.answer": _PERSON,
                "gate.opened": _PERSON,
                "decision.supersedes": _DRAFT_OR_PERSON,
                "decision.superseded_by": _DRAFT_OR_PERSON,
                "decision.affects": _DRAFT_OR_PERSON,
                "request.team": _DRAFT_OR_PERSON,
                "request.external": frozenset({"mirror"}),
                "migrates": _PERSON,
                "tracker": _TRACKER,
                "notes": _PERSON,
            }
        ),
        "mirror": MappingProxyType(
            {
                "state": frozenset({"mirror", "sync", "person"}),
                "due": frozenset({"mirror", "sync", "person"}),
                "tracker": _TRACKER - {"publish"},
                "consumer_contract": frozenset({"person", "mirror"}),
            }
        ),
    }
)
"""Which writer may change which field path of a card."""

MIRROR_MODES: Final[Mapping[str, EditMode]] = MappingProxyType(
    {"state": "any", "due": "any", "tracker": "any", "consumer_contract": "append"}
)
"""How the fields of an external card may change, in every state: our statement of what we expect only grows."""


def variant_of(kind: CardKind, team: Team | None) -> Variant | None:
    """The table that holds for a card; None when config does not know its team, so that nobody owns the card.

    A card is another team's when its kind or its team says so: a flag that was changed later opens nothing.
    """
    if kind == "external":
        return "mirror"
    if team is None:
        return None
    return "own" if team.capabilities.writes_cards and team.capabilities.schema_ == "own" else "mirror"


def may_write(variant: Variant, path: str, by: By) -> bool:
    """Whether `by` may write this field path; an unknown one belongs to nobody."""
    return by in WRITERS[variant].get(path, frozenset())


def writers_of(variant: Variant, path: str) -> frozenset[By]:
    """Who may write this field path."""
    return WRITERS[variant].get(path, frozenset())


def fits_team(kind: CardKind, team: Team) -> bool:
    """Whether a card of this kind may belong to this team: mirrors to others, the rest to ones whose cards we write."""
    if kind == "external":
        return not team.capabilities.writes_cards
    return variant_of(kind, team) == "own"
