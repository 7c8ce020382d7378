"""`isopod` and `python -m isopod`."""

import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Final, TypeAlias

from schemas.stopping import StoppedBySignalError

_ENDING: Final = ("SIGTERM", "SIGHUP")
"""What asks a process to end, by name: not every system has both."""

Handler: TypeAlias = Callable[[int, FrameType | None], None]


def main() -> None:
    """Run the command line; ends the process with the exit code that docs/exit-codes.md lists.

    Ctrl-C is quiet from here on: loading the command line takes long enough for somebody to press it.
    """
    try:
        _on_ending(signal.SIG_DFL, _raise)
        code = _answer(sys.argv[1:])
        _on_ending(_raise, signal.SIG_IGN)
    except StoppedBySignalError as stopped:
        _on_ending(_raise, signal.SIG_IGN)
        code = stopped.exit_code
    except KeyboardInterrupt:
        code = 130  # as isopod.cli.INTERRUPTED, which may not be loaded yet
    sys.exit(code)


def _raise(number: int, frame: FrameType | None) -> None:
    raise StoppedBySignalError(signal.Signals(number).name, number)


def _on_ending(before: signal.Handlers | Handler, after: signal.Handlers | Handler) -> None:
    """Answer the signals that were answered by `before` with `after`: what our caller ignores, as `nohup` does, stays ignored."""
    for name in _ENDING:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == before:
            signal.signal(number, after)


def _answer(arguments: list[str]) -> int:
    """`--version` is answered before anything else is imported: scripts ask for it often."""
    if arguments[:1] == ["--version"]:
        from isopod import __version__

        print(f"isopod {__version__}")  # noqa: T201 - the one answer that does without the output module
        return 0

    from isopod.cli import run

    return run(arguments)


if __name__ == "__main__":
    main()
