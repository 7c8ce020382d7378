"""An instance whose two readers ask models by batches, a small spec, and a brain for a server on this machine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from scenes import Scene, config_text
from servers.faces import Question
from servers.loopback import Loopback
from servers.outcomes import Outcome, Reply

from pipeline.models.prompt import SYSTEM

SPEC = """\
# Shop

## Carts

A cart holds at most 50 items. The cart is emptied after 30 days.

## Orders

An order needs a cart. Orders cannot ship before the tax rule is known.

## Tax

Which tax rule applies is not decided yet.
"""

CLAIMS = {
    "A cart holds at most 50 items.": "constraint",
    "The cart is emptied after 30 days.": "requirement",
    "An order needs a cart.": "requirement",
    "Orders cannot ship before the tax rule is known.": "constraint",
    "Which tax rule applies is not decided yet.": "question",
}
WRONG = "A cart holds at most 51 items."
"""A quote that the spec does not hold."""

MISSED = "The cart is emptied after 30 days."
CLAUDE, GPT = "claude-test", "gpt-test"

_READERS = (
    "readers:\n  a: {provider: recorded, model: one}\n  b: {provider: recorded, model: one}\nallow_same_model: true\n"
)
_NUMBERED = re.compile(r"^ *(\d+) \| ", re.MULTILINE)


def line_of(words: str) -> int:
    return SPEC[: SPEC.index(words)].count("\n") + 1


def shop(root: Path, server: Loopback, *, models: str = "", extra: str = "") -> Scene:
    """The instance: reader a is Anthropic's, b is OpenAI's, both at the server; `models` are further keys of that name."""
    readers = f"""\
readers:
  a: {{provider: anthropic, model: {CLAUDE}, base_url: "{server.anthropic_url}"}}
  b: {{provider: openai, model: {GPT}, base_url: "{server.openai_url}"}}
models: {{prices: {{{CLAUDE}: {{input: 3, output: 15}}, {GPT}: {{input: 2, output: 8}}}}{models}}}
"""
    text = config_text(extra=extra)
    assert _READERS in text
    scene = Scene.new(root)
    (root / "config.yaml").write_text(text.replace(_READERS, readers), encoding="utf-8")
    (root / "specs/shop.md").write_text(SPEC, encoding="utf-8")
    return scene


def is_repair(question: Question) -> bool:
    return question.system == SYSTEM["repair"]


def reading(question: Question, *, without: str = "", wrong: str = "") -> Reply:
    """Every claim of the shown lines but one; one of them in words that the spec does not hold."""
    shown = {int(number) for number in _NUMBERED.findall(question.user)}
    claims: list[dict[str, Any]] = []
    for number, (quote, kind) in enumerate(CLAIMS.items()):
        line = line_of(quote)
        if line in shown and quote != without:
            words = WRONG if quote == wrong else quote
            claims.append(
                {"ref": f"x{number}", "kind": kind, "quote": words, "first_line": line, "last_line": line, "nth": 0}
            )
    return Reply(tools=({"anchors": claims, "edges": []},), sent=1000, got=100)


def agreeing(question: Question) -> Outcome:
    """Both models see the same."""
    return Reply(tools=({"edges": []},)) if question.tool == "EdgesAnswer" else reading(question)


def differing(question: Question) -> Outcome:
    """Claude misquotes once; GPT misses a claim at first and sees it in the repair round."""
    if question.tool == "EdgesAnswer":
        return Reply(tools=({"edges": []},))
    if question.model == CLAUDE:
        first = next(iter(CLAIMS))
        return reading(question, wrong="" if WRONG in question.user or is_repair(question) else first)
    return reading(question, without="" if is_repair(question) else MISSED)
