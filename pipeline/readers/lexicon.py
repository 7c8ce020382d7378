"""The offline reader `lexicon`: what the words of a unit say. A heuristic; where a unit stands is not its evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from pipeline.readers.offline import Found, FoundEdge, first_cell, is_lead_in, obligation, run_of, tail_of, usage_lines
from pipeline.readers.protocol import ReadRequest
from schemas.kinds import OBLIGATIONS, AnchorKind, EdgeKind
from schemas.run import Run
from text.blocks import Block, Unit
from text.claims import Claims
from text.coordinates import SpanT
from text.lexicon import Lexicon, SectionClass
from text.sentences import trim

# READER.md's rule 4 makes an item of such a list this kind, whatever its words; that it claims at all, its words say.
_LISTED: dict[SectionClass, AnchorKind] = {"decisions": "decision", "questions": "question", "exclusions": "exclusion"}
_CLAUSE_END = re.compile(r"[;；]\s*")


class LexiconReader:
    """Modal words, EARS shapes and verbs of plain behaviour, in English, Korean, Japanese and Chinese."""

    provider: ClassVar[str] = "lexicon"
    heuristic: ClassVar[bool] = True
    repairs: ClassVar[bool] = False
    calls_model: ClassVar[bool] = False

    def read(self, request: ReadRequest) -> Run:
        """Read the spec by its words; deterministic, offline."""
        return run_of(request, "lexicon-1", self.provider, *_Reading(request).read())


class _Reading:
    def __init__(self, request: ReadRequest) -> None:
        self.spec = request.spec
        self.structure = request.structure
        self.claims = Claims(request.spec, request.structure)
        self.found: list[Found] = []
        self.edges: list[FoundEdge] = []
        # Lead-ins that claim, by their block: what they lead into is claimed with them ("SHALL include:").
        self._leads: dict[int, Found] = {}
        self._paragraph: int | None = None

    def read(self) -> tuple[list[Found], list[FoundEdge]]:
        before: Found | None = None
        place = -1
        for unit in self.structure.units:
            if not self.claims.can_claim(unit):
                continue
            outermost = self.structure.outermost(unit.block).index
            if outermost != place:
                before, place = None, outermost
            for claim in self._claims(unit):
                self.found.append(claim)
                if claim.kind == "term":
                    continue
                if before is not None:
                    self._relate(claim, before)
                before = claim
        self.found += self._usages()
        return self.found, self.edges

    def _claims(self, unit: Unit) -> Iterator[Found]:
        block = self.structure.blocks[unit.block]
        if block.kind == "paragraph":
            self._paragraph = block.index
        text = self.claims.words(unit)
        lexicon = self.claims.lexicon(text)
        term = self._term(unit, block, text, lexicon)
        if term is not None:
            yield term
            return
        lead = self._lead_of(block)
        kind = self._kind(unit, block, text, lexicon, led=lead is not None)
        if kind is None:
            return
        if kind == "question":
            yield from self._question(unit.span, lexicon)
            return
        claim = Found(kind, unit.span)
        yield claim
        if is_lead_in(self.spec, unit.span):
            self._leads[block.index] = claim
        if lead is not None and lead.kind in OBLIGATIONS and kind in OBLIGATIONS:
            self.edges.append(FoundEdge("refines", claim, lead, tail_of(self.spec, lead.span)))

    def _lead_of(self, block: Block) -> Found | None:
        """The claim that ends in a colon above this item or row: its parent item or the paragraph before the list."""
        if block.kind not in ("item", "row"):
            return None
        above = block.parent if block.parent is not None else self._paragraph
        if above is None or above not in self._leads:
            return None
        return self._leads[above] if self.structure.blocks[above].group == block.group else None

    def _term(self, unit: Unit, block: Block, text: str, lexicon: Lexicon) -> Found | None:
        """The word that this unit defines: by its verb anywhere, by its shape in a glossary."""
        in_glossary = self.claims.section_class(block.section) == "terms"
        if in_glossary and block.kind == "row":
            cell = first_cell(block)
            return Found("term", cell) if cell is not None else None
        if block.kind not in ("item", "paragraph"):
            return None
        defined = lexicon.means.search(text)
        if defined is None and in_glossary and block.kind == "item" and self._opens(unit, block):
            defined = lexicon.names_term.search(text)
        if defined is None:
            return None
        name = next(name for name, value in defined.groupdict().items() if value)
        start, end = defined.span(name)
        return Found("term", (unit.span[0] + start, unit.span[0] + end))

    def _kind(self, unit: Unit, block: Block, text: str, lexicon: Lexicon, *, led: bool) -> AnchorKind | None:
        """The first yes of READER.md's rule 4; None when the words claim nothing."""
        role = self.claims.step(block.index)
        if role == "condition" or self.claims.is_attribute(block) or lexicon.no_claim.search(text):
            return None
        if lexicon.undecided.search(text):
            return "question"
        if lexicon.excluded.search(text):
            return "exclusion"
        if lexicon.chosen.search(text):
            return "decision"
        if not (led or role == "response" or self._obliges(unit, block, text, lexicon)):
            return None
        listed = self.claims.section_class(block.section)
        if listed in _LISTED and (listed == "exclusions" or self._opens(unit, block)):
            return _LISTED[listed]
        return obligation(text, lexicon)

    def _obliges(self, unit: Unit, block: Block, text: str, lexicon: Lexicon) -> bool:
        bound = lexicon.binding.search(text) is not None or any(shape.search(text) for _, shape in lexicon.shapes)
        if bound or self.claims.section_class(block.section) == "background":
            return bound and not (block.kind == "row" and self.claims.section_class(block.section) == "background")
        if is_lead_in(self.spec, unit.span) or lexicon.user_action.search(text) or lexicon.hedge.search(text):
            return False
        if lexicon.possible.search(text) or lexicon.behaviour.search(text) or lexicon.bound.search(text):
            return True
        if block.kind not in ("item", "row", "html"):
            return False
        return any(
            pattern is not None and pattern.search(text) for pattern in (lexicon.imperative, lexicon.noun_ending)
        )

    def _opens(self, unit: Unit, block: Block) -> bool:
        """Whether the unit is the first of its block."""
        return self.structure.units_of(block.index)[0].index == unit.index

    def _question(self, span: SpanT, lexicon: Lexicon) -> Iterator[Found]:
        """An open question. What its sentence says after a semicolon may wait for it: that is another kind of claim."""
        cut = _CLAUSE_END.search(self.spec.text, *span)
        if cut is not None:
            rest = trim(self.spec.text, (cut.end(), span[1]))
            asked = lexicon.undecided.search(self.spec.text, span[0], cut.start())
            if asked and rest[0] < rest[1] and lexicon.blocked.search(self.spec.text, *rest):
                yield Found("question", (span[0], cut.start()))
                yield Found("constraint", rest)
                return
        yield Found("question", span)

    def _usages(self) -> Iterator[Found]:
        """Lines of a usage text whose description says what is done: by its verb or its action noun."""
        for line, description in usage_lines(self.spec, self.structure, self.claims):
            text = self.spec.quoted(description)
            lexicon = self.claims.lexicon(text)
            if any(
                pattern is not None and pattern.search(text)
                for pattern in (lexicon.binding, lexicon.imperative, lexicon.noun_ending, lexicon.behaviour)
            ):
                yield Found("interface", line)

    def _relate(self, claim: Found, before: Found) -> None:
        """An edge to the claim just before in the same block, where a closed cue shows it."""
        lexicon = self.claims.lexicon(self.spec.quoted(claim.span))
        if before.kind == "question" and claim.kind in OBLIGATIONS:
            self._draw("blocked_by", claim, before, lexicon.blocked.search(self.spec.text, *claim.span))
        elif before.kind == "decision" and claim.kind == "decision":
            self._draw("supersedes", before, claim, lexicon.replaces.search(self.spec.text, *claim.span))
        elif before.kind in OBLIGATIONS and claim.kind in OBLIGATIONS:
            self._draw("requires", claim, before, lexicon.after.search(self.spec.text, *claim.span))

    def _draw(self, kind: EdgeKind, start: Found, end: Found, cue: re.Match[str] | None) -> None:
        if cue is not None:
            self.edges.append(FoundEdge(kind, start, end, cue.span()))
