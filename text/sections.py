"""Sections by their digests: one whose folded text is unchanged is never read again (DESIGN.md section 6)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from schemas.anchors import Section
from text.coordinates import SpecText
from text.folding import fold
from text.structure import Structure


def sections_of(spec: SpecText, structure: Structure) -> tuple[Section, ...]:
    """Every section with the sha256 of its folded heading and own text."""
    return tuple(
        Section(path=section.name, digest=section_digest(spec.quoted(section.span))) for section in structure.sections
    )


def section_digest(text: str) -> str:
    """`sha256:` and the hex digest of the folded text."""
    return "sha256:" + hashlib.sha256(fold(text).encode("utf-8", "surrogatepass")).hexdigest()


def changed_sections(spec: SpecText, structure: Structure, stored: Iterable[Section]) -> frozenset[int]:
    """The indexes of sections whose path and digest are not stored: only these are read."""
    known = {(section.path, section.digest) for section in stored}
    return frozenset(
        index
        for index, section in enumerate(sections_of(spec, structure))
        if (section.path, section.digest) not in known
    )


def unchanged_sections(spec: SpecText, structure: Structure, stored: Iterable[Section]) -> frozenset[str]:
    """The names of sections that are as they were stored: there every stored claim stands, whatever stands twice."""
    known = {(section.path, section.digest) for section in stored}
    return frozenset(one.path for one in sections_of(spec, structure) if (one.path, one.digest) in known)
