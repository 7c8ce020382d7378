"""Every closed set of words that files and code share (DESIGN.md sections 4, 6 and 7)."""

from __future__ import annotations

from typing import Final, Literal

AnchorKind = Literal["requirement", "constraint", "interface", "term", "decision", "question", "exclusion"]
ANCHOR_KINDS: Final[tuple[AnchorKind, ...]] = (
    "requirement", "constraint", "interface", "term", "decision", "question", "exclusion",
)  # fmt: skip
OBLIGATIONS: Final[frozenset[AnchorKind]] = frozenset({"requirement", "constraint", "interface"})

# Of two labels for one obligation the earlier here stands (DESIGN.md section 5 step 2).
LABEL_ORDER: Final[tuple[AnchorKind, ...]] = ("constraint", "interface", "requirement")

KindClass = Literal["obligation", "term", "decision", "question", "exclusion"]


def kind_class(kind: AnchorKind) -> KindClass:
    """The class in which kinds are the same claim: the three obligations are one, every other kind is its own."""
    return "obligation" if kind in OBLIGATIONS else kind  # type: ignore[return-value]


EdgeKind = Literal["requires", "blocked_by", "supersedes", "conflicts_with", "refines"]
EDGE_KINDS: Final[tuple[EdgeKind, ...]] = ("requires", "blocked_by", "supersedes", "conflicts_with", "refines")
ORDERING_EDGES: Final[frozenset[EdgeKind]] = frozenset({"requires", "blocked_by", "supersedes", "conflicts_with"})
UNORDERED_EDGES: Final[frozenset[EdgeKind]] = frozenset({"conflicts_with"})

AnchorStatus = Literal["live", "edited", "lost", "retired"]
DiscardReason = Literal["out_of_scope", "duplicate_of", "background"]
GroundStep = Literal["exact", "folded", "markup"]

CardKind = Literal["epic", "story", "gate", "decision", "request", "migration", "external"]
CARD_KINDS: Final[tuple[CardKind, ...]] = ("epic", "story", "gate", "decision", "request", "migration", "external")
WORK_KINDS: Final[frozenset[CardKind]] = frozenset({"story", "migration"})

SEALED_KINDS: Final[frozenset[CardKind]] = frozenset({"epic", "story", "migration", "decision"})
"""The kinds that `isopod done` takes to done, which seals them; the others come there by an answer or another team."""

CardState = Literal["drafted", "planned", "published", "in_progress", "in_review", "done", "deleted"]
CARD_STATES: Final[tuple[CardState, ...]] = (
    "drafted", "planned", "published", "in_progress", "in_review", "done", "deleted",
)  # fmt: skip
FINAL_STATES: Final[frozenset[CardState]] = frozenset({"done", "deleted"})
OPEN_EDIT_STATES: Final[frozenset[CardState]] = frozenset({"drafted", "planned"})
PUBLISHED_STATES: Final[frozenset[CardState]] = frozenset({"published", "in_progress", "in_review"})

DisputeType = Literal["missing", "kind", "granularity", "cut", "edge", "gate"]
SettlementType = Literal[
    "missing", "kind", "granularity", "cut", "edge", "gate", "claim", "not-a-claim", "discard", "bulk"
]
Answer = Literal["a", "b", "both", "none", "cut", "keep", "drop", "union", "agreed"]

Severity = Literal["error", "warn"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warn")
