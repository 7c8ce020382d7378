"""Asks a model over the OpenAI SDK, or any server that speaks Chat Completions; live or through the Batch API."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pipeline.models.failures import Endpoint, message_in, shown
from pipeline.models.protocol import BatchResult, BatchState, BatchStatus
from pipeline.models.reading import read_by_model
from pipeline.models.wire import (
    Said,
    SdkModel,
    Vendor,
    batch_id,
    count,
    json_text,
    lines_of,
    plain,
    storable,
    unanswered,
)
from pipeline.readers.protocol import ReadRequest
from schemas.call import Call, Usage
from schemas.config import ReaderConfig, seconds_of
from schemas.errors import OutsideError

if TYPE_CHECKING:
    import httpx2

_MOST_RESULT_BYTES: Final = 300_000_000
_ENDPOINT: Final = "/v1/chat/completions"
_STATES: Final[dict[str, BatchState]] = {
    "completed": "ended",
    "failed": "failed",
    "expired": "expired",
    "cancelled": "cancelled",
}


class OpenAI(SdkModel):
    """Chat Completions. The address is `base_url` of the reader, else OPENAI_BASE_URL, else OpenAI's own.

    No temperature is sent; the function that holds the answer is forced. Finish reasons and the form of usage:
    https://platform.openai.com/docs/api-reference/chat/object.
    """

    provider: ClassVar[str] = "openai"
    heuristic: ClassVar[bool] = False
    repairs: ClassVar[bool] = True
    calls_model: ClassVar[bool] = True
    vendor: ClassVar[Vendor] = Vendor(
        package="openai",
        key_env="OPENAI_API_KEY",
        url_env="OPENAI_BASE_URL",
        url="https://api.openai.com/v1",
        stops=frozenset({"tool_calls", "stop"}),
        text_stops=frozenset(),
        cut_offs={"length": "truncated", "content_filter": "filtered"},
    )

    def read(self, request: ReadRequest) -> bytes:
        """The reading of this request; see `pipeline.models.reading.read_by_model`."""
        return read_by_model(request)

    def arguments(self, call: Call, config: ReaderConfig) -> dict[str, Any]:
        """Model, bound, system text and the one message. Compatible servers know the bound by its older name only."""
        bound = "max_tokens" if self.is_elsewhere(config) else "max_completion_tokens"
        system = [{"role": "system", "content": call.system}] if call.system else []
        return {
            "model": call.model,
            bound: call.max_tokens,
            "messages": [*system, {"role": "user", "content": call.user}],
        }

    def client(self, endpoint: Endpoint, http: httpx2.Client) -> Any:
        """The SDK's client. A compatible server that wants no key gets the word none."""
        import openai

        return openai.OpenAI(
            api_key=endpoint.key or "none", base_url=endpoint.url, http_client=http, max_retries=0, timeout=http.timeout
        )

    def instructed(self, client: Any) -> Any:
        """instructor's client."""
        import instructor

        return instructor.from_openai(client, mode=instructor.Mode.TOOLS)

    def instructor_provider(self) -> Any:
        """instructor's name of the provider."""
        from instructor import Provider

        return Provider.OPENAI

    def said(self, body: Any) -> Said | None:
        """The first choice of a completion: the arguments of its tool calls and its text."""
        choices = body.get("choices") if isinstance(body, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            return None
        calls = message.get("tool_calls") or []
        if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
            return None
        text = message.get("content")
        return Said(
            tools=tuple(_arguments(call) for call in calls),
            text=storable(text) if isinstance(text, str) else "",
            stop=str(choice.get("finish_reason") or ""),
            usage=_usage(body.get("usage")),
            refused=bool(message.get("refusal")),
        )

    def submit(self, calls: Iterable[Call], config: ReaderConfig) -> str:
        """Send the calls as one file and one batch of it, each under its request hash; the id of the batch."""
        bodies = {call.request: self.body(call, config) for call in calls}
        lines = [
            json.dumps({"custom_id": request, "method": "POST", "url": _ENDPOINT, "body": body}, ensure_ascii=False)
            for request, body in bodies.items()
        ]
        data = "".join(f"{line}\n" for line in lines).encode("utf-8")
        with self.exchange(config, seconds_of(config.time_limit), config.model) as (endpoint, http):
            client = self.client(endpoint, http)
            sent = plain(client.files.create(file=("isopod.jsonl", data, "application/jsonl"), purpose="batch"))
            batch = plain(
                client.batches.create(
                    input_file_id=batch_id(sent, endpoint), endpoint=_ENDPOINT, completion_window="24h"
                )
            )
        return batch_id(batch, endpoint)

    def status(self, batch: str, config: ReaderConfig) -> BatchStatus:
        """Where the batch stands."""
        found, _ = self._retrieve(batch, config)
        counts = found.get("request_counts") or {}
        word = str(found.get("status"))
        return BatchStatus(
            state=_STATES.get(word, "waiting"),
            done=count(counts.get("completed")) or 0,
            failed=count(counts.get("failed")) or 0,
            total=count(counts.get("total")) or 0,
            word=word,
        )

    def results(self, batch: str, config: ReaderConfig) -> Iterator[BatchResult]:
        """The results of a batch that is over, those too of one that expired or was cancelled half done.

        Raises OutsideError `batch-waits` before that, `batch-failed` when the provider refused all of it.
        """
        found, endpoint = self._retrieve(batch, config)
        state = _STATES.get(str(found.get("status")), "waiting")
        if state == "waiting":
            raise OutsideError("batch-waits", f"the batch {batch} is not done: {found.get('status')}")
        if state == "failed":
            errors = (found.get("errors") or {}).get("data") or [{}]
            told = shown(message_in(errors[0]), endpoint.key) or "no reason given"
            raise OutsideError("batch-failed", f"{endpoint.who} refused the batch {batch}: {told}")
        for name in ("output_file_id", "error_file_id"):
            if found.get(name):
                with self.exchange(config, seconds_of(config.time_limit), None, _MOST_RESULT_BYTES) as (_, http):
                    data = self.client(endpoint, http).files.content(str(found[name])).content
                for line in lines_of(data, endpoint.who):
                    yield self._result(line, endpoint)

    def _retrieve(self, batch: str, config: ReaderConfig) -> tuple[dict[str, Any], Endpoint]:
        with self.exchange(config, seconds_of(config.time_limit), None) as (endpoint, http):
            found = plain(self.client(endpoint, http).batches.retrieve(batch))
        batch_id(found, endpoint)
        return found, endpoint

    def _result(self, line: dict[str, Any], endpoint: Endpoint) -> BatchResult:
        response = line.get("response") or {}
        if response.get("status_code") == 200:
            return self.result(line.get("custom_id"), response.get("body"), endpoint)
        told = shown(message_in(line.get("error") or response.get("body")), endpoint.key)
        return unanswered(line.get("custom_id"), told or f"status {response.get('status_code')}", endpoint)


def _arguments(call: dict[str, Any]) -> str:
    """The arguments of a tool call as they came; some compatible servers send them as an object."""
    function = call.get("function")
    arguments = function.get("arguments") if isinstance(function, dict) else None
    return storable(arguments) if isinstance(arguments, str) else json_text(arguments)


def _usage(usage: Any) -> Usage | None:
    """`prompt_tokens` hold those from the cache too."""
    if not isinstance(usage, dict):
        return None
    sent, output = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    if sent is None or output is None:
        return None
    details = usage.get("prompt_tokens_details")
    cached = count(details.get("cached_tokens")) if isinstance(details, dict) else None
    return Usage(input=sent, output=output, cached=cached or 0)
