"""What the anchor gates judge: the claims of one spec, with their edges, and (from the draft on) the cards that carry
them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from gates.found import Found
from schemas.anchors import Discarded
from schemas.card import Card
from schemas.config import Config
from schemas.finding import FindingPlace
from schemas.kinds import OBLIGATIONS, AnchorKind, AnchorStatus, EdgeKind

if TYPE_CHECKING:
    from text.blocks import Block
    from text.coordinates import SpanT, SpecText
    from text.selectors import Standing
    from text.structure import Structure

Home = Literal["card", "glossary", "epic"] | Discarded


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: `id` is a ref of the reading before it is adopted, an anchor id from then on.

    `span` and `core` are code points of the spec. `found` says whether the text stands there; where it does not (only
    an audit sees that) the spans are (0, 0). `home` is None before the draft.
    """

    id: str
    kind: AnchorKind
    span: SpanT
    core: SpanT
    exact: str
    labels: tuple[AnchorKind, AnchorKind] | None = None
    home: Home | None = None
    status: AnchorStatus = "live"
    section: str = ""
    found: Standing = "live"

    @property
    def is_obligation(self) -> bool:
        return self.kind in OBLIGATIONS

    @property
    def discarded(self) -> Discarded | None:
        return self.home if isinstance(self.home, Discarded) else None


@dataclass(frozen=True, slots=True)
class ClaimEdge:
    """A relation between two claims of the spec; `cue_span` is where its cue stands, None when it was not found."""

    kind: EdgeKind
    from_id: str
    to_id: str
    cue: str
    cue_span: SpanT | None = None


@dataclass(frozen=True, slots=True)
class ReadSpan:
    """One claim of one reading, as the reader cut it."""

    kind: AnchorKind
    span: SpanT
    core: SpanT


@dataclass(frozen=True)
class Claims:
    """The claims of one spec, in text order.

    `file` is the spec as findings name it. `readings` are both readings' own cuts (A110 asks them); without them the
    claims themselves are asked. `anchor_prefix` is config's one prefix of kind anchor: stage adopt needs it (A103),
    and there ids are anchor ids. In an audit `carried` are the ids that cards name, and `elsewhere` gives the entry of
    a claim in the anchors file: the place of what the spec no longer holds.
    """

    spec: SpecText
    structure: Structure
    claims: tuple[Claim, ...]
    edges: tuple[ClaimEdge, ...] = ()
    readings: tuple[tuple[ReadSpan, ...], tuple[ReadSpan, ...]] | None = None
    heuristic: bool = False
    file: str = ""
    key: str = ""
    anchor_prefix: str | None = None
    carried: frozenset[str] = frozenset()
    elsewhere: Callable[[str], FindingPlace] | None = field(default=None, compare=False, repr=False)

    @cached_property
    def by_id(self) -> Mapping[str, Claim]:
        return {claim.id: claim for claim in self.claims}

    @cached_property
    def placed(self) -> tuple[Claim, ...]:
        """The live claims whose text stands in the spec."""
        return tuple(claim for claim in self.claims if claim.status == "live" and claim.found == "live")

    @cached_property
    def edges_of(self) -> Mapping[str, tuple[ClaimEdge, ...]]:
        """The edges at each claim, in either direction."""
        found: dict[str, list[ClaimEdge]] = {}
        for edge in self.edges:
            found.setdefault(edge.from_id, []).append(edge)
            if edge.to_id != edge.from_id:
                found.setdefault(edge.to_id, []).append(edge)
        return {claim: tuple(edges) for claim, edges in found.items()}

    @cached_property
    def by_block(self) -> Mapping[int, tuple[Claim, ...]]:
        """The placed claims of each outermost block, in text order."""
        found: dict[int, list[Claim]] = {}
        for claim in self.placed:
            block = self.block_of(claim)
            if block is not None:
                found.setdefault(block.index, []).append(claim)
        return {block: tuple(claims) for block, claims in found.items()}

    def block_of(self, claim: Claim) -> Block | None:
        """The outermost block (list item, row or paragraph) in which the claim begins."""
        block = self.structure.block_at(claim.core[0])
        return None if block is None else self.structure.outermost(block.index)

    def neighbours(self, claim: Claim) -> tuple[Claim, ...]:
        """The placed claims of the same outermost block, this one among them."""
        block = self.block_of(claim)
        return () if block is None else self.by_block.get(block.index, ())

    def where(self, claim: Claim) -> FindingPlace:
        """The place of a claim: its text in the spec, else its entry in the anchors file."""
        if claim.found != "live":
            return self.where_stored(claim)
        line, column = self.spec.place(claim.span[0])
        return FindingPlace(file=self.file, line=line, column=column)

    def where_stored(self, claim: Claim) -> FindingPlace:
        """The entry of a claim in the anchors file; the spec while there is none."""
        return self.elsewhere(claim.id) if self.elsewhere else FindingPlace(file=self.file)

    def editing(self, claim: Claim) -> str:
        """The way out of a warning about words that only the author of the spec can mend: no command of ours changes a spec."""
        place = self.where(claim)
        return f"edit {place.file}, line {place.line}; if it is meant as it stands, leave it: this is a warning"

    def report(
        self, claim: Claim, message: str, *, related: Iterable[Claim | str] = (), fix: str | None = None
    ) -> Found:
        """A finding about a claim."""
        names = tuple(other if isinstance(other, str) else other.id for other in related)
        return Found(claim.id, message, self.where(claim), names, fix, heuristic=self.heuristic)


@dataclass(frozen=True)
class Drafted:
    """The claims of one spec and every card of it, as they stand after the draft (or in the store)."""

    claims: Claims
    cards: tuple[Card, ...]
    config: Config
    place_of: Callable[[Card, tuple[str | int, ...]], FindingPlace] | None = field(
        default=None, compare=False, repr=False
    )

    @property
    def heuristic(self) -> bool:
        return self.claims.heuristic

    @cached_property
    def live_cards(self) -> tuple[Card, ...]:
        """Every card that is not deleted."""
        return tuple(card for card in self.cards if card.state != "deleted")

    @cached_property
    def cards_of(self) -> Mapping[str, tuple[Card, ...]]:
        """The cards, not deleted, that name each anchor."""
        found: dict[str, list[Card]] = {}
        for card in self.live_cards:
            for anchor in dict.fromkeys(card.anchors):
                found.setdefault(anchor, []).append(card)
        return {anchor: tuple(cards) for anchor, cards in found.items()}

    def placed_on(self, card: Card) -> list[Claim]:
        """The claims of a card that stand in the spec, in the card's order."""
        known = (self.claims.by_id.get(anchor) for anchor in card.anchors)
        return [claim for claim in known if claim is not None and claim.found == "live"]

    def where(self, card: Card, *path: str | int) -> FindingPlace:
        """The place of a key of a card; a card that is not written yet has its file only."""
        if self.place_of:
            return self.place_of(card, path)
        return FindingPlace(file=f"{self.config.paths.cards}/{card.id}.yaml")

    def report(
        self,
        card: Card,
        path: tuple[str | int, ...],
        message: str,
        *,
        related: Iterable[str] = (),
        fix: str | None = None,
    ) -> Found:
        """A finding about a card."""
        return Found(card.id, message, self.where(card, *path), tuple(related), fix, heuristic=card.heuristic)
