"""What stands between the readers and llama.cpp in `make local-model`: tried without the model, over the real SDK."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pipeline.models.protocol import CutOffError
from pipeline.readers.openai import OpenAI
from schemas.call import Call
from schemas.config import ReaderConfig

FILE = Path(__file__).resolve().parent.parent / "benchmarks/local_model.py"
CALL = Call(
    reader="a",
    model="small",
    purpose="check",
    round=0,
    prompt="1",
    shape="check",
    system="Answer.",
    user="Are you ready? {{ x }}",
    max_tokens=300,
    place="a check",
)


@pytest.fixture(scope="module")
def local() -> ModuleType:
    """The module; it is no package, so it is loaded from its file."""
    found = importlib.util.spec_from_file_location("local_model", FILE)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    return module


class Engine:
    """Answers with a fixed text, and keeps what it was asked."""

    def __init__(self, text: str, finish: str = "stop") -> None:
        self.text = text
        self.finish = finish
        self.asked: list[dict[str, Any]] = []

    def handle_chat_completions(self, prompt: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(prompt)
        message = {"role": "assistant", "content": self.text}
        return {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "choices": [{"index": 0, "finish_reason": self.finish, "message": message}],
            "usage": {"prompt_tokens": 24, "completion_tokens": 17, "total_tokens": 41},
        }


def test_a_named_tool_becomes_a_schema_and_the_answer_a_call_of_it(
    local: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("instructor", reason="the extra `models` is not installed")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    engine = Engine('{"ready": true}')
    counted = local.Counted()
    with local.served(engine, counted) as url:
        config = ReaderConfig(provider="openai", model="small", base_url=url)
        received = OpenAI().send(CALL, config, 30)
    assert json.loads(received.content) == {"ready": True}
    assert received.stop == "tool_calls"
    assert received.usage is not None
    assert (received.usage.input, received.usage.output) == (24, 17)
    (asked,) = engine.asked
    assert asked["messages"][1]["content"] == CALL.user
    assert "tools" not in asked
    assert asked["response_format"]["json_schema"]["schema"]["required"] == ["ready"]
    assert str(counted) == "one token is 1.21 bytes of a question, 0.88 bytes of an answer"


def test_an_answer_that_was_cut_off_stays_one(local: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("instructor", reason="the extra `models` is not installed")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with local.served(Engine('{"rea', finish="length"), local.Counted()) as url:
        config = ReaderConfig(provider="openai", model="small", base_url=url)
        with pytest.raises(CutOffError) as raised:
            OpenAI().send(CALL, config, 30)
    assert raised.value.code == "truncated"


def test_a_question_without_a_tool_passes_as_it_is(local: ModuleType) -> None:
    body = {"messages": [{"role": "user", "content": "hello"}], "tool_choice": "auto"}
    assert local.held(body) == (body, None)


def test_lists_strings_and_numbers_are_bounded_and_names_of_kinds_are_not(local: ModuleType) -> None:
    kind = {"type": "string", "enum": ["term"]}
    item = {"type": "object", "properties": {"kind": kind, "quote": {"type": "string"}, "nth": {"type": "integer"}}}
    made = local.bounded({"type": "array", "items": item})
    properties = made["items"]["properties"]
    assert made["maxItems"] > 0
    assert properties["kind"] == kind
    assert properties["quote"]["maxLength"] > 0
    assert properties["nth"]["minimum"] == 0
