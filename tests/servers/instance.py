"""An instance whose two readers are asked over the two faces of one server, and the command line run in it as a test wants it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from scenes import REPOSITORY, fingerprint

from servers.faces import Question
from servers.loopback import KEY, Loopback

A, B = "claude-test", "gpt-test"
"""The models of reader a (Anthropic's face) and of reader b (OpenAI's)."""

CONFIG = """\
schema: isopod.config/1
project: test
teams:
  - {{id: growth, name: Growth team, capabilities: {{manages_tracker: true, writes_cards: true, renders: true, schema: own}}}}
default_team: growth
readers:
  a: {{provider: anthropic, model: {a}, base_url: "{anthropic}"{limits}}}
  b: {{provider: openai, model: {b}, base_url: "{openai}"{limits}}}
repair_rounds: {rounds}
models: {{section_chars: {chars}, at_once: {at_once}, deadline: {deadline}, prices: {prices}{more}}}
{extra}"""

PRICES = f"{{{A}: {{input: 3, output: 15, cached: 0.3}}, {B}: {{input: 2, output: 8}}}}"


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


class StillClock:
    """Time passes only when somebody sleeps; every sleep is kept."""

    def __init__(self) -> None:
        self.time = 0.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds

    def jitter(self) -> float:
        return 1.0


@dataclass
class AskingInstance:
    """One instance in a folder, one server, and a clock that does not wait."""

    root: Path
    server: Loopback
    monkeypatch: pytest.MonkeyPatch
    clock: StillClock = field(default_factory=StillClock)

    def __post_init__(self) -> None:
        for name in list(os.environ):
            if name.lower().endswith("_proxy") or name.startswith(("ANTHROPIC_", "OPENAI_")):
                self.monkeypatch.delenv(name)
        self.monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        self.monkeypatch.setenv("OPENAI_API_KEY", KEY)
        (self.root / "specs" / "recorded").mkdir(parents=True)
        self.configure()

    def configure(
        self,
        *,
        rounds: int = 2,
        chars: int = 200,
        at_once: int = 1,
        deadline: str = "30m",
        limits: str = "",
        more: str = "",
        prices: str = PRICES,
        extra: str = "",
    ) -> None:
        """Write config.yaml; `limits` are further keys of both readers, `more` of `models`, `extra` lines at the end."""
        text = CONFIG.format(
            a=A,
            b=B,
            anthropic=self.server.anthropic_url,
            openai=self.server.openai_url,
            rounds=rounds,
            chars=chars,
            at_once=at_once,
            deadline=deadline,
            limits=limits,
            more=more,
            prices=prices,
            extra=extra,
        )
        (self.root / "config.yaml").write_text(text, encoding="utf-8")

    def write(self, text: str, name: str = "links") -> None:
        (self.root / "specs" / f"{name}.md").write_bytes(text.encode())

    def run(self, *arguments: str) -> Done:
        """A command in this process, with streams of its own, by the still clock."""
        from isopod.cli import run

        streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(3)]
        self.clock.slept.clear()
        with self.monkeypatch.context() as patch:
            patch.setattr("pipeline.models.patience.Clock", lambda: self.clock)
            patch.chdir(self.root)
            patch.setenv("COLUMNS", "200")
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            code = run(list(arguments))
        out, err = (_text(stream) for stream in streams[1:])
        return Done(code, out, err)

    def compile(self, *options: str) -> Done:
        return self.run("compile", "specs/links.md", *options)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """A command as a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "isopod", *arguments],
            cwd=self.root,
            env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def asked(self) -> list[Question]:
        """What was asked since the last look."""
        with self.server.lock:
            seen, self.server.seen = self.server.seen, []
        return [question for one in seen if (question := one.question) is not None]

    @property
    def answers(self) -> list[dict[str, Any]]:
        """The kept answers."""
        folder = self.root / ".isopod" / "answers"
        return [json.loads(path.read_bytes()) for path in sorted(folder.glob("*.json"))]

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls of the newest run record, in order."""
        newest = max((self.root / ".isopod" / "records").glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
        lines = [json.loads(line) for line in newest.read_text(encoding="utf-8").splitlines()]
        return [line for line in lines if line["line"] == "call"]

    def committed(self) -> dict[str, str]:
        """The digest of every file that is committed, without the config, which holds the server's address."""
        return {name: digest for name, digest in fingerprint(self.root).items() if name != "config.yaml"}

    def leaks(self, secrets: Iterable[str] = (KEY,)) -> list[str]:
        """Every file of the instance that holds a secret."""
        return [
            str(path)
            for path in self.root.rglob("*")
            if path.is_file() and any(secret.encode() in path.read_bytes() for secret in secrets)
        ]


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return cast(io.BytesIO, stream.buffer).getvalue().decode("utf-8")


def asked_by(questions: Iterable[Question]) -> Mapping[str, list[Question]]:
    """Questions by the model that they went to."""
    found: dict[str, list[Question]] = {A: [], B: []}
    for question in questions:
        found[question.model].append(question)
    return found
