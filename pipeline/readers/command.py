"""Asks a program, such as a coding agent's print mode: the prompt on stdin, the answer on stdout (DESIGN.md section 9)."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, ClassVar, Final

from pipeline.models.papers import prompt_text
from pipeline.models.protocol import Received, TransientError
from pipeline.models.reading import read_by_model
from pipeline.readers.protocol import ReadRequest
from schemas.call import Call
from schemas.config import ReaderConfig
from schemas.errors import OutsideError, Place, RefusedError
from schemas.run import Run

MAX_OUTPUT: Final = 10_000_000
"""Bytes of stdout that are taken; a program that prints more is stopped."""

_SHOWN: Final = 300
_KEPT_OF_STDERR: Final = 8_000
_GRACE: Final = 1.0
"""Seconds for the last output of a program that ended, when something that it started holds its pipes open."""

_SECRETS: Final = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_SHORTEST_SECRET: Final = 8
_NEXT: Final = "what was answered is kept: run the same command again"


class Command:
    """Runs `command` of a reader's config as it stands, an argument list without a shell.

    The program starts in a new, empty folder: what lies in the instance, the other reader's answers among it, is not at hand. So paths in
    its arguments must be absolute. Its environment is ours, since agents keep their login there. It and what it starts are stopped
    together: at the time limit, on Ctrl-C, and when it ended and left something running.
    """

    provider: ClassVar[str] = "command"
    heuristic: ClassVar[bool] = False
    repairs: ClassVar[bool] = True
    calls_model: ClassVar[bool] = True

    def read(self, request: ReadRequest) -> Run | bytes | None:
        """As `Reader.read`."""
        return read_by_model(request)

    def missing(self, config: ReaderConfig) -> list[str]:
        """As `Model.missing`."""
        if not config.command:
            return ["`command` names no program: give the program and its arguments as a list"]
        program, *arguments = config.command
        if program.startswith("~") or ("/" in program and not Path(program).is_absolute()):
            return [f"{program!r} depends on where isopod is called, and no shell reads ~: give the absolute path"]
        if _program(config) is None:
            return [f"there is no program {program!r} that can be run"]
        return [
            f"the file {part!r} is not found from the empty folder in which the program starts: give the absolute path"
            for part in arguments
            if _is_file_from_here(part)
        ]

    def send(self, call: Call, config: ReaderConfig, seconds: float) -> Received:
        """As `Model.send`.

        Raises OutsideError `command-failed` (another exit code than 0), `time-limit` and `answer-too-big`, TransientError `no-answer`
        (nothing on stdout) and `bad-body` (no UTF-8), RefusedError `command-missing`.

        A program that hangs is not tried again: it mostly waits for somebody, and would for as long once more.
        """
        program = _program(config)
        if program is None:
            raise RefusedError(
                "command-missing",
                f"reader {call.reader}: {self.missing(config)[0]}",
                where=Place("config.yaml"),
                fix=f'readers: {{{call.reader}: {{provider: command, command: ["PROGRAM", "ARGUMENT"]}}}}',
            )
        ended = _run(program, config, prompt_text(call).encode("utf-8", "backslashreplace"), seconds)
        name = config.command[0]
        last = _shown(ended.stderr)
        if ended.flooded:
            raise OutsideError(
                "answer-too-big",
                f"{name} printed more than {MAX_OUTPUT:,} bytes and was stopped ({call.place})",
                fix="it is to print the answer alone",
            )
        if ended.code is None:
            raise OutsideError(
                "time-limit",
                f"{name} did not end within {seconds:.0f} s and was stopped ({call.place}){last}",
                where=Place("config.yaml"),
                fix=f"{_NEXT}, or raise readers.{call.reader}.time_limit; a program that waits for a person never ends",
            )
        if ended.code != 0:
            raise OutsideError(
                "command-failed", f"{name} ended with {_outcome(ended.code)} ({call.place}){last}", fix=_NEXT
            )
        try:
            content = ended.stdout.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise TransientError(
                "bad-body",
                f"{name} printed what is not UTF-8, at byte {error.start} ({call.place})",
                sent=True,
                fix=_NEXT,
            ) from None
        if not content.strip():
            raise TransientError("no-answer", f"{name} printed nothing ({call.place}){last}", sent=True, fix=_NEXT)
        return Received(content, f"exit {ended.code}")


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a program ended: `code` is None when its time was up."""

    code: int | None
    stdout: bytes
    stderr: bytes
    flooded: bool


class _Stream:
    """Reads a pipe to its end in a thread of its own; `most` bytes are kept, the last ones with `tail`."""

    def __init__(self, pipe: IO[bytes], most: int, process: subprocess.Popen[bytes], *, tail: bool = False) -> None:
        self._pipe = pipe
        self._most = most
        self._process = process
        self._tail = tail
        self._kept = bytearray()
        self.flooded = False
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    @property
    def kept(self) -> bytes:
        return bytes(self._kept)

    def _read(self) -> None:
        with suppress(OSError), self._pipe:
            while chunk := self._pipe.read(65_536):
                self._kept += chunk
                if len(self._kept) <= self._most:
                    continue
                if self._tail:
                    del self._kept[: -self._most]
                else:
                    self.flooded = True
                    _stop(self._process)
                    return


_running: set[subprocess.Popen[bytes]] = set()
_starting = threading.Lock()
_ended = threading.Event()


@atexit.register
def _stop_all() -> None:
    """A second Ctrl-C, and a signal, leave the threads that wait; what they wait for ends with us, and they start nothing more."""
    _ended.set()
    with _starting:
        left = tuple(_running)
    for process in left:
        _stop(process)


def _run(program: str, config: ReaderConfig, prompt: bytes, seconds: float) -> _Ended:
    with tempfile.TemporaryDirectory(prefix="isopod-", ignore_cleanup_errors=True) as folder:
        with _starting:
            if _ended.is_set():
                raise KeyboardInterrupt
            process = _start(program, config, folder)
            _running.add(process)
        try:
            assert process.stdin is not None and process.stdout is not None and process.stderr is not None
            out = _Stream(process.stdout, MAX_OUTPUT, process)
            err = _Stream(process.stderr, _KEPT_OF_STDERR, process, tail=True)
            threading.Thread(target=_feed, args=(process.stdin, prompt), daemon=True).start()
            try:
                code: int | None = process.wait(seconds)
            except subprocess.TimeoutExpired:
                code = None
        finally:
            _stop(process)
            _running.discard(process)
        for stream in (out, err):
            stream.thread.join(_GRACE)
        return _Ended(code, out.kept[:MAX_OUTPUT], err.kept, out.flooded)


def _start(program: str, config: ReaderConfig, folder: str) -> subprocess.Popen[bytes]:
    # Some agents ask PWD, not the system, where they are.
    environment: Mapping[str, str] = {**os.environ, "PWD": folder}
    try:
        return subprocess.Popen(
            [program, *config.command[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment,
            bufsize=0,
            start_new_session=True,
        )
    except OSError as error:
        raise RefusedError(
            "command-missing",
            f"{config.command[0]} cannot be run: {error.strerror}",
            where=Place("config.yaml"),
            fix="name a program, and an interpreter before it if it is a script",
        ) from None


def _feed(pipe: IO[bytes], prompt: bytes) -> None:
    """A program need not read its prompt to the end, or at all."""
    with suppress(OSError, ValueError), pipe:
        view = memoryview(prompt)
        while view:
            view = view[pipe.write(view) :]


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a program and all of its group, also when it ended itself and left others running."""
    if hasattr(os, "killpg"):
        # It leads the group that its new session began, so the group has its id.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def _is_file_from_here(argument: str) -> bool:
    """Whether an argument is meant as a file, and found only from the current folder or by a shell; a bare word is a word."""
    path = Path(argument)
    if path.is_absolute() or not (path.suffix or "/" in argument):
        return False
    try:
        return path.expanduser().is_file()
    except (OSError, ValueError, RuntimeError):
        return False


def _program(config: ReaderConfig) -> str | None:
    """The program as an absolute path, since it starts in another folder than ours; None when there is none."""
    found = shutil.which(config.command[0]) if config.command else None
    return os.path.abspath(found) if found is not None else None  # noqa: PTH100 - a link stays what it is called


def _outcome(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


def _shown(stderr: bytes) -> str:
    """The end of what a program said on stderr, without the secrets of our environment."""
    text = stderr.decode("utf-8", "replace").strip()
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST_SECRET and any(word in name.upper() for word in _SECRETS):
            text = text.replace(value, "***")
    shown = text if len(text) <= _SHOWN else f"...{text[-_SHOWN:]}"
    return f": {shown}" if shown else ""
