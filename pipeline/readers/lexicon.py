"""The offline reader `lexicon`: what the words of a unit say. A heuristic; where the unit stands is not its evidence."""

from __future__ import annotations

from typing import ClassVar

from pipeline.readers.offline import Found, FoundEdge, obligation, run_of
from pipeline.readers.protocol import ReadRequest
from schemas.kinds import OBLIGATIONS, AnchorKind
from schemas.run import Run
from text.blocks import Block, Unit
from text.claims import Claims
from text.coordinates import SpanT
from text.lexicon import Lexicon, SectionClass

_LISTED: dict[SectionClass, AnchorKind] = {"decisions": "decision", "questions": "question", "exclusions": "exclusion"}
_COLONS = (":", "：")


class LexiconReader:
    """Modal words, EARS shapes and the verbs of plain behaviour, in English, Korean, Japanese and Chinese."""

    provider: ClassVar[str] = "lexicon"
    heuristic: ClassVar[bool] = True
    repairs: ClassVar[bool] = False
    calls_model: ClassVar[bool] = False

    def read(self, request: ReadRequest) -> Run:
        """Read the spec by its words; deterministic, offline."""
        reading = _Reading(request)
        return run_of(request, "lexicon-1", self.provider, *reading.read())


class _Reading:
    def __init__(self, request: ReadRequest) -> None:
        self.spec = request.spec
        self.structure = request.structure
        self.claims = Claims(request.spec, request.structure)
        self.found: list[Found] = []
        self.edges: list[FoundEdge] = []
        self._leads: dict[int, Unit] = {}  # group -> the unit that leads into its list, when that unit obliges

    def read(self) -> tuple[list[Found], list[FoundEdge]]:
        before: Found | None = None
        block = -1
        for unit in self.structure.units:
            if not unit.claim_bearing:
                continue
            claim = self._claim(unit)
            if claim is not None:
                self.found.append(claim)
            outermost = self.structure.outermost(unit.block).index
            if claim is not None and claim.kind != "term":
                if before is not None and block == outermost:
                    self._relate(claim, before)
                before, block = claim, outermost
            elif block != outermost:
                before, block = None, outermost
        return self.found, self.edges

    def _claim(self, unit: Unit) -> Found | None:
        block = self.structure.blocks[unit.block]
        text = self.spec.quoted(unit.span)
        lexicon = self.claims.lexicon(text)
        term = self._term(unit, block, text, lexicon)
        if term is not None:
            return term
        kind = self._kind(block, text, lexicon)
        return None if kind is None else Found(kind, unit.span)

    def _term(self, unit: Unit, block: Block, text: str, lexicon: Lexicon) -> Found | None:
        """The word that this unit defines."""
        defined = lexicon.defines.search(text)
        if defined is None or block.kind not in ("item", "paragraph"):
            return None
        name = next(name for name, value in defined.groupdict().items() if value)
        start, end = defined.span(name)
        return Found("term", (unit.span[0] + start, unit.span[0] + end))

    def _kind(self, block: Block, text: str, lexicon: Lexicon) -> AnchorKind | None:
        """The first yes of READER.md's rule 4."""
        role = self.claims.step(block.index)
        if role == "condition" or lexicon.no_claim.search(text):
            return None
        if lexicon.undecided.search(text):
            return "question"
        if lexicon.excluded.search(text):
            return "exclusion"
        if lexicon.chosen.search(text):
            return "decision"
        if role is None and not self._obliges(block, text, lexicon):
            return None
        listed = self.claims.section_class(block.section)
        if listed in _LISTED:
            return _LISTED[listed]
        return obligation(text, lexicon)

    def _obliges(self, block: Block, text: str, lexicon: Lexicon) -> bool:
        if lexicon.binding.search(text) or any(shape.search(text) for _, shape in lexicon.shapes):
            return True
        if text.rstrip("*_ ").endswith(_COLONS) or lexicon.user_action.search(text) or lexicon.hedge.search(text):
            return False
        if lexicon.possible.search(text) or lexicon.behaviour.search(text) or lexicon.bound.search(text):
            return True
        if block.kind not in ("item", "row"):
            return False
        return any(pattern is not None and pattern.search(text) for pattern in (lexicon.imperative, lexicon.noun_ending))

    def _relate(self, claim: Found, before: Found) -> None:
        """An edge to the claim just before in the same block, where a closed cue shows it."""
        lexicon = self.claims.lexicon(self.spec.quoted(claim.span))
        if before.kind == "question" and claim.kind in OBLIGATIONS:
            self._draw("blocked_by", claim, before, lexicon.blocked.search(self.spec.text, *claim.span))
        elif before.kind == "decision" and claim.kind == "decision":
            self._draw("supersedes", before, claim, lexicon.replaces.search(self.spec.text, *claim.span))
        elif before.kind in OBLIGATIONS and claim.kind in OBLIGATIONS:
            self._draw("requires", claim, before, lexicon.after.search(self.spec.text, *claim.span))

    def _draw(self, kind, from_, to, hit) -> None:
        if hit is not None:
            self.edges.append(FoundEdge(kind, from_, to, hit.span()))
