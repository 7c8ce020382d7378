"""Why a unit of a spec looks like a claim (DESIGN.md section 5, Coverage): words and shapes."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Literal

from text.blocks import Block, Unit
from text.coordinates import SpecText
from text.lexicon import Lexicon, SectionClass, class_of_heading, lexicon_of, lexicon_of_document
from text.structure import Structure

StepRole = Literal["condition", "response"]
"""What a step of a scenario (GIVEN / WHEN / THEN) is; AND and BUT go on with the step before."""

_STEP = re.compile(
    r"(?:\*\*|__)?(GIVEN|WHEN|THEN|AND|BUT)(?:\*\*|__)?[\s:,]|(?:\*\*|__)(Given|When|Then|And|But)(?:\*\*|__)"
)
_OPENS_CONDITION = frozenset({"GIVEN", "WHEN"})
_SPACES = re.compile(r"\s+")
_LINK_ONLY = re.compile(
    r"\A[\s|*_]*(?:\[[^\]]{1,200}\]\([^)]{1,300}\)|\[[^\]]{1,200}\]|<?https?://\S{1,300})[\s|*_.]*\Z"
)
_BOLD = re.compile(r"\A(?:\*\*|__)[^*_]{1,60}(?:\*\*|__)\Z")
_LISTING = frozenset({"requirements", "goals", "decisions", "questions", "exclusions", "terms"})
_SHOWN_TITLE = 60
_LONGEST_PART = 2_000


class Claims:
    """What stands around the units of one spec: language, classes of sections, steps of scenarios. Made once a spec."""

    def __init__(self, spec: SpecText, structure: Structure) -> None:
        self.spec = spec
        self.structure = structure
        self.language = lexicon_of_document(spec.text)
        self._of_heading: dict[str, SectionClass | None] = {}
        self._of_section: dict[int, tuple[SectionClass | None, str]] = {}

    def lexicon(self, text: str) -> Lexicon:
        """The lexicon for a piece of this spec."""
        return lexicon_of(text, self.language)

    def section_class(self, section: int) -> SectionClass | None:
        """The class that the nearest heading with one gives to this section; the document's title gives none."""
        return self._class_of(section)[0]

    def class_title(self, section: int) -> str:
        """The heading that gave the class."""
        return self._class_of(section)[1]

    def step(self, block: int) -> StepRole | None:
        """What this list item is in a scenario of GIVEN / WHEN / THEN steps."""
        return self._roles.get(block) if self.structure.blocks[block].kind == "item" else None

    @cached_property
    def _roles(self) -> dict[int, StepRole]:
        return _step_roles(self.spec, self.structure)

    @cached_property
    def _title(self) -> str | None:
        return _document_title(self.structure)

    def _class_of(self, section: int) -> tuple[SectionClass | None, str]:
        """The class of the nearest heading that has one, and that heading."""
        if section not in self._of_section:
            self._of_section[section] = (None, "")
            for depth, heading in reversed(list(enumerate(self.structure.sections[section].titles))):
                if depth == 0 and heading == self._title:
                    break
                if heading not in self._of_heading:
                    self._of_heading[heading] = class_of_heading(heading)
                found = self._of_heading[heading]
                if found is not None:
                    self._of_section[section] = (found, heading)
                    break
        return self._of_section[section]

    def words(self, unit: Unit) -> str:
        """The text of a unit as far as words are looked for in it: of a very long one the first and the last part."""
        start, end = unit.span
        if end - start <= 2 * _LONGEST_PART:
            return self.spec.quoted(unit.span)
        return f"{self.spec.text[start : start + _LONGEST_PART]} … {self.spec.text[end - _LONGEST_PART : end]}"

    def can_claim(self, unit: Unit) -> bool:
        """Whether one claim can be this unit: it bears claims and is no longer than a person would write a sentence."""
        return unit.claim_bearing and unit.span[1] - unit.span[0] <= 2 * _LONGEST_PART

    def is_attribute(self, block: Block) -> bool:
        """Whether a row only names a property of the item that the text describes (ID, priority), or a group of rows.

        The first has two cells, of which the first is bold; the second has one cell with text among several.
        """
        if block.kind != "row":
            return False
        filled = [cell for cell in block.cells if cell[0] < cell[1]]
        if len(filled) == 1 < len(block.cells):
            return True
        return len(block.cells) == 2 and _BOLD.match(self.spec.quoted(block.cells[0])) is not None

    def why(self, unit: Unit) -> str | None:
        """A short English phrase that says why the unit looks like a claim; None when it does not."""
        if not unit.claim_bearing:
            return None
        block = self.structure.blocks[unit.block]
        text = self.words(unit)
        role = self.step(unit.block)
        if role == "condition" or self.is_attribute(block) or _LINK_ONLY.match(text):
            return None
        if role == "response":
            return 'EARS shape "WHEN ... THEN ..."'
        lexicon = self.lexicon(text)
        if lexicon.no_claim.search(text):
            return None
        return self._by_words(text, lexicon, block) or self._by_place(text, block)

    def _by_words(self, text: str, lexicon: Lexicon, block: Block) -> str | None:
        for name, shape in lexicon.shapes:
            if shape.search(text):
                return f'EARS shape "{name}"'
        modal = lexicon.binding.search(text)
        if modal is None and self.section_class(block.section) in _LISTING:
            modal = lexicon.possible.search(text)
        if modal is not None:
            return f'modal "{_SPACES.sub(" ", modal.group().strip())}"'
        if lexicon.plain_ending is not None and self.section_class(block.section) != "background":
            ending = None if lexicon.user_action.search(text) else lexicon.plain_ending.search(text)
            if ending is not None:
                return f'{lexicon.name} plain ending "{ending.group()}"'
        return None

    def _by_place(self, text: str, block: Block) -> str | None:
        if block.kind not in ("item", "row") or self.section_class(block.section) not in _LISTING:
            return None
        if text.rstrip("*_ ").endswith((":", "：")):
            return None  # it only leads into the list below it
        title = self.class_title(block.section)
        shown = title if len(title) <= _SHOWN_TITLE else title[: _SHOWN_TITLE - 1] + "…"
        return f'{block.kind} under "{shown}"'


def why_claim(spec: SpecText, structure: Structure, unit: Unit) -> str | None:
    """Why this unit looks like a claim, as a short English phrase; None when it does not. For many units: `Claims`."""
    return Claims(spec, structure).why(unit)


def _document_title(structure: Structure) -> str | None:
    """The first heading, when no other has its level (DRAFTING.md D2): it names the document, not its text."""
    headed = [section for section in structure.sections if section.heading is not None]
    if not headed or any(section.level <= headed[0].level for section in headed[1:]):
        return None
    return headed[0].titles[0]


def _step_roles(spec: SpecText, structure: Structure) -> dict[int, StepRole]:
    roles: dict[int, StepRole] = {}
    current: dict[tuple[int, int | None], StepRole] = {}
    for block in structure.blocks:
        if block.kind != "item":
            continue
        step = _STEP.match(spec.text, block.span[0], min(block.span[0] + 20, len(spec.text)))
        if step is None:
            continue
        word = (step.group(1) or step.group(2)).upper()
        place = (block.section, block.parent)
        if word in _OPENS_CONDITION:
            current[place] = "condition"
        elif word == "THEN":
            current[place] = "response"
        if place in current:
            roles[block.index] = current[place]
    return roles
