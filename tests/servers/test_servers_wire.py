"""The servers send what the SDKs' own types say, and refuse what the services refuse."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest

pytest.importorskip("anthropic", reason="the SDKs are not installed: pip install '.[models]'")
pytest.importorskip("openai", reason="the SDKs are not installed: pip install '.[models]'")

from servers.brains import ReadsSentences
from servers.faces import Face, Question, error_body, message
from servers.loopback import KEY, Loopback, silent_brain
from servers.outcomes import Drip, Drop, Huge, Mangled, Outcome, Raw, Reply, Stall, Status, Unfinished

TEXT = (
    "Read.\nThe text:\n    3 | # Links\n    4 | - A link must work, once that is done. {{ x }}\n    5 | 링크는 열린다."
)
REPLIES = [
    Reply(tools=({"anchors": [], "edges": []},)),
    Reply(tools=({"anchors": []}, {"edges": []}), text="Here.", cached=700),
    Reply(text="I would rather write."),
    Reply(text="I can't.", stop="refusal"),
    Reply(tools=({"anchors": [{"quote": "\ud800 \x00"}]},)),
]


def body_for(face: Face, user: str = TEXT, tool: str = "ReadingAnswer") -> dict[str, Any]:
    """A request as a client sends it."""
    messages = [{"role": "user", "content": user}]
    if face == "anthropic":
        return {
            "model": "model-x",
            "max_tokens": 100,
            "system": "You read.",
            "messages": messages,
            "tools": [{"name": tool, "input_schema": {"type": "object"}}],
            "tool_choice": {"type": "tool", "name": tool},
        }
    function = {"name": tool, "parameters": {"type": "object"}}
    return {
        "model": "model-x",
        "max_completion_tokens": 100,
        "messages": [{"role": "system", "content": "You read."}, *messages],
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": tool}},
    }


PATH = {"anthropic": "/v1/messages", "openai": "/v1/chat/completions"}
HEADERS = {
    "anthropic": {"x-api-key": KEY, "anthropic-version": "2023-06-01"},
    "openai": {"Authorization": f"Bearer {KEY}"},
}


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as running:
        yield running


@pytest.fixture(params=["anthropic", "openai"])
def face(request: pytest.FixtureRequest) -> Face:
    return request.param  # type: ignore[no-any-return]


def connect(server: Loopback) -> HTTPConnection:
    return HTTPConnection(server.anthropic_url.removeprefix("http://"), timeout=10)


def post(server: Loopback, face: Face, body: Any, headers: dict[str, str] | None = None) -> tuple[int, Any]:
    connection = connect(server)
    connection.request("POST", PATH[face], json.dumps(body), HEADERS[face] if headers is None else headers)
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def client_of(face: Face, server: Loopback) -> Any:
    if face == "anthropic":
        import anthropic

        return anthropic.Anthropic(api_key=KEY, base_url=server.anthropic_url, max_retries=0)
    import openai

    return openai.OpenAI(api_key=KEY, base_url=server.openai_url, max_retries=0)


@pytest.mark.parametrize("reply", REPLIES, ids=range(len(REPLIES)))
def test_every_answer_is_one_by_the_types_of_the_sdks(face: Face, reply: Reply) -> None:
    from anthropic.types import Message
    from openai.types.chat import ChatCompletion

    sent = message(face, reply if face == "anthropic" else Reply(reply.tools, reply.text), body_for(face), 1)
    model: Any = Message if face == "anthropic" else ChatCompletion
    shown = model.model_validate(sent, strict=True).to_dict(mode="python")
    assert {key: shown[key] for key in sent} == sent


@pytest.mark.parametrize("code", [400, 401, 403, 404, 429, 500, 503, 529])
def test_every_error_has_the_form_of_its_face(face: Face, code: int) -> None:
    from anthropic.types import ErrorResponse

    sent = error_body(face, Status(code, message="of the test"), 1)
    if face == "anthropic":
        assert ErrorResponse.model_validate(sent, strict=True).error.message == "of the test"
    else:
        assert set(sent["error"]) == {"message", "type", "param", "code"}


def test_a_real_client_asks_and_the_request_is_kept_as_it_came(face: Face, server: Loopback) -> None:
    server.brain = ReadsSentences()
    client, body = client_of(face, server), body_for(face)
    answer = client.messages.create(**body) if face == "anthropic" else client.chat.completions.create(**body)
    arguments = (
        answer.content[0].input
        if face == "anthropic"
        else json.loads(answer.choices[0].message.tool_calls[0].function.arguments)
    )
    assert [(one["kind"], one["first_line"], one["quote"]) for one in arguments["anchors"]] == [
        ("requirement", 4, "A link must work, once that is done."),
        ("requirement", 5, "링크는 열린다."),
    ]
    (question,) = server.questions
    assert (question.model, question.system, question.user, question.tool) == (
        "model-x",
        "You read.",
        TEXT,
        "ReadingAnswer",
    )
    assert server.seen[0].body == json.loads(server.seen[0].raw) == body


@pytest.mark.parametrize(
    ("code", "error"),
    [(401, "AuthenticationError"), (404, "NotFoundError"), (429, "RateLimitError"), (500, "InternalServerError")],
)
def test_a_real_client_sees_a_queued_fault_once(face: Face, server: Loopback, code: int, error: str) -> None:
    server.fail_next(Status(code, {"Retry-After": "2"}))
    client, body = client_of(face, server), body_for(face)
    create = client.messages.create if face == "anthropic" else client.chat.completions.create
    with pytest.raises(Exception) as caught:
        create(**body)
    assert type(caught.value).__name__ == error
    assert caught.value.response.headers["retry-after"] == "2"  # type: ignore[attr-defined]
    assert create(**body).id


def test_wrong_requests_are_refused(face: Face, server: Loopback) -> None:
    right = body_for(face)
    for wrong in (
        right | {"messages": []},
        right | {"stream": True},
        {key: value for key, value in right.items() if key != "model"},
        right | {"tools": []},
    ):
        assert post(server, face, wrong)[0] == 400
    assert post(server, face, right, {})[0] == 401
    server.models = frozenset({"another"})
    assert post(server, face, right)[0] == 404
    server.models = None
    assert post(server, face, right)[0] == 200


def test_faults_on_the_way(face: Face, server: Loopback) -> None:
    faults: list[Outcome] = [Drop(), Drop(midway=True), Mangled(lambda body: body[:-20]), Raw(b'{"id": "\xff"}')]
    for fault in faults:
        server.fail_next(fault)  # type: ignore[arg-type]
        with pytest.raises((OSError, ValueError)):
            post(server, face, body_for(face))
    assert post(server, face, body_for(face))[0] == 200


@pytest.mark.parametrize("declared", [True, False])
def test_a_huge_body_ends(server: Loopback, declared: bool) -> None:
    server.fail_next(Huge(1_000_000, declared=declared))
    connection = connect(server)
    connection.request("POST", PATH["openai"], json.dumps(body_for("openai")), HEADERS["openai"])
    assert len(connection.getresponse().read()) == 1_000_000


@pytest.mark.parametrize("fault", [Drip(pause=0.001), Stall()])
def test_a_slow_body_ends_with_the_server(fault: Drip | Stall) -> None:
    with Loopback() as server:
        server.fail_next(fault)
        connection = connect(server)
        connection.request("POST", PATH["openai"], json.dumps(body_for("openai")), HEADERS["openai"])
        response = connection.getresponse()
        assert response.read(3 if isinstance(fault, Drip) else 1).strip() == b""


def test_a_held_request_waits_for_the_test(face: Face, server: Loopback) -> None:
    server.hold.clear()
    done: list[int] = []
    asking = threading.Thread(target=lambda: done.append(post(server, face, body_for(face))[0]))
    asking.start()
    while not server.questions:
        pass
    assert not done
    server.hold.set()
    asking.join(10)
    assert done == [200]


def test_a_fault_waits_for_its_question(server: Loopback) -> None:
    server.fail_next(Status(500), when=lambda question: "second" in question.user)
    assert post(server, "openai", body_for("openai", "the first"))[0] == 200
    assert post(server, "anthropic", body_for("anthropic", "the second"))[0] == 500
    server.fail_next(Status(500), model="model-y")
    assert post(server, "openai", body_for("openai"))[0] == 200
    server.heal()
    assert post(server, "openai", body_for("openai") | {"model": "model-y"})[0] == 200


def half(question: Question) -> Outcome:
    """Good, an error, left out."""
    return {"one": silent_brain(question), "two": Status(500), "three": Unfinished()}[question.user]


def test_message_batches_by_a_real_client(server: Loopback) -> None:
    server.brain = half
    batches = client_of("anthropic", server).messages.batches
    sent = batches.create(
        requests=[{"custom_id": name, "params": body_for("anthropic", name)} for name in ("one", "two", "three")]
    )
    assert (batches.retrieve(sent.id).processing_status, sent.request_counts.processing) == ("in_progress", 3)
    server.end_batches()
    ended = batches.retrieve(sent.id)
    counts = ended.request_counts
    assert (ended.processing_status, counts.succeeded, counts.errored, counts.expired) == ("ended", 1, 1, 1)
    results = [(one.custom_id, one.result.type) for one in batches.results(sent.id)]
    assert results == [("three", "expired"), ("two", "errored"), ("one", "succeeded")]
    assert [question.user for question in server.batched] == ["one", "two", "three"]


def test_the_batch_api_by_a_real_client(server: Loopback) -> None:
    server.brain = half
    client = client_of("openai", server)
    lines = [
        {"custom_id": name, "method": "POST", "url": PATH["openai"], "body": body_for("openai", name)}
        for name in ("one", "two", "three")
    ]
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    file = client.files.create(file=("batch.jsonl", data), purpose="batch")
    sent = client.batches.create(input_file_id=file.id, endpoint=PATH["openai"], completion_window="24h")
    assert sent.status == "in_progress" and client.files.content(file.id).content == data
    server.end_batches()
    ended = client.batches.retrieve(sent.id)
    assert (ended.status, ended.request_counts.completed, ended.request_counts.failed) == ("completed", 1, 2)
    good = [json.loads(line) for line in client.files.content(ended.output_file_id).content.splitlines()]
    bad = [json.loads(line) for line in client.files.content(ended.error_file_id).content.splitlines()]
    assert [(one["custom_id"], one["response"]["status_code"]) for one in good] == [("one", 200)]
    assert [(one["custom_id"], (one["response"] or {}).get("status_code")) for one in bad] == [
        ("three", None),
        ("two", 500),
    ]


def test_a_batch_that_failed_or_ran_out_of_time(server: Loopback) -> None:
    client = client_of("openai", server)
    line = {"method": "POST", "url": PATH["openai"], "body": body_for("openai")}
    data = "".join(json.dumps(line | {"custom_id": str(number)}) + "\n" for number in range(3)).encode()
    file = client.files.create(file=("batch.jsonl", data), purpose="batch")
    sent = client.batches.create(input_file_id=file.id, endpoint=PATH["openai"], completion_window="24h")
    server.end_batches("failed")
    failed = client.batches.retrieve(sent.id)
    assert failed.status == "failed" and failed.errors.data[0].message == "not JSON"
    server.end_batches("expired")
    expired = client.batches.retrieve(sent.id)
    assert (expired.status, expired.request_counts.completed, expired.request_counts.failed) == ("expired", 1, 2)


def test_the_brain_errs_once_where_it_is_told_to() -> None:
    brain = ReadsSentences(errs={"model-x": {"A link must": None, "열린다": "term"}})
    question = Question("anthropic", body_for("anthropic"))
    assert [one["kind"] for one in brain.reading(question)["anchors"]] == ["term"]
    assert [one["kind"] for one in brain.reading(question)["anchors"]] == ["requirement", "requirement"]
