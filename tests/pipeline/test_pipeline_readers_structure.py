"""The offline reader `structure`: kinds, quotes and edges by where a block stands."""

from __future__ import annotations

import pytest

from pipeline.readers.protocol import ReadRequest
from pipeline.readers.structure import StructureReader
from schemas.run import Run
from text.coordinates import of_text
from text.structure import structure


def _read(text: str, path: str = "spec.md") -> Run:
    spec = of_text(text, path)
    return StructureReader().read(ReadRequest(spec, structure(spec), name="b", model="any"))


def _claims(text: str) -> list[tuple[str, str]]:
    return [(anchor.kind, anchor.quote) for anchor in _read(text).anchors]


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Requirements", "requirement"),
        ("Opening a link", "requirement"),
        ("Decisions", "decision"),
        ("Open questions", "question"),
        ("Out of scope", "exclusion"),
        ("기능 요구사항", "requirement"),
        ("결정 사항", "decision"),
        ("미정", "question"),
        ("비목표", "exclusion"),
        ("機能要件", "requirement"),
        ("決定事項", "decision"),
        ("対象外", "exclusion"),
        ("功能需求", "requirement"),
        ("决策", "decision"),
        ("待定", "question"),
        ("非目标", "exclusion"),
    ],
)
def test_an_item_has_the_kind_of_its_heading(heading: str, kind: str) -> None:
    assert _claims(f"# T\n\n## {heading}\n\n- Green tea\n\n## Last\n") == [(kind, "Green tea")]


@pytest.mark.parametrize(
    "heading", ["Background", "Motivation", "User stories", "배경", "사용자 스토리", "背景", "目的"]
)
def test_background_claims_nothing(heading: str) -> None:
    assert _claims(f"# T\n\n## {heading}\n\n- It must be green\n\nIt must be blue.\n") == []


def test_what_stands_under_the_title_says_what_the_document_is() -> None:
    text = "# T\n\nGrowth owns this and must keep it.\n\n## Use\n\nIt works.\n\n## More\n\nIt sings.\n"
    assert [quote for _, quote in _claims(text)] == ["It works.", "It sings."]


def test_a_row_is_one_claim_and_a_row_of_properties_is_none() -> None:
    table = "| Figure | Fresh |\n|---|---|\n| Opens | 15 minutes |\n| **Priority** | P0 |\n| **Group** | |\n"
    text = f"# T\n\n## Rules\n\n{table}"
    assert _claims(text) == [("constraint", "Opens | 15 minutes")]


def test_a_definition_quotes_the_word_and_what_follows_bounds_it() -> None:
    words = "- **send window**: when we may send. From 8 to 21.\n- `code` - six characters\n- owner: an account\n"
    text = f"# T\n\n## Terms\n\n{words}"
    assert _claims(text) == [
        ("term", "send window"),
        ("constraint", "From 8 to 21."),
        ("term", "code"),
        ("term", "owner"),
    ]


def test_the_first_sentence_of_an_item_decides_and_what_follows_a_question_is_a_claim() -> None:
    assert _claims("# T\n\n## Decisions\n\n- We use tea. Coffee is bitter.\n") == [("decision", "We use tea.")]
    assert [kind for kind, _ in _claims("# T\n\n## Open questions\n\nTea or milk? The cup waits.\n")] == [
        "question",
        "requirement",
    ]


def test_the_first_step_of_a_flow_is_the_users() -> None:
    text = "# T\n\n## User flow\n\n1. The user knocks\n2. The door opens\n3. A light burns\n"
    assert [quote for _, quote in _claims(text)] == ["The door opens", "A light burns"]


def test_a_lead_in_with_a_list_inside_it_is_a_claim_that_its_items_refine() -> None:
    run = _read("# T\n\n## Rules\n\n- Print the list, with guidance:\n  - Red\n  - Blue\n\nIt reads so:\n\n- Green\n")
    assert [anchor.quote for anchor in run.anchors] == ["Print the list, with guidance:", "Red", "Blue", "Green"]
    assert [(edge.from_, edge.kind, edge.to, edge.cue.quote) for edge in run.edges] == [
        ("a2", "refines", "a1", "with guidance:"),
        ("a3", "refines", "a1", "with guidance:"),
    ]


@pytest.mark.parametrize(
    "text", ["- [a link](https://a.example)", "**Step 2: compare**", "Is it green?", "- **WHEN** it rains\n"]
)
def test_links_bold_lines_questions_and_conditions_claim_nothing(text: str) -> None:
    assert _claims(f"# T\n\n## Rules\n\n{text}\n") == []


def test_an_overview_claims_where_it_is_exact() -> None:
    text = "# T\n\n## Overview\n\nThe tool is nice. It runs `tool.app` alone.\n"
    assert [quote for _, quote in _claims(text)] == ["It runs `tool.app` alone."]


def test_text_in_tags_counts_where_it_is_an_item_or_exact() -> None:
    text = "<p>Prose is long.\n\n<ol>\n<li>Open the gate.\n<li><p>Close it.\n</ol>\n\n<p>Set <code>x</code> here.\n"
    assert [quote for _, quote in _claims(text)] == ["Open the gate.", "Close it.", "Set <code>x</code> here."]


def test_plain_text_has_items_too() -> None:
    run = _read("Rules\n=====\n\n- Green tea\n- Black tea\n", "spec.rst")
    assert [anchor.quote for anchor in run.anchors] == ["Green tea", "Black tea"]
