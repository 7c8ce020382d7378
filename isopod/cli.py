"""The command group and the one place where errors become messages and exit codes (DESIGN.md section 10)."""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import suppress
from typing import Any

import click

from isopod.face import Face
from isopod.options import enter_folder
from isopod.table import COMMANDS, SECTIONS
from schemas.errors import Exit, IsopodError, OutsideError, Place, RefusedError
from schemas.stopping import StoppedBySignalError

INTERRUPTED = 130
BROKEN_PIPE = 141
_NO_ANSWER = RefusedError(
    "no-answer", "the input ended before the question was answered", fix="give the answer as an option (see --help)"
)


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        found: click.Command = importlib.import_module(f"isopod.commands.{entry.module}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command {args[0]!r}{_did_you_mean(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, entries in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), entry.short_help) for name, entry in entries.items()])


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="`isopod COMMAND --help` explains one command, with examples. Exit codes: 0 holds, 1 does not hold, "
    "2 refused input, 3 waits for a person, 4 something outside failed, 5 a bug in isopod.",
)
@click.option(
    "-C", metavar="DIR", expose_value=False, is_eager=True, callback=enter_folder, help="Work from this folder."
)
@click.option("--no-color", is_flag=True, help="No colours (NO_COLOR=1 does the same).")
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda *given: _version(*given),
    help="Show the version.",
)
@click.pass_context
def group(ctx: click.Context, no_color: bool) -> None:
    """Compiles a natural-language spec into work cards, and keeps them true.

    Two readers read a spec alone; where they differ, they decide again and then a person does. What they agree on
    becomes cards that say what they wait for. Two readings agreeing proves agreement, not a right reading.
    """
    ctx.ensure_object(Face).colour = not no_color
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: list[str]) -> int:
    """Run one command line and give its exit code. Never raises, never shows a traceback."""
    _speak_utf8()
    try:
        code = _run(arguments, Face())
        sys.stdout.flush()
    except BrokenPipeError:
        _silence_stdout()
        return BROKEN_PIPE
    except OSError as error:
        _silence_stdout()
        place = Place(str(error.filename)) if error.filename else None
        return _fail(OutsideError("system", f"the system refused: {error.strerror or error}", where=place), Face())
    except StoppedBySignalError as stopped:
        return stopped.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _run(arguments: list[str], face: Face) -> int:
    try:
        with group.make_context("isopod", list(arguments), obj=face) as ctx:
            code = group.invoke(ctx)
    except click.exceptions.Exit as done:
        return done.exit_code
    except (KeyboardInterrupt, EOFError, click.Abort) as stopped:
        if isinstance(stopped, EOFError) or isinstance(stopped.__context__, EOFError):
            sys.stderr.write("\n")  # the question stands there without an answer
            return _fail(_NO_ANSWER, _asked(arguments, face))
        # click makes an Abort of what comes while it asks a question.
        return _stopped(stopped.__context__ if isinstance(stopped, click.Abort) else stopped)
    except click.ClickException as error:
        return _fail(_usage(error), _asked(arguments, face))
    except IsopodError as error:
        return _fail(error, _asked(arguments, face))
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001 - the last wall: a bug of ours is said in one sentence, not in a traceback
        from isopod.crash import report

        return _fail(report(error, arguments), _asked(arguments, face))
    return code if isinstance(code, int) else Exit.HOLDS


def _stopped(by: BaseException | None) -> int:
    ended = by if isinstance(by, StoppedBySignalError) else None
    with suppress(OSError):  # a terminal that was closed takes no message any more
        sender = f" by {ended.name}" if ended else ""
        sys.stderr.write(f"\nisopod: stopped{sender}; what was confirmed before is kept\n")
    return ended.exit_code if ended else INTERRUPTED


def _fail(error: IsopodError, face: Face) -> int:
    from isopod.failure import failure_json, failure_lines

    if face.as_json:
        face.give_json(failure_json(error))
    else:
        sys.stdout.flush()
        sys.stderr.writelines(f"{line}\n" for line in failure_lines(error))
    return int(error.exit_code)


def _asked(arguments: list[str], face: Face) -> Face:
    """The format that the command line asks for, also when parsing stopped before it came to that option."""
    pairs = zip(arguments, [*arguments[1:], ""], strict=True)
    if any(one == "--format=json" or (one == "--format" and two == "json") for one, two in pairs):
        face.format = "json"
    return face


def _usage(error: click.ClickException) -> RefusedError:
    path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "isopod"
    message = error.format_message()
    return RefusedError("usage", message[:1].lower() + message[1:].rstrip("."), fix=f"{path} --help")


def _did_you_mean(word: str) -> str:
    import difflib

    near = difflib.get_close_matches(word, COMMANDS, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        from isopod import __version__

        click.echo(f"isopod {__version__}")
        ctx.exit(0)


def _speak_utf8() -> None:
    """UTF-8 in and out whatever the locale says; what cannot be encoded is shown as an escape.

    A stream that the caller has closed is None in Python: it becomes one that holds nothing and keeps nothing.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - it stays open, as stdin does
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - as above
    streams: tuple[Any, ...] = (sys.stdout, sys.stderr)
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")


def _silence_stdout() -> None:
    """Python flushes stdout again at its end; where nobody reads any more it must not say so."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
