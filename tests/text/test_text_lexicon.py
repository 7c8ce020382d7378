"""The words of four languages: which text they take for what."""

from __future__ import annotations

import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.lexicon import LEXICONS, Lexicon, class_of_heading, lexicon_of, lexicon_of_document
from text.lexicon.base import Pattern, phrases, trie
from text.lexicon.en import EN
from text.lexicon.ja import JA
from text.lexicon.ko import KO
from text.lexicon.zh import ZH


@pytest.mark.parametrize(
    ("text", "document", "expected"),
    [
        ("The server must answer.", KO, EN),
        ("café must close", KO, EN),
        ("서버는 200을 반환한다.", EN, KO),
        ("設定を保存する。", EN, JA),
        ("系统必须返回错误。", EN, ZH),
        ("必須", JA, JA),
        ("必須", EN, ZH),
        ("", JA, EN),
    ],
)
def test_the_script_of_a_text_tells_its_language(text: str, document: Lexicon, expected: Lexicon) -> None:
    assert lexicon_of(text, document) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Spec\n\nThe service answers.", EN),
        ("# 명세\n\n서비스는 응답한다.", KO),
        ("# 仕様\n\nサービスは応答を返す。", JA),
        ("# 规格\n\n服务返回响应。", ZH),
        ("A spec with one word (예) of Korean. " + "More English follows here. " * 20, EN),
    ],
)
def test_the_language_of_a_document_is_that_of_its_letters(text: str, expected: Lexicon) -> None:
    assert lexicon_of_document(text) is expected


BINDING = {
    "en": [
        "It must stop.",
        "It MUST\n  NOT stop.",
        "They need to stop.",
        "It is required.",
        "It cannot stop.",
        "It never stops.",
    ],
    "ko": [
        "저장해야 한다.",
        "열 수 있어야 합니다.",
        "보내지 않는다.",
        "변경하면 안 된다.",
        "반드시 남긴다",
        "비밀번호 필수",
        "고칠 수 없다.",
    ],
    "ja": [
        "保存しなければならない。",
        "保存すること。",
        "変更してはならない。",
        "表示すべきである。",
        "入力は必須",
        "外部へ送らない。",
    ],
    "zh": ["系统必须返回。", "不得修改。", "系统应在三秒内响应。", "禁止访问。", "用戶應當確認。"],
}
NOT_BINDING = {
    "en": ["The mustard is here.", "A shallow copy.", "Wills and testaments."],
    "ko": ["예약은 기록이다.", "환자가 왔다."],
    "ja": ["これは記録である。", "サーバがある。"],
    "zh": ["这是响应内容。", "应用程序的对应关系", "反应堆"],
}


@pytest.mark.parametrize("lexicon", LEXICONS, ids=lambda lexicon: lexicon.code)
def test_binding_words_are_found_and_their_lookalikes_are_not(lexicon: Lexicon) -> None:
    assert [text for text in BINDING[lexicon.code] if not lexicon.binding.search(text)] == []
    assert [text for text in NOT_BINDING[lexicon.code] if lexicon.binding.search(text)] == []


@pytest.mark.parametrize(
    ("lexicon", "text", "expected"),
    [
        (EN, "The service answers `201`.", True),
        (EN, "A target is refused.", True),
        (EN, "If it is null, then return false.", True),
        (EN, "The weather in the city.", False),
        (KO, "알림을 보낸다.", True),
        (KO, "설정을 저장합니다.", True),
        (KO, "이것은 문서다.", False),
        (KO, "파일이 있다.", False),
        (KO, "어제 보냈다.", False),
        (KO, "보낸다고 말하는 사람", False),
        (JA, "結果を返す。", True),
        (JA, "結果を表示します。", True),
        (JA, "これは文書である。", False),
        (JA, "これは文書です。", False),
        (ZH, "系统返回错误。", True),
        (ZH, "这是一份文件。", False),
    ],
)
def test_plain_behaviour_is_told_from_what_merely_is(lexicon: Lexicon, text: str, expected: bool) -> None:
    assert bool(lexicon.behaviour.search(text)) is expected


@given(st.integers(0xAC00, 0xD7A3).map(chr))
def test_a_korean_plain_ending_is_a_verb_stem_with_n_and_nothing_else(syllable: str) -> None:
    assert KO.plain_ending is not None
    found = KO.plain_ending.search(f"결과를 {syllable}다.")
    assert bool(found) is ((ord(syllable) - 0xAC00) % 28 == 4)


@pytest.mark.parametrize(
    ("lexicon", "shape", "text"),
    [
        (EN, "When ..., the system shall ...", "When the link expires, the service shall answer 410."),
        (EN, "While ..., the system shall ...", "While the import runs the page must show progress."),
        (EN, "If ..., then the system shall ...", "If the code is unknown, then the service shall answer 404."),
        (EN, "Where ..., the system shall ...", "Where two factors are on, the service shall ask for a code."),
        (EN, "The system shall ...", "The service shall keep an audit log."),
        (KO, "…하면 …해야 한다", "링크가 만료되면 서비스는 410을 반환해야 한다."),
        (JA, "…場合、…しなければならない", "期限が切れた場合、サービスは410を返さなければならない。"),
        (ZH, "当…时，系统应…", "当链接过期时，系统应返回410。"),
    ],
)
def test_ears_shapes_have_names(lexicon: Lexicon, shape: str, text: str) -> None:
    assert shape in [name for name, pattern in lexicon.shapes if pattern.search(text)]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Requirements", "requirements"),
        ("3.1 Functional requirements", "requirements"),
        ("Requirement: the service answers", "requirements"),
        ("Out of scope", "exclusions"),
        ("2. Non-Goals", "exclusions"),
        ("Open questions", "questions"),
        ("Decisions", "decisions"),
        ("IV. Glossary", "terms"),
        ("Technical background", "background"),
        ("Alternatives to polling", "background"),
        ("Goals", "goals"),
        ("User journey", "scenario"),
        ("Managing users", None),
        ("Opening a link", None),
        ("6. 기능 요구사항", "requirements"),
        ("3. 비목표", "exclusions"),
        ("8. 범위 밖", "exclusions"),
        ("7. 미정", "questions"),
        ("6. 결정 사항", "decisions"),
        ("2. 용어", "terms"),
        ("문제 정의", "background"),
        ("목표 (Goal)", "goals"),
        ("機能要件", "requirements"),
        ("対象外", "exclusions"),
        ("未決事項", "questions"),
        ("用語集", "terms"),
        ("背景", "background"),
        ("功能需求", "requirements"),
        ("非目标", "exclusions"),
        ("术语表", "terms"),
        ("", None),
        ("x" * 100_000, None),
    ],
)
def test_a_heading_says_what_stands_under_it(title: str, expected: str | None) -> None:
    assert class_of_heading(title) == expected


WORDS = st.text("ab c-", min_size=1, max_size=6).map(str.strip).filter(bool)


@given(st.lists(WORDS, min_size=1, max_size=12), WORDS)
def test_a_trie_matches_exactly_the_listed_phrases(listed: list[str], other: str) -> None:
    pattern = re.compile(trie(listed))
    folded = {" ".join(word.split()) for word in listed}
    assert all(pattern.fullmatch(word) for word in folded if word in listed)
    assert bool(pattern.fullmatch(other)) is (" ".join(other.split()) in {" ".join(word.split()) for word in listed})


def test_a_phrase_stands_between_word_edges_and_over_line_ends() -> None:
    text, start, found = "It must\n  not, must, musty, MUST NOT", 0, []
    while match := phrases(["must not", "must"]).search(text, start):
        found.append(match.group())
        start = match.end()
    assert found == ["must\n  not", "must", "MUST NOT"]


@pytest.mark.parametrize("lexicon", LEXICONS, ids=lambda lexicon: lexicon.code)
def test_every_pattern_compiles(lexicon: Lexicon) -> None:
    """They are compiled when they are first searched: here every one is."""
    values = [getattr(lexicon, field.name) for field in dataclasses.fields(lexicon)]
    patterns = [one for one in values if isinstance(one, Pattern)]
    patterns += [*(shape for _, shape in lexicon.shapes), *lexicon.headings.values()]
    assert len(patterns) > 20
    for pattern in patterns:
        pattern.search("x")
