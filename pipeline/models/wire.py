"""What the readers over an SDK share: one way to send a call through instructor and one way to judge what came back.

instructor (mode TOOLS) makes the tool and the choice of it from the shape of the answer. Its own verdict on an answer is not asked for:
the raw response is caught in its hook and read here, the same way as the result of a batch. The SDKs take seconds to import: they are
imported by who is about to send, never by who imports this module.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import logging
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import urlsplit

from pipeline.models.failures import Endpoint, bad_body, message_in, shown
from pipeline.models.protocol import BatchResult, CutOffError, Received, TransientError
from pipeline.models.shapes import model_of
from schemas.call import Call, Usage
from schemas.config import ReaderConfig
from schemas.errors import IsopodError, RefusedError

if TYPE_CHECKING:
    import httpx2

MOST_BYTES: Final = 20_000_000
"""The most that one answer may have: more than a thousand times what `max_tokens` lets a model write."""

_STOP_CHARS: Final = 60
_IMPORTING: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class Vendor:
    """What sets the providers apart: names of the package and of environment variables, the address, the words for why a model stopped.

    `stops` are the allowed reasons, `text_stops` those allowed only without a tool call, `cut_offs` the code of each known other one.
    """

    package: str
    key_env: str
    url_env: str
    url: str
    stops: frozenset[str]
    text_stops: frozenset[str]
    cut_offs: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Said:
    """A response taken apart: the arguments of its tool calls as JSON texts, its text, why it stopped, what it cost.

    `refused` is true where the provider says beside the stop reason that the model refused.
    """

    tools: tuple[str, ...]
    text: str
    stop: str
    usage: Usage | None
    refused: bool = False


class SdkModel(ABC):
    """A `Model` over a vendor's SDK and instructor. One client lives for one exchange: nothing is shared between threads."""

    vendor: ClassVar[Vendor]

    def missing(self, config: ReaderConfig) -> list[str]:
        """What keeps this provider from working here, one sentence each; opens no connection, imports no SDK, shows no key."""
        absent = [name for name in ("instructor", self.vendor.package) if importlib.util.find_spec(name) is None]
        sentences = [f"the package {name} is not installed: pip install 'isopod-cards[models]'" for name in absent]
        endpoint = self.endpoint(config)
        if not _is_address(endpoint.url):
            sentences.append("the address is none: base_url must be like http://127.0.0.1:8080/v1")
        if endpoint.key is None and not self.is_elsewhere(config):
            sentences.append(f"no key: set the environment variable {endpoint.key_name}")
        elif endpoint.key is not None and not (endpoint.key.isascii() and endpoint.key.isprintable()):
            sentences.append(
                f"the key in the environment variable {endpoint.key_name} holds characters that no key has"
            )
        return sentences

    def send(self, call: Call, config: ReaderConfig, seconds: float) -> Received:
        """Send one call once; see `pipeline.models.protocol.Model.send`."""
        with self.exchange(config, seconds, call.model) as (endpoint, http):
            body = _ask(self.instructed(self.client(endpoint, http)), call, self.arguments(call, config))
        return self.judged(body, endpoint, call.place)

    def endpoint(self, config: ReaderConfig) -> Endpoint:
        """Where calls of this reader go: `base_url` in config, else the SDK's environment variable, else the vendor's own address."""
        url = config.base_url or os.environ.get(self.vendor.url_env) or self.vendor.url
        key_name = config.key_env or self.vendor.key_env
        who = _server(url) if _is_address(url) else url
        return Endpoint(url, who, key_name, os.environ.get(key_name, "").strip() or None)

    def is_elsewhere(self, config: ReaderConfig) -> bool:
        """Whether a compatible server answers instead of the vendor: it may want no key."""
        return bool(config.base_url or os.environ.get(self.vendor.url_env))

    @contextmanager
    def exchange(
        self, config: ReaderConfig, seconds: float, model: str | None, most_bytes: int = MOST_BYTES
    ) -> Iterator[tuple[Endpoint, httpx2.Client]]:
        """The room for one exchange: whatever the SDK raises in it leaves as a failure for people.

        Raises RefusedError `model-not-ready` when something is missing.
        """
        self._ready(config)
        from pipeline.models.transport import Bounds, client_for, failure_of

        endpoint = self.endpoint(config)
        bounds = Bounds(seconds, most_bytes)
        with client_for(endpoint.url, bounds) as http:
            try:
                yield endpoint, http
            except IsopodError:
                raise
            except Exception as error:  # noqa: BLE001 - judged there; a bug comes back as it is
                # Not chained: what the SDKs raise holds request and answer.
                raise failure_of(error, endpoint, bounds, model) from None

    def body(self, call: Call, config: ReaderConfig) -> dict[str, Any]:
        """The body of the request that `send` puts on the wire, for a batch. Raises RefusedError as `exchange`."""
        self._ready(config)
        from instructor import Mode
        from instructor.processing import handle_response_model

        _, body = handle_response_model(
            model_of(call.shape), mode=Mode.TOOLS, provider=self.instructor_provider(), **self.arguments(call, config)
        )
        return body

    def _ready(self, config: ReaderConfig) -> None:
        """Import what sends. Raises RefusedError `model-not-ready` when something is missing."""
        lacks = self.missing(config)
        if not lacks:
            try:
                load(self.vendor.package)
            except ImportError as error:
                lacks = [f"the package {self.vendor.package} or instructor cannot be loaded: {error}"]
        if lacks:
            raise RefusedError("model-not-ready", "; ".join(lacks), fix="isopod doctor")

    def judged(self, body: Any, endpoint: Endpoint, about: str) -> Received:
        """What came back, when its stop reason is on the allow-list; `about` names the question.

        Several tool calls stand one after the other, which no envelope is. Raises CutOffError for another stop reason, TransientError
        `bad-body` for a body of another form.
        """
        said = self.said(body)
        if said is None:
            told = shown(message_in(body), endpoint.key)
            raise bad_body(endpoint.who, told or "it is no answer of a model")
        stop = shown(said.stop, None)[:_STOP_CHARS]
        received = Received("\n".join(said.tools) if said.tools else said.text, stop, said.usage)
        allowed = self.vendor.stops if said.tools else self.vendor.stops | self.vendor.text_stops
        if stop in allowed and not said.refused:
            return received
        code = "refused-by-model" if said.refused else self.vendor.cut_offs.get(stop, "bad-stop")
        words, fix = _CUT_OFFS[code]
        raise CutOffError(code, f"{words} ({stop or 'no reason given'}; {about})", received, fix=fix)

    def result(self, request: Any, body: Any, endpoint: Endpoint) -> BatchResult:
        """One answered call of a batch, judged as a live one."""
        if not isinstance(request, str):
            raise bad_body(endpoint.who, "a line of the results names no request")
        try:
            return BatchResult(request, self.judged(body, endpoint, "of a batch"))
        except (CutOffError, TransientError) as error:
            usage = error.received.usage if isinstance(error, CutOffError) else None
            return BatchResult(request, None, f"{error.message} ({error.code})", error.code, usage)

    @abstractmethod
    def arguments(self, call: Call, config: ReaderConfig) -> dict[str, Any]:
        """The keyword arguments of the SDK's method but tool and choice of tool, which instructor adds."""

    @abstractmethod
    def client(self, endpoint: Endpoint, http: httpx2.Client) -> Any:
        """The SDK's client, without retries of its own."""

    @abstractmethod
    def instructed(self, client: Any) -> Any:
        """That client in instructor's hands, mode TOOLS."""

    @abstractmethod
    def instructor_provider(self) -> Any:
        """instructor's name of the provider."""

    @abstractmethod
    def said(self, body: Any) -> Said | None:
        """A response body, live or of a batch, taken apart; None for one of another form."""


_CUT_OFFS: Final[Mapping[str, tuple[str, str]]] = {
    "truncated": (
        "the answer was cut off at max_tokens",
        "raise max_tokens of that reader in config.yaml, or lower models.section_chars",
    ),
    "refused-by-model": (
        "the model refuses to answer",
        "name another model for that reader in config.yaml, or use the reader handoff",
    ),
    "filtered": (
        "the provider filtered the answer",
        "name another model for that reader in config.yaml, or use the reader handoff",
    ),
    "context-window": (
        "question and answer do not fit the model's context window",
        "lower models.section_chars in config.yaml",
    ),
    "bad-stop": (
        "the model stopped for a reason that is no end of an answer",
        "run the same command again; if it stays so, name another model for that reader in config.yaml",
    ),
}


def load(package: str) -> None:
    """Import instructor and an SDK, one thread at a time, and silence instructor's log."""
    with _IMPORTING:
        importlib.import_module(package)
        importlib.import_module("instructor.processing")
        # It logs every failure with question and answer, and without a log they would land on stderr.
        logging.getLogger("instructor").setLevel(logging.CRITICAL + 1)


def storable(text: str) -> str:
    """The text with lone surrogates as \\uXXXX: in JSON the same, and UTF-8 can hold it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def json_text(value: Any) -> str:
    """JSON text of a tool call's arguments, storable."""
    return storable(json.dumps(value, ensure_ascii=False))


def count(value: Any) -> int | None:
    """A token count as a provider sends it, None for anything that is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else None


def batch_id(batch: Any, endpoint: Endpoint) -> str:
    """The provider's id of a batch that it describes. Raises TransientError `bad-body` when that is no batch."""
    found = batch.get("id") if isinstance(batch, dict) else None
    if not isinstance(found, str) or not found:
        raise bad_body(endpoint.who, "it describes no batch")
    return found


def unanswered(request: Any, why: str, endpoint: Endpoint) -> BatchResult:
    """One call of a batch without an answer."""
    if not isinstance(request, str):
        raise bad_body(endpoint.who, "a line of the results names no request")
    return BatchResult(request, None, why)


def lines_of(data: bytes, who: str) -> Iterator[dict[str, Any]]:
    """The JSON objects of a JSONL file. Raises TransientError `bad-body` for anything else."""
    for line in data.split(b"\n"):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                raise bad_body(who, "a line of the results is no JSON") from None
            if not isinstance(value, dict):
                raise bad_body(who, "a line of the results is no JSON object")
            yield value


def _server(url: str) -> str:
    """Host and, where the address names one, port: on one machine only the port tells servers apart. Never a name or a password."""
    return urlsplit(url).netloc.rpartition("@")[2] or url


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _ask(client: Any, call: Call, arguments: dict[str, Any]) -> Any:
    """The body of the response as plain data, None when it is none. Raises what the SDK raises when there was no response."""
    caught: list[Any] = []
    client.on("completion:response", lambda response: caught.append(plain(response)))
    try:
        client.create(response_model=model_of(call.shape), max_retries=0, **arguments)
    except Exception:
        # With a response in hand this is instructor's verdict on it.
        if not caught:
            raise
    return caught[0]


def plain(response: Any) -> Any:
    """A copy of an SDK's response as plain data: what happens to the response later does not change it. None when it is no record."""
    try:
        return response.to_dict(mode="python", warnings=False)
    except Exception:  # noqa: BLE001 - a body of another form was built without validation: anything may be wrong with it
        return None
