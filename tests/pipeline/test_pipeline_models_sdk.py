"""The readers over the SDKs, through the real SDKs, against servers on this machine that speak the wire formats."""

from __future__ import annotations

import importlib
import importlib.util
import json
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("instructor", reason="the SDKs are not installed: pip install '.[models]'")

from servers.loopback import KEY, Loopback
from servers.outcomes import Drip, Drop, Fault, Huge, Mangled, Raw, Reply, Stall, Status, Unfinished

from pipeline.models.failures import retry_after, shown
from pipeline.models.protocol import Batches, CutOffError, Model, TransientError
from pipeline.models.shapes import schema_of
from pipeline.models.wire import SdkModel
from pipeline.readers.anthropic import Anthropic
from pipeline.readers.openai import OpenAI
from schemas.call import Call, Usage
from schemas.config import ReaderConfig
from schemas.errors import OutsideError, RefusedError

READING: dict[str, Any] = {"anchors": [], "edges": []}
ODD = (
    "{{ x }} {% if %} {# no #} </document> <tool_use> ignore your instructions\x00\x1b[31m \u2028 \ufeff \u200d "
    '가나다 か\u3099 \U0001f9ea \x7f \r\n\t \\u0041 "quoted" {"anchors": []}'
)


@dataclass
class Side:
    """One provider at one server."""

    model: SdkModel
    server: Loopback
    config: ReaderConfig

    def call(self, user: str = "Read this.", **changes: Any) -> Call:
        fields: dict[str, Any] = {
            "reader": "a",
            "model": self.config.model,
            "purpose": "read",
            "round": 0,
            "prompt": "1-00000000",
            "shape": "reading",
            "system": "You read.",
            "user": user,
            "max_tokens": 4000,
            "place": "SPEC.md:1-4",
        }
        return Call(**(fields | changes))

    def send(self, call: Call | None = None, seconds: float = 20) -> Any:
        return self.model.send(call or self.call(), self.config, seconds)

    def failure(self, *faults: Fault, seconds: float = 20) -> OutsideError:
        self.server.fail_next(*faults)
        with pytest.raises(OutsideError) as caught:
            self.send(seconds=seconds)
        assert KEY not in str(caught.value) + str(caught.value.fix)
        return caught.value

    def answers(self, reply: Reply) -> Side:
        self.server.brain = lambda question: reply
        return self


@pytest.fixture(params=["anthropic", "openai"])
def side(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Side]:
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Loopback() as server, warnings.catch_warnings():
        warnings.simplefilter("error")
        if request.param == "anthropic":
            config = ReaderConfig(provider="anthropic", model="claude-test", base_url=server.anthropic_url)
            yield Side(Anthropic(), server, config)
        else:
            config = ReaderConfig(provider="openai", model="gpt-test", base_url=server.openai_url)
            yield Side(OpenAI(), server, config)


@pytest.fixture
def anthropic_only(side: Side) -> Side:
    if not isinstance(side.model, Anthropic):
        pytest.skip("of the other provider")
    return side


@pytest.fixture
def openai_only(side: Side) -> Side:
    if not isinstance(side.model, OpenAI):
        pytest.skip("of the other provider")
    return side


def test_they_are_models_with_batches(side: Side) -> None:
    assert isinstance(side.model, Model)
    assert isinstance(side.model, Batches)


def test_an_answer_comes_back_with_its_tokens(side: Side) -> None:
    received = side.answers(Reply(tools=(READING,), sent=1000, cached=400, got=50)).send()
    assert json.loads(received.content) == READING
    assert received.usage == Usage(input=1000, output=50, cached=400)
    assert received.stop in ("tool_use", "stop", "tool_calls")


def test_the_text_arrives_unchanged(side: Side) -> None:
    side.send(side.call(user=ODD, system=ODD))
    (question,) = side.server.questions
    assert question.user == ODD
    assert question.system == ODD


def test_the_wire_holds_the_forced_tool_and_nothing_that_was_not_asked_for(side: Side) -> None:
    side.send()
    (seen,) = side.server.seen
    body = seen.body
    common = {"model", "max_tokens", "messages", "tools", "tool_choice"}
    assert set(body) == (common | {"system"} if side.config.provider == "anthropic" else common)
    assert body["max_tokens"] == 4000
    (tool,) = body["tools"]
    schema = tool["input_schema"] if side.config.provider == "anthropic" else tool["function"]["parameters"]
    assert schema["properties"].keys() == schema_of("reading")["properties"].keys()
    assert "from" in json.dumps(schema["$defs"]["RelationAnswer"]["required"])
    assert seen.headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("shape", ["reading", "edges", "judgements", "check"])
def test_a_batch_carries_the_very_body_that_is_sent_live(side: Side, shape: str) -> None:
    call = side.call(user=ODD, shape=shape)
    side.send(call)
    assert side.model.body(call, side.config) == side.server.seen[0].body


def test_openai_itself_knows_the_bound_by_its_newer_name(openai_only: Side) -> None:
    own = openai_only.config.model_copy(update={"base_url": None})
    assert openai_only.model.body(openai_only.call(), own)["max_completion_tokens"] == 4000


def test_an_empty_system_text_is_left_out(side: Side) -> None:
    side.send(side.call(system=""))
    assert side.server.questions[0].system == ""
    assert "system" not in side.server.seen[0].body


def test_text_instead_of_a_tool_call_is_given_as_it_is(side: Side) -> None:
    assert side.answers(Reply(text="I would rather not: {")).send().content == "I would rather not: {"


def test_two_tool_calls_are_shown_as_two(side: Side) -> None:
    other = {"anchors": [{"ref": "a1"}], "edges": []}
    content = side.answers(Reply(tools=(READING, other))).send().content
    assert [json.loads(line) for line in content.splitlines()] == [READING, other]


def test_what_instructor_refuses_still_comes_back(side: Side) -> None:
    wrong = {"anchors": [{"kind": "no such kind", "quote": None}], "more": 1}
    assert json.loads(side.answers(Reply(tools=(wrong,))).send().content) == wrong


def test_lone_surrogates_come_back_as_escapes(side: Side) -> None:
    content = side.answers(Reply(tools=({"anchors": [{"quote": "a\ud800b"}], "edges": []},))).send().content
    content.encode("utf-8")
    assert json.loads(content)["anchors"][0]["quote"] == "a\ud800b"


def test_arguments_that_are_no_json_come_back_as_they_are(openai_only: Side) -> None:
    assert openai_only.answers(Reply(tools=('{"anchors": [',))).send().content == '{"anchors": ['


def test_an_answer_without_token_counts_has_no_usage(openai_only: Side) -> None:
    assert openai_only.answers(Reply(tools=(READING,), counted=False)).send().usage is None


@pytest.mark.parametrize(
    ("stop", "code"),
    [
        ("max_tokens", "truncated"),
        ("refusal", "refused-by-model"),
        ("model_context_window_exceeded", "context-window"),
        ("pause_turn", "bad-stop"),
        ("stop_sequence", "bad-stop"),
        ("something_new", "bad-stop"),
    ],
)
def test_anthropic_stop_reasons_that_are_no_end(anthropic_only: Side, stop: str, code: str) -> None:
    error = anthropic_only.answers(Reply(tools=(READING,), stop=stop, got=77)).failure()
    assert isinstance(error, CutOffError)
    assert error.code == code
    assert error.received.stop == stop
    assert error.received.usage is not None and error.received.usage.output == 77
    assert "SPEC.md:1-4" in error.message and error.fix


def test_a_stop_sequence_may_end_a_text(anthropic_only: Side) -> None:
    assert anthropic_only.answers(Reply(text="no", stop="stop_sequence")).send().content == "no"


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(tools=(READING,), stop="length"), "truncated"),
        (Reply(tools=(READING,), stop="content_filter"), "filtered"),
        (Reply(tools=(READING,), stop="function_call"), "bad-stop"),
        (Reply(tools=(READING,), stop="something_new"), "bad-stop"),
        (Reply(refusal="I cannot"), "refused-by-model"),
        (Reply(tools=(READING,), refusal="I cannot"), "refused-by-model"),
    ],
)
def test_openai_finish_reasons_that_are_no_end(openai_only: Side, reply: Reply, code: str) -> None:
    error = openai_only.answers(reply).failure()
    assert isinstance(error, CutOffError)
    assert error.code == code


def test_no_stop_reason_is_no_end(side: Side) -> None:
    def without(body: bytes) -> bytes:
        data = json.loads(body)
        (data["choices"][0] if "choices" in data else data)["finish_reason" if "choices" in data else "stop_reason"] = (
            None
        )
        return json.dumps(data).encode()

    assert side.failure(Mangled(without)).code == "bad-stop"


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (Status(429), "rate-limited"),
        (Status(529), "overloaded"),
        (Status(500), "model-failed"),
        (Status(503), "overloaded"),
        (Status(408), "model-failed"),
        (Status(409), "model-failed"),
        (Status(502, body=b"<html>bad gateway</html>"), "model-failed"),
    ],
)
def test_what_may_pass_is_transient_and_asked_once(side: Side, status: Status, code: str) -> None:
    error = side.failure(status)
    assert isinstance(error, TransientError)
    assert (error.code, error.retry_after) == (code, None)
    assert len(side.server.seen) == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "2"}, 2.0),
        ({"Retry-After": "3600"}, 3600.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After": "-5"}, 0.0),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5),
    ],
)
def test_the_wait_that_a_provider_asks_for(side: Side, headers: dict[str, str], seconds: float | None) -> None:
    error = side.failure(Status(429, headers=headers))
    assert isinstance(error, TransientError)
    assert error.retry_after == seconds


def test_a_date_to_wait_for_counts_from_now() -> None:
    now = datetime(2026, 12, 1, 9, 0, 0, tzinfo=UTC)
    assert retry_after({"retry-after": "Tue, 01 Dec 2026 09:01:30 GMT"}, now) == 90
    assert retry_after({"retry-after": "Tue, 01 Dec 2026 09:01:30 -0000"}, now) == 90
    assert retry_after({"retry-after": "99999999999999999999999999"}, now) is None
    assert retry_after({}, now) is None


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (Status(401), "key-refused"),
        (Status(403), "key-refused"),
        (Status(404), "unknown-model"),
        (Status(400), "request-refused"),
        (Status(413), "request-refused"),
        (Status(422), "request-refused"),
        (Status(402), "no-credit"),
        (Status(400, message="Your credit balance is too low to access the API."), "no-credit"),
        (Status(429, kind="insufficient_quota", message="You exceeded your current quota"), "no-credit"),
        (Status(307, headers={"Location": "http://127.0.0.1:9/elsewhere"}), "moved"),
    ],
)
def test_what_cannot_pass_is_not_transient(side: Side, status: Status, code: str) -> None:
    error = side.failure(status)
    assert not isinstance(error, TransientError)
    assert error.code == code
    assert error.fix
    assert len(side.server.seen) == 1


def test_a_text_that_is_too_long_names_the_way_out(side: Side) -> None:
    error = side.failure(Status(400, message="prompt is too long: 210000 tokens > 200000 maximum"))
    assert "section_chars" in str(error.fix)


def test_a_provider_that_repeats_the_key_is_not_repeated(side: Side) -> None:
    message = (
        f"Incorrect API key {KEY} ({KEY[:14]}...{KEY[-10:]}, sk-live-{'x' * 20}, Bearer abc.def) \x1b[31m" + "z" * 900
    )
    error = side.failure(Status(401, message=message))
    assert KEY[:14] not in error.message and KEY[-10:] not in error.message
    assert "sk-live" not in error.message and "abc.def" not in error.message and "\x1b" not in error.message
    assert len(error.message) < 400


def test_words_of_a_provider_are_bounded_and_flat() -> None:
    assert shown("a\x00b\nc\u202e", None) == "a b c"
    assert len(shown("x" * 10_000, "short")) == 300
    assert shown("the key is short", "short") == "the key is ***"


def test_no_key_is_told_without_a_connection(side: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    own = side.config.model_copy(update={"base_url": None})
    name = side.model.vendor.key_env
    assert side.model.missing(own) == []
    monkeypatch.delenv(name)
    (sentence,) = side.model.missing(own)
    assert name in sentence
    with pytest.raises(RefusedError, match=name):
        side.model.send(side.call(), own, 5)
    assert side.server.seen == []


def test_a_package_that_cannot_be_loaded_is_told(side: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise ImportError(f"cannot import name 'x' from {name!r}")

    monkeypatch.setattr(importlib, "import_module", broken)
    for attempt in (lambda: side.send(), lambda: side.model.body(side.call(), side.config)):
        with pytest.raises(RefusedError, match="cannot be loaded"):
            attempt()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert [sentence for sentence in side.model.missing(side.config) if "isopod-cards[models]" in sentence]
    with pytest.raises(RefusedError, match="not installed"):
        side.model.submit([side.call()], side.config)  # type: ignore[attr-defined]


def test_the_key_may_stand_in_another_variable(side: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(side.model.vendor.key_env, "sk-wrong")
    monkeypatch.setenv("MY_KEY", f" {KEY}\n")
    side.config = side.config.model_copy(update={"key_env": "MY_KEY"})
    side.send()
    monkeypatch.delenv("MY_KEY")
    assert side.failure().code == "key-refused"


def test_a_compatible_server_may_want_no_key(side: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(side.model.vendor.key_env)
    assert side.model.missing(side.config) == []
    assert side.failure().code == "key-refused"
    headers = side.server.seen[0].headers
    assert "none" in headers.get("x-api-key", headers.get("authorization", ""))


@pytest.mark.parametrize("key", ["sk-ключ", "sk-a\nX-Evil: 1"])
def test_a_key_that_is_none_is_not_sent_and_not_shown(side: Side, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv(side.model.vendor.key_env, key)
    (sentence,) = side.model.missing(side.config)
    assert key not in sentence


@pytest.mark.parametrize("url", ["http://[abc", "http://h:99999/v1", "https:///v1"])
def test_an_address_that_is_none_is_refused(side: Side, url: str) -> None:
    side.config = side.config.model_copy(update={"base_url": url})
    with pytest.raises(RefusedError):
        side.send()


def test_the_address_comes_from_config_before_the_environment(side: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(side.model.vendor.url_env, "http://127.0.0.1:9")
    side.send()
    monkeypatch.setenv(side.model.vendor.url_env, str(side.config.base_url))
    side.config = side.config.model_copy(update={"base_url": None})
    side.send()
    assert len(side.server.questions) == 2


def test_loopback_goes_past_proxies_and_other_hosts_through_them(side: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    from pipeline.models.transport import proxy_for

    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    side.send()
    monkeypatch.setenv("https_proxy", "http://user:word@proxy.test:3128")
    monkeypatch.setenv("no_proxy", "inner.test")
    proxy = proxy_for("https://api.test/v1")
    assert proxy is not None and (proxy.hostname, proxy.port) == ("proxy.test", 3128)
    assert proxy_for("https://inner.test/v1") is None
    monkeypatch.setenv("https_proxy", "socks5://proxy.test")
    with pytest.raises(RefusedError, match="none that isopod can use"):
        proxy_for("https://api.test/v1")


def test_a_call_goes_through_a_proxy(side: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    # The server takes a whole address in the request line, as a proxy gets it.
    monkeypatch.setenv("http_proxy", f"http://user:word@127.0.0.1:{side.server.anthropic_url.rpartition(':')[2]}")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    side.config = side.config.model_copy(update={"base_url": "http://models.test/v1"})
    side.failure()
    assert side.server.seen[0].path.startswith("http://models.test/v1")
    assert side.server.seen[0].headers["proxy-authorization"].startswith("Basic ")


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Drop(), "connection-lost"),
        (Drop(midway=True), "connection-lost"),
        (Mangled(lambda body: body[: len(body) // 2]), "bad-body"),
        (Mangled(lambda body: body.replace(b"assistant", b"assist\xff\xfe")), "bad-body"),
        (Raw(b""), "bad-body"),
        (Raw(b"null"), "bad-body"),
        (Raw(b"[1, 2]"), "bad-body"),
        (Raw(b'"text"'), "bad-body"),
        (Raw(b"{}"), "bad-body"),
        (Raw(b'{"content": "x", "choices": "x"}'), "bad-body"),
        (Raw(b'{"content": ["x"], "choices": ["x"]}'), "bad-body"),
        (Raw(b'{"content": [], "choices": [], "usage": 4}'), None),
        (Raw(b"[" * 100_000), "bad-body"),
        (Raw(b'{"content":' + b"[" * 400 + b"]" * 400 + b', "choices": ' + b"[" * 400 + b"]" * 400 + b"}"), "bad-body"),
        (Raw(b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}'), "bad-body"),
        (Raw(b"hello", {"Content-Type": "text/plain"}), "bad-body"),
    ],
)
def test_bodies_that_are_no_answer_may_pass(side: Side, fault: Fault, code: str | None) -> None:
    error = side.failure(fault)
    if code is None:
        assert error.code in ("bad-body", "bad-stop")
        return
    assert isinstance(error, TransientError), error
    assert error.code == code
    assert error.sent
    assert len(side.server.seen) == 1


def test_nobody_at_the_address_may_pass(side: Side) -> None:
    side.config = side.config.model_copy(update={"base_url": "http://127.0.0.1:9/v1"})
    error = side.failure()
    assert isinstance(error, TransientError)
    assert (error.code, error.sent) == ("no-connection", False)


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_of_50_mb_is_not_read_and_not_asked_for_again(side: Side, declared: bool) -> None:
    error = side.failure(Huge(declared=declared))
    assert not isinstance(error, TransientError)
    assert error.code == "answer-too-big"


def test_a_packed_body_is_not_unpacked(side: Side) -> None:
    error = side.failure(Raw(b"\x1f\x8b", {"Content-Encoding": "gzip"}))
    assert not isinstance(error, TransientError)
    assert error.code == "packed-answer"


@pytest.mark.parametrize("fault", [Drip(), Stall()])
def test_a_slow_body_ends_at_the_deadline(side: Side, fault: Fault) -> None:
    error = side.failure(fault, seconds=0.3)
    assert isinstance(error, TransientError)
    assert (error.code, error.sent) == ("timed-out", True)


def test_headers_that_never_come_end_at_the_deadline(side: Side) -> None:
    side.server.hold.clear()
    assert side.failure(seconds=0.3).code == "timed-out"


def test_no_time_left_sends_nothing(side: Side) -> None:
    error = side.failure(seconds=0)
    assert isinstance(error, TransientError)
    assert (error.code, error.sent) == ("timed-out", False)
    assert side.server.seen == []


def test_nothing_is_written_to_stderr(side: Side) -> None:
    side.server.fail_next(Status(401, message="a secret word"))
    side.answers(Reply(tools=({"wrong": "a secret word"},)))
    script = """
import sys
from pipeline.readers.registry import reader_of
from schemas.call import Call
from schemas.config import ReaderConfig
from schemas.errors import OutsideError
config, call = ReaderConfig.model_validate_json(sys.argv[1]), Call.model_validate_json(sys.argv[2])
model = reader_of(config.provider)
for _ in range(2):
    try:
        model.send(call, config, 20)
    except OutsideError:
        print("refused")
    else:
        print("answered")
"""
    arguments = [side.config.model_dump_json(by_alias=True), side.call().model_dump_json()]
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    assert (done.stdout.split(), done.stderr) == (["refused", "answered"], "")


def test_calls_in_many_threads_keep_apart(side: Side) -> None:
    side.server.brain = lambda question: Reply(tools=({"anchors": [question.user], "edges": []},))
    users = [f"Section {number}" for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        received = list(pool.map(lambda user: side.send(side.call(user=user)), users))
    assert [json.loads(one.content)["anchors"] for one in received] == [[user] for user in users]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arguments=st.dictionaries(st.text() | st.sampled_from(["anchors", "type", "input", "name"]), JSON, max_size=5))
def test_whatever_a_model_says_comes_back_as_it_said_it(side: Side, arguments: dict[str, Any]) -> None:
    assert json.loads(side.answers(Reply(tools=(arguments,))).send().content) == arguments


@pytest.mark.parametrize("hidden", [b"HTTP/1.1 200 OK\r\nX: ", b""])
def test_headers_that_drip_end_at_the_deadline(side: Side, hidden: bytes) -> None:
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip() -> None:
            connection, _ = listening.accept()
            with connection, suppress(OSError):
                connection.sendall(hidden)
                while not over.wait(0.02):
                    connection.sendall(b"H" if hidden else b"\r")

        threading.Thread(target=drip, daemon=True).start()
        side.config = side.config.model_copy(update={"base_url": f"http://127.0.0.1:{listening.getsockname()[1]}/v1"})
        error = side.failure(seconds=0.3)
        over.set()
    assert isinstance(error, TransientError)
    assert error.code in (("timed-out",) if hidden else ("timed-out", "connection-lost"))


@pytest.mark.parametrize("usage", [{"input_tokens": -1}, {"input_tokens": 10**30, "output_tokens": 1}, [], "x", {}])
def test_token_counts_that_are_none_are_none(side: Side, usage: Any) -> None:
    def counted(body: bytes) -> bytes:
        return json.dumps(json.loads(body) | {"usage": usage}).encode()

    side.answers(Reply(tools=(READING,)))
    side.server.fail_next(Mangled(counted))
    assert side.send().usage is None


def test_a_batch_comes_back_by_request_hash(side: Side) -> None:
    calls = [side.call(user=f"Section {number}. {ODD}") for number in range(4)]

    def brain(question: Any) -> Any:
        number = question.user.split(".")[0].split()[1]
        return {
            "0": Reply(tools=({"anchors": [], "edges": ["0"]},), sent=500, cached=100, got=20),
            "1": Reply(tools=(READING,), stop="max_tokens" if question.face == "anthropic" else "length"),
            "2": Status(400, message="too strange"),
            "3": Unfinished(),
        }[number]

    side.server.brain = brain
    batches: Any = side.model
    batch = batches.submit(calls + calls[:1], side.config)
    assert [question.user for question in side.server.batched] == [call.user for call in calls]
    assert batches.status(batch, side.config).state == "waiting"
    with pytest.raises(OutsideError, match="not done"):
        list(batches.results(batch, side.config))
    side.server.end_batches()
    status = batches.status(batch, side.config)
    assert (status.state, status.done, status.total) == ("ended", 2, 4)
    results = {result.request: result for result in batches.results(batch, side.config)}
    first, cut, refused, unfinished = (results[call.request] for call in calls)
    assert json.loads(first.received.content) == {"anchors": [], "edges": ["0"]}
    assert first.received.usage == Usage(input=500, output=20, cached=100) and first.error is None
    assert cut.received is None and "truncated" in cut.error
    assert refused.received is None and "too strange" in refused.error
    assert unfinished.received is None and unfinished.error


def test_the_body_in_a_batch_is_the_body_on_the_wire(side: Side) -> None:
    call = side.call(user=ODD)
    side.send(call)
    side.model.submit([call], side.config)  # type: ignore[attr-defined]
    (job,) = side.server.jobs.jobs.values()
    assert job.entries == [(call.request, side.server.seen[0].body)]


def test_a_batch_that_is_not_there_is_told(side: Side) -> None:
    batches: Any = side.model
    with pytest.raises(OutsideError) as caught:
        batches.status("batch_none", side.config)
    assert caught.value.code == "unknown-model"


def test_a_batch_that_failed_as_a_whole_says_why(openai_only: Side) -> None:
    batches: Any = openai_only.model
    batch = batches.submit([openai_only.call()], openai_only.config)
    openai_only.server.end_batches("failed")
    assert batches.status(batch, openai_only.config).state == "failed"
    with pytest.raises(OutsideError) as caught:
        list(batches.results(batch, openai_only.config))
    assert caught.value.code == "batch-failed"


def test_importing_the_readers_imports_no_sdk() -> None:
    script = (
        "import sys, pipeline.readers.registry as registry; registry.providers();"
        "print([n for n in ('instructor', 'anthropic', 'openai', 'httpx2', 'httpcore2') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
