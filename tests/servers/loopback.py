"""One HTTP server on this machine with two faces: Anthropic's Messages API and OpenAI's Chat Completions API, batches too."""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from servers.batches import Answered, BatchEnd, Jobs
from servers.faces import PATHS, Face, Question, error_body, message, refuse
from servers.outcomes import Drip, Drop, Fault, Huge, Mangled, Outcome, Raw, Reply, Stall, Status, Unfinished

KEY = "sk-test-0123456789abcdefghijklmnopqrstuvwxyzABCD"
"""The one key that the server takes, on both faces."""

Brain = Callable[[Question], Outcome]
Condition = Callable[[Question], bool]

_CHUNK = b" " * 65_536


@dataclass(frozen=True)
class Seen:
    """One request as it arrived. `body` is the parsed JSON, None when it is none. Header names are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    body: Any = None

    @property
    def question(self) -> Question | None:
        """What a model was asked live; None for any other request."""
        face = PATHS.get(self.path)
        return Question(face, self.body) if face is not None and isinstance(self.body, dict) else None


def silent_brain(question: Question) -> Outcome:
    """Claims nothing, in the form that is asked for."""
    if question.tool == "CheckAnswer":
        return Reply(tools=({"ready": True},))
    if question.tool == "EdgesAnswer":
        return Reply(tools=({"edges": []},))
    return Reply(tools=({"anchors": [], "edges": []},))


@dataclass
class Loopback:
    """A server for the time of a `with`. `brain` answers unless a fault is queued; `models` are the names that it knows, None for any.

    `hold` keeps every model request waiting until it is set (set by default).
    """

    brain: Brain = silent_brain
    models: frozenset[str] | None = None
    seen: list[Seen] = field(default_factory=list)
    hold: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.hold.set()
        self.closing = threading.Event()
        self.lock = threading.Lock()
        self.jobs = Jobs(self._in_batch)
        self._faults: deque[tuple[Condition, Fault]] = deque()
        self._count = 0
        self._server: ThreadingHTTPServer | None = None

    def __enter__(self) -> Loopback:
        loopback = self

        class Bound(Handler):
            server_of_test = loopback

        self._server = _Server(("127.0.0.1", 0), Bound)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self.hold.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    @property
    def anthropic_url(self) -> str:
        """The `base_url` of the Anthropic face."""
        assert self._server is not None, "the server runs only inside `with`"
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def openai_url(self) -> str:
        """The `base_url` of the OpenAI face."""
        return f"{self.anthropic_url}/v1"

    def fail_next(self, *faults: Fault, model: str | None = None, when: Condition | None = None) -> None:
        """The next requests to a model (only to this one, when named; only those of which `when` holds) go wrong, one fault each."""

        def due(question: Question) -> bool:
            return model in (None, question.model) and (when is None or when(question))

        with self.lock:
            self._faults.extend((due, fault) for fault in faults)

    def heal(self) -> None:
        """Nothing goes wrong any more."""
        with self.lock:
            self._faults.clear()

    def end_batches(self, end: BatchEnd = "ended") -> None:
        """From now on every batch stands so."""
        self.jobs.end = end

    @property
    def questions(self) -> list[Question]:
        """What models were asked live, in the order of arrival, failures too."""
        with self.lock:
            return [question for one in self.seen if (question := one.question) is not None]

    @property
    def batched(self) -> list[Question]:
        """What models were asked in batches."""
        return [Question(job.face, body) for job in self.jobs.jobs.values() for _, body in job.entries]

    # What follows is for the handler.

    def record(self, seen: Seen) -> None:
        with self.lock:
            self.seen.append(seen)

    def think(self, face: Face, body: Any) -> tuple[Fault | None, Outcome]:
        """The fault that is due, if any, and what the brain says (nothing is asked of it when the request is refused)."""
        wrong = refuse(face, body)
        if wrong is not None:
            return None, wrong
        question = Question(face, body)
        if self.models is not None and question.model not in self.models:
            told = f"model: {question.model}" if face == "anthropic" else f"The model `{question.model}` does not exist"
            return None, Status(404, message=told)
        with self.lock:
            fault = self._due(question)
        if fault is None or isinstance(fault, Mangled):
            outcome = self.brain(question)
            return (outcome, Reply()) if not isinstance(outcome, Reply) else (fault, outcome)
        return fault, Reply()

    def _due(self, question: Question) -> Fault | None:
        for entry in self._faults:
            if entry[0](question):
                self._faults.remove(entry)
                return entry[1]
        return None

    def body_of(self, face: Face, reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
        return message(face, reply, body, self.number())

    def number(self) -> int:
        with self.lock:
            self._count += 1
            return self._count

    def _in_batch(self, face: Face, body: dict[str, Any]) -> Answered:
        fault, outcome = self.think(face, body)
        chosen = fault or outcome
        if isinstance(chosen, Reply):
            return self.body_of(face, chosen, body)
        assert isinstance(chosen, Status | Unfinished), "in a batch a request is answered, fails or is not worked off"
        return chosen


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is none of a test's failures; all else is printed."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Takes requests apart and puts answers on the wire."""

    protocol_version = "HTTP/1.1"
    server_of_test: Loopback

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        try:
            self._take()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _take(self) -> None:
        raw = self._read()
        path = self.path.split("?")[0]
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            body = None
        self.server_of_test.record(Seen(self.command, path, headers, raw, body))
        face: Face = "anthropic" if path.startswith("/v1/messages") else "openai"
        refused = self._refused(face, headers)
        if refused is not None:
            self._error(face, refused)
        elif self.command == "POST" and path in PATHS:
            self.server_of_test.hold.wait()
            self._answer(face, body)
        else:
            self._put(face, self._job(path, raw, body))

    def _read(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        data = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    @staticmethod
    def _refused(face: Face, headers: dict[str, str]) -> Status | None:
        if face == "anthropic":
            # The SDK sends the key as a bearer since 2.x; the header of old is taken too, as the service does.
            if KEY not in (headers.get("x-api-key"), headers.get("authorization", "").removeprefix("Bearer ")):
                return Status(401, message="invalid x-api-key")
            if "anthropic-version" not in headers:
                return Status(400, message="anthropic-version: header is required")
            return None
        if headers.get("authorization") != f"Bearer {KEY}":
            # The real message repeats the key that was sent, masked in the middle.
            told = headers.get("authorization", "").removeprefix("Bearer ")
            return Status(401, message=f"Incorrect API key provided: {told[:8]}{'*' * 20}{told[-4:]}.")
        return None

    def _job(self, path: str, raw: bytes, body: Any) -> dict[str, Any] | Raw | Status:
        jobs = self.server_of_test.jobs
        parts = path.removeprefix("/v1/").split("/")
        match self.command, parts:
            case "POST", ["messages", "batches"]:
                return jobs.create_anthropic(body)
            case "GET", ["messages", "batches", batch]:
                return jobs.show_anthropic(batch, self.server_of_test.anthropic_url)
            case "GET", ["messages", "batches", batch, "results"]:
                return jobs.results_anthropic(batch)
            case "POST", ["files"]:
                return jobs.upload(raw, self.headers.get("Content-Type", ""))
            case "GET", ["files", file, "content"]:
                return jobs.content(file)
            case "POST", ["batches"]:
                return jobs.create_openai(body)
            case "GET", ["batches", batch]:
                return jobs.show_openai(batch)
            case _:
                return Status(404, message=f"no such path: {path}")

    def _answer(self, face: Face, body: Any) -> None:
        fault, outcome = self.server_of_test.think(face, body)
        if isinstance(outcome, Status):
            self._error(face, outcome)
            return
        assert isinstance(outcome, Reply)
        match fault:
            case None:
                self._put(face, self.server_of_test.body_of(face, outcome, body))
            case Status():
                self._error(face, fault)
            case Raw():
                self._put(face, fault)
            case Mangled():
                whole = _encoded(self.server_of_test.body_of(face, outcome, body))
                self._put(face, Raw(fault.change(whole)))
            case Drop():
                self._drop(fault)
            case Huge():
                self._huge(fault)
            case Drip() | Stall():
                self._slow(fault)
            case Unfinished():
                raise AssertionError("only a batch leaves a request out")

    def _put(self, face: Face, what: dict[str, Any] | Raw | Status) -> None:
        match what:
            case Status():
                self._error(face, what)
            case Raw():
                self._send(200, {"Content-Type": "application/json", **what.headers}, what.body)
            case _:
                self._send(200, {"Content-Type": "application/json"}, _encoded(what))

    def _error(self, face: Face, status: Status) -> None:
        number = self.server_of_test.number()
        body = status.body if status.body is not None else _encoded(error_body(face, status, number))
        self._send(status.code, {"Content-Type": "application/json", **status.headers}, body)

    def _send(self, code: int, headers: dict[str, str], body: bytes) -> None:
        self._head(code, {**headers, "Content-Length": str(len(body))})
        self.wfile.write(body)

    def _head(self, code: int, headers: dict[str, str]) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _drop(self, drop: Drop) -> None:
        if drop.midway:
            self._head(200, {"Content-Type": "application/json", "Content-Length": "10000"})
            self.wfile.write(b'{"id": "msg_1", "content": [')
            self.wfile.flush()
        # Lingering for no time makes the close a reset.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def _huge(self, huge: Huge) -> None:
        length = {"Content-Length": str(huge.size)} if huge.declared else {"Connection": "close"}
        self._head(200, {"Content-Type": "application/json", **length})
        self._write_all(b'{"id": "', _padding(huge.size - 8))
        self.close_connection = True

    def _slow(self, fault: Drip | Stall) -> None:
        closing = self.server_of_test.closing
        self._head(200, {"Content-Type": "application/json", "Content-Length": "1000000"})
        self.wfile.write(b" ")
        while not closing.wait(fault.pause if isinstance(fault, Drip) else 0.2):
            if isinstance(fault, Drip):
                self.wfile.write(b" ")
        self.close_connection = True

    def _write_all(self, first: bytes, rest: Iterable[bytes]) -> None:
        self.wfile.write(first)
        for chunk in rest:
            if self.server_of_test.closing.is_set():
                return
            self.wfile.write(chunk)


def _padding(size: int) -> Iterable[bytes]:
    while size > 0:
        yield _CHUNK[:size]
        size -= len(_CHUNK)


def _encoded(data: dict[str, Any]) -> bytes:
    """JSON as both services send it: UTF-8; a lone surrogate stays an escape."""
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace")
