"""Asks a model over the Anthropic SDK, live or as a Message Batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import quote

from pipeline.models.failures import Endpoint, message_in, shown
from pipeline.models.protocol import BatchResult, BatchStatus
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


class Anthropic(SdkModel):
    """The Messages API. The address is `base_url` of the reader, else ANTHROPIC_BASE_URL, else Anthropic's own.

    No temperature is sent; the tool that holds the answer is forced. Stop reasons and the form of usage:
    https://docs.anthropic.com/en/api/messages.
    """

    provider: ClassVar[str] = "anthropic"
    heuristic: ClassVar[bool] = False
    repairs: ClassVar[bool] = True
    calls_model: ClassVar[bool] = True
    vendor: ClassVar[Vendor] = Vendor(
        package="anthropic",
        key_env="ANTHROPIC_API_KEY",
        url_env="ANTHROPIC_BASE_URL",
        url="https://api.anthropic.com",
        stops=frozenset({"tool_use", "end_turn"}),
        text_stops=frozenset({"stop_sequence"}),
        cut_offs={
            "max_tokens": "truncated",
            "refusal": "refused-by-model",
            "model_context_window_exceeded": "context-window",
        },
    )

    def read(self, request: ReadRequest) -> bytes:
        """The reading of this request; see `pipeline.models.reading.read_by_model`."""
        return read_by_model(request)

    def arguments(self, call: Call, config: ReaderConfig) -> dict[str, Any]:
        """Model, bound, system text and the one message."""
        system = {"system": call.system} if call.system else {}
        return {
            "model": call.model,
            "max_tokens": call.max_tokens,
            **system,
            "messages": [{"role": "user", "content": call.user}],
        }

    def client(self, endpoint: Endpoint, http: httpx2.Client) -> Any:
        """The SDK's client. A compatible server that wants no key gets the word none."""
        import anthropic

        return anthropic.Anthropic(
            api_key=endpoint.key or "none", base_url=endpoint.url, http_client=http, max_retries=0, timeout=http.timeout
        )

    def instructed(self, client: Any) -> Any:
        """instructor's client."""
        import instructor

        return instructor.from_anthropic(client, mode=instructor.Mode.TOOLS)

    def instructor_provider(self) -> Any:
        """instructor's name of the provider."""
        from instructor import Provider

        return Provider.ANTHROPIC

    def said(self, body: Any) -> Said | None:
        """A message: the inputs of its `tool_use` blocks and its text blocks."""
        blocks = body.get("content") if isinstance(body, dict) else None
        if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
            return None
        texts = [block.get("text") for block in blocks if block.get("type") == "text"]
        return Said(
            tools=tuple(json_text(block.get("input")) for block in blocks if block.get("type") == "tool_use"),
            text=storable("".join(text for text in texts if isinstance(text, str))),
            stop=str(body.get("stop_reason") or ""),
            usage=_usage(body.get("usage")),
        )

    def submit(self, calls: Iterable[Call], config: ReaderConfig) -> str:
        """Send the calls as one Message Batch, each under its request hash; the id of it."""
        bodies = {call.request: self.body(call, config) for call in calls}
        requests = [{"custom_id": request, "params": body} for request, body in bodies.items()]
        with self.exchange(config, seconds_of(config.time_limit), config.model) as (endpoint, http):
            batch = plain(self.client(endpoint, http).messages.batches.create(requests=requests))
        return batch_id(batch, endpoint)

    def status(self, batch: str, config: ReaderConfig) -> BatchStatus:
        """Where the batch stands. What expired or was cancelled counts as failed."""
        with self.exchange(config, seconds_of(config.time_limit), None) as (endpoint, http):
            found = plain(self.client(endpoint, http).messages.batches.retrieve(batch))
        batch_id(found, endpoint)
        counts = found.get("request_counts") or {}
        numbers = {
            word: count(counts.get(word)) or 0 for word in ("processing", "succeeded", "errored", "canceled", "expired")
        }
        word = str(found.get("processing_status"))
        return BatchStatus(
            state="ended" if word == "ended" else "waiting",
            done=numbers["succeeded"],
            failed=numbers["errored"] + numbers["canceled"] + numbers["expired"],
            total=sum(numbers.values()),
            word=word,
        )

    def results(self, batch: str, config: ReaderConfig) -> Iterator[BatchResult]:
        """The results of a batch that ended. Raises OutsideError `batch-waits` before that."""
        status = self.status(batch, config)
        if status.state == "waiting":
            raise OutsideError("batch-waits", f"the batch {batch} is not done: {status.word}")
        with self.exchange(config, seconds_of(config.time_limit), None, _MOST_RESULT_BYTES) as (endpoint, http):
            import httpx2

            # Not through the address that the batch names: the key goes nowhere but to the server that config names.
            path = f"/v1/messages/batches/{quote(batch, safe='')}/results"
            data = self.client(endpoint, http).get(path, cast_to=httpx2.Response).content
        for line in lines_of(data, endpoint.who):
            yield self._result(line, endpoint)

    def _result(self, line: dict[str, Any], endpoint: Endpoint) -> BatchResult:
        outcome = line.get("result")
        result = outcome if isinstance(outcome, dict) else {}
        if result.get("type") == "succeeded":
            return self.result(line.get("custom_id"), result.get("message"), endpoint)
        error = result.get("error")
        told = shown(message_in(error), endpoint.key)
        return unanswered(
            line.get("custom_id"), f"{result.get('type')}: {told}" if told else f"{result.get('type')}", endpoint
        )


def _usage(usage: Any) -> Usage | None:
    """`input_tokens` are those that were neither read from the cache nor written to it."""
    if not isinstance(usage, dict):
        return None
    fresh, output = count(usage.get("input_tokens")), count(usage.get("output_tokens"))
    if fresh is None or output is None:
        return None
    cached, written = (
        count(usage.get("cache_read_input_tokens")) or 0,
        count(usage.get("cache_creation_input_tokens")) or 0,
    )
    return Usage(input=fresh + cached + written, output=output, cached=cached)
