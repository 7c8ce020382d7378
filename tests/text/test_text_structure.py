"""Blocks, sections and groups of the four kinds of text."""

from __future__ import annotations

from text.blocks import Block
from text.coordinates import of_text
from text.structure import Structure, structure


def parse(text: str, path: str = "spec.md") -> Structure:
    return structure(of_text(text, path))


def words(found: Structure, block: Block) -> list[str]:
    return [found.spec.quoted(segment) for segment in block.segments]


def kinds(found: Structure) -> list[tuple[str, str]]:
    return [(block.kind, " / ".join(words(found, block))) for block in found.blocks]


def claims(found: Structure) -> list[str]:
    return [found.spec.quoted(unit.span) for unit in found.units if unit.claim_bearing]


def test_an_items_own_text_leaves_out_its_nested_list() -> None:
    found = parse("- one\n  wrapped\n\n  more\n\n  - nested\n\n  after\n- two\n")
    assert kinds(found) == [("item", "one\n  wrapped / more / after"), ("item", "nested"), ("item", "two")]
    assert [block.parent for block in found.blocks] == [None, 0, None]
    assert found.blocks[0].lines == (1, 8)
    assert found.outermost(1) is found.blocks[0]
    assert [found.spec.quoted(unit.span) for unit in found.units] == [
        "one\n  wrapped",
        "more",
        "nested",
        "after",
        "two",
    ]
    assert [unit.block for unit in found.units] == [0, 0, 1, 0, 2]


def test_an_item_without_text_of_its_own_is_no_parent() -> None:
    found = parse("- outer\n  - - inner\n")
    assert kinds(found) == [("item", "outer"), ("item", "inner")]
    assert found.blocks[1].parent == 0


def test_quotes_fences_and_tables_inside_an_item_are_blocks_of_their_own() -> None:
    found = parse("- item\n\n  > quoted\n  > on\n\n  ```\n  code\n  ```\n\n  | a | b |\n  |---|---|\n  | c | d |\n")
    assert kinds(found) == [
        ("item", "item"),
        ("paragraph", "quoted\n  > on"),
        ("fence", "code"),
        ("table_head", "a | b"),
        ("row", "c | d"),
    ]
    assert [block.parent for block in found.blocks] == [None, 0, 0, 0, 0]
    assert len({block.group for block in found.blocks}) == 1


def test_rows_know_their_cells_and_their_head() -> None:
    found = parse("> | a | b \\| c |\n> |---|---|\n> |  | x | y |\n> | | |\n")
    head, row = found.blocks
    assert (head.kind, row.kind, row.head) == ("table_head", "row", 0)
    assert [found.spec.quoted(cell) for cell in head.cells] == ["a", "b \\| c"]
    assert [found.spec.quoted(cell) for cell in row.cells] == ["", "x", "y"]
    assert [unit.claim_bearing for unit in found.units] == [False, True]


def test_sections_are_heading_paths_with_ordinals() -> None:
    found = parse("before\n\n# A\n\n## N\n\n## N\n\nB\n=\n\n## N #2 ##\n\n# `x` [y](z) **w** &amp; <a name='q'></a>v\n")
    assert [section.name for section in found.sections] == ["", "A", "A > N", "A > N #2", "B", "B > N #2", "x y w & v"]
    assert [section.level for section in found.sections] == [0, 1, 2, 2, 1, 2, 1]
    assert [section.heading for section in found.sections] == [None, 1, 2, 3, 4, 5, 6]
    assert found.section_at(0).name == ""
    assert found.section_at(found.spec.text.index("=")).name == "B"
    assert found.spec.quoted(found.sections[4].span) == "B\n=\n\n"


def test_a_title_that_looks_like_an_ordinal_keeps_names_apart() -> None:
    assert [section.name for section in parse("# N #2\n\n# N\n\n# N\n").sections] == ["N #2", "N", "N #3"]


def test_headings_in_items_and_quotes_open_no_section() -> None:
    found = parse("# A\n\n- # in an item\n\n> # in a quote\n\ntext\n")
    assert [section.name for section in found.sections] == ["A"]
    assert [block.kind for block in found.blocks] == ["heading", "heading", "heading", "paragraph"]
    assert [block.section for block in found.blocks] == [0, 0, 0, 0]


def test_lists_and_tables_belong_to_the_paragraph_before_them() -> None:
    found = parse(
        "# A\n\n- list\n- list\n\n```\nfence\n```\n\np1\n\n- l1\n\n| a |\n|---|\n| b |\n\np2\n\n> q\n\n# B\n\n- l2\n"
    )
    groups = [(found.spec.quoted(block.span), block.group) for block in found.blocks]
    numbers = [group for _, group in groups]
    assert numbers == [0, 1, 1, 2, 3, 3, 3, 3, 4, 5, 6, 7], groups


def test_front_matter_bears_no_claims_and_two_rules_are_none() -> None:
    found = parse("---\ntitle: must be short\n---\nText.\n")
    assert kinds(found) == [("front_matter", "title: must be short"), ("paragraph", "Text.")]
    assert claims(found) == ["Text."]
    assert claims(parse("---\n\nThe service must answer.\n\n---\n")) == ["The service must answer."]


def test_what_is_markup_only_bears_no_claim() -> None:
    text = "![logo](x.png)\n\n<a name='x'></a>\n\n- [Types](#types)\n\n<!-- must not count. -->\n\n[x]: http://y.z\n\n***\n"
    assert claims(parse(text)) == []


def test_an_html_block_is_cut_at_block_tags() -> None:
    text = (
        "<h2 id=a>`<code>Set</code>` header</h2>\n\n<ol>\n <li><p>If <var>x</var> is null, then <code>return</code>.\n"
        ' Else. <b>Go on.</b>\n <li>Two\n <td title="a>b">Cell<br>Line\n</ol>\n'
        "<pre>\nmust not\n</pre>\n<!-- must\nnot -->\n"
    )
    found = parse(text, "spec.bs")
    assert claims(found) == [
        "If <var>x</var> is null, then <code>return</code>.",
        "Else.",
        "<b>Go on.</b>",
        "Two",
        "Cell",
        "Line",
    ]
    assert [section.name for section in found.sections] == ["Set header"]
    assert found.spec.quoted(found.blocks[0].span) == "`<code>Set</code>` header"


def test_line_ends_are_newlines_only() -> None:
    found = parse("a\rb\x0bc\u2028d\x85e\n\nsecond\0.\n")
    assert kinds(found) == [("paragraph", "a\rb\x0bc\u2028d\x85e"), ("paragraph", "second\0.")]
    assert [unit.lines for unit in found.units] == [(1, 1), (3, 3)]


_RFC = """


Network Group                                            R. Author
Request: 1                                               UC

Status of this Memo

   This memo is informational. It
   wraps. See also:

   -  one item
      that wraps

      o  nested

   -  two

Author, et al.              Standards Track                     [Page 1]
\f
RFC 1                        HTTP                       June 1999

   1   Introduction ....................................1
   1.1 Purpose .........................................1

1 Introduction

   The server MUST answer.

1.1 Purpose

   (a) first
   (b) second
"""


def test_an_rfc_has_sections_items_and_no_page_furniture() -> None:
    found = parse(_RFC, "rfc1.txt")
    assert [section.name for section in found.sections] == [
        "",
        "Status of this Memo",
        "1 Introduction",
        "1 Introduction > 1.1 Purpose",
    ]
    assert claims(found) == [
        "This memo is informational.",
        "It\n   wraps.",
        "See also:",
        "one item\n      that wraps",
        "nested",
        "two",
        "The server MUST answer.",
        "first",
        "second",
    ]
    items = [block for block in found.blocks if block.kind == "item"]
    assert [block.parent for block in items] == [None, items[0].index, None, None, None]
    assert len({block.group for block in items[:3]}) == 1
    assert found.block_at(_RFC.index("[Page 1]")) is None
    assert found.block_at(_RFC.index("RFC 1 ")) is None


def test_text_before_a_form_feed_on_its_line_is_kept() -> None:
    assert claims(parse("It must.\fIt shall.\n", "a.txt")) == ["It must.", "It shall."]


_RST = """PEP: 1
Title: T
Author: must not count

=====
Title
=====

Text with ``code. Here``. Then an example::

    literal must
    not

Sub `x`
-------

1. first
   wraps

   more
2. second

.. note::

   A note must count.

.. code-block:: py

   must = 1

.. _target: http://x.y

+---+---+
| a | b |
+---+---+

====  ====
 a     b
====  ====
 c     d
====  ====

Other
=====
* star
"""


def test_restructured_text() -> None:
    found = parse(_RST, "pep-1.rst")
    assert [section.name for section in found.sections] == ["", "Title", "Title > Sub x", "Title > Sub x > Other"]
    assert claims(found) == [
        "Text with ``code. Here``.",
        "Then an example::",
        "first\n   wraps",
        "more",
        "second",
        "A note must count.",
        "star",
    ]
    assert [block.kind for block in found.blocks].count("fence") == 5
    assert found.blocks[0].kind == "front_matter"
