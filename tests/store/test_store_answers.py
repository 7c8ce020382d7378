"""Kept answers: what is broken is said with the way out, all of it at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.call import Answer
from schemas.errors import ManyErrors, OutsideError, RefusedError
from store.answers import AnswerShelf


def answer(request: str) -> Answer:
    return Answer(
        request=request, reader="a", provider="openai", model="m", purpose="read", stop="stop", content="{}", usage=None
    )


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AnswerShelf:
    monkeypatch.chdir(tmp_path)
    shelf = AnswerShelf(home=tmp_path / "kept here", state=tmp_path)
    for digit in "123":
        shelf.put(answer(digit * 64))
    return shelf


def file_of(shelf: AnswerShelf, digit: str) -> Path:
    assert shelf.home is not None
    return shelf.home / f"{digit * 64}.json"


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"{}", b"[1]"])
def test_a_broken_answer_names_the_way_out(shelf: AnswerShelf, data: bytes) -> None:
    file_of(shelf, "2").write_bytes(data)
    assert shelf.get("1" * 64) == answer("1" * 64)
    with pytest.raises(RefusedError) as caught:
        shelf.get("2" * 64)
    name = f"kept here/{'2' * 64}.json"
    assert caught.value.code == "invalid-answer" and str(caught.value.where) == name
    assert str(caught.value.fix).startswith(f"rm '{name}' ")


def test_all_that_is_broken_is_said_at_once(shelf: AnswerShelf) -> None:
    file_of(shelf, "2").write_bytes(b"{")
    file_of(shelf, "3").write_bytes(file_of(shelf, "1").read_bytes())
    with pytest.raises(ManyErrors) as caught:
        shelf.get("3" * 64)
    assert [str(one.where)[-69:-5] for one in caught.value.errors] == ["2" * 64, "3" * 64]


def test_a_folder_that_may_not_be_read_is_named(shelf: AnswerShelf, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_symlink", refuse)
    with pytest.raises(OutsideError) as caught:
        shelf.get("1" * 64)
    assert str(caught.value.where) == "kept here" and caught.value.fix == "chmod u+rwx 'kept here'"
