"""Korean endings, when the analyser of the extra `ko` is installed."""

from __future__ import annotations

import pytest

from text.lexicon.endings import available, endings

pytest.importorskip("kiwipiepy", reason="kiwipiepy (the extra `ko`) is not installed")


def test_an_installed_analyser_is_seen() -> None:
    assert available()


def test_statements_are_told_from_the_past_and_from_talk() -> None:
    sentences = ["알림을 보낸다.", "파일을 열 수 있다.", "저장 공간이 부족했다.", "왜 이렇게 느릴까?", "알림 발송", ""]
    assert endings(sentences) == ["statement", "statement", "past", "address", "none", "none"]


def test_no_sentences_need_no_analyser() -> None:
    assert endings([]) == []
