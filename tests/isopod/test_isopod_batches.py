"""compile --batch and isopod batches from the command line, through the real SDKs, against a server on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("instructor", reason="the SDKs are not installed: pip install '.[models]'")

from batch_scenes import CLAUDE, GPT, agreeing, differing, is_repair, shop
from conftest import Done, Run, fingerprint
from rich.cells import cell_len
from servers.faces import Question
from servers.loopback import KEY, Loopback
from servers.outcomes import Outcome, Reply, Status

COMPILE = ("compile", "specs/shop.md", "--batch")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Loopback(brain=agreeing) as running:
        yield running


def shown(done: Done) -> Any:
    return json.loads(done.stdout)


def listed(isopod: Run, *arguments: str) -> tuple[Done, list[dict[str, Any]]]:
    done = isopod("batches", *arguments, "--format", "json")
    return done, shown(done)["batches"]


def test_a_whole_compile_by_batches_with_a_violation_and_a_repair_round(
    tmp_path: Path, server: Loopback, isopod: Run
) -> None:
    shop(tmp_path, server)
    server.brain = differing
    first = isopod(*COMPILE)
    assert first.returncode == 3, first.stderr
    assert "2 questions wait in 2 batches" in first.stderr and "isopod batches --wait" in first.stderr
    assert "costs half" in first.stderr
    done, batches = listed(isopod)
    assert done.returncode == 3 and {one["standing"] for one in batches} == {"waiting"}
    rounds = 1
    server.end_batches()
    while (again := isopod(*COMPILE)).returncode == 3:
        rounds += 1
        assert rounds < 6
    assert again.returncode == 0, again.stderr
    # First both readings, then what was wrong in a's, then the disputed lines of both.
    assert [question.model for question in server.batched] == [CLAUDE, GPT, CLAUDE, CLAUDE, GPT]
    assert [is_repair(question) for question in server.batched] == [False, False, False, True, True]
    assert server.questions == []
    assert list((tmp_path / "cards").glob("STY-*.yaml"))
    before = fingerprint(tmp_path)
    assert isopod(*COMPILE).returncode == 0 and fingerprint(tmp_path) == before
    assert len(server.batched) == 5


def test_relations_across_parts_and_the_drafter_come_as_later_batches(
    tmp_path: Path, server: Loopback, isopod: Run
) -> None:
    shop(tmp_path, server, models=", section_chars: 200", extra="draft: {drafter: model, reader: b}\n")

    def brain(question: Question) -> Outcome:
        return Reply(tools=({"judgements": []},)) if question.tool == "JudgementsAnswer" else agreeing(question)

    server.brain = brain
    server.end_batches()
    commands = 1
    while (done := isopod(*COMPILE)).returncode == 3:
        commands += 1
        assert commands < 10
    assert done.returncode == 0, done.stderr
    tools = [question.tool for question in server.batched]
    assert tools.count("EdgesAnswer") == 2 and "JudgementsAnswer" in tools and server.questions == []
    first_edges = tools.index("EdgesAnswer")
    assert set(tools[:first_edges]) == {"ReadingAnswer"} and first_edges > 2
    # One batch a reader and a step, however many parts there are.
    readers = [json.loads(path.read_text())["reader"] for path in (tmp_path / ".isopod/batches").iterdir()]
    assert len(readers) == len(server.jobs.jobs) and readers.count("a") == 2


def test_every_call_is_in_the_record_at_half_the_price(tmp_path: Path, server: Loopback, isopod: Run) -> None:
    shop(tmp_path, server)
    assert isopod(*COMPILE).returncode == 3
    server.end_batches()
    assert listed(isopod)[0].returncode == 0
    runs = shown(isopod("runs", "--format", "json"))
    calls = {call["reader"]: call for run in runs["runs"] for call in run["calls"]}
    # 1000 tokens in and 100 out: 0.0045 of the one, 0.0028 of the other at full price.
    assert calls["a"]["money"] == pytest.approx(0.00225) and calls["b"]["money"] == pytest.approx(0.0014)
    assert calls["a"]["batch"].startswith("msgbatch_") and calls["b"]["batch"].startswith("batch_")
    assert {run["command"] for run in runs["runs"]} == {"batches"}
    assert runs["total"]["calls"] == 2 and runs["total"]["failed"] == 0


def test_collecting_twice_changes_nothing(tmp_path: Path, server: Loopback, isopod: Run) -> None:
    shop(tmp_path, server)
    isopod(*COMPILE)
    server.end_batches()
    done, batches = listed(isopod)
    assert done.returncode == 0 and [one["standing"] for one in batches] == ["collected", "collected"]
    state = {path: path.read_bytes() for path in (tmp_path / ".isopod").rglob("*.json*") if path.name != "lock.json"}
    done, batches = listed(isopod)
    assert done.returncode == 0 and batches == []
    assert {path: path.read_bytes() for path in state} == state


def test_a_question_is_sent_once_however_often_the_command_is_run(
    tmp_path: Path, server: Loopback, isopod: Run
) -> None:
    shop(tmp_path, server)
    assert [isopod(*COMPILE).returncode for _ in range(3)] == [3, 3, 3]
    assert len(server.batched) == 2


def test_a_live_compile_sends_nothing_that_waits_in_a_batch(tmp_path: Path, server: Loopback, isopod: Run) -> None:
    shop(tmp_path, server)
    isopod(*COMPILE)
    live = isopod("compile", "specs/shop.md")
    assert live.returncode == 3 and "sent a second time" in live.stderr and "isopod batches --wait" in live.stderr
    assert server.questions == []
    names = [one["name"] for one in listed(isopod)[1]]
    for name in names:
        dropped = isopod("batches", "--drop", name)
        assert dropped.returncode == 0 and "charge" in dropped.stdout
    assert isopod("compile", "specs/shop.md").returncode == 0
    assert len(server.questions) == 2


def test_what_has_no_answer_is_said_and_sent_again(tmp_path: Path, server: Loopback, isopod: Run) -> None:
    shop(tmp_path, server)
    server.brain = lambda question: (
        Status(400, message="too strange") if question.model == CLAUDE else Reply(text="", stop="length")
    )
    isopod(*COMPILE)
    server.end_batches()
    done = isopod("batches")
    assert done.returncode == 4 and "Answers are kept" not in done.stdout
    assert "No answer came; to send the questions again: isopod compile specs/shop.md --batch" in " ".join(done.stdout.split())
    assert "too strange" in done.stderr and "truncated" in done.stderr and "specs/shop.md" in done.stderr
    assert "0 of 1, 1 failed" in done.stdout
    runs = shown(isopod("runs", "--format", "json"))
    outcomes = {call["reader"]: (call["outcome"], call["money"]) for run in runs["runs"] for call in run["calls"]}
    assert outcomes["a"] == ("not-answered", None)
    # What was cut off is paid.
    assert outcomes["b"][0] == "truncated" and outcomes["b"][1] > 0
    server.brain = agreeing
    assert isopod(*COMPILE).returncode == 3
    assert isopod(*COMPILE).returncode == 0
    assert len(server.batched) == 4


@pytest.mark.parametrize("end", ["expired", "cancelled"])
def test_a_batch_that_ran_out_of_time_gives_what_it_has(
    tmp_path: Path, server: Loopback, isopod: Run, end: Any
) -> None:
    shop(tmp_path, server, models=", section_chars: 200")
    isopod(*COMPILE)
    sent = len(server.batched)
    assert sent > 2
    server.end_batches(end)
    done, batches = listed(isopod)
    assert done.returncode == 0
    assert all(one["done"] + one["failed"] == one["calls"] and one["failed"] for one in batches)
    failed = sum(one["failed"] for one in batches)
    server.end_batches("ended")
    assert isopod(*COMPILE).returncode == 3
    assert len(server.batched) == sent + failed


def test_a_batch_that_its_provider_refused_as_a_whole_is_sent_again(
    tmp_path: Path, server: Loopback, isopod: Run
) -> None:
    shop(tmp_path, server)
    isopod(*COMPILE)
    server.end_batches("failed")
    done, batches = listed(isopod)
    (refused,) = [one for one in batches if one["reader"] == "b"]
    assert refused["standing"] == "collected" and refused["failed"] == 1 and refused["word"] == "failed"
    assert "not JSON" in done.stderr
    server.end_batches("ended")
    assert isopod(*COMPILE).returncode == 3
    assert [question.model for question in server.batched] == [CLAUDE, GPT, GPT]


def test_nothing_is_sent_across_a_cap_and_half_the_price_counts(tmp_path: Path, server: Loopback, isopod: Run) -> None:
    scene = shop(tmp_path, server, models=", money: 0.0001")
    done = isopod(*COMPILE)
    assert done.returncode == 4 and "models.money" in done.stderr and server.batched == []
    assert not (scene.root / ".isopod/batches").exists()
    config = scene.root / "config.yaml"
    config.write_text(config.read_text().replace("money: 0.0001", "tokens: 1000"))
    assert isopod(*COMPILE).returncode == 4 and server.batched == []
    # At full price both together can come to more than this, at half price they cannot.
    config.write_text(config.read_text().replace("tokens: 1000", "money: 0.35"))
    assert isopod(*COMPILE).returncode == 3 and len(server.batched) == 2
    for one in listed(isopod)[1]:
        isopod("batches", "--drop", one["name"])
    live = isopod("compile", "specs/shop.md")
    assert live.returncode == 4 and "models.money" in live.stderr


def test_the_recording_of_a_compile_by_batches_replays_without_network(
    tmp_path: Path, server: Loopback, isopod: Run
) -> None:
    shop(tmp_path, server)
    server.brain = differing
    server.end_batches()
    for _ in range(6):
        done = isopod(*COMPILE, "--record", "answers")
        if done.returncode == 0:
            break
    assert done.returncode == 0, done.stderr
    cards = {path.name: path.read_bytes() for path in (tmp_path / "cards").rglob("*.yaml")}
    for path in (tmp_path / "cards").rglob("*.yaml"):
        path.unlink()
    (tmp_path / ".isopod").rename(tmp_path / "gone")
    seen = len(server.seen)
    assert isopod("compile", "specs/shop.md", "--replay", "answers").returncode == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "cards").rglob("*.yaml")} == cards
    assert len(server.seen) == seen


def test_settle_says_that_batches_are_to_be_waited_for(tmp_path: Path, server: Loopback, isopod: Run) -> None:
    shop(tmp_path, server)
    isopod(*COMPILE)
    done = isopod("settle", "specs/shop.md")
    assert done.returncode == 3
    assert "try: `isopod batches --wait`, then `isopod compile specs/shop.md --batch`" in done.stderr


def test_the_list_fits_80_columns_and_says_what_comes_next(tmp_path: Path, server: Loopback, isopod: Run) -> None:
    shop(tmp_path, server)
    assert isopod("batches").stdout.startswith("No batch waits")
    isopod(*COMPILE)
    waiting = isopod("batches")
    assert waiting.returncode == 3 and "2 batches wait: isopod batches --wait" in waiting.stdout
    assert "msgbatch_000001: in_progress" in waiting.stdout
    server.end_batches()
    collected = isopod("batches")
    assert "isopod compile specs/shop.md --batch" in collected.stdout
    assert all(cell_len(line) <= 80 for line in (waiting.stdout + collected.stdout).splitlines())


def test_waiting_for_what_is_over_comes_back_at_once(tmp_path: Path, server: Loopback, isopod: Run) -> None:
    shop(tmp_path, server)
    isopod(*COMPILE)
    server.end_batches()
    done, batches = listed(isopod, "--wait")
    assert done.returncode == 0 and len(batches) == 2


def test_a_provider_that_fails_keeps_no_other_batch_from_being_collected(
    tmp_path: Path, server: Loopback, isopod: Run
) -> None:
    shop(tmp_path, server)
    isopod(*COMPILE)
    server.end_batches()
    done, batches = listed(isopod)
    assert done.returncode == 0 and len(batches) == 2
    isopod_state = tmp_path / ".isopod/batches"
    (mine,) = isopod_state.glob("a-*.json")
    data = json.loads(mine.read_text())
    mine.write_text(json.dumps(data | {"stage": "open", "id": "msgbatch_nowhere"}))
    done, batches = listed(isopod)
    assert done.returncode == 4 and batches[0]["standing"] == "unreachable"
    assert shown(done)["problems"][0]["code"] == "unknown-model" and KEY not in done.stdout + done.stderr
    compiled = isopod(*COMPILE)
    assert compiled.returncode == 4


def test_a_reader_that_takes_no_batches_is_refused(tmp_path: Path, server: Loopback, isopod: Run) -> None:
    scene = shop(tmp_path, server)
    config = scene.root / "config.yaml"
    text = config.read_text()
    for line in text.splitlines():
        if line.startswith(("  a: {provider", "  b: {provider")):
            text = text.replace(line, f"{line[:4]} {{provider: recorded, model: model-{line[2]}}}")
    config.write_text(text)
    done = isopod(*COMPILE)
    assert done.returncode == 2 and "no-batches" in done.stderr


def test_without_a_key_nothing_is_left_behind(
    tmp_path: Path, server: Loopback, isopod: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop(tmp_path, server)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-wrong-wrong-wrong")
    done = isopod(*COMPILE)
    assert done.returncode == 4 and "refuses the key" in done.stderr
    assert [one["reader"] for one in listed(isopod)[1]] == ["a"]
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert isopod(*COMPILE).returncode == 3
    assert [question.model for question in server.batched] == [CLAUDE, GPT]


def test_options_of_batches_go_one_by_one(tmp_path: Path, server: Loopback, isopod: Run) -> None:
    shop(tmp_path, server)
    assert isopod("batches", "--wait", "--drop", "a").returncode == 2
    assert isopod("batches", "--drop", "nothing").returncode == 2
    assert isopod("batches", "--found", "nothing", "id").returncode == 2
