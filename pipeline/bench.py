"""One spec with the instruments that every stage needs, each made once, and claims as they stand on it."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.kinds import UNORDERED_EDGES, AnchorKind, EdgeKind, KindClass, kind_class
from text.balance import Balancer
from text.coordinates import SpanT, SpecText
from text.cores import core
from text.grounding import Grounder
from text.selectors import Finder
from text.structure import Structure, structure

Key = tuple[KindClass, SpanT]
"""What a claim is on one text: its class and its core."""

EdgeKey = tuple[EdgeKind, Key, Key]


@dataclass(frozen=True, slots=True)
class StandingClaim:
    """A claim that stands: agreed by both readings or answered by a person. `span` is what is adopted and shown."""

    kind: AnchorKind
    span: SpanT
    core: SpanT
    labels: tuple[AnchorKind, AnchorKind] | None = None

    @property
    def key(self) -> Key:
        return kind_class(self.kind), self.core


def in_text_order(claim: StandingClaim) -> tuple[int, int, str]:
    """Sort key: start, then longer first."""
    return claim.span[0], -claim.span[1], claim.kind


@dataclass(frozen=True, slots=True)
class Bench:
    spec: SpecText
    structure: Structure
    finder: Finder
    grounder: Grounder
    balancer: Balancer

    @classmethod
    def of(cls, spec: SpecText) -> Bench:
        parsed = structure(spec)
        return cls(spec, parsed, Finder(spec, parsed), Grounder(spec, parsed), Balancer(spec, parsed))

    def claim(
        self, kind: AnchorKind, span: SpanT, labels: tuple[AnchorKind, AnchorKind] | None = None
    ) -> StandingClaim:
        """A claim on these words, balanced."""
        balanced = self.balancer.balanced(span)
        return StandingClaim(kind, balanced, core(self.spec.text, balanced), labels)


def ordered_key(kind: EdgeKind, from_: Key, to: Key) -> EdgeKey:
    """The key of an edge; the ends of an unordered one stand in text order."""
    if kind in UNORDERED_EDGES and to[1] < from_[1]:
        from_, to = to, from_
    return kind, from_, to
