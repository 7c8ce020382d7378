"""What findings, suggestions, messages and help tell a person to type is something that the command line takes."""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from isopod.cli import group
from isopod.face import Face
from isopod.options import ExampleCommand
from isopod.table import COMMANDS

ROOT = Path(__file__).parents[2]
PACKAGES = ("schemas", "text", "store", "gates", "trackers", "pipeline", "isopod")
# They come with the lifecycle of cards. Until then only its tables and the rules may name them.
LATER = {
    "move", "mirror", "publish", "sync", "migrate",
    "supersede",
}  # fmt: skip
MAY_NAME_LATER = ("schemas/lifecycle.py", "store/permission.py", "gates/")
# "isopod init, or add --preview": what is to be added goes to the command that was just called.
_LINE = re.compile(r"\bisopod (?P<name>[a-z][a-z-]*)(?P<rest>(?:(?!\bisopod |`|\bor add ).)*)", re.DOTALL)
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def click_command(name: str) -> click.Command:
    top = group.make_context("isopod", [name], obj=Face())
    command = group.get_command(top, name)
    assert command is not None
    return command


def parse(line: str) -> None:
    """Let click parse a command line without running it. Raises click.UsageError for what it does not take."""
    words = shlex.split(line)[1:]
    while "-C" in words:  # its callback would go there
        at = words.index("-C")
        del words[at : at + 2]
    group.make_context("isopod", list(words), obj=Face())
    top = group.make_context("isopod", [words[0]], obj=Face())
    click_command(words[0]).make_context(words[0], words[1:], parent=top)


def fixes() -> set[str]:
    """The way out of every expected finding of every rule."""
    found: set[str] = set()
    for path in (ROOT / "tests/cases").rglob("expected.json"):
        found |= set(re.findall(r'"fix": (".*")', path.read_text(encoding="utf-8")))
    return {json.loads(fix) for fix in found}


def literal(node: ast.AST) -> str | None:
    """The text of a string in the source, of an f-string, or of the words that make a command; X stands for what is put in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(literal(part) or "X" for part in node.values)
    words = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.List) else []
    if words and literal(words[0]) == "isopod":
        return " ".join(literal(word) or "X" for word in words)
    return None


def named_commands(source: str) -> Iterator[tuple[str, list[str]]]:
    """The commands that the strings of a module name, each with the long options that follow it.

    A command begins a string or stands in backquotes; elsewhere `isopod` may be the subject of a sentence.
    """
    for node in ast.walk(ast.parse(source)):
        text = literal(node)
        if text is None:
            continue
        lines = [text] if text.startswith("isopod ") else re.findall(r"`(isopod [^`]*)`", text)
        for line in lines:
            for match in _LINE.finditer(line):
                yield match["name"], _OPTION.findall(match["rest"])


def wrong(module: str, source: str) -> list[str]:
    """What a module names and the command line does not have."""
    found = []
    for name, options in named_commands(source):
        if name in LATER and module.startswith(MAY_NAME_LATER):
            continue
        if name not in COMMANDS:
            found.append(f"isopod {name}")
            continue
        known = {
            opt for parameter in click_command(name).params for opt in (*parameter.opts, *parameter.secondary_opts)
        }
        found += [f"isopod {name} {option}" for option in options if option not in known | {"--help"}]
    return sorted(set(found))  # the parts of an f-string are strings too


@pytest.mark.parametrize("line", sorted(fix for fix in fixes() if fix.startswith("isopod ")))
def test_the_way_out_of_a_finding_can_be_pasted(line: str) -> None:
    if line.split()[1] in LATER:
        pytest.skip(f"{line.split()[1]} is not there yet")
    parse(line)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_command_that_the_program_names_is_there(package: str) -> None:
    modules = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / package).rglob("*.py")}
    found = {module: wrong(module, path.read_text(encoding="utf-8")) for module, path in modules.items()}
    assert {module: names for module, names in found.items() if names} == {}


def test_what_is_not_there_is_found() -> None:
    source = (
        """fail(fix=f"isopod shw {card}"), fail("see `isopod cards --al`"), command("isopod", "why", card, "--deep")"""
    )
    assert wrong("store/x.py", source) == ["isopod cards --al", "isopod shw", "isopod why --deep"]
    assert wrong("store/x.py", '"isopod publish ID"') == ["isopod publish"]
    assert wrong("gates/x.py", '"isopod publish ID"') == []


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_of_the_help_can_be_pasted(name: str) -> None:
    command = click_command(name)
    assert isinstance(command, ExampleCommand) and command.examples
    for line, _ in command.examples:
        for part in re.split(r" \| | > | && ", line):
            if part.startswith("isopod "):
                parse(part)
