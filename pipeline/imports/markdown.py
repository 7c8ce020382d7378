"""The text of an item as lines and steps: other tools keep them as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pipeline.imports.protocol import ForeignTask

_HEADING: Final = re.compile(r"^## +(.*?)[ #]*$")
_FENCE: Final = re.compile(r"^ {0,3}(```|~~~)")
_MARKER: Final = re.compile(r"^\s*<!--.*-->\s*$")
_ITEM: Final = re.compile(r"^(?:[-*+]|[0-9]{1,4}[.)])[ \t]+(?P<rest>.*)$")
_BOX: Final = re.compile(r"^\[(?P<tick>[ xX])\][ \t]+")
_NUMBER: Final = re.compile(r"^#[0-9]+[ \t]+")


@dataclass(frozen=True, slots=True)
class Part:
    """A heading of the second level, empty for what stands before the first, and its text."""

    heading: str
    text: str


def parts(body: str) -> tuple[Part, ...]:
    """A body cut at its headings of the second level, those in code fences not counted; lines that are only a comment are left out."""
    found: list[tuple[str, list[str]]] = [("", [])]
    fence: str | None = None
    for line in body.split("\n"):
        mark = _FENCE.match(line)
        if mark and fence in (None, mark[1]):
            fence = None if fence else mark[1]
        heading = None if fence or mark else _HEADING.match(line)
        if heading:
            found.append((heading[1], []))
        elif fence or not _MARKER.match(line):
            found[-1][1].append(line)
    return tuple(Part(heading, "\n".join(lines).strip("\n")) for heading, lines in found)


def steps(text: str) -> tuple[ForeignTask, ...]:
    """The items of a list and the paragraphs around it, each on one line with what is indented below it, ticked or not."""
    return tuple(_step(block) for block in _blocks(text.split("\n")) if block)


def lines(text: str) -> tuple[str, ...]:
    """`steps` as they read, whether ticked or not."""
    return tuple(step.text for step in steps(text))


def _blocks(rows: list[str]) -> Iterator[str]:
    """An item begins a block, and so does a row after a blank one that is not indented."""
    block: list[str] = []
    after_blank = False
    for row in rows:
        item = _ITEM.match(row)
        if item or (after_blank and row.strip() and not row.startswith((" ", "\t"))):
            yield _one_line(" ".join(block))
            block = []
        block.append(item["rest"] if item else row)
        after_blank = not row.strip()
    yield _one_line(" ".join(block))


def _step(item: str) -> ForeignTask:
    box = _BOX.match(item)
    text = _NUMBER.sub("", item[box.end() :] if box else item)
    return ForeignTask(text, done=bool(box) and item[1] in "xX")


def _one_line(text: str) -> str:
    return " ".join(text.split())
