"""What every command shares: the class that prints examples, and the common options."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import click

from isopod.face import Face
from isopod.table import COMMANDS
from schemas.errors import Place, RefusedError


class ExampleCommand(click.Command):
    """A command whose help ends with examples that can be pasted."""

    def __init__(self, *args: Any, examples: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for line, meaning in self.examples:
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")
                formatter.write(f"{'':{formatter.current_indent + 4}}{meaning}\n")


def command(
    name: str, examples: Sequence[tuple[str, str]], formats: Sequence[str] = ("text", "json")
) -> Callable[[Callable[..., Any]], click.Command]:
    """Declare the command `name` of `isopod.table`, with --format, -C and --no-color.

    The function gets a `Face` first and returns the exit code (None is 0). `examples` are pairs of command line
    and meaning.
    """

    def declare(function: Callable[..., Any]) -> click.Command:
        return click.command(
            name,
            cls=ExampleCommand,
            examples=examples,
            short_help=COMMANDS[name].short_help,
            params=_shared_options(formats),
        )(click.pass_obj(function))

    return declare


def enter_folder(ctx: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """-C: go there first, as git and make do, so that every later path counts from there."""
    if value is None or ctx.resilient_parsing:
        return
    try:
        os.chdir(value)
    except OSError as error:
        raise RefusedError(
            "no-folder", f"cannot work there: {error.strerror}", where=Place(value), fix="name a folder that exists"
        ) from None


def _set_format(ctx: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(Face).format = value


def _set_no_color(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Face).colour = False


def _shared_options(formats: Sequence[str]) -> list[click.Parameter]:
    """The options of every command; they are listed after its own."""
    return [
        click.Option(
            ["--format"],
            type=click.Choice(formats),
            default=None,
            expose_value=False,
            callback=_set_format,
            help="How the result is printed on stdout; text is the default.",
        ),
        click.Option(
            ["-C"],
            metavar="DIR",
            expose_value=False,
            is_eager=True,
            callback=enter_folder,
            help="Work from this folder.",
        ),
        click.Option(
            ["--no-color"],
            is_flag=True,
            expose_value=False,
            callback=_set_no_color,
            help="No colours (NO_COLOR=1 does the same).",
        ),
    ]


class LineRange(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions of click only
    """A line of a spec, or a first and a last one: `12` or `12-14`."""

    name = "line"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        first, dash, last = str(value).partition("-")
        if first.isdecimal() and (not dash or last.isdecimal()) and 1 <= int(first) <= int(last or first):
            return int(first), int(last or first)
        return self.fail(f"{value!r} is not a line such as 12, or lines such as 12-14", param, ctx)


dry_run = click.option("--dry-run", is_flag=True, help="Show what would be written, write nothing.")
yes = click.option("--yes", is_flag=True, help="Write without asking; for scripts.")
by = click.option("--by", metavar="NAME", default=None, help="Who says so; the name is kept with the answer.")
named = click.option("--by", metavar="NAME", default=None, help="Who says so.")
because = click.option("--because", metavar="TEXT", default=None, help="Why; the reason is kept with the answer.")
offline = click.option("--offline", is_flag=True, help="Read with the two heuristics that need no key and no network.")
strict = click.option("--strict", is_flag=True, help="The strict join decides: kinds must be equal, and parts count.")
line = click.option("--line", type=LineRange(), metavar="N[-M]", help="In which line, or lines, of the spec.")
spec_and_words = click.argument("named", nargs=-1, metavar="[SPEC] [WORDS]")
