"""What goes wrong between `isopod compile` and a model, through the real SDKs: a plain message, the exit code, and nothing paid twice."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("instructor", reason="the SDKs are not installed: pip install '.[models]'")

from servers.brains import ReadsSentences
from servers.faces import Question
from servers.instance import A, AskingInstance, B, Done
from servers.loopback import KEY, Loopback
from servers.outcomes import Drip, Drop, Fault, Huge, Mangled, Outcome, Raw, Reply, Stall, Status

from pipeline.models.examples import BELLHOUSE

SPEC = "# Links\n" + "".join(
    f"\n## Part {number}\n\n- Part {number} must start before anything else of this part is looked at by anyone.\n"
    f"- Part {number} must end in at most {number + 2} steps, whatever the others do in the meantime.\n"
    for number in range(3)
)
CLAIM = {"ref": "a1", "kind": "requirement", "quote": "Part 1 must start", "first_line": 10, "last_line": 10, "nth": 0}


def of_part_1(question: Question) -> bool:
    return "Part 1 must start" in question.user and question.tool == "ReadingAnswer"


@pytest.fixture
def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AskingInstance]:
    with Loopback(brain=ReadsSentences()) as server:
        instance = AskingInstance(tmp_path / "one", server, monkeypatch)
        instance.write(SPEC)
        yield instance


@pytest.fixture(params=[A, B])
def model(request: pytest.FixtureRequest) -> str:
    """The model of which the second of three parts goes wrong."""
    return str(request.param)


def plain(done: Done, code: int, *words: str) -> None:
    """The command ended with this exit code and one message in plain words, which holds these."""
    assert done.code == code, done.err
    assert done.out == ""
    for secret in (KEY, KEY[:12], KEY[-8:]):
        assert secret not in done.out + done.err
    assert "Traceback" not in done.err and "Error(" not in done.err and "httpx" not in done.err
    message = done.err.split("isopod: ")[-1]
    for word in words:
        assert word in message, message


def goes_on(asking: AskingInstance, model: str) -> None:
    """Nothing was written but answers; the same command then asks only what has none, and makes the cards."""
    assert not (asking.root / "cards").exists()
    assert asking.leaks() == []
    first = asking.asked()
    kept = len(asking.answers)
    # Reader a is asked first: its part 0, then part 1. Reader b comes when a has read everything.
    assert kept == (1 if model == A else 5)
    asking.server.heal()
    done = asking.compile("--format", "json")
    assert done.code == 0, done.err
    again = asking.asked()
    assert again and of_part_1(again[0]) and again[0].model == model
    assert again[0].body == [question for question in first if of_part_1(question) and question.model == model][-1].body
    assert len(again) + kept == 8 == len(asking.answers)
    assert asking.leaks() == []


# --- answers that the SDKs return as success ------------------------------------------------------------------------

CUT_OFF = [
    (A, Reply((CLAIM_ANSWER := {"anchors": [CLAIM], "edges": []},), stop="max_tokens"), "cut off at max_tokens"),
    (A, Reply(text='{"anchors": [', stop="max_tokens"), "cut off at max_tokens"),
    (A, Reply((CLAIM_ANSWER,), stop="refusal"), "refuses to answer"),
    (A, Reply(text="I cannot help with that.", stop="refusal"), "refuses to answer"),
    (A, Reply((CLAIM_ANSWER,), stop="model_context_window_exceeded"), "context window"),
    (A, Reply((CLAIM_ANSWER,), stop="pause_turn"), "no end of an answer"),
    (A, Reply((CLAIM_ANSWER,), stop="a_word_of_tomorrow"), "no end of an answer"),
    (B, Reply((CLAIM_ANSWER,), stop="length"), "cut off at max_tokens"),
    (B, Reply(('{"anchors": [{"ref": "a1", "qu',), stop="length"), "cut off at max_tokens"),
    (B, Reply((CLAIM_ANSWER,), stop="content_filter"), "filtered"),
    (B, Reply(text="", stop="content_filter"), "filtered"),
    (B, Reply(refusal="I cannot help with that."), "refuses to answer"),
    (B, Reply((CLAIM_ANSWER,), refusal="I cannot help with that."), "refuses to answer"),
    (B, Reply((CLAIM_ANSWER,), stop="a_word_of_tomorrow"), "no end of an answer"),
]


@pytest.mark.parametrize(("model", "reply", "words"), CUT_OFF, ids=[f"{m}-{r.stop}-{w}" for m, r, w in CUT_OFF])
def test_an_answer_that_is_no_whole_answer_ends_the_compile(
    asking: AskingInstance, model: str, reply: Reply, words: str
) -> None:
    brain = asking.server.brain
    asking.server.brain = lambda question: reply if question.model == model and of_part_1(question) else brain(question)
    done = asking.compile()
    plain(done, 4, words, "specs/links.md lines 8-12", "try: ")
    failed = asking.calls[-1]
    assert failed["outcome"] != "answered" and failed["money"] > 0, "it is paid, and the record says so"
    asking.server.brain = brain
    goes_on(asking, model)


# --- what the service refuses ---------------------------------------------------------------------------------------


def test_a_wrong_key_is_said_and_not_shown(asking: AskingInstance, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    variable = "ANTHROPIC_API_KEY" if model == A else "OPENAI_API_KEY"
    wrong = "sk-wrong-5F3kQ9zL1mB7xR2v"
    with monkeypatch.context() as patch:
        patch.setenv(variable, wrong)
        done = asking.compile()
    plain(done, 4, "refuses the key", variable)
    assert wrong[:10] not in done.err and wrong[-4:] not in done.err
    assert len([one for one in asking.asked() if one.model == model]) == 1, "it is not tried again"
    assert asking.leaks([KEY, wrong, wrong[-6:]]) == []
    assert asking.compile().code == 0


def test_a_missing_key_is_said_before_anything_is_sent(
    asking: AskingInstance, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server of one's own may want no key, so only the services' own addresses need one."""
    variable = "ANTHROPIC_API_KEY" if model == A else "OPENAI_API_KEY"
    config = asking.root / "config.yaml"
    url = asking.server.anthropic_url if model == A else asking.server.openai_url
    config.write_text(config.read_text().replace(f', base_url: "{url}"', ""))
    monkeypatch.delenv(variable)
    done = asking.compile()
    plain(done, 2, variable, "try: isopod doctor")
    assert [one for one in asking.asked() if one.model == model] == []


def test_an_unknown_model_is_named(asking: AskingInstance, model: str) -> None:
    asking.server.models = frozenset({A, B}) - {model}
    done = asking.compile()
    plain(done, 4, model, "does not know", "config.yaml")
    assert len([one for one in asking.asked() if one.model == model]) == 1
    asking.server.models = None
    assert asking.compile().code == 0


def test_a_request_that_is_refused_is_said_in_the_services_words(asking: AskingInstance, model: str) -> None:
    told = "prompt is too long: 210000 tokens > 200000 maximum"
    asking.server.fail_next(Status(400, message=told), model=model, when=of_part_1)
    plain(asking.compile(), 4, told, "models.section_chars")
    goes_on(asking, model)


def test_no_credit_is_not_tried_again(asking: AskingInstance) -> None:
    told = "You exceeded your current quota, please check your plan and billing details."
    asking.server.fail_next(Status(429, kind="insufficient_quota", message=told), model=B, when=of_part_1)
    plain(asking.compile(), 4, "no credit")
    assert asking.clock.slept == []
    goes_on(asking, B)


def test_a_redirect_takes_no_key_along(asking: AskingInstance, model: str) -> None:
    asking.server.fail_next(
        Status(307, {"Location": f"{asking.server.anthropic_url}/elsewhere"}), model=model, when=of_part_1
    )
    plain(asking.compile(), 4, "another address", "base_url")
    assert [one.path for one in asking.server.seen if one.path == "/elsewhere"] == []
    goes_on(asking, model)


# --- what may pass --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "headers", "slept"),
    [
        (429, {"Retry-After": "2"}, [2.0]),
        (429, {"Retry-After": "0"}, [0.0]),
        (429, {"Retry-After": "soon"}, [1.0]),
        (429, {"retry-after-ms": "1500"}, [1.5]),
        (429, {}, [1.0]),
        (529, {}, [1.0]),
        (529, {"Retry-After": "2"}, [2.0]),
        (500, {}, [1.0]),
        (503, {}, [1.0]),
    ],
)
def test_a_busy_service_is_waited_for(
    asking: AskingInstance, model: str, code: int, headers: dict[str, str], slept: list[float]
) -> None:
    asking.server.fail_next(Status(code, headers), model=model, when=of_part_1)
    done = asking.compile()
    assert done.code == 0, done.err
    assert asking.clock.slept == slept
    assert ("waiting" in done.err) == (slept[0] >= 1)
    assert sorted(one["retries"] for one in asking.calls) == [0] * 7 + [1]
    assert len(asking.asked()) == 9


def test_retry_after_as_a_date(asking: AskingInstance, model: str) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    asking.server.fail_next(Status(429, {"Retry-After": date}), model=model, when=of_part_1)
    assert asking.compile().code == 0
    (slept,) = asking.clock.slept
    assert 0 < slept <= 31


@pytest.mark.parametrize("as_date", [False, True])
def test_who_asks_for_an_hour_is_not_waited_for(asking: AskingInstance, model: str, as_date: bool) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=3600), usegmt=True)
    asking.server.fail_next(Status(429, {"Retry-After": date if as_date else "3600"}), model=model, when=of_part_1)
    plain(asking.compile(), 4, "longer than models.patience", model, "what was answered is kept")
    assert asking.clock.slept == []
    goes_on(asking, model)


def test_a_service_that_stays_busy_ends_the_compile(asking: AskingInstance, model: str) -> None:
    asking.server.fail_next(*[Status(529)] * 9, model=model, when=of_part_1)
    plain(asking.compile(), 4, "529", "5 tries", "what was answered is kept")
    assert asking.clock.slept == [1.0, 2.0, 4.0, 8.0]
    assert asking.calls[-1]["retries"] == 4
    goes_on(asking, model)


def test_waits_end_at_the_deadline(asking: AskingInstance, model: str) -> None:
    asking.configure(deadline="20s")
    asking.server.fail_next(*[Status(429, {"Retry-After": "9"})] * 9, model=model, when=of_part_1)
    plain(asking.compile(), 4, "models.deadline", "20s", "what was answered is kept")
    assert asking.clock.slept == [9.0, 9.0]
    goes_on(asking, model)


BROKEN: list[tuple[str, Fault]] = [
    ("reset", Drop()),
    ("reset-midway", Drop(midway=True)),
    ("truncated", Mangled(lambda body: body[: len(body) // 2])),
    ("invalid-utf-8", Mangled(lambda body: body.replace(b"model", b"mod\xff\xfel"))),
    ("invalid-utf-8-in-the-claims", Mangled(lambda body: body.replace(b"Part 1 must", b"Part \xc3 must"))),
    ("empty", Raw(b"")),
    ("a-list", Raw(b"[]")),
    ("a-number", Raw(b"7")),
    ("null", Raw(b"null")),
    ("nothing-in-it", Raw(b"{}")),
    ("strange", Raw(b'{"content": 7, "choices": {"a": null}, "usage": []}')),
    ("html", Raw(b"<html>502 Bad Gateway</html>", {"Content-Type": "text/html"})),
    ("deep", Raw(b"[" * 200_000)),
]


@pytest.mark.parametrize("fault", [fault for _, fault in BROKEN], ids=[name for name, _ in BROKEN])
def test_a_broken_answer_is_asked_for_again(asking: AskingInstance, model: str, fault: Fault) -> None:
    asking.server.fail_next(fault, model=model, when=of_part_1)
    done = asking.compile()
    assert done.code == 0, done.err
    assert asking.clock.slept == [1.0] and len(asking.asked()) == 9
    assert "Traceback" not in done.err


@pytest.mark.parametrize("fault", [fault for _, fault in BROKEN], ids=[name for name, _ in BROKEN])
def test_what_stays_broken_ends_the_compile(asking: AskingInstance, model: str, fault: Fault) -> None:
    asking.server.fail_next(*[fault] * 9, model=model, when=of_part_1)
    plain(asking.compile(), 4, "127.0.0.1", "5 tries", "try: ")
    goes_on(asking, model)


def test_a_server_that_is_gone_is_said(asking: AskingInstance, model: str) -> None:
    config = asking.root / "config.yaml"
    right = config.read_text()
    url = asking.server.anthropic_url if model == A else asking.server.openai_url
    # Nobody listens on port 1.
    config.write_text(right.replace(f'"{url}"', '"http://127.0.0.1:1/v1"'))
    plain(asking.compile(), 4, "no connection to 127.0.0.1", "base_url")
    config.write_text(right)
    assert asking.compile().code == 0


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_of_50_mb_is_not_read(asking: AskingInstance, model: str, declared: bool) -> None:
    asking.server.fail_next(Huge(50_000_000, declared=declared), model=model, when=of_part_1)
    plain(asking.compile(), 4, "larger than 20 MB", "try: ")
    assert asking.clock.slept == []
    goes_on(asking, model)


def test_a_small_body_that_unpacks_to_50_mb_is_not_unpacked(asking: AskingInstance, model: str) -> None:
    packed = gzip.compress(b'{"id": "' + b" " * 50_000_000, compresslevel=1)
    asking.server.fail_next(Raw(packed, {"Content-Encoding": "gzip"}), model=model, when=of_part_1)
    plain(asking.compile(), 4, "compressed")
    goes_on(asking, model)


@pytest.mark.parametrize("fault", [Drip(), Stall()])
def test_a_slow_body_ends_at_the_deadline(asking: AskingInstance, fault: Drip | Stall) -> None:
    """The one second is real: it is the shortest that config knows."""
    asking.configure(deadline="1s")
    asking.server.fail_next(fault, model=A, when=of_part_1)
    plain(asking.compile(), 4, "models.deadline", "1s", "what was answered is kept")
    asking.configure()
    goes_on(asking, A)


# --- answers that are none ------------------------------------------------------------------------------------------


def answers_part_1(asking: AskingInstance, model: str, *replies: Reply) -> None:
    """This model answers the questions about part 1 so, one after the other, the last one for ever."""
    brain, left = asking.server.brain, list(replies)

    def odd(question: Question) -> Outcome:
        if question.model == model and of_part_1(question):
            return left.pop(0) if len(left) > 1 else left[0]
        return brain(question)

    asking.server.brain = odd


def right() -> Reply:
    """The right answer about part 1."""
    claims = [
        CLAIM | {"quote": "Part 1 must start before anything else of this part is looked at by anyone."},
        {
            "ref": "a2",
            "kind": "constraint",
            "quote": "Part 1 must end in at most 3 steps, whatever the others do in the meantime.",
            "first_line": 11,
            "last_line": 11,
            "nth": 0,
        },
    ]
    return Reply(({"anchors": claims, "edges": []},))


NONE: list[tuple[str, Reply]] = [
    ("prose", Reply(text="I would rather not use a tool. The spec has two claims.")),
    ("nothing", Reply(text="")),
    ("two-calls", Reply(({"anchors": [], "edges": []}, {"anchors": [CLAIM], "edges": []}))),
    ("wrong-keys", Reply(({"claims": [], "relations": []},))),
    ("no-lists", Reply(({"anchors": "none", "edges": 7},))),
    ("more-keys", Reply(({"anchors": [], "edges": [], "thoughts": "..."},))),
    ("text-of-two", Reply(text='{"anchors": [], "edges": []} or {"anchors": [1], "edges": []}')),
]


@pytest.mark.parametrize("reply", [reply for _, reply in NONE], ids=[name for name, _ in NONE])
def test_an_answer_out_of_form_goes_back_and_then_counts(asking: AskingInstance, model: str, reply: Reply) -> None:
    answers_part_1(asking, model, reply, right())
    done = asking.compile("--format", "json")
    assert done.code == 0, done.err
    assert [one["exact"] for one in done.data["anchors"]][2].startswith("Part 1 must start")
    asked = asking.asked()
    assert len(asked) == 9
    assert sum("Your answer to this was:" in question.user for question in asked) == 1


@pytest.mark.parametrize("reply", [reply for _, reply in NONE], ids=[name for name, _ in NONE])
def test_an_answer_that_never_has_the_form_refuses_its_part(asking: AskingInstance, model: str, reply: Reply) -> None:
    brain = asking.server.brain
    answers_part_1(asking, model, reply)
    done = asking.compile()
    plain(done, 4, "answered 3 times", "specs/links.md lines 8-12", "try: ")
    assert not (asking.root / "cards").exists()
    asking.asked()
    asking.server.brain = brain
    assert asking.compile("--format", "json").code == 0
    again = [question for question in asking.asked() if question.tool == "ReadingAnswer"]
    assert {(question.model, of_part_1(question)) for question in again if question.model == model} == {(model, True)}


def test_text_instead_of_a_tool_call_is_unwrapped_when_it_holds_the_answer(asking: AskingInstance, model: str) -> None:
    body = json.dumps(right().tools[0], indent=1)
    answers_part_1(asking, model, Reply(text=f"Here {{is}} what I found:\n```json\n{body}\n```\nShall I go on?"))
    assert asking.compile().code == 0
    assert len(asking.asked()) == 8


def test_arguments_that_are_no_json_go_back(asking: AskingInstance) -> None:
    answers_part_1(asking, B, Reply(('{"anchors": [},',)), right())
    assert asking.compile().code == 0
    assert len(asking.asked()) == 9


# --- answers that are wrong -----------------------------------------------------------------------------------------


def wrong_ones() -> list[tuple[str, str, dict[str, Any]]]:
    whole = right().tools[0]
    assert not isinstance(whole, str)
    first, second = whole["anchors"]
    edge = {"cue": "must end", "cue_first_line": 11, "cue_last_line": 11, "kind": "requires"}
    example = CLAIM | {"ref": "e1", "quote": BELLHOUSE.answer.anchors[3].quote, "kind": "constraint"}
    return [
        ("not-in-the-text", "quote-not-found", {"anchors": [first, second, CLAIM | {"ref": "x", "quote": "Part 9"}]}),
        ("the-prompts-example", "quote-not-found", {"anchors": [first, second, example]}),
        ("unknown-kind", "", {"anchors": [first, second | {"kind": "feature"}]}),
        ("no-such-end", "", {"anchors": [first, second], "edges": [edge | {"from": "a1", "to": "a77"}]}),
        ("self", "", {"anchors": [first, second], "edges": [edge | {"from": "a1", "to": "a1"}]}),
        (
            "not-shown",
            "outside-lines",
            {"anchors": [first, second, CLAIM | {"ref": "x", "quote": "Part 2 must start"}]},
        ),
        (
            "crossing",
            "crossing",
            {
                "anchors": [
                    CLAIM | {"quote": "Part 1 must start before anything else"},
                    CLAIM | {"ref": "x", "quote": "anything else of this part is looked at by anyone"},
                    second,
                ]
            },
        ),
        ("500-times", "duplicate-anchor", {"anchors": [first | {"ref": f"a{n}"} for n in range(500)]}),
        ("numbers-for-words", "", {"anchors": [first, 7, None, [second], {"ref": 3}]}),
        ("huge-number", "", {"anchors": [first, second | {"first_line": 10**30}]}),
    ]


@pytest.mark.parametrize(("code", "answer"), [(c, a) for _, c, a in wrong_ones()], ids=[n for n, _, _ in wrong_ones()])
def test_what_is_wrong_goes_back_with_the_words_and_is_mended(
    asking: AskingInstance, model: str, code: str, answer: dict[str, Any]
) -> None:
    answers_part_1(asking, model, Reply(({"edges": [], **answer},)), right())
    done = asking.compile()
    assert done.code == 0, done.err
    told = [question for question in asking.asked() if "This is wrong with it:" in question.user]
    assert len(told) == 1 and code in told[0].user
    assert len(told[0].user) < 200_000


@pytest.mark.parametrize(("code", "answer"), [(c, a) for _, c, a in wrong_ones()], ids=[n for n, _, _ in wrong_ones()])
def test_what_stays_wrong_is_left_out_and_recorded(
    asking: AskingInstance, model: str, code: str, answer: dict[str, Any]
) -> None:
    asking.configure(rounds=0)
    answers_part_1(asking, model, Reply(({"edges": [], **answer},)))
    done = asking.compile("--format", "json")
    assert done.code in (0, 3), done.err
    assert sum(of_part_1(question) and question.model == model for question in asking.asked()) == 3
    assert "left out" in done.err
    newest = max((asking.root / ".isopod" / "records").glob("*.jsonl"))
    left = [one for line in newest.read_text().splitlines() if (one := json.loads(line))["line"] == "left-out"]
    assert len(left) == 1 and left[0]["reader"] == ("a" if model == A else "b")
    assert code == "" or code in left[0]["codes"]
    for anchor in done.data["anchors"]:
        assert anchor["exact"] in SPEC


def long_answers(brain: ReadsSentences) -> Callable[[Question], Outcome]:
    """Every answer takes 2,000 tokens."""

    def answer(question: Question) -> Outcome:
        reply = brain(question)
        return replace(reply, got=2000) if isinstance(reply, Reply) else reply

    return answer


def test_a_cap_on_money_is_never_crossed(asking: AskingInstance) -> None:
    asking.server.brain = long_answers(ReadsSentences())
    asking.configure(more=", money: 0.15", limits=", max_tokens: 2000")
    plain(asking.compile(), 4, "models.money", "0.15 USD", "what was answered is kept")
    spent = sum(one["money"] for one in asking.calls if one["money"])
    assert 0 < spent <= 0.15
    kept = len(asking.answers)
    asking.asked()
    asking.configure(more=", money: 30", limits=", max_tokens: 2000")
    assert asking.compile().code == 0
    assert len(asking.asked()) == 8 - kept


def test_a_cap_on_tokens_is_never_crossed(asking: AskingInstance) -> None:
    asking.server.brain = long_answers(ReadsSentences())
    asking.configure(more=", tokens: 30000", limits=", max_tokens: 2000")
    plain(asking.compile(), 4, "models.tokens", "30,000", "what was answered is kept")
    assert 0 < sum(one["usage"]["input"] + one["usage"]["output"] for one in asking.calls) <= 30_000


def test_a_cap_on_money_needs_prices_before_anything_is_sent(asking: AskingInstance) -> None:
    asking.configure(more=", money: 1", prices="{}")
    plain(asking.compile(), 2, A, "price", "config.yaml")
    assert asking.asked() == []


def test_no_secret_is_in_an_error_as_json(asking: AskingInstance, model: str) -> None:
    asking.server.fail_next(Status(400, message=f"the key {KEY} and {KEY[:20]} and Bearer {KEY}"), model=model)
    done = asking.compile("--format", "json")
    assert done.code == 4 and done.data["schema"] == "isopod.error/1"
    for secret in (KEY, KEY[:20], KEY[8:24]):
        assert secret not in done.out + done.err
    assert asking.leaks() == []


def test_what_was_in_work_when_another_part_failed_is_kept(asking: AskingInstance, model: str) -> None:
    asking.configure(at_once=4)
    asking.server.fail_next(Status(400), model=model, when=of_part_1)
    plain(asking.compile(), 4, "refuses the request")
    first = asking.asked()
    answered = [question for question in first if not (of_part_1(question) and question.model == model)]
    assert len(asking.answers) == len(answered) < 8
    assert asking.compile().code == 0
    assert len(asking.asked()) == 8 - len(answered)


@pytest.mark.slow
def test_a_failure_of_a_real_process_is_one_message(asking: AskingInstance, model: str) -> None:
    asking.server.fail_next(Status(401, message=f"no such key: {KEY}"), model=model)
    process = asking.start("compile", "specs/links.md")
    out, err = process.communicate()
    plain(Done(process.returncode, out.decode(), err.decode()), 4, "refuses the key", "try: ")
