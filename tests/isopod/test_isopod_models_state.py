"""What a command that asks models keeps beside the store, and what it does when that cannot be kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("instructor", reason="the SDKs are not installed: pip install '.[models]'")

from servers.brains import ReadsSentences
from servers.instance import AskingInstance, Done
from servers.loopback import Loopback

from schemas.errors import ConflictError

SPEC = """\
# Links

- A link must open the page that it was made for.
- A link must end after 30 days, whoever made it.
"""


@pytest.fixture
def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AskingInstance]:
    with Loopback(brain=ReadsSentences()) as server:
        instance = AskingInstance(tmp_path / "one", server, monkeypatch)
        instance.write(SPEC)
        yield instance


@pytest.mark.parametrize(
    "ending", [KeyboardInterrupt(), ConflictError("changed", "the file is not what was read"), OSError(28, "full")]
)
def test_a_record_says_how_its_command_ended_also_when_that_was_at_the_end(
    asking: AskingInstance, monkeypatch: pytest.MonkeyPatch, ending: BaseException
) -> None:
    def stop(_: object) -> None:
        raise ending

    with monkeypatch.context() as patch:
        patch.setattr("store.transaction.Transaction.commit", stop)
        code = asking.compile().code
    runs = asking.run("runs", "--format", "json").data["runs"]
    assert code != 0 and [run["end"]["exit_code"] for run in runs] == [code]


@pytest.mark.parametrize("place", [".isopod/answers", ".isopod/records"])
def test_where_nothing_can_be_kept_nothing_is_asked(asking: AskingInstance, place: str) -> None:
    """A file lies where the folder should be: no right to write would not stop a test that runs as root."""
    path = asking.root / place
    path.parent.mkdir(exist_ok=True)
    path.write_text("")
    done = asking.compile("--record", "taped")
    assert done.code == 4 and f"isopod: {place}: " in done.err and "(cannot-write)" in done.err
    assert asking.asked() == []


def test_two_commands_at_once_pay_once(asking: AskingInstance) -> None:
    asking.server.hold.clear()
    first = asking.start("compile", "specs/links.md")
    while not asking.server.questions:
        assert first.poll() is None, first.communicate()
    second = asking.start("compile", "specs/links.md", "--preview")
    assert second.stderr is not None
    while b"another command is asking" not in (line := second.stderr.readline()):
        assert line
    asking.server.hold.set()
    for process in (first, second):
        _, err = process.communicate()
        assert process.returncode == 0, err
    assert len(asking.asked()) == len(asking.answers) == 2


def test_a_recording_of_nothing_is_said(asking: AskingInstance) -> None:
    assert "nothing was recorded" not in asking.compile("--record", "taped").err
    assert len(list((asking.root / "taped").iterdir())) == 2
    done = asking.compile("--record", "other")
    assert done.code == 0 and "nothing was asked of a model, so nothing was recorded in other" in done.err


@pytest.mark.parametrize("option", ["--record", "--replay"])
@pytest.mark.parametrize("name", ["", "config.yaml"])
def test_what_is_no_folder_takes_no_recording(asking: AskingInstance, option: str, name: str) -> None:
    assert asking.compile(option, name).code == 2
    assert asking.asked() == [] and not (asking.root / ".isopod").exists()


def purposes(done: Done) -> dict[str, set[str]]:
    rows = done.data["estimate"]
    return {reader: {row["purpose"] for row in rows if row["reader"] == reader} for reader in "ab"}


def test_an_estimate_counts_the_rounds_of_a_reader_whose_reading_is_kept(asking: AskingInstance) -> None:
    assert purposes(asking.compile("--estimate", "--format", "json")) == {
        "a": {"read", "repair"},
        "b": {"read", "repair"},
    }
    asking.compile()
    (b,) = [one for one in asking.answers if one["reader"] == "b"]
    (asking.root / ".isopod" / "answers" / f"{b['request']}.json").unlink()
    shutil.rmtree(asking.root / "cards")
    assert purposes(asking.compile("--estimate", "--format", "json")) == {"a": {"repair"}, "b": {"read", "repair"}}


def test_an_estimate_counts_no_question_that_waits_in_a_batch(asking: AskingInstance) -> None:
    asking.configure(prices="{}", extra="draft: {drafter: model, reader: a}\n")
    assert "Money is that of batches" not in asking.compile("--estimate", "--batch").out
    assert asking.compile("--batch").code == 3
    data = asking.compile("--estimate", "--format", "json").data
    assert data["waiting"] == 2 and not any(row["exact"] for row in data["estimate"])
    assert "specs/links.md: 2 questions wait in batches already" in asking.compile("--estimate").out
