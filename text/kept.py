"""A structure as plain data, and back: what a cache keeps, so that a spec that did not change is not parsed again."""

from __future__ import annotations

import json
from itertools import chain
from typing import Any

from text.blocks import Block, Section, Unit
from text.coordinates import SpanT, SpecText
from text.structure import Structure


def to_plain(structure: Structure) -> dict[str, Any]:
    """Lists of numbers and words; `of_plain` makes an equal structure of them and the same spec."""
    return {
        "sections": [
            [section.titles, section.name, section.heading, section.level, *section.span]
            for section in structure.sections
        ],
        # One text: few commands ask for blocks, and text takes a tenth of the memory of lists.
        "blocks": json.dumps([_row(block) for block in structure.blocks]),
        "units": [[*unit.span, *unit.lines, unit.block, unit.claim_bearing] for unit in structure.units],
    }


def of_plain(spec: SpecText, data: dict[str, Any]) -> Structure:
    """The structure that `to_plain` was given. Its blocks are only made when somebody asks for them."""
    sections = tuple(
        Section(index, tuple(titles), name, heading, level, (start, end))
        for index, (titles, name, heading, level, start, end) in enumerate(data["sections"])
    )
    units = tuple(
        Unit(index, (start, end), (first, last), block, bears)
        for index, (start, end, first, last, block, bears) in enumerate(data["units"])
    )
    blocks: str = data["blocks"]
    return Structure(spec, lambda: _blocks(json.loads(blocks)), sections, units)


def _row(block: Block) -> list[Any]:
    return [
        block.kind,
        _flat(block.segments),
        *block.lines,
        block.parent,
        block.section,
        block.group,
        _flat(block.cells),
        block.head,
        block.level,
        block.hypertext,
    ]


def _blocks(rows: list[list[Any]]) -> tuple[Block, ...]:
    return tuple(
        Block(index, kind, _spans(segments), (first, last), parent, section, group, _spans(cells), head, level, html)
        for index, (kind, segments, first, last, parent, section, group, cells, head, level, html) in enumerate(rows)
    )


def _flat(spans: tuple[SpanT, ...]) -> list[int]:
    return list(chain.from_iterable(spans))


def _spans(flat: list[int]) -> tuple[SpanT, ...]:
    return tuple(zip(flat[::2], flat[1::2], strict=True))
