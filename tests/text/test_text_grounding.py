"""Grounding: each quote has exactly one place, or a violation with a code, a path and what to do."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.kinds import AnchorKind
from schemas.reading import GroundedAnchor
from schemas.run import Cue, RunAnchor, RunEdge, Violation
from text.coordinates import SpecText, of_text
from text.grounding import Grounder, Reading, ground
from text.structure import structure

TEXT = """\
# Links

A code is **exactly six** characters. It’s short.
A target is a URL. A code is **exactly six** characters.

- No two links share a code.
- An owner creates links;
  at most 100 an hour.

| Figure | Shown to |
|--------|----------|
| Opens  | owner    |
| Clicks | owner    |

```
answer 200
answer 404
```

The code stands here once. A `GET` answers.
"""


def spec_of(text: str = TEXT) -> tuple[SpecText, Grounder]:
    spec = of_text(text, "spec.md")
    return spec, Grounder(spec, structure(spec))


def anchor(
    quote: str, lines: tuple[int, int], kind: AnchorKind = "requirement", ref: str = "a1", nth: int | None = None
) -> RunAnchor:
    return RunAnchor(ref=ref, kind=kind, quote=quote, lines=lines, nth=nth)


def reading(*anchors: RunAnchor, edges: tuple[RunEdge, ...] = (), text: str = TEXT) -> Reading:
    return ground(spec_of(text)[1], enumerate(anchors), enumerate(edges))


def one(quote: str, lines: tuple[int, int], **rest: Any) -> tuple[str, GroundedAnchor] | Violation:
    found = reading(anchor(quote, lines, **rest))
    if found.violations:
        assert not found.anchors
        return found.violations[0]
    spec, _ = spec_of()
    return spec.quoted(found.anchors[0].span), found.anchors[0]


def placed(quote: str, lines: tuple[int, int], **rest: Any) -> tuple[str, GroundedAnchor]:
    found = one(quote, lines, **rest)
    assert not isinstance(found, Violation), found
    return found


def refused(quote: str, lines: tuple[int, int], **rest: Any) -> Violation:
    found = one(quote, lines, **rest)
    assert isinstance(found, Violation), found
    assert found.ref == "a1" and found.path.startswith("anchors[0]") and found.message
    return found


def test_three_ways_to_look_in_their_order() -> None:
    assert placed("A code is **exactly six** characters.", (3, 3))[1].step == "exact"
    words, folded_one = placed("It's   short.", (3, 3))
    assert (words, folded_one.step) == ("It’s short.", "folded")
    words, stripped = placed("A code is exactly six characters.", (3, 3))
    assert (words, stripped.step) == ("A code is **exactly six** characters.", "markup")
    assert placed("A GET answers", (20, 20))[1].step == "markup"


def test_a_quote_over_a_hard_wrap_is_found_folded() -> None:
    words, found = placed("An owner creates links; at most 100 an hour.", (7, 8))
    assert words == "An owner creates links;\n  at most 100 an hour."
    assert (found.step, found.lines) == ("folded", (7, 8))


def test_the_cited_lines_come_before_the_rest_of_the_text() -> None:
    first, second = placed("A code is", (3, 3))[1], placed("A code is", (4, 4))[1]
    assert first.lines == (3, 3) and second.lines == (4, 4)
    assert not first.relocated and not second.relocated
    # a folded hit in the lines is taken before an exact hit elsewhere
    text = "one  two\n\none two\n"
    found = reading(anchor("one two", (1, 1)), text=text).anchors[0]
    assert (found.step, found.lines) == ("folded", (1, 1))


def test_several_hits_are_ambiguous_unless_nth_says_which() -> None:
    assert refused("A code is", (3, 4)).code == "quote-ambiguous"
    assert placed("A code is", (3, 4), nth=1)[1].lines == (3, 3)
    assert placed("A code is", (3, 4), nth=2)[1].lines == (4, 4)
    assert refused("A code is", (3, 4), nth=3).code == "quote-ambiguous"


def test_a_term_stands_where_it_is_introduced() -> None:
    assert placed("A code", (3, 4), kind="term")[1].lines == (3, 3)
    assert placed("A code", (3, 4), kind="term", nth=2)[1].lines == (4, 4)


def test_a_miscounted_line_is_forgiven_once_and_recorded() -> None:
    found = placed("The code stands here once.", (3, 3))[1]
    assert found.relocated and found.lines == (20, 20)
    assert refused("A code is", (20, 20)).code == "quote-ambiguous"
    assert refused("A code is", (20, 20), nth=1).code == "quote-ambiguous"
    assert refused("A code", (20, 20), kind="term").code == "quote-ambiguous"


@pytest.mark.parametrize(
    ("quote", "code"),
    [
        ("A code has exactly six characters.", "quote-not-found"),  # paraphrased
        ("A code is exactly seven characters.", "quote-not-found"),
        ("at most 1000 an hour", "quote-not-found"),  # a changed number
        ("Two links share a code", "quote-not-found"),  # a dropped negation
        ("a CODE is", "quote-not-found"),  # case is never folded
        ("share a code.\n- An owner", "quote-crosses-block"),  # two list items
        ("share a code. - An owner", "quote-crosses-block"),
        ("owner    |\n| Clicks", "quote-crosses-block"),  # two rows
        ("Links\n\nA code is", "quote-crosses-block"),  # a heading
        ("   \n", "blank-quote"),
        ("**", "quote-ambiguous"),
    ],
)
def test_what_is_wrong_with_a_quote_has_a_code_of_its_own(quote: str, code: str) -> None:
    assert refused(quote, (1, 20)).code == code


def test_cells_of_one_row_may_be_quoted_together_and_lines_of_one_fence() -> None:
    assert placed("Opens  | owner", (12, 12))[1].lines == (12, 12)
    assert placed("answer 200\nanswer 404", (16, 18))[0] == "answer 200\nanswer 404"


@pytest.mark.parametrize("lines", [(1, 21), (21, 21), (99, 100)])
def test_lines_outside_the_file_are_said_to_be(lines: tuple[int, int]) -> None:
    assert refused("A code is", lines).code == "lines-outside"


def edge(cue: str, lines: tuple[int, int], from_: str = "a1", to: str = "a2") -> RunEdge:
    return RunEdge(from_=from_, to=to, kind="requires", cue=Cue(quote=cue, lines=lines))


TWO = (anchor("A code is", (3, 3)), anchor("No two links share a code.", (6, 6), ref="a2"))


def test_a_cue_takes_its_first_hit_and_may_cross_blocks() -> None:
    spec, _ = spec_of()
    found = reading(*TWO, edges=(edge("A code is", (3, 4)), edge("share a code.\n- An owner", (6, 7))))
    assert not found.violations
    assert [spec.line_of(one.cue_span[0]) for one in found.edges] == [3, 6]
    assert [one.kind for one in found.edges] == ["requires", "requires"]


@pytest.mark.parametrize(
    ("cue", "lines", "code"),
    [
        ("nowhere here", (3, 3), "quote-not-found"),
        (" ", (3, 3), "blank-quote"),
        ("A code", (3, 99), "lines-outside"),
        ("A code is", (20, 20), "quote-ambiguous"),
    ],
)
def test_an_edge_without_its_words_is_left_out_and_reported(cue: str, lines: tuple[int, int], code: str) -> None:
    found = reading(*TWO, edges=(edge(cue, lines),))
    assert not found.edges and len(found.anchors) == 2
    assert [(one.code, one.path.partition(".")[0]) for one in found.violations] == [(code, "edges[0]")]


def test_an_edge_to_an_anchor_that_was_left_out_goes_with_it() -> None:
    found = reading(TWO[0], anchor("not there", (6, 6), ref="a2"), edges=(edge("A code is", (3, 3)),))
    assert not found.edges and [one.code for one in found.violations] == ["quote-not-found"]


def test_two_crossing_anchors_are_both_violations_and_nested_ones_are_not() -> None:
    crossing = reading(
        anchor("A target is a URL. A code", (4, 4), ref="a1"),
        anchor("A code is **exactly six** characters.", (4, 4), ref="a2"),
        anchor("No two links share a code.", (6, 6), ref="a3"),
    )
    assert [one.ref for one in crossing.anchors] == ["a3"]
    assert [(one.code, one.ref) for one in crossing.violations] == [("crossing", "a1"), ("crossing", "a2")]
    nested = reading(
        anchor("exactly six", (3, 3), ref="a1"), anchor("A code is **exactly six** characters.", (3, 3), ref="a2")
    )
    assert [one.ref for one in nested.anchors] == ["a2", "a1"] and not nested.violations


def test_crossing_and_coinciding_are_judged_on_cores() -> None:
    found = reading(
        anchor("No two links share a code.", (6, 6), ref="a1"), anchor("No two links share a code", (6, 6), ref="a2")
    )
    assert [one.ref for one in found.anchors] == ["a1"]
    assert [(one.code, one.ref) for one in found.violations] == [("duplicate-anchor", "a2")]


@pytest.mark.parametrize(
    ("kinds", "stays"),
    [
        (("requirement", "constraint"), "a2"),
        (("requirement", "interface"), "a2"),
        (("interface", "constraint"), "a2"),
        (("constraint", "interface"), "a1"),
        (("requirement", "requirement"), "a1"),
    ],
)
def test_of_one_class_with_one_core_the_first_of_constraint_interface_requirement_stays(
    kinds: tuple[AnchorKind, AnchorKind], stays: str
) -> None:
    found = reading(*(anchor("A code is", (3, 3), kind, ref) for kind, ref in zip(kinds, ("a1", "a2"), strict=True)))
    assert [one.ref for one in found.anchors] == [stays]
    assert [one.code for one in found.violations] == ["duplicate-anchor"]


def test_two_classes_may_say_the_same_words() -> None:
    found = reading(anchor("A code", (3, 3), "term", "a1"), anchor("A code", (3, 3), "constraint", "a2"))
    assert len(found.anchors) == 2 and not found.violations


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_quote_of_the_text_is_found_at_its_place_or_refused_with_a_code(data: st.DataObject) -> None:
    spec, grounder = spec_of()
    start = data.draw(st.integers(0, len(TEXT) - 2))
    end = data.draw(st.integers(start + 1, min(len(TEXT), start + 80)))
    found = ground(grounder, [(0, anchor(TEXT[start:end], spec.lines_of((start, end))))], [])
    if found.anchors:
        # the cited lines end before their line end: a quote that takes it along is found folded
        assert spec.quoted(found.anchors[0].span).strip() == TEXT[start:end].strip()
        assert found.anchors[0].step == "exact" or TEXT[end - 1] == "\n"
    else:
        assert found.violations[0].code in {"quote-ambiguous", "quote-crosses-block", "blank-quote", "quote-not-found"}
        if found.violations[0].code == "quote-not-found":
            assert TEXT[start:end].strip("*`_~ \n") == ""
