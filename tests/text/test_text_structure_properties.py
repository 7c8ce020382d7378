"""Whatever the text, its structure is whole: nothing raises, nothing overlaps, nothing is left out."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from text.coordinates import SpecText, of_text
from text.display import display, line_unit
from text.marks import code_spans
from text.structure import Structure, structure

_PIECE_TABLE = r"""
- ;* ;+ ;1. ;2) ;10. ;(a) ;o   ;> ;>;    ;  ;# ;## ;### ;#;=====;-----;---;***;```;~~~;``` py;`;``;**;__;*;_;~~
|;||;| a | b |;|---|---|;| c \| d | e |;a|b;:--|;\|;+--+--+;==== ====;[x]: http://u.v;[^1]: ;[^1];[a](b (c) d);![i](j)
<p>;</p>;<li>;<b>;</b>;<!-- ;-->;<pre>;</pre>;<h2>;</h2>;<br>;<item-name>;<a b="c>d">;.. note:: ;.. code:: py;::;>>> f()
MUST;foo;bar.;Foo. Bar;e.g. ;i.e. X;etc. ;1.2.3;No. 5;U.S. ;Mr. X;? ;! ;...;…;https://a.b/c?d=e. ;a:;4.2 Title;[Page 3]
한다. ;한다.;요. 다음;가. ;。;「はい。」;と;！？;（例。）;次の文;k: v;....... 7;&lt;;\`;\**
"""
_ODD = [
    "\t",
    "\u0301",
    "\ufe0f",
    "\u200d",
    "\u200b",
    "\xa0",
    "\u3000",
    "\u2028",
    "\x0c",
    "\x85",
    "\x1c",
    "\r",
    "\0",
    ";",
]
_PIECES = st.sampled_from([*_PIECE_TABLE.strip("\n").replace("\n", ";").split(";"), *_ODD, "👩\u200d👩"])
_LINES = st.lists(_PIECES, max_size=6).map("".join)
_TEXTS = st.lists(_LINES, max_size=14).map("\n".join)
_PATHS = st.sampled_from(["spec.md", "spec.txt", "spec.rst", "spec.bs"])


def _whole(spec: SpecText, found: Structure) -> None:
    text = spec.text
    segments = sorted(segment for block in found.blocks for segment in block.segments)
    assert all(0 <= start < end <= len(text) for start, end in segments)
    assert all(left[1] <= right[0] for left, right in pairwise(segments))
    assert all(text[start:end].strip() == text[start:end] for start, end in segments)
    assert [block.index for block in found.blocks] == list(range(len(found.blocks)))
    assert [block.segments[0] for block in found.blocks] == sorted(block.segments[0] for block in found.blocks)
    spans = [unit.span for unit in found.units]
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    for unit in found.units:
        start, end = unit.span
        assert start < end
        assert text[start:end].strip() == text[start:end]
        assert unit.lines == (text.count("\n", 0, start) + 1, text.count("\n", 0, end - 1) + 1)
        holders = [
            segment for segment in found.blocks[unit.block].segments if segment[0] <= start and end <= segment[1]
        ]
        assert len(holders) == 1
    assert found.sections[-1].span[1] == len(text)
    assert not text[: found.sections[0].span[0]].strip()
    assert all(left.span[1] == right.span[0] for left, right in pairwise(found.sections))
    assert len({section.name for section in found.sections}) == len(found.sections)


def _nothing_left_out(spec: SpecText, found: Structure) -> None:
    """Every character of a paragraph, item, heading or fence is in one unit; only the marks of quotes are not."""
    for block in found.blocks:
        if block.kind in ("html", "row", "table_head"):
            continue
        for start, end in block.segments:
            rest = list(spec.text[start:end])
            for unit in found.units_of(block.index):
                for place in range(max(unit.span[0], start), min(unit.span[1], end)):
                    rest[place - start] = " "
            assert not "".join(rest).replace(">", " ").strip()


@settings(max_examples=200, deadline=None)
@given(_TEXTS, _PATHS)
def test_any_text_is_cut_whole(text: str, path: str) -> None:
    spec = of_text(text, path)
    found = structure(spec)
    _whole(spec, found)
    _nothing_left_out(spec, found)


@settings(max_examples=100, deadline=None)
@given(_TEXTS, _PATHS, st.data())
def test_lookups_agree_with_a_plain_search(text: str, path: str, data: st.DataObject) -> None:
    spec = of_text(text, path)
    found = structure(spec)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    at = [block for block in found.blocks if any(one[0] <= start < one[1] for one in block.segments)]
    assert [found.block_at(start)] == (at or [None])
    shared = [block for block in found.blocks if any(max(one[0], start) < min(one[1], end) for one in block.segments)]
    assert found.blocks_in((start, end)) == shared
    units = [unit for unit in found.units if max(unit.span[0], start) < min(unit.span[1], end)]
    assert found.units_in((start, end)) == units
    held = [unit for unit in found.units if unit.span[0] <= start < unit.span[1]]
    assert [found.unit_at(start)] == (held or [None])
    assert start >= found.section_at(start).span[0] or not text[:start].strip()


@settings(max_examples=150, deadline=None)
@given(_TEXTS, _PATHS, st.data())
def test_display_is_one_line_without_bars(text: str, path: str, data: st.DataObject) -> None:
    spec = of_text(text, path)
    found = structure(spec)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    line = line_unit(found, min(start, max(len(text) - 1, 0)))
    for span in ((start, end), line.span, *(unit.span for unit in found.units)):
        shown = display(spec, found, span)
        assert "\n" not in shown
        assert "|" not in shown
        outside = list(shown)
        for one in code_spans(shown, (0, len(shown))):
            outside[one.start : one.end] = " " * (one.end - one.start)
        assert "`" not in outside, "half a code mark"
        assert shown == " ".join(shown.split())
        assert bool(shown) == bool(spec.quoted(span).strip())


@settings(max_examples=100, deadline=None)
@given(_TEXTS, _PATHS)
def test_crlf_changes_only_the_line_ends(text: str, path: str) -> None:
    text = text.replace("\r", "")
    plain, windows = of_text(text, path), of_text(text.replace("\n", "\r\n"), path)

    def seen(spec: SpecText) -> list[tuple[object, ...]]:
        found = structure(spec)
        return [
            (
                unit.lines,
                found.blocks[unit.block].kind,
                unit.claim_bearing,
                spec.quoted(unit.span).replace("\r\n", "\n"),
            )
            for unit in found.units
        ] + [(section.name, section.level) for section in found.sections]

    assert seen(plain) == seen(windows)


_MARKDOWN_LEADS = st.sampled_from(
    ["", "- ", "  - ", "1. ", "> ", "> - ", "- > ", "## ", "    ", "\t", "| ", "-\t", "<p>", "\xa0"]
)
_PLAIN_LEADS = st.sampled_from(
    ["", "- ", "   ", "      o  ", "   (a) ", "3. ", "\x0c", "a.  ", "\t", "text\x0c", "4.2 "]
)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(["spec.md", "spec.txt"]))
def test_every_word_stands_in_a_block(data: st.DataObject, path: str) -> None:
    leads = data.draw(st.lists(_MARKDOWN_LEADS if path == "spec.md" else _PLAIN_LEADS, max_size=12))
    gaps = data.draw(st.lists(st.sampled_from(["\n", "\n\n", "\n \n"]), min_size=len(leads), max_size=len(leads)))
    text = "".join(f"{lead}word{number} more{gap}" for number, (lead, gap) in enumerate(zip(leads, gaps, strict=True)))
    found = structure(of_text(text, path))
    for number in range(len(leads)):
        block = found.block_at(text.index(f"word{number} "))
        assert block is not None, f"word{number}"
        assert found.block_at(text.index(f"word{number} ") + 6) == block


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["-", "*", "1.", "2)", "+"])), min_size=1, max_size=12))
def test_an_items_text_never_starts_with_its_mark(marks: list[tuple[int, str]]) -> None:
    text = "".join(f"{'    ' * depth}{mark} word{n}\n" for n, (depth, mark) in enumerate(marks))
    found = structure(of_text(text, "spec.md"))
    for block in found.blocks:
        if block.kind == "item":
            assert text[slice(*block.segments[0])].startswith("word")


@pytest.mark.parametrize("path", ["spec.md", "spec.txt", "spec.rst"])
@pytest.mark.parametrize("text", ["", "\n", " \n\t\n", "\r", "\r\n", "\f\n", "---", "#", "- ", "|", "```"])
def test_next_to_nothing_has_one_nameless_section(text: str, path: str) -> None:
    found = structure(of_text(text, path))
    assert [section.name for section in found.sections] == [""]
