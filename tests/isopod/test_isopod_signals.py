"""SIGTERM and SIGHUP end a command as Ctrl-C does, and what it started with it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no such signals")

AGENT = """\
import os, signal, sys
os.write(os.open(sys.argv[1], os.O_WRONLY), b".")
signal.pause()
"""
"""Says through a pipe that it runs, and holds the pipe open for as long as it does."""

CONFIG = """\
schema: isopod.config/1
project: test
teams:
  - {{id: growth, name: Growth team, capabilities: {{manages_tracker: true, writes_cards: true, renders: true, schema: own}}}}
default_team: growth
readers:
  a: {{provider: command, model: one, command: {command}}}
  b: {{provider: command, model: two, command: {command}}}
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_stops_the_command_and_the_programs_that_it_asks(tmp_path: Path, name: str) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/links.md").write_text("# Links\n\n- A link must end after 30 days.\n", encoding="utf-8")
    agent, pipe = tmp_path / "agent.py", tmp_path / "pipe"
    agent.write_text(AGENT, encoding="utf-8")
    command = json.dumps([sys.executable, str(agent), str(pipe)])
    (tmp_path / "config.yaml").write_text(CONFIG.format(command=command), encoding="utf-8")
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(end, True)
    with subprocess.Popen(
        [sys.executable, "-m", "isopod", "compile", "specs/links.md"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert select.select([end], [], [], 60)[0], "no program was asked"
            process.send_signal(getattr(signal, name))
            _, said = process.communicate(timeout=60)
            assert process.returncode == 128 + getattr(signal, name)
            assert f"isopod: stopped by {name}; what was confirmed before is kept" in said
            assert "Traceback" not in said
            while select.select([end], [], [], 60)[0] and os.read(end, 100):
                pass
            assert select.select([end], [], [], 0)[0], "the pipe is held open: a program still runs"
        finally:
            process.kill()
            os.close(end)


@pytest.mark.parametrize(("before", "code"), [("SIG_DFL", 129), ("SIG_IGN", 0)])
def test_what_the_caller_ignores_stays_ignored(before: str, code: int) -> None:
    probe = f"""
import signal
signal.signal(signal.SIGHUP, signal.{before})
import isopod.__main__ as program
program._answer = lambda arguments: signal.raise_signal(signal.SIGHUP) or 0
program.main()
"""
    done = subprocess.run([sys.executable, "-c", probe], env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False)
    assert done.returncode == code
