"""Where sentences end, in four languages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from text.sentences import sentences, trim


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text, [(0, len(text))])]


@pytest.mark.parametrize(
    "parts",
    [
        [
            "A link lives for 30 days.",
            "On day 29 it still redirects; from exactly 30 days on, `GET /{code}` answers `410`.",
        ],
        ["Is it open?", "Yes!", "2,000 events a second."],
        ["It ends here.", "`GET` starts here.", "(So does this.)", '"And this."', "[This](too.html)."],
        ["The port is 8.8.", "Version 1.10.0 is out.", "It was 2019.", "Then 2020."],
        ['He said "Stop."', "Then **it stopped.**", "**Bold** starts."],
        ["It is bold.**", "Next."],
        ["See the note.[^1]", "Next."],
        ["It waits…", "Then it goes."],
        ["What?!", "Really."],
        ["Ends in a newline.", "Next line."],
        ["§ 3 holds.", "§ 4 does not."],
        ["Emoji end it.", "🚀 Start."],
        ["Done (with brackets, etc.)", "Next."],
    ],
)
def test_english_sentences(parts: list[str]) -> None:
    assert cut(" ".join(parts)) == parts
    assert cut("\n".join(parts)) == parts


@pytest.mark.parametrize(
    "text",
    [
        "Use a format, e.g. JSON, for it.",
        "Names (i.e. Labels) are short.",
        "As in Fielding et al. RFC 2616 says so.",
        "See Fig. 3 and No. 5 of Sec. 2 there.",
        "Mr. Smith and Dr. J. R. Doe of the U.S. Senate agree.",
        "Latency vs. Throughput is approx. 5 to 1.",
        "1. Do this",
        "a. Do that",
        "Run `a. B` or `c! D` at once.",
        'Read [the page](http://x.y "A title. With a stop") first.',
        "One thing: The other.",
        "One thing; The other.",
        "It is 3.14 or v1.2.3 or example.com now.",
        "Press the . key or ... Or not.",
        "The node.js runtime and .NET work.",
        "he asked why? because.",
        'He said "Stop." and left.',
        "References follow here. [[COOKIES]].",
        "A comment <!-- one. Two. --> is inside.",
    ],
)
def test_what_does_not_end_a_sentence(text: str) -> None:
    assert cut(text) == [text]


@pytest.mark.parametrize(
    "parts",
    [
        ["알림은 발송 창 밖에서 절대 나가지 않는다.", "밀린 알림은 다음 창이 열릴 때 보낸다."],
        ["지금 하세요.", "언제 하오.", "정말입니까?", "네, 합니다!"],
        ["**발송 창**: 알림을 보내도 되는 시간대.", "오전 8시부터 오후 9시까지."],
        ["기본값은 3.5초다.", "runex가 정한다."],
        ["(괄호 안에서 끝난다.)", "다음 문장."],
    ],
)
def test_korean_sentences(parts: list[str]) -> None:
    assert cut(" ".join(parts)) == parts


def test_a_korean_stop_without_a_space_ends_nothing() -> None:
    assert cut("한다.그리고 끝난다.") == ["한다.그리고 끝난다."]
    assert cut("가. 첫째 항목") == ["가. 첫째 항목"]


@pytest.mark.parametrize(
    "parts",
    [
        ["環境変数は使わない。", "上書きは`--config`フラグ。", "次の文"],
        ["彼は「はい。」と答える。", "終わり。"],
        ["「一つ目。」", "「二つ目！」", "三つ目？！"],
        ["（注記。）", "本文。"],
        ["**太字である。**", "次。", "**次の太字**。"],
        ["系统必须记录日志。", "用户不得删除！", "为什么？"],
        ["値は`a。b`である。", "次。"],
    ],
)
def test_japanese_and_chinese_sentences_need_no_space(parts: list[str]) -> None:
    assert cut("".join(parts)) == parts
    assert cut(" ".join(parts)) == parts


def test_closing_marks_belong_to_the_sentence_before() -> None:
    assert cut("**It ends here.** Next.") == ["**It ends here.**", "Next."]
    assert cut("_It ends._ Next.") == ["_It ends._", "Next."]
    assert cut('"It ends." Next.') == ['"It ends."', "Next."]


def test_a_combining_mark_is_never_cut_off() -> None:
    assert cut("終わり。\u3099次。") == ["終わり。\u3099", "次。"]
    assert cut("だめ！\ufe0f次。") == ["だめ！\ufe0f", "次。"]
    assert cut("It ends.\u0301 Next.") == ["It ends.\u0301 Next."]


def test_a_break_ends_a_sentence_in_any_case() -> None:
    text = "one two three"
    assert sentences(text, [(0, 13)], breaks=[4, 4, 0, 99]) == [(0, 3), (4, 13)]


def test_each_span_is_cut_alone() -> None:
    text = "One. Two\n- nested\nthree. Four"
    assert [text[a:b] for a, b in sentences(text, [(0, 8), (18, 29)])] == ["One.", "Two", "three.", "Four"]


def test_trim_of_blank_text_is_empty() -> None:
    assert trim("a \n b", (1, 4)) == (1, 1)
    assert trim("a  b ", (1, 5)) == (3, 4)


_TEXT = st.lists(
    st.sampled_from(
        [*"aB1.!?。、」』「）(\"'`*_ \n\r\t\u3000~[]", "다", "요", "e.g.", "**", "\u0301", "\u200d", "\ufe0f", "…"]
    )
).map("".join)


@settings(max_examples=200, deadline=None)
@given(_TEXT)
def test_sentences_tile_the_text(text: str) -> None:
    found = sentences(text, [(0, len(text))])
    covered = "".join(text[start:end] for start, end in found)
    assert "".join(covered.split()) == "".join(text.split())
    assert found == sorted(found)
    for start, end in found:
        assert text[start:end] == text[start:end].strip() != ""
        if start:
            assert text[start] not in "\u0301\u200d\ufe0f" or found[0][0] == start
