"""W3C Web Annotation selectors: how a claim is found again in a spec that changed (DESIGN.md sections 3 and 6).

Source: https://www.w3.org/TR/annotation-model/#text-quote-selector (exact, prefix, suffix).
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, Protocol

from schemas.anchors import Anchor
from text.coordinates import SpanT, SpecText
from text.folding import Folded, fold, folded, occurrences
from text.structure import Structure

CONTEXT: Final = 32
Standing = Literal["live", "ambiguous", "edited", "lost"]


class Selected(Protocol):
    """What a selector must say; anchors, settlements and their places all do."""

    @property
    def exact(self) -> str: ...
    @property
    def prefix(self) -> str: ...
    @property
    def suffix(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Selector:
    """Where a span stands: its raw text, the folded context, the name of its section."""

    exact: str
    prefix: str
    suffix: str
    section: str


@dataclass(frozen=True, slots=True)
class Located:
    """Where a selector stands now. `edited`: its section is still there; `lost`: that is gone too."""

    status: Standing
    span: SpanT | None = None


class Finder:
    """Makes selectors for one spec and finds them again; folds the text once."""

    def __init__(self, spec: SpecText, structure: Structure) -> None:
        self.spec = spec
        self.structure = structure

    @cached_property
    def folded(self) -> Folded:
        """The whole spec, folded."""
        return folded(self.spec.text)

    def select(self, span: SpanT) -> Selector:
        """The selector of a span of the current text."""
        text = self.folded.text
        start, end = self.folded.folded_window(span)
        return Selector(
            exact=self.spec.quoted(span),
            prefix=text[max(0, start - CONTEXT) : start],
            suffix=text[end : end + CONTEXT],
            section=self.structure.section_at(span[0]).name,
        )

    def locate(self, selector: Selected, section: str) -> Located:
        """Find the folded text with its context once; else once in its section; else it is ambiguous, edited or lost.

        The context stands when both sides do; where no place has both, one side is enough (a heading above was renamed).
        """
        exact = fold(selector.exact)
        text = self.folded.text
        hits = occurrences(text, exact)
        sides = [
            (text[max(0, start - CONTEXT) : start] == selector.prefix, text[end : end + CONTEXT] == selector.suffix)
            for start, end in hits
        ]
        standing = [hit for hit, stand in zip(hits, sides, strict=True) if all(stand)]
        standing = standing or [hit for hit, stand in zip(hits, sides, strict=True) if any(stand)]
        if len(standing) == 1:
            return Located("live", self.folded.raw_span(standing[0]))
        spans = [self.folded.raw_span(hit) for hit in hits]
        inside = [span for span in spans if self.structure.section_at(span[0]).name == section]
        if len(inside) == 1:
            return Located("live", inside[0])
        if len(spans) > 1:
            return Located("ambiguous")
        return Located("edited" if self.has_section(section) else "lost")

    def locate_all(self, anchors: Sequence[Anchor], unchanged: Container[str] = ()) -> list[Located]:
        """Where each of these anchors stands now, in their order.

        Equal words in one section are told apart by their order: those of equal context when they stand there as often as they are
        stored, or when the section is `unchanged` (its names), so that what was stored there stands there; then those that are
        left, when as many places are left.
        """
        found = [self.locate(anchor, anchor.section) for anchor in anchors]
        by_context: dict[tuple[str, ...], list[int]] = {}
        by_words: dict[tuple[str, ...], list[int]] = {}
        for index, anchor in enumerate(anchors):
            if found[index].status == "ambiguous":
                words = (fold(anchor.exact), anchor.section)
                by_words.setdefault(words, []).append(index)
                by_context.setdefault((*words, anchor.prefix, anchor.suffix), []).append(index)
        taken = {place.span for place in found}
        for (exact, section, prefix, suffix), indexes in by_context.items():
            inside = self._inside(section, self.places(exact, prefix, suffix))
            if len(inside) == len(indexes) or (section in unchanged and len(inside) > len(indexes)):
                for index, span in zip(indexes, inside, strict=False):
                    found[index] = Located("live", span)
                    taken.add(span)
        for (exact, section), indexes in by_words.items():
            left = [index for index in indexes if found[index].status == "ambiguous"]
            spans = [self.folded.raw_span(hit) for hit in occurrences(self.folded.text, exact)]
            free = [span for span in self._inside(section, spans) if span not in taken]
            if len(free) == len(left):
                for index, span in zip(left, free, strict=True):
                    found[index] = Located("live", span)
        return found

    def _inside(self, section: str, spans: Sequence[SpanT]) -> list[SpanT]:
        return [span for span in spans if self.structure.section_at(span[0]).name == section]

    def places(self, exact: str, prefix: str, suffix: str | None = None) -> list[SpanT]:
        """Every place where the folded text stands with its context unchanged, in text order."""
        text = self.folded.text
        return [
            self.folded.raw_span(hit)
            for hit in occurrences(text, fold(exact))
            if text[max(0, hit[0] - CONTEXT) : hit[0]] == prefix
            and (suffix is None or text[hit[1] : hit[1] + CONTEXT] == suffix)
        ]

    def stands(self, exact: str, prefix: str, suffix: str | None = None) -> SpanT | None:
        """Where the folded text stands with its context unchanged, None when that is nowhere or in several places."""
        found = self.places(exact, prefix, suffix)
        return found[0] if len(found) == 1 else None

    def has_section(self, name: str) -> bool:
        return name in self._sections

    @cached_property
    def _sections(self) -> frozenset[str]:
        return frozenset(section.name for section in self.structure.sections)
