"""The offline reader `structure`: where a block stands. A heuristic; the words of a sentence are not its evidence."""

from __future__ import annotations

from typing import ClassVar

from pipeline.readers.offline import Found, FoundEdge, obligation, run_of
from pipeline.readers.protocol import ReadRequest
from schemas.kinds import AnchorKind
from schemas.run import Run
from text.blocks import Block, Unit
from text.claims import Claims


class StructureReader:
    provider: ClassVar[str] = "structure"
    heuristic: ClassVar[bool] = True
    repairs: ClassVar[bool] = False
    calls_model: ClassVar[bool] = False

    def read(self, request: ReadRequest) -> Run:
        c = Claims(request.spec, request.structure)
        found = []
        for unit in request.structure.units:
            if not unit.claim_bearing: continue
            block = request.structure.blocks[unit.block]
            cls = c.section_class(block.section)
            if cls == "background": continue
            text = request.spec.quoted(unit.span)
            if text.rstrip("*_ ").endswith(":"): continue
            kind = {"decisions": "decision", "questions": "question", "exclusions": "exclusion"}.get(cls)
            if cls == "terms": continue
            found.append(Found(kind or obligation(text, c.lexicon(text)), unit.span))
        return run_of(request, "structure-1", self.provider, found, [])
