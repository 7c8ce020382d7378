"""The reader `command`, through real processes: a small Python script that answers well, badly, or never."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from pipeline.models.envelope import unwrap
from pipeline.models.protocol import Model, TransientError
from pipeline.models.shapes import schema_of
from pipeline.readers.command import MAX_OUTPUT, Command
from schemas.call import Call
from schemas.config import ReaderConfig
from schemas.errors import OutsideError, RefusedError

LONG = 60.0
"""Seconds that no script here needs."""

ANSWER = '{"anchors": [], "edges": []}'


@pytest.fixture
def config(tmp_path: Path, request: pytest.FixtureRequest) -> ReaderConfig:
    """A reader whose program is the script that the test names."""
    script = tmp_path / "agent.py"
    script.write_text(textwrap.dedent(request.param), encoding="utf-8")
    return ReaderConfig(provider="command", model="my-agent", command=(sys.executable, str(script)))


def call(user: str = "    1 | Links live 30 days.") -> Call:
    return Call(
        reader="a",
        model="my-agent",
        purpose="read",
        round=0,
        prompt="1-00000000",
        shape="reading",
        system="You read.",
        user=user,
        max_tokens=1000,
        place="specs/links.md lines 1-9",
    )


def script(text: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("config", [text], indirect=True)


def test_it_is_a_model() -> None:
    assert isinstance(Command(), Model)


@script("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())")
def test_the_prompt_arrives_byte_for_byte_with_the_schema_of_the_answer(config: ReaderConfig) -> None:
    user = "    1 | {{ x }} {% if %} </document> $HOME `id` ; rm -rf \\ \"'\r\n    2 | 예약 알림 \u200b\x1b[31m\n"
    received = Command().send(call(user), config, LONG)
    assert received.content.startswith("You read.\n\n" + user)
    assert json.loads(received.content.splitlines()[-1]) == schema_of("reading")
    assert (received.stop, received.usage) == ("exit 0", None)


@script(
    """
    import sys
    sys.stdin.read()
    print('I looked at {everything}. Here it is:')
    print('```json')
    print('{"anchors": [], "edges": []}')
    print('```')
    """
)
def test_prose_and_a_fence_around_the_answer_do_no_harm(config: ReaderConfig) -> None:
    received = Command().send(call(), config, LONG)
    assert unwrap(received.content, ("anchors", "edges")) == json.loads(ANSWER)


@script(f"print('{ANSWER}')")
def test_a_program_that_reads_nothing_is_no_failure(config: ReaderConfig) -> None:
    assert Command().send(call("x" * 5_000_000), config, LONG).content.strip() == ANSWER


@script("import json, os; print(json.dumps([os.getcwd(), os.environ['PWD'], os.listdir()]))")
def test_it_works_in_a_new_empty_folder_that_is_gone_afterwards(config: ReaderConfig) -> None:
    here, pwd, names = json.loads(Command().send(call(), config, LONG).content)
    assert os.path.realpath(pwd) == here
    assert Path(here) not in (Path.cwd(), *Path.cwd().parents)
    assert names == []
    assert not Path(here).exists()


@script("import sys; print(sys.argv[1:])")
def test_no_shell_looks_at_the_arguments(config: ReaderConfig) -> None:
    odd = ("a b", "$HOME", "*", ";id", "")[:4]
    given = config.model_copy(update={"command": (*config.command, *odd)})
    assert Command().send(call(), given, LONG).content.strip() == str(list(odd))


@script(
    """
    import os, sys
    sys.stderr.write('x' * 5000 + f" not logged in with {os.environ['MY_AGENT_TOKEN']}")
    sys.exit(3)
    """
)
def test_another_exit_code_is_said_with_the_end_of_stderr_and_no_secret(
    config: ReaderConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_AGENT_TOKEN", "sk-very-secret")
    with pytest.raises(OutsideError) as caught:
        Command().send(call(), config, LONG)
    assert not isinstance(caught.value, TransientError)
    assert caught.value.code == "command-failed"
    assert "exit code 3" in caught.value.message
    assert caught.value.message.endswith("not logged in with ***")
    assert "sk-very" not in caught.value.message
    assert len(caught.value.message) < 500


@script("import os, signal; os.kill(os.getpid(), signal.SIGTERM)")
@pytest.mark.skipif(os.name == "nt", reason="there are no signals")
def test_a_program_that_a_signal_ends_failed(config: ReaderConfig) -> None:
    with pytest.raises(OutsideError, match=f"signal {signal.SIGTERM.value}"):
        Command().send(call(), config, LONG)


@script("import sys; sys.stdout.write(' \\n'); sys.stderr.write('nothing to say')")
def test_nothing_on_stdout_may_pass(config: ReaderConfig) -> None:
    with pytest.raises(TransientError) as caught:
        Command().send(call(), config, LONG)
    assert (caught.value.code, caught.value.sent) == ("no-answer", True)
    assert "nothing to say" in caught.value.message


@script("import sys; sys.stdout.buffer.write(b'{\"anchors\": [\\xff]')")
def test_what_is_not_utf8_is_no_answer(config: ReaderConfig) -> None:
    with pytest.raises(TransientError, match="at byte 13") as caught:
        Command().send(call(), config, LONG)
    assert caught.value.code == "bad-body"


@script(
    """
    import sys
    try:
        for _ in range(50):
            sys.stdout.write('x' * 1_000_000)
        sys.stdout.flush()
    except BrokenPipeError:
        pass
    open(sys.argv[0] + '.done', 'w')
    """
)
def test_a_flood_is_stopped(config: ReaderConfig) -> None:
    with pytest.raises(OutsideError, match=f"{MAX_OUTPUT:,} bytes") as caught:
        Command().send(call(), config, LONG)
    assert caught.value.code == "answer-too-big"
    assert not isinstance(caught.value, TransientError)
    assert not Path(config.command[1] + ".done").exists()


HANGS = """
    import subprocess, sys, signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, '-c', 'import sys; print(1, flush=True); sys.stdin.read()'], stdin=subprocess.PIPE)
    open(sys.argv[0] + '.child', 'w').write(str(child.pid))
    child.wait()
"""


@script(HANGS)
def test_a_program_that_hangs_is_stopped_with_all_that_it_started(config: ReaderConfig) -> None:
    with pytest.raises(OutsideError) as caught:
        Command().send(call(), config, 1.0)
    assert caught.value.code == "time-limit"
    assert not isinstance(caught.value, TransientError)
    assert not _lives(int(Path(config.command[1] + ".child").read_text()))


@script(
    f"""
    import subprocess, sys
    child = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])
    open(sys.argv[0] + '.child', 'w').write(str(child.pid))
    print('{ANSWER}')
    """
)
@pytest.mark.skipif(os.name == "nt", reason="there are no process groups")
def test_a_child_that_keeps_stdout_open_keeps_nobody_waiting(config: ReaderConfig) -> None:
    assert Command().send(call(), config, LONG).content.strip() == ANSWER
    assert not _lives(int(Path(config.command[1] + ".child").read_text()))


@script(
    f"""
    import os, subprocess, sys
    child = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'], start_new_session=True)
    open(sys.argv[0] + '.child', 'w').write(str(child.pid))
    print('{ANSWER}')
    """
)
@pytest.mark.skipif(os.name == "nt", reason="there are no sessions")
def test_nor_does_one_that_left_the_group(config: ReaderConfig) -> None:
    try:
        assert Command().send(call(), config, LONG).content.strip() == ANSWER
    finally:
        os.kill(int(Path(config.command[1] + ".child").read_text()), signal.SIGKILL)


@script(HANGS)
@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is no signal there")
def test_ctrl_c_ends_the_program_too(config: ReaderConfig, tmp_path: Path) -> None:
    """A process of its own is interrupted while it waits for the program."""
    code = """
from pipeline.readers.command import Command
from tests_call import call, config
Command().send(call, config, 600.0)
"""
    (tmp_path / "tests_call.py").write_text(
        "from schemas.call import Call\nfrom schemas.config import ReaderConfig\n"
        f"call = Call(**{call().to_data()!r})\nconfig = ReaderConfig(**{config.to_data()!r})\n",
        encoding="utf-8",
    )
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{tmp_path}"}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.PIPE, cwd=root) as process:
        child = Path(config.command[1] + ".child")
        assert process.stderr is not None
        while not (child.exists() and child.read_text()):
            assert process.poll() is None, process.stderr.read()
        process.send_signal(signal.SIGINT)
        assert b"KeyboardInterrupt" in process.stderr.read()
    assert not _lives(int(child.read_text()))


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    none = ReaderConfig(provider="command", model="my-agent")
    assert Command().missing(none) == ["`command` names no program: give the program and its arguments as a list"]
    text = tmp_path / "agent"
    text.write_text("#!/bin/sh\n")
    for name in ("no-such-program-here", str(text), str(tmp_path)):
        given = none.model_copy(update={"command": (name,)})
        assert Command().missing(given) == [f"there is no program {name!r} that can be run"]
        with pytest.raises(RefusedError) as caught:
            Command().send(call(), given, LONG)
        assert caught.value.code == "command-missing"
        assert "reader a" in caught.value.message
    assert Command().missing(none.model_copy(update={"command": (sys.executable,)})) == []


@pytest.mark.skipif(os.name == "nt", reason="there is no executable bit")
def test_a_script_without_an_interpreter_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "agent"
    text.write_bytes(b"\x00\x01 no program")
    text.chmod(0o755)
    with pytest.raises(RefusedError, match="cannot be run"):
        Command().send(call(), ReaderConfig(provider="command", model="m", command=(str(text),)), LONG)


def _lives(pid: int) -> bool:
    """Whether a process still runs after a while; one that was killed needs a moment, and one that nobody has collected is gone."""
    for _ in range(100_000):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except ProcessLookupError:
            return False
        except FileNotFoundError:
            state = "gone" if Path("/proc").exists() else "unknown"
        if state in ("Z", "X", "gone"):
            return False
    return True
