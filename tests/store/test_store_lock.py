"""The lock of an instance, in one process."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from schemas.errors import ConflictError, OutsideError
from store.lock import writing


def test_the_holder_says_who_it_is_and_goes_without_a_trace(tmp_path: Path) -> None:
    state = tmp_path / ".isopod"
    with writing(state, "compile"):
        holder = json.loads((state / "lock.json").read_text())
        assert (holder["owner"], holder["pid"]) == ("compile", os.getpid())
    assert not (state / "lock.json").exists()
    assert (state / ".gitignore").read_text() == "*\n"


def test_it_may_be_entered_again_inside_itself(tmp_path: Path) -> None:
    with writing(tmp_path / "s", "compile", timeout=0):
        with writing(tmp_path / "s", "edit", timeout=0):
            pass
        assert (tmp_path / "s/lock.json").exists()
    with writing(tmp_path / "s", "edit", timeout=0):
        pass


def test_another_thread_waits_like_another_process(tmp_path: Path) -> None:
    codes: list[str] = []

    def write() -> None:
        try:
            with writing(tmp_path / "s", "serve", timeout=0):
                codes.append("written")
        except ConflictError as error:
            codes.append(error.code)

    with writing(tmp_path / "s", "compile"):
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
    assert codes == ["locked"]


def test_it_is_let_go_after_a_failure(tmp_path: Path) -> None:
    with pytest.raises(KeyError), writing(tmp_path / "s", "compile"):
        raise KeyError
    with writing(tmp_path / "s", "edit", timeout=0):
        pass


def test_a_state_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutsideError) as refused, writing(tmp_path / "file/state", "compile"):
        pass
    assert refused.value.code == "cannot-write"
