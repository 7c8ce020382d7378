"""What a model is told (READER.md): our words, which are the same for every call of a purpose, and the text of the spec as numbered lines.

Spec text is data. It is only ever joined to our words, never formatted into them: no template runs over it. Each of its lines begins
with its number and a bar, so that nothing in it can pass for the end of the text or for our words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.models.chunks import Chunk, Passage
from pipeline.models.examples import UNITS
from pipeline.models.rules import EDGES, READ, REPAIR
from pipeline.models.shapes import digest_of
from schemas.call import Purpose, Shape
from schemas.kinds import AnchorKind, EdgeKind
from schemas.run import Violation
from text.coordinates import SpecText
from text.structure import Structure

EDITION: Final = "1"
"""Counts the deliberate changes of the words below; every change, also an accidental one, changes the digest beside it."""

SYSTEM: Final[dict[Purpose, str]] = {
    "read": READ,
    "edges": EDGES,
    "repair": REPAIR,
    "check": "This is a check of the connection. Answer that you are ready.",
}

SHAPES: Final[dict[Purpose, Shape]] = {"read": "reading", "edges": "edges", "repair": "reading", "check": "check"}


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """A claim as a model is shown it: its own earlier one, or one that stands already."""

    ref: str
    kind: AnchorKind
    lines: tuple[int, int]
    quote: str


@dataclass(frozen=True, slots=True)
class ShownEdge:
    """A relation that this reader itself drew."""

    from_: str
    to: str
    kind: EdgeKind
    cue: str


def version(purpose: Purpose) -> str:
    """Edition and digest of what a model is told for a purpose, answer schema included."""
    return f"{EDITION}-{digest_of(SHAPES[purpose], SYSTEM[purpose])}"


def reading_task(spec: SpecText, structure: Structure, chunk: Chunk, terms: Sequence[str]) -> str:
    """The user text of a first reading: which part it is, the words defined so far, the text, its units."""
    parts = ["Read this part of the spec."]
    if terms:
        parts.append("Words that are defined so far (for your understanding only, quote nothing from here):")
        parts += [_datum(term) for term in terms]
    parts += ["The text:", *_text(spec, structure, chunk)]
    return "\n".join(parts)


def edges_task(claims: Sequence[ShownClaim], parts: Sequence[int], sections: Sequence[str]) -> str:
    """The user text of the pass over parts: the claims by the parts in which they were found; only relations between different parts
    are asked for, the others were asked for with the text. Part -1 holds what stands already."""
    lines = ["List the relations between claims of different parts. The claims:"]
    last: tuple[int, str] | None = None
    for claim, part, section in zip(claims, parts, sections, strict=True):
        if (part, section) != last:
            name = "The part that stands already" if part < 0 else f"Part {part + 1}"
            lines.append(f"{name}, section: {_datum(section or '(before the first heading)')}")
            last = (part, section)
        lines += _claims([claim])
    return "\n".join(lines)


def repair_task(
    spec: SpecText,
    structure: Structure,
    chunk: Chunk,
    own: Sequence[ShownClaim],
    edges: Sequence[ShownEdge],
    outside: Sequence[ShownClaim],
) -> str:
    """The user text of a repair: the disputed units, what this reader said there, a neutral sentence; never what the other said."""
    parts = [
        "The readers differ here: decide again by the rules.",
        "The text:",
        *_text(spec, structure, chunk),
        "What you said there:",
        *(_claims(own) or ["nothing"]),
        *_edges(edges),
    ]
    if outside:
        parts += ["Claims of yours elsewhere, which stand and may be named as an end of a relation:", *_claims(outside)]
    return "\n".join(parts)


LEAVE_OUT: Final = "Answer again, whole, with these mended. Leave out what you cannot mend."
ALL_OF_IT: Final = "Answer again, whole, with these mended. Leave nothing out."


def complaint(answer: str, violations: Sequence[Violation], ending: str = LEAVE_OUT, *, most: int = 40) -> str:
    """What is added to a task when the answer to it was wrong: the answer, what is wrong, part by part, and what to do now."""
    shown = [
        f"- {one.path}{f' (ref {one.ref})' if one.ref else ''}: {one.message} [{one.code}]" for one in violations[:most]
    ]
    if len(violations) > most:
        shown.append(f"- and {len(violations) - most} more of this kind")
    return "\n".join(
        [
            "",
            "Your answer to this was:",
            _cut(answer),
            "This is wrong with it:",
            *shown,
            ending,
        ]
    )


_LONGEST_ANSWER: Final = 60_000


def _cut(answer: str) -> str:
    return answer if len(answer) <= _LONGEST_ANSWER else answer[:_LONGEST_ANSWER] + "\n(cut off here)"


def _text(spec: SpecText, structure: Structure, chunk: Chunk) -> Iterator[str]:
    for passage in chunk:
        yield f"Section: {_datum(passage.section or '(before the first heading)')}"
        yield _numbered(spec, passage)
    yield UNITS
    for passage in chunk:
        yield from _units(spec, structure, passage)


def _numbered(spec: SpecText, passage: Passage) -> str:
    """The lines as they are, each after its number; only the last line end is left out."""
    lines = []
    for number in range(passage.lines[0], passage.lines[1] + 1):
        start, end = spec.whole_lines((number, number))
        lines.append(f"{number:>5} | {spec.text[start:end]}")
    return "".join(lines).removesuffix("\n")


def _units(spec: SpecText, structure: Structure, passage: Passage) -> Iterator[str]:
    """One entry a line in which claim-bearing units begin: of which block, and their lines."""
    by_line: dict[int, list[str]] = {}
    for unit in structure.units_in(passage.span):
        if not unit.claim_bearing:
            continue
        block = structure.blocks[unit.block]
        name = {"row": "row", "item": "item"}.get(block.kind, "sentence")
        end = "" if unit.lines[0] == unit.lines[1] else f" to {unit.lines[1]}"
        by_line.setdefault(unit.lines[0], []).append(f"{name}{end}")
    for line, names in sorted(by_line.items()):
        yield f"{line}: {', '.join(names)}"


def _claims(claims: Sequence[ShownClaim]) -> list[str]:
    return [
        f"- {_datum(one.ref)} {one.kind}, lines {one.lines[0]}-{one.lines[1]}: {_datum(one.quote)}" for one in claims
    ]


def _edges(edges: Sequence[ShownEdge]) -> list[str]:
    return [f"- {_datum(one.from_)} {one.kind} {_datum(one.to)}: {_datum(one.cue)}" for one in edges]


def _datum(text: str) -> str:
    """Text from outside on one line of ours."""
    return " ".join(text.split())
