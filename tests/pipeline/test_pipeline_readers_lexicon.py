"""The offline reader `lexicon`: kinds, quotes and edges by the words of a unit."""

from __future__ import annotations

import pytest

from pipeline.readers.lexicon import LexiconReader
from pipeline.readers.protocol import ReadRequest
from schemas.run import Run
from text.coordinates import of_text
from text.structure import structure


def _read(text: str) -> Run:
    spec = of_text(text, "spec.md")
    return LexiconReader().read(ReadRequest(spec, structure(spec), name="a", model="any"))


def _claims(text: str) -> list[tuple[str, str]]:
    return [(anchor.kind, anchor.quote) for anchor in _read(text).anchors]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The service answers with a short code.", "requirement"),
        ("A short code is exactly six characters long.", "constraint"),
        ("`POST /links` creates a link.", "interface"),
        ("The option `--all` selects every item.", "interface"),
        ("Whether guests may post is not decided yet.", "question"),
        ("Printed labels are not part of this release.", "exclusion"),
        ("Codes use base 32 rather than base 64.", "decision"),
        ("알림을 보낸다.", "requirement"),
        ("비밀번호는 여덟 자 이상", "constraint"),
        ("할인 여부는 아직 정하지 않았다.", "question"),
        ("결제는 이번 범위에 넣지 않는다.", "exclusion"),
        ("設定を保存する。", "requirement"),
        ("設定を保存しなければならない。", "requirement"),
        ("料金プランは未定である。", "question"),
        ("印刷機能は対象外とする。", "exclusion"),
        ("系统必须记录登录。", "requirement"),
        ("是否支持访客尚未决定。", "question"),
        ("打印不在本次范围内。", "exclusion"),
    ],
)
def test_a_sentence_has_the_first_kind_that_its_words_say(text: str, kind: str) -> None:
    assert _claims(text) == [(kind, text)]


@pytest.mark.parametrize(
    "text",
    [
        "The weather was fine.",
        "For example, the service answers 404.",
        "We could send a mail instead.",
        "The user clicks the button.",
        "사용자가 버튼을 누른다.",
        "예를 들어 알림을 보낸다.",
        "ユーザーはボタンを押す。",
        "用户点击按钮。",
    ],
)
def test_examples_history_guesses_and_what_users_do_are_no_claims(text: str) -> None:
    assert _claims(text) == []


def test_a_definition_quotes_the_word_only() -> None:
    assert _claims("# T\n\n## Terms\n\n- **short code**: six characters. At most one a link.\n") == [
        ("term", "short code"),
        ("constraint", "At most one a link."),
    ]
    assert _claims('"Owner" means the account that made the link.') == [("term", "Owner")]
    assert _claims("예약이란 환자 한 명의 기록이다.") == [("term", "예약")]
    assert _claims("# T\n\n## Glossary\n\n| Word | Meaning |\n|---|---|\n| owner | an account |\n") == [
        ("term", "owner")
    ]


def test_a_bold_label_outside_a_glossary_defines_nothing() -> None:
    assert [kind for kind, _ in _claims("# T\n\n## Design\n\n- **Speed**: the page must load fast.\n")] == [
        "requirement"
    ]


def test_a_list_is_claimed_with_the_lead_in_that_obliges() -> None:
    run = _read("# T\n\nThe report shall include:\n\n- Totals\n- Names\n\nColours.\n\n- Blue\n")
    assert [anchor.quote for anchor in run.anchors] == ["The report shall include:", "Totals", "Names"]
    assert [(edge.from_, edge.kind, edge.to, edge.cue.quote) for edge in run.edges] == [
        ("a2", "refines", "a1", "The report shall include:"),
        ("a3", "refines", "a1", "The report shall include:"),
    ]


def test_the_answers_of_a_scenario_are_claims_and_its_conditions_are_not() -> None:
    text = "# T\n\n- **GIVEN** the user must sign in\n- **WHEN** the code expires\n- **THEN** red\n- **AND** blue\n"
    assert [anchor.quote for anchor in _read(text).anchors] == ["**THEN** red", "**AND** blue"]


def test_what_waits_for_an_open_question_is_its_own_claim_in_one_sentence_or_the_next() -> None:
    one = _read("Whether guests pay is not decided yet; the guest page cannot ship before that.")
    assert [(anchor.kind, anchor.quote) for anchor in one.anchors] == [
        ("question", "Whether guests pay is not decided yet"),
        ("constraint", "the guest page cannot ship before that."),
    ]
    two = _read("보호자 알림은 아직 정하지 않았다. 검토가 끝나야 화면을 만들 수 있다.")
    for run, cue in ((one, "cannot ship before that"), (two, "끝나야")):
        assert [(edge.from_, edge.kind, edge.to, edge.cue.quote) for edge in run.edges] == [
            ("a2", "blocked_by", "a1", cue)
        ]


def test_a_decision_that_replaces_another_shows_it() -> None:
    run = _read(
        "# T\n\n## Decisions\n\n1. Links are stored in a table. This replaces the earlier decision to keep files.\n"
    )
    assert [anchor.kind for anchor in run.anchors] == ["decision", "decision"]
    assert [(edge.from_, edge.kind, edge.to) for edge in run.edges] == [("a1", "supersedes", "a2")]


def test_no_edge_is_drawn_across_blocks() -> None:
    assert _read("Whether guests pay is not decided yet.\n\nThe guest page cannot ship before that.").edges == ()


def test_lines_of_a_usage_text_are_interfaces() -> None:
    text = "# T\n\n## Commands\n\n```\nprog list    Shows everything\nprog add X   Adds one\nprog help    Text\n```\n"
    assert _claims(text) == [("interface", "prog list    Shows everything"), ("interface", "prog add X   Adds one")]


def test_a_modal_word_in_a_section_of_background_is_still_seen_and_plain_behaviour_is_not() -> None:
    text = "# T\n\n## Background\n\nThe old tool sends mails. Nobody must see the old data.\n\n## Use\n\nIt works.\n"
    assert [quote for _, quote in _claims(text)] == ["Nobody must see the old data."]
