"""What findings, suggestions and messages tell a person to type is something that the command line takes."""

from __future__ import annotations

import ast
import json
import re
import shlex
from pathlib import Path

import pytest

from isopod.cli import group
from isopod.face import Face
from isopod.table import COMMANDS

ROOT = Path(__file__).parents[2]
# Commands that DESIGN.md names and that come with the lifecycle of cards.
LATER = {"spec", "edit", "mirror"}


def fixes() -> set[str]:
    """The way out of every expected finding of every rule."""
    found: set[str] = set()
    for path in (ROOT / "tests/cases").rglob("expected.json"):
        found |= set(re.findall(r'"fix": (".*")', path.read_text(encoding="utf-8")))
    return {json.loads(fix) for fix in found}


@pytest.mark.parametrize("line", sorted(fix for fix in fixes() if fix.startswith("isopod ")))
def test_the_way_out_of_a_finding_can_be_pasted(line: str) -> None:
    name, *arguments = shlex.split(line)[1:]
    if name in LATER:
        pytest.skip(f"isopod {name} is not there yet")
    context = group.make_context("isopod", [name], obj=Face())
    command = group.get_command(context, name)
    assert command is not None
    command.make_context(name, arguments, parent=context)


def test_every_command_that_a_message_names_is_there() -> None:
    named: set[str] = set()
    for package in ("schemas", "text", "store", "gates", "pipeline", "isopod"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.keyword) and node.arg in ("fix", "do"):
                    text = ast.unparse(node.value)
                    named |= set(re.findall(r"\bisopod ([a-z][a-z-]+)\b(?! that)", text))
    assert named - LATER <= set(COMMANDS)
