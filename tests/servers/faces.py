"""The two faces: how a question arrives and how an answer looks on the wire, as the SDKs' own types say."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from servers.outcomes import Reply, Status

Face = Literal["anthropic", "openai"]
PATHS: dict[str, Face] = {"/v1/messages": "anthropic", "/v1/chat/completions": "openai"}

_ANTHROPIC_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_OPENAI_KINDS = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("invalid_request_error", "unsupported_country_region_territory"),
    404: ("invalid_request_error", "model_not_found"),
    429: ("requests", "rate_limit_exceeded"),
    500: ("server_error", None),
    503: ("server_error", None),
}


@dataclass(frozen=True)
class Question:
    """What a model is asked, whichever face it came through."""

    face: Face
    body: dict[str, Any]

    @property
    def model(self) -> str:
        return str(self.body["model"])

    @property
    def system(self) -> str:
        if self.face == "anthropic":
            system = self.body.get("system", "")
            return system if isinstance(system, str) else "".join(block["text"] for block in system)
        return "".join(_text(one) for one in self.body["messages"] if one["role"] in ("system", "developer"))

    @property
    def user(self) -> str:
        return "".join(_text(one) for one in self.body["messages"] if one["role"] == "user")

    @property
    def tool(self) -> str:
        """The name of the one tool that is offered, empty when none or several are."""
        tools = self.body.get("tools", [])
        if len(tools) != 1:
            return ""
        return str(tools[0]["name"] if self.face == "anthropic" else tools[0]["function"]["name"])


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def refuse(face: Face, body: Any) -> Status | None:
    """What the real API would refuse a request for: the parts of its contract that a client can get wrong here."""
    wrong = _wrong(face, body)
    return None if wrong is None else Status(400, message=wrong)


def _wrong(face: Face, body: Any) -> str | None:
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list) or not body["messages"]:
        return "messages: at least one message is required"
    if not isinstance(body.get("model"), str):
        return "model: Field required"
    roles = {one["role"] for one in body["messages"]}
    if body.get("stream"):
        return "this server does not stream"
    if face == "anthropic":
        if not isinstance(body.get("max_tokens"), int):
            return "max_tokens: Field required"
        if roles - {"user", "assistant"}:
            return "messages: Unexpected role. The Messages API accepts a top-level `system` parameter"
        names = [tool.get("name") for tool in body.get("tools", [])]
        schemas = [tool.get("input_schema", {}).get("type") for tool in body.get("tools", [])]
        choice = body.get("tool_choice", {})
        chosen = choice.get("name") if choice.get("type") == "tool" else None
    else:
        if "max_tokens" in body and "max_completion_tokens" in body:
            return "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
        functions = [tool.get("function", {}) for tool in body.get("tools", [])]
        names = [function.get("name") for function in functions]
        schemas = [function.get("parameters", {}).get("type") for function in functions]
        choice = body.get("tool_choice", {})
        chosen = choice.get("function", {}).get("name") if isinstance(choice, dict) else None
    if any(kind != "object" for kind in schemas):
        return "tools: the schema of a tool must be of type object"
    if chosen is not None and chosen not in names:
        return f"tool_choice: tool {chosen!r} not found in provided tools"
    return None


def message(face: Face, reply: Reply, body: dict[str, Any], number: int) -> dict[str, Any]:
    """The answer as the face sends it."""
    question = Question(face, body)
    if face == "anthropic":
        return _anthropic_message(reply, question, number)
    return _openai_completion(reply, question, number)


def _anthropic_message(reply: Reply, question: Question, number: int) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if reply.text is not None:
        content.append({"type": "text", "text": reply.text, "citations": None})
    for index, arguments in enumerate(reply.tools):
        shown = json.loads(arguments) if isinstance(arguments, str) else arguments
        name = question.tool
        content.append({"type": "tool_use", "id": f"toolu_{number:04}{index:02}", "name": name, "input": shown})
    return {
        "id": f"msg_{number:06}",
        "type": "message",
        "role": "assistant",
        "model": question.model,
        "content": content,
        "stop_reason": reply.stop or ("tool_use" if reply.tools else "end_turn"),
        "stop_sequence": None,
        "usage": {
            "input_tokens": reply.sent - reply.cached,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": reply.cached,
            "output_tokens": reply.got,
            "service_tier": "standard",
        },
    }


def _openai_completion(reply: Reply, question: Question, number: int) -> dict[str, Any]:
    calls = [
        {
            "id": f"call_{number:04}{index:02}",
            "type": "function",
            "function": {
                "name": question.tool,
                "arguments": one if isinstance(one, str) else json.dumps(one, ensure_ascii=False),
            },
        }
        for index, one in enumerate(reply.tools)
    ]
    told: dict[str, Any] = {"role": "assistant", "content": reply.text, "refusal": reply.refusal, "annotations": []}
    if calls:
        told["tool_calls"] = calls
    # Of a forced tool call the real API says `stop`, of a chosen one `tool_calls`.
    forced = isinstance(question.body.get("tool_choice"), dict)
    answer: dict[str, Any] = {
        "id": f"chatcmpl-{number:06}",
        "object": "chat.completion",
        "created": 1_796_000_000 + number,
        "model": question.model,
        "choices": [
            {
                "index": 0,
                "message": told,
                "logprobs": None,
                "finish_reason": reply.stop or ("tool_calls" if calls and not forced else "stop"),
            }
        ],
        "service_tier": "default",
        "system_fingerprint": None,
    }
    if reply.counted:
        answer["usage"] = {
            "prompt_tokens": reply.sent,
            "completion_tokens": reply.got,
            "total_tokens": reply.sent + reply.got,
            "prompt_tokens_details": {"cached_tokens": reply.cached, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        }
    return answer


def error_body(face: Face, status: Status, number: int) -> dict[str, Any]:
    """The error as the face sends it."""
    if face == "anthropic":
        kind = status.kind or _ANTHROPIC_KINDS.get(status.code, "api_error")
        told = {"type": kind, "message": status.message or f"{kind} of the test"}
        return {"type": "error", "error": told, "request_id": f"req_{number:06}"}
    kind, code = _OPENAI_KINDS.get(status.code, ("server_error", None))
    told_message = status.message or f"{code or kind} of the test"
    return {"error": {"message": told_message, "type": kind, "param": None, "code": status.kind or code}}
