"""Batches through the real SDKs: what breaks off between two steps is never sent, kept or billed twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("instructor", reason="the SDKs are not installed: pip install '.[models]'")

from batch_scenes import CLAUDE, GPT, agreeing, shop
from model_scenes import StillClock
from servers.loopback import KEY, Loopback
from servers.outcomes import Status

from pipeline import collecting
from pipeline.batching import HandedOver, explained, hand_over, outcome_of
from pipeline.compile import CompileOptions, compile_spec
from pipeline.models.budget import Budget, most_tokens
from pipeline.models.pending import PendingError
from pipeline.room import RoomOptions
from pipeline.workspace import Workspace
from schemas.batch import Batch
from schemas.bookline import CallLine
from schemas.call import Call
from schemas.config import Models, Price
from schemas.errors import ConflictError, Exit, IsopodError, OutsideError, RefusedError, WaitsError
from store import batches
from store.answers import AnswerShelf
from store.book import load_books
from store.instance import Instance, open_instance
from store.lock import writing
from store.snapshot import load


@dataclass
class Shop:
    """The instance of the test and the server that its readers ask."""

    root: Path
    server: Loopback
    told: list[str] = field(default_factory=list)

    @property
    def instance(self) -> Instance:
        return open_instance(self.root)

    @property
    def workspace(self) -> Workspace:
        return Workspace.of(load(self.instance))

    def pending(self) -> tuple[Call, ...]:
        """The questions that a compile by batches waits for."""
        options = CompileOptions(models=RoomOptions(batch=True))
        with pytest.raises(PendingError) as caught:
            compile_spec(self.workspace, self.root / "specs/shop.md", options)
        return caught.value.calls

    def hand_over(self) -> HandedOver:
        workspace = self.workspace
        return hand_over(workspace, "specs/shop.md", self.pending(), Budget(workspace.config.models), self.told.append)

    def look(self) -> collecting.Looked:
        return collecting.look(self.instance, self.told.append)

    @property
    def batches(self) -> dict[str, Batch]:
        """The latest batch of each reader."""
        return {batch.reader: batch for batch in batches.load(self.instance)}

    def lines(self) -> list[CallLine]:
        return [call for book in load_books(self.instance).kept for call in book.calls]

    def answers(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (self.root / ".isopod/answers").glob("*.json")}

    def asked(self) -> list[str]:
        """The models of all questions that the server got."""
        return [question.model for question in (*self.server.questions, *self.server.batched)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Loopback(brain=agreeing) as server:
        shop(tmp_path, server)
        yield Shop(tmp_path, server)


def taken_but(server: Loopback, answer: Status) -> None:
    """Anthropic's face makes the batch and then answers so."""
    create = server.jobs.create_anthropic

    def made(body: Any) -> dict[str, Any] | Status:
        create(body)
        return answer

    server.jobs.create_anthropic = made  # type: ignore[method-assign]


def refusing(server: Loopback, answer: Status) -> None:
    """Anthropic's face makes no batch and answers so."""
    server.jobs.create_anthropic = lambda body: answer  # type: ignore[method-assign]


def failure(work: Callable[[], object], kind: type[IsopodError] = OutsideError) -> IsopodError:
    with pytest.raises(kind) as caught:
        work()
    assert KEY not in f"{caught.value.message} {caught.value.fix}"
    return caught.value


def test_the_intent_lies_on_the_disk_before_anything_is_sent(place: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str | None]] = []
    create = place.server.jobs.create_anthropic

    def made(body: Any) -> dict[str, Any] | Status:
        batch = place.batches["a"]
        assert {one["custom_id"] for one in body["requests"]} == batch.requests
        seen.append((batch.stage, batch.id))
        return create(body)

    monkeypatch.setattr(place.server.jobs, "create_anthropic", made)
    place.hand_over()
    assert seen == [("sending", None)]
    assert (place.batches["a"].stage, place.batches["a"].id) == ("open", "msgbatch_000001")


def test_no_file_of_a_batch_holds_text_of_the_spec_or_a_key(place: Shop) -> None:
    place.hand_over()
    for path in (place.root / ".isopod/batches").iterdir():
        text = path.read_text()
        assert "50 items" not in text and KEY not in text


@pytest.mark.parametrize("lost", [Status(500), Status(504), Status(409)])
def test_what_may_have_arrived_is_not_sent_again_until_a_person_says_so(place: Shop, lost: Status) -> None:
    taken_but(place.server, lost)
    error = failure(place.hand_over)
    assert error.code == "batch-unknown" and error.exit_code == Exit.OUTSIDE
    assert "--found" in str(error.fix) and "--drop" in str(error.fix)
    # The other reader's batch went out all the same, and waits.
    assert [batch.stage for batch in place.batches.values()] == ["sending", "open"]
    handed = place.hand_over()
    assert [batch.reader for batch in handed.unknown] == ["a"] and [batch.reader for batch in handed.batches] == ["b"]
    assert outcome_of(handed).code == "batch-unknown"
    assert sorted(place.asked()) == [CLAUDE, GPT]
    live = failure(lambda: compile_spec(place.workspace, place.root / "specs/shop.md", CompileOptions()), PendingError)
    assert isinstance(live, PendingError)
    assert explained(place.instance, live).code == "batch-unknown"
    assert sorted(place.asked()) == [CLAUDE, GPT]
    looked = place.look()
    assert {item.reader: item.standing for item in looked.items} == {"a": "unknown", "b": "waiting"}


def test_a_person_finds_the_batch_and_it_is_collected(place: Shop) -> None:
    taken_but(place.server, Status(500))
    failure(place.hand_over)
    name = place.batches["a"].name
    held = place.batches["b"].id
    assert held is not None
    assert failure(lambda: collecting.found(place.instance, name, "msgbatch_9"), IsopodError).code == "unknown-model"
    assert failure(lambda: collecting.found(place.instance, name, held), RefusedError).code == "another-batch"
    collecting.found(place.instance, name[:4], "msgbatch_000001")
    place.server.end_batches()
    assert {item.standing for item in place.look().items} == {"collected"}
    assert compile_spec(place.workspace, place.root / "specs/shop.md", CompileOptions()).exit_code == Exit.HOLDS
    assert sorted(place.asked()) == [CLAUDE, GPT]
    assert failure(lambda: collecting.found(place.instance, name, "x"), RefusedError).code == "not-unknown"


def test_a_batch_of_another_size_is_not_the_one_that_is_looked_for(place: Shop) -> None:
    taken_but(place.server, Status(500))
    failure(place.hand_over)
    job = place.server.jobs.jobs["msgbatch_000001"]
    job.entries.append(("another", job.entries[0][1]))
    name = place.batches["a"].name
    error = failure(lambda: collecting.found(place.instance, name, "msgbatch_000001"), RefusedError)
    assert error.code == "another-batch" and "2 questions" in error.message


def test_a_batch_that_a_person_gave_up_may_be_sent_anew(place: Shop) -> None:
    taken_but(place.server, Status(500))
    failure(place.hand_over)
    collecting.drop(place.instance, place.batches["a"].name)
    del place.server.jobs.create_anthropic
    handed = place.hand_over()
    assert not handed.unknown and {batch.reader for batch in handed.batches} == {"a", "b"}
    assert len([model for model in place.asked() if model == CLAUDE]) == 2
    dropped = next(batch for batch in batches.load(place.instance) if batch.stage == "dropped")
    assert failure(lambda: collecting.drop(place.instance, dropped.name), RefusedError).code == "not-waiting"


@pytest.mark.parametrize(
    "told", [Status(429), Status(529), Status(503), Status(401), Status(400, message="no"), Status(404)]
)
def test_what_the_provider_did_not_take_leaves_nothing_behind(place: Shop, told: Status) -> None:
    refusing(place.server, told)
    assert failure(place.hand_over).code != "batch-unknown"
    assert set(place.batches) == {"b"}


def test_killed_between_the_intent_and_the_id(place: Shop) -> None:
    script = f"""
import os, signal
from pipeline.readers.anthropic import Anthropic
Anthropic.submit = lambda self, calls, config: os.kill(os.getpid(), signal.SIGKILL)
from isopod.cli import run
run(["-C", {str(place.root)!r}, "compile", "specs/shop.md", "--batch"])
"""
    killed = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert [(batch.reader, batch.stage, batch.id) for batch in batches.load(place.instance)] == [("a", "sending", None)]
    handed = place.hand_over()
    assert [batch.reader for batch in handed.unknown] == ["a"]
    # The lock of the process that died is free, and the other reader's questions are sent now.
    assert place.asked() == [GPT]


def test_two_commands_send_a_question_once(place: Shop) -> None:
    calls = place.pending()
    place.hand_over()
    workspace = place.workspace
    handed = hand_over(workspace, "specs/shop.md", calls, Budget(workspace.config.models), place.told.append)
    assert {batch.reader for batch in handed.batches} == {"a", "b"} and len(place.asked()) == 2
    place.server.end_batches()
    place.look()
    # The answers came between the compile of this command and its sending.
    late = hand_over(workspace, "specs/shop.md", calls, Budget(workspace.config.models), place.told.append)
    assert (late.batches, late.answered, len(place.asked())) == ((), 2, 2)
    assert isinstance(outcome_of(late), WaitsError)


def test_nobody_sends_while_another_command_holds_the_lock(place: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    calls = place.pending()
    monkeypatch.setattr("pipeline.batching.writing", lambda state, owner: writing(state, owner, timeout=0.05))
    release, held = threading.Event(), threading.Event()

    def hold() -> None:
        with writing(place.instance.state_dir, "compile"):
            held.set()
            release.wait(60)

    other = threading.Thread(target=hold)
    other.start()
    held.wait(60)
    try:
        workspace = place.workspace
        error = failure(
            lambda: hand_over(workspace, "specs/shop.md", calls, Budget(workspace.config.models), place.told.append),
            ConflictError,
        )
        assert error.code == "locked" and place.asked() == []
    finally:
        release.set()
        other.join()


class Died(BaseException):
    """The process ends here."""


@pytest.mark.parametrize(
    ("where", "after"),
    [
        ("store.answers.AnswerShelf.put", 0),
        ("store.book.Book.write", 0),
        ("store.book.Book.write", 1),
        ("store.book.Book.write", 2),
        ("store.batches.put", 0),
    ],
)
def test_collecting_that_broke_off_is_done_again_without_a_trace(
    place: Shop, monkeypatch: pytest.MonkeyPatch, where: str, after: int
) -> None:
    config = place.root / "config.yaml"
    config.write_text(config.read_text().replace("models: {", "models: {section_chars: 200, "))
    place.hand_over()
    place.server.end_batches()
    asked = len(place.asked())
    owner, _, name = where.rpartition(".")
    target: Any = batches if owner == "store.batches" else {"AnswerShelf": AnswerShelf}.get(owner.split(".")[-1])
    if target is None:
        from store.book import Book

        target = Book
    real, count = getattr(target, name), [0]

    def dying(*arguments: Any) -> Any:
        real(*arguments)
        count[0] += 1
        if count[0] > after:
            raise Died

    with monkeypatch.context() as patch:
        patch.setattr(target, name, dying)
        with pytest.raises(Died):
            place.look()
    assert place.batches["a"].stage in ("open", "collected")
    place.look()
    assert {batch.stage for batch in place.batches.values()} == {"collected"}
    assert len(place.answers()) == asked
    noted = [(line.batch, line.request) for line in place.lines()]
    assert len(noted) == len(set(noted)) == asked


def test_an_answer_that_is_kept_is_not_replaced_by_that_of_a_batch(place: Shop) -> None:
    place.hand_over()
    (request,) = place.batches["a"].requests
    place.server.end_batches()
    place.look()
    before = place.answers()
    path = place.root / ".isopod/batches" / f"{place.batches['a'].name}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"stage": "open"}))
    place.server.jobs.jobs["msgbatch_000001"].answers = {request: Status(500)}
    place.look()
    assert place.answers() == before


def test_waiting_looks_again_at_growing_intervals_until_all_is_there(place: Shop) -> None:
    place.hand_over()
    clock = StillClock()
    real = clock.sleep

    def sleep(seconds: float) -> None:
        real(seconds)
        if len(clock.slept) == 2:
            # What may pass is waited out.
            place.server.jobs.show_anthropic = lambda batch, base: Status(529)  # type: ignore[method-assign]
        if len(clock.slept) == 3:
            del place.server.jobs.show_anthropic
        if len(clock.slept) == 9:
            place.server.end_batches()

    clock.sleep = sleep
    looked = collecting.wait(place.instance, place.told.append, clock)
    assert {item.standing for item in looked.items} == {"collected"} and not looked.failures
    assert clock.slept == sorted(clock.slept) and clock.slept[0] == 30 and clock.slept[-1] == 300
    assert sum("529" in line for line in place.told) == 1


def test_waiting_ends_when_what_is_left_cannot_pass(place: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    place.hand_over()
    place.server.end_batches()
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-another-key-0123456789")
    looked = collecting.wait(place.instance, place.told.append, StillClock())
    assert {item.reader: item.standing for item in looked.items} == {"a": "unreachable", "b": "collected"}
    assert [one.error.code for one in looked.failures] == ["key-refused"]


def test_the_key_goes_nowhere_that_config_does_not_name(place: Shop) -> None:
    place.hand_over()
    config = place.root / "config.yaml"
    config.write_text(config.read_text().replace(place.server.anthropic_url + '"', 'http://127.0.0.1:9"'))
    seen = len(place.server.seen)
    looked = place.look()
    assert [one.error.code for one in looked.failures] == ["batch-elsewhere"]
    assert "127.0.0.1" in looked.failures[0].message
    assert not [one for one in place.server.seen[seen:] if one.path.startswith("/v1/messages")]


def test_readers_that_changed_places_still_collect(place: Shop) -> None:
    place.hand_over()
    config = place.root / "config.yaml"
    text = config.read_text()
    config.write_text(text.replace("  a: {provider", "  c: {provider").replace("  b:", "  a:").replace("  c:", "  b:"))
    place.server.end_batches()
    assert {item.standing for item in place.look().items} == {"collected"}


def test_a_broken_file_of_a_batch_stops_what_could_pay_twice(place: Shop) -> None:
    place.hand_over()
    path = place.root / ".isopod/batches" / f"{place.batches['a'].name}.json"
    path.write_text(path.read_text()[:100])
    for work in (
        place.look,
        lambda: compile_spec(place.workspace, place.root / "specs/shop.md", CompileOptions()),
    ):
        error = failure(work, RefusedError)
        assert error.code == "invalid-batch" and error.where is not None and "batches/a-" in error.where.file
    assert len(place.asked()) == 2


def test_results_of_questions_that_nobody_asked_are_passed_by(place: Shop) -> None:
    place.hand_over()
    place.server.end_batches()
    job = place.server.jobs.jobs["msgbatch_000001"]
    job.entries.append(("0" * 64, job.entries[0][1]))
    place.look()
    assert len(place.answers()) == 2


def test_a_batch_is_half_the_price_of_the_cap_too() -> None:
    call = Call(
        reader="a",
        model="m",
        purpose="read",
        round=0,
        prompt="1",
        shape="reading",
        system="",
        user="x" * 1000,
        max_tokens=1000,
        place="p",
    )
    most = most_tokens(call) / 1_000_000
    limits = Models(money=1.6 * most, prices={"m": Price(input=1, output=1)})
    budget = Budget(limits)
    for _ in range(3):
        budget.reserve(call, batch=True)
    assert failure(lambda: budget.reserve(call, batch=True)).code == "budget-reached"
    budget.release(call, batch=True)
    budget.reserve(call, batch=True)
    assert failure(lambda: Budget(Models(money=0.9 * most, prices=limits.prices)).reserve(call)).code == "budget-reached"
