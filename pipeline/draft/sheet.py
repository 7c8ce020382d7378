"""What the drafter sees: the adopted claims of one spec in text order, their edges, the text's structure, the config."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from schemas.config import Config, SectionConfig, Team
from schemas.kinds import OBLIGATIONS, AnchorKind, EdgeKind
from text.blocks import Block
from text.coordinates import SpanT, SpecText
from text.cores import core
from text.display import line_unit
from text.folding import fold
from text.intervals import hull
from text.structure import Structure
from text.topics import Topic, Topics


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """An adopted claim where it stands now."""

    id: str
    kind: AnchorKind
    span: SpanT

    @property
    def is_obligation(self) -> bool:
        return self.kind in OBLIGATIONS


@dataclass(frozen=True, slots=True)
class DraftEdge:
    kind: EdgeKind
    from_: str
    to: str
    cue: str


JudgedKind = Literal["story", "gate", "request", "decision", "epic", "glossary", "background"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The four closed judgements on one claim: whose card it joins, of which kind that is, whose it is, whether nothing contradicts it."""

    anchor: str
    leader: str
    kind: JudgedKind
    team: str
    aligned: bool


class Sheet:
    """One spec's claims with what the rules ask of them. Every order is text order: start, then longer first."""

    def __init__(
        self,
        spec: SpecText,
        structure: Structure,
        key: str,
        claims: Iterable[DraftClaim],
        edges: Sequence[DraftEdge],
        config: Config,
    ) -> None:
        self.spec = spec
        self.structure = structure
        self.key = key
        self.config = config
        self.claims = tuple(sorted(claims, key=lambda claim: (claim.span[0], -claim.span[1], claim.id)))
        self.by_id = {claim.id: claim for claim in self.claims}
        self.edges = tuple(
            sorted(
                (edge for edge in edges if edge.from_ in self.by_id and edge.to in self.by_id),
                key=lambda edge: (self.order[edge.from_], self.order[edge.to], edge.kind),
            )
        )

    @cached_property
    def order(self) -> dict[str, int]:
        return {claim.id: index for index, claim in enumerate(self.claims)}

    @cached_property
    def topics(self) -> Topics:
        return Topics(self.structure, self.config.draft.card_depth)

    @cached_property
    def linked(self) -> frozenset[str]:
        """Claims that are an end of any edge."""
        return frozenset(end for edge in self.edges for end in (edge.from_, edge.to))

    @cached_property
    def refined(self) -> Counter[str]:
        """How many `refines` come in to each claim, from anywhere."""
        return Counter(edge.to for edge in self.edges if edge.kind == "refines")

    @cached_property
    def blocked(self) -> frozenset[str]:
        """Constraints that are the `from` of a `blocked_by`: the reason of an edge, no line of their own."""
        return frozenset(
            edge.from_
            for edge in self.edges
            if edge.kind == "blocked_by" and self.by_id[edge.from_].kind == "constraint"
        )

    @cached_property
    def lists(self) -> frozenset[int]:
        """Topics whose first claim is a question, decision or exclusion: their heading names a list of such, not a thing (D11)."""
        first: dict[int, AnchorKind] = {}
        for claim in self.claims:
            first.setdefault(self.topic(claim).section, claim.kind)
        return frozenset(section for section, kind in first.items() if kind in ("question", "decision", "exclusion"))

    def edges_from(self, claim: DraftClaim, kind: EdgeKind) -> list[DraftEdge]:
        return self._from.get((claim.id, kind), [])

    @cached_property
    def _from(self) -> dict[tuple[str, EdgeKind], list[DraftEdge]]:
        found: dict[tuple[str, EdgeKind], list[DraftEdge]] = {}
        for edge in self.edges:
            found.setdefault((edge.from_, edge.kind), []).append(edge)
        return found

    def topic(self, claim: DraftClaim) -> Topic:
        return self.topics.of(claim.span[0])

    def own_block(self, claim: DraftClaim) -> Block | None:
        return self.structure.block_at(core(self.spec.text, claim.span)[0])

    def outer_block(self, claim: DraftClaim) -> Block | None:
        """The outermost list item, or the row or paragraph, that the claim stands in."""
        block = self.own_block(claim)
        return None if block is None else self.structure.outermost(block.index)

    def unit(self, claim: DraftClaim) -> SpanT:
        """The line unit of a claim (D1); a claim over several sentences has all of them."""
        start, end = core(self.spec.text, claim.span)
        first, last = line_unit(self.structure, start), line_unit(self.structure, end - 1)
        return first.span if first == last else hull((first.span, last.span))

    def sentence(self, claim: DraftClaim) -> SpanT:
        """The sentence of a claim, also inside a list item (D12 for decisions and gates)."""
        start, end = core(self.spec.text, claim.span)
        units = self.structure.units_in((start, end))
        return hull([unit.span for unit in units]) if units else self.unit(claim)

    def text(self, claim: DraftClaim) -> str:
        return fold(self.spec.quoted(claim.span))

    def section_config(self, claim: DraftClaim) -> SectionConfig | None:
        """What config says of the claim's section: the deepest heading of its path that config names."""
        spec = self.config.specs.get(self.key)
        if spec is None or not spec.sections:
            return None
        for heading in reversed(self.topics.headings(claim.span[0])):
            for name in heading:
                if name in self._section_configs:
                    return self._section_configs[name]
        return None

    @cached_property
    def _section_configs(self) -> dict[str, SectionConfig]:
        return {fold(name): section for name, section in self.config.specs[self.key].sections.items()}

    def team(self, claim: DraftClaim) -> str:
        """Whose a claim is: config of its section, else of the spec, else the default team."""
        return self.config_team(claim) or self.config.default_team

    def config_team(self, claim: DraftClaim) -> str | None:
        """The team that a person gave the claim's section, or the spec, in config; None when only the default is left."""
        section, spec = self.section_config(claim), self.config.specs.get(self.key)
        return (section and section.team) or (spec and spec.team) or None

    @property
    def spec_team(self) -> str:
        """Whose the spec is: its own team in config, else the default team."""
        spec = self.config.specs.get(self.key)
        return (spec and spec.team) or self.config.default_team

    @cached_property
    def other_teams(self) -> tuple[Team, ...]:
        """Teams that write their own cards elsewhere: what we need of them is a request."""
        return tuple(team for team in self.config.teams if not team.capabilities.writes_cards)
