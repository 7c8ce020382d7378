"""The parts around a call: unwrapping an answer, the retry loop, caps, who works tasks off, what is kept."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_scenes import Scripted, StillClock, desk_of, reading

from pipeline.models.budget import Budget, money_of, most_tokens
from pipeline.models.envelope import unwrap
from pipeline.models.executor import InOrder, Threads
from pipeline.models.patience import MOST_TRIES, Patience
from pipeline.models.protocol import CutOffError, Received, TransientError
from schemas.call import Call, Usage
from schemas.config import Models, Price, ReaderConfig
from schemas.errors import IsopodError, OutsideError, RefusedError
from schemas.run import Violation

KEYS = ("anchors", "edges")
EMPTY = {"anchors": [], "edges": []}


def call(user: str = "text", **changes: Any) -> Call:
    given: dict[str, Any] = {
        "reader": "a", "model": "model-x", "purpose": "read", "round": 0, "prompt": "1-00000000", "shape": "reading",
        "system": "rules", "user": user, "max_tokens": 1000, "place": "spec.md lines 1-3",
    }  # fmt: skip
    return Call(**(given | changes))


# --- the envelope ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(EMPTY),
        "Here you are:\n```json\n" + json.dumps(EMPTY, indent=2) + "\n```\nI hope that {this} helps }",
        'The set {"a": 1} is not it. ' + json.dumps(EMPTY),
        json.dumps(EMPTY) + "\nand once more\n" + json.dumps(EMPTY),
    ],
)
def test_an_answer_in_prose_or_a_fence_is_unwrapped(content: str) -> None:
    assert unwrap(content, KEYS) == EMPTY


def test_braces_and_quotes_in_strings_end_nothing() -> None:
    envelope = {"anchors": [{"quote": 'a } "b" \\ { ]'}], "edges": []}
    assert unwrap(f"prose {json.dumps(envelope)} }} prose", KEYS) == envelope


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "no-envelope"),
        ("I cannot do that.", "no-envelope"),
        ('{"anchors": [], "edges": []', "no-envelope"),
        ("[1, 2]", "no-envelope"),
        ('{"anchors": []}', "bad-envelope"),
        ('{"anchors": {}, "edges": []}', "bad-envelope"),
        ('{"anchors": [], "edges": [], "thoughts": "..."}', "bad-envelope"),
        ('{"anchors": [], "edges": []} {"anchors": [1], "edges": []}', "two-envelopes"),
        ('{"anchors": [], "anchors": [1], "edges": []}', "no-envelope"),
        ('{"anchors": [NaN], "edges": []}', "no-envelope"),
        ("{" * 100_000, "no-envelope"),
        ('{"' * 3_000, "no-envelope"),
    ],
)
def test_anything_else_is_a_violation(content: str, code: str) -> None:
    found = unwrap(content, KEYS)
    assert isinstance(found, Violation)
    assert found.code == code


@pytest.mark.parametrize(
    "content", ['{"anchors": [NaN], "edges": []}', '{"anchors": [1e999], "edges": []}', '{"anchors": [], "edges": [],}']
)
def test_an_answer_that_json_cannot_hold_gets_the_reason_of_json(content: str) -> None:
    found = unwrap(content, KEYS)
    assert isinstance(found, Violation)
    assert found.message.startswith("this is no JSON that can be taken: ")
    assert "the answer" in found.message


@given(st.text(alphabet='{}[]"\\:, anchorsedg\n', max_size=80), st.text(max_size=20))
def test_the_wrapping_is_never_taken_for_the_answer(before: str, quote: str) -> None:
    envelope = {"anchors": [{"quote": quote}], "edges": []}
    found = unwrap(f"Answer: {json.dumps(envelope)}\n{before}", KEYS)
    assert found == envelope or isinstance(found, Violation)
    unwrap(before, KEYS)


# --- the retry loop --------------------------------------------------------------------------------------------------


def sending(tmp_path: Path, outcomes: list[Any], **limits: Any) -> tuple[Any, StillClock, Scripted]:
    answers = iter(outcomes)
    model, clock = Scripted(lambda _: next(answers)), StillClock()
    desk = desk_of(model, tmp_path, limits=Models(**limits), clock=clock)
    try:
        return desk.ask(call()), clock, model
    except IsopodError as error:
        return error, clock, model


def test_what_may_pass_is_tried_again_with_growing_waits(tmp_path: Path) -> None:
    busy = [TransientError("overloaded", "529")] * 3
    answer, clock, model = sending(tmp_path, [*busy, reading()])
    assert answer.content == json.dumps(reading())
    assert clock.slept == [1.0, 2.0, 4.0]
    assert len(model.asked) == 4


def test_the_provider_says_how_long_up_to_a_bound(tmp_path: Path) -> None:
    _, clock, _ = sending(tmp_path, [TransientError("busy", "429", retry_after=2.0), reading()])
    assert clock.slept == [2.0]
    error, clock, model = sending(tmp_path / "long", [TransientError("busy", "429", retry_after=3600.0)])
    assert (error.code, error.exit_code) == ("model-busy", 4)
    assert "3600 s" in error.message
    assert clock.slept == []
    assert len(model.asked) == 1


def test_after_so_many_tries_the_last_failure_is_said(tmp_path: Path) -> None:
    error, _, model = sending(tmp_path, [TransientError("dropped", "the connection was reset")] * 9)
    assert error.code == "dropped"
    assert "reset" in error.message
    assert len(model.asked) == MOST_TRIES


def test_the_same_wait_is_said_once_a_minute_with_reader_and_model() -> None:
    said: list[str] = []
    clock = StillClock()
    patience = Patience(Models(deadline="1h"), said.append, clock)
    outcomes = iter([*([TransientError("busy", "h:9 answers 429", retry_after=25.0)] * 4), reading()])
    patience.send(Scripted(lambda _: next(outcomes)), call(), ReaderConfig(provider="openai", model="m"))
    who = f"reader {call().reader} ({call().model})"
    assert said == [
        f"{who}: h:9 answers 429; waiting 25 s",
        f"{who}: h:9 answers 429; waiting 25 s (2 more waits since this was said)",
    ]


def test_no_wait_goes_past_the_deadline(tmp_path: Path) -> None:
    busy = TransientError("busy", "429", retry_after=50.0)
    error, clock, _ = sending(tmp_path, [busy] * 9, deadline="2m")
    assert error.code == "deadline"
    assert sum(clock.slept) <= 120


def test_what_cannot_pass_is_not_tried_again(tmp_path: Path) -> None:
    error, _, model = sending(tmp_path, [OutsideError("key-refused", "401")])
    assert error.code == "key-refused"
    assert len(model.asked) == 1


def test_a_cut_off_answer_is_billed_and_not_kept(tmp_path: Path) -> None:
    cut = CutOffError("truncated", "it stopped", Received("{", "max_tokens", Usage(input=7, output=5)))
    model = Scripted(lambda _: cut)
    desk = desk_of(model, tmp_path)
    with pytest.raises(CutOffError):
        desk.ask(call())
    assert (desk.budget.bill.input, desk.budget.bill.output) == (7, 5)
    assert not (tmp_path / "answers").exists()


# --- what is kept ----------------------------------------------------------------------------------------------------


def test_an_answer_is_on_disk_before_it_is_given_and_is_given_again_without_a_call(tmp_path: Path) -> None:
    model = Scripted(lambda _: reading())
    first = desk_of(model, tmp_path).ask(call())
    assert (tmp_path / "answers" / f"{call().request}.json").is_file()
    assert desk_of(Scripted(lambda _: OutsideError("never", "asked")), tmp_path).ask(call()) == first


@pytest.mark.parametrize(
    "change",
    [
        {"reader": "b"},
        {"model": "y"},
        {"round": 1},
        {"attempt": 2},
        {"prompt": "2-0"},
        {"system": "s"},
        {"max_tokens": 9},
    ],
)
def test_the_request_hash_tells_every_question_apart(change: dict[str, Any]) -> None:
    assert call(**change).request != call().request


def test_the_request_hash_does_not_hold_what_is_only_said_to_people() -> None:
    assert call(place="elsewhere").request == call().request


def test_a_kept_file_that_is_no_answer_to_its_request_is_refused(tmp_path: Path) -> None:
    desk_of(Scripted(lambda _: reading()), tmp_path).ask(call())
    (kept,) = (tmp_path / "answers").iterdir()
    kept.rename(kept.with_name(f"{call('other').request}.json"))
    with pytest.raises(RefusedError) as caught:
        desk_of(None, tmp_path).ask(call("other"))
    assert caught.value.code == "invalid-answer"


# --- caps ------------------------------------------------------------------------------------------------------------


def test_money_is_by_the_million_and_half_in_a_batch() -> None:
    price = Price(input=3, output=15, cached=0.3)
    usage = Usage(input=1_000_000, output=100_000, cached=400_000)
    assert money_of(usage, price) == pytest.approx(0.6 * 3 + 0.4 * 0.3 + 1.5)
    assert money_of(usage, price, batch=True) == pytest.approx(money_of(usage, price) / 2)


def test_no_call_is_sent_that_could_cross_a_cap(tmp_path: Path) -> None:
    most = most_tokens(call())
    model = Scripted(lambda _: reading())
    with pytest.raises(OutsideError) as caught:
        desk_of(model, tmp_path, limits=Models(tokens=most - 1)).ask(call())
    assert caught.value.code == "budget-reached"
    assert model.asked == []
    desk_of(model, tmp_path, limits=Models(tokens=most)).ask(call())
    assert len(model.asked) == 1


def test_a_cap_on_money_needs_a_price(tmp_path: Path) -> None:
    with pytest.raises(RefusedError) as caught:
        desk_of(Scripted(lambda _: reading()), tmp_path, limits=Models(money=1.0)).ask(call())
    assert caught.value.code == "price-missing"


@given(st.lists(st.sampled_from(["reserve", "settle", "release"]), max_size=30))
def test_what_was_set_aside_is_free_again(steps: list[str]) -> None:
    budget, open_ = Budget(Models(prices={"model-x": Price(input=1, output=2)}, money=1_000)), 0
    for step in steps:
        if step == "reserve":
            budget.reserve(call())
            open_ += 1
        elif open_:
            open_ -= 1
            if step == "settle":
                budget.settle(call(), Usage(input=1, output=1))
            else:
                budget.release(call())
    for _ in range(open_):
        budget.release(call())
    spent = budget._charged_tokens
    limit = Models(tokens=spent + most_tokens(call()), prices={"model-x": Price(input=1, output=2)})
    budget._limits = limit  # the last token that is left can be set aside
    budget.reserve(call())


def test_a_try_that_was_lost_after_it_went_out_holds_against_the_cap(tmp_path: Path) -> None:
    most = most_tokens(call())
    lost = TransientError("timed-out", "no answer", sent=True)
    answers = iter([lost, reading()])
    model = Scripted(lambda _: next(answers))
    desk = desk_of(model, tmp_path, limits=Models(tokens=2 * most))
    desk.ask(call())
    with pytest.raises(OutsideError, match="cap"):
        desk.ask(call("other"))
    assert desk.budget.bill.calls == 1


def test_an_answer_whose_tokens_nobody_counted_holds_against_the_cap_by_the_most_it_can_be() -> None:
    most = most_tokens(call())
    budget = Budget(Models(tokens=2 * most - 1, money=1, prices={"model-x": Price(input=1, output=2)}))
    budget.reserve(call())
    assert budget.settle(call(), None) is None
    with pytest.raises(OutsideError):
        budget.reserve(call())


# --- who works tasks off ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("executor", [InOrder(), Threads(3, lambda _: None)])
def test_results_come_in_the_order_of_the_tasks(executor: Any) -> None:
    assert executor.run(lambda task: task * 2, list(range(20))) == [task * 2 for task in range(20)]


def test_after_a_failure_nothing_more_is_handed_out_and_what_is_in_work_ends() -> None:
    ended: list[int] = []
    both = threading.Barrier(2, timeout=20)
    failed = threading.Event()

    def work(task: int) -> int:
        if task < 2:
            both.wait()
        if task == 0:
            failed.set()
            raise OutsideError("wrong", "task 0")
        if task == 1:
            failed.wait(20)
        ended.append(task)
        return task

    with pytest.raises(OutsideError, match="task 0"):
        Threads(2, lambda _: None).run(work, list(range(50)))
    assert 1 in ended
    assert len(ended) < 50
