"""Columns, quoted lines, drawings: what a terminal shows."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from isopod.face import Face
from isopod.render.columns import fit, table, wrap
from isopod.render.graph import dot, graphml, mermaid, text
from isopod.render.joined import violation_lines
from isopod.render.quotes import quote_lines
from schemas.outputs import CardItem, GraphEdge, GraphOutput
from schemas.run import Violation
from text.coordinates import of_text


def item(card_id: str, title: str) -> CardItem:
    return CardItem(
        id=card_id,
        waits_for=("STY-0000000B",) if card_id == "STY-0000000A" else (),
        kind="story",
        title=title,
        state="drafted",
        standing="ready",
        team="t",
        ready=True,
        file=f"cards/{card_id}.yaml",
    )


@given(st.text(), st.integers(10, 60))
@settings(max_examples=100)
def test_a_fitted_text_is_never_wider_than_its_column(words: str, width: int) -> None:
    assert cell_len(fit(words, width)) <= width


@given(
    st.lists(st.sampled_from(["link", "알림을", "보낸다.", "予約の通知を送る。", "a", "—"]), max_size=30),
    st.integers(24, 60),
)
@settings(max_examples=100)
def test_wrapped_lines_fit_and_lose_nothing(words: list[str], width: int) -> None:
    lines = list(wrap(" ".join(words), width, indent="  "))
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(words)


def test_korean_is_wrapped_between_words_and_japanese_anywhere() -> None:
    assert list(wrap("예약 전날 오후 6시에 알림을", 16)) == ["예약 전날 오후", "6시에 알림을"]
    assert list(wrap("予約の通知を送る。終わり", 10)) == ["予約の通知", "を送る。終", "わり"]


def test_columns_line_up_with_wide_characters() -> None:
    lines = list(table([("예약", "one"), ("abcdef", "two")], 40))
    assert [cell_len(line[: line.index(word)]) for line, word in zip(lines, ("one", "two"), strict=True)] == [8, 8]


def test_the_carets_stand_under_the_words_also_when_they_are_wide() -> None:
    spec = of_text("# 제목\n- 알림을 보낸다. 끝\n", "a.md")
    start = spec.text.index("알림을")
    [line, carets] = quote_lines(spec, (start, start + 3), 80)
    assert line == "  2 | - 알림을 보낸다. 끝"
    assert cell_len(line[: line.index("알림을")]) == carets.index("^")
    assert carets.count("^") == 6


def test_a_span_over_two_lines_and_a_tab_has_carets_on_both() -> None:
    spec = of_text("a\tone two\nthree four\n", "a.md")
    assert list(quote_lines(spec, (6, 15), 80)) == [
        "  1 | a\\tone two",
        "    |        ^^^",
        "  2 | three four",
        "    | ^^^^^",
    ]


def test_a_long_line_is_folded_around_its_span() -> None:
    spec = of_text("x" * 500 + "HERE" + "y" * 500, "a.md")
    lines = list(quote_lines(spec, (500, 504), 60))
    assert max(map(cell_len, lines)) <= 60
    assert "HERE" in "".join(lines).replace("^", "").replace("    | ", "").replace(" ", "")
    assert sum(line.count("^") for line in lines) == 4
    assert len(lines) <= 4


_EVIL = 'a "b" <c> & #d; `e` \\f \x1b[31m\u202e ]] }} --> %% |'


def _graph() -> GraphOutput:
    return GraphOutput(
        nodes=(item("STY-0000000A", _EVIL), item("STY-0000000B", "end")),
        edges=(GraphEdge(kind="waits_for", from_="STY-0000000A", to="STY-0000000B", label=_EVIL),),
    )


def test_a_mermaid_label_cannot_end_itself() -> None:
    lines = list(mermaid(_graph(), 80))
    label = re.fullmatch(r'  n0\["(.*)"\]', lines[1])
    assert label is not None and not set('"<>`\\') & set(label[1])
    assert "  n0 --> n1" in lines


def test_a_dot_label_cannot_end_itself() -> None:
    line = next(line for line in dot(_graph(), 80) if "label=" in line)
    label = re.search(r'label="((?:[^"\\]|\\.)*)"', line)
    assert label is not None and '\\"b\\"' in label[1]
    assert line.endswith("];") and "\x1b" not in line


def test_graphml_is_xml_that_holds_the_titles() -> None:
    root = ElementTree.fromstring("\n".join(graphml(_graph(), 80)))
    values = [element.text for element in root.iter("{http://graphml.graphdrawing.org/xmlns}data")]
    assert _EVIL.replace("\x1b", "\\e").replace("\u202e", "\\u202e") in values


def test_the_text_drawing_names_what_each_card_waits_for() -> None:
    lines = list(text(_graph(), 200))
    assert lines[1].startswith("  waits for STY-0000000B  end")
    assert not any("\x1b" in line for line in lines)


def test_of_many_violations_some_of_each_kind_are_shown_in_natural_order() -> None:
    many = [Violation(code="quote-not-found", path=f"anchors[{number}].quote", message="m") for number in range(24_000)]
    one = Violation(code="unknown-kind", path="anchors[30].kind", message="m")
    title, counts, *shown, rest = list(violation_lines((*sorted(many, key=lambda v: v.path), one), "Left out", Face()))[
        1:
    ]
    assert title == "Left out (24001)"
    assert counts == "  quote-not-found 24000, unknown-kind 1"
    assert [line.split()[0] for line in shown] == [
        *(f"anchors[{number}].quote:" for number in range(9)),
        "anchors[30].kind:",
    ]
    assert rest == "  and 23991 more (--format json lists all)"
