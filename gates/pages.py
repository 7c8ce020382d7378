"""The pages of the rules, as text: what a rule is, from its module's docstring and constants. Nobody writes them by
hand."""

from __future__ import annotations

import re
from typing import Final

from gates.registry import Rule, rules

FOLDER: Final = "docs/rules"
PARTS: Final = ("What", "Why", "Bad", "Good", "Way out")
_PART = re.compile(r"^\*\*(What|Why|Bad|Good|Way out)\*\* ?", re.MULTILINE)
_TIERS: Final = {"error": "error: fails the command", "warn": "warning: shown and counted"}
_STAGES: Final = {
    "join": "join (the claims that both readings agree on)",
    "adopt": "adopt (before claims get into the store)",
    "draft": "draft (the cards that are proposed)",
    "audit": "audit (the whole instance, `isopod audit`)",
}
_WHYS: Final = {
    "cross-file": "it needs more than one file",
    "reference": "it needs what an id points to",
    "graph": "it needs the graph",
    "filesystem": "it needs the spec files as they are",
    "git": "it needs the history",
    "config": "it needs config.yaml",
    "tracker": "it needs the tracker",
    "text": "it needs the text of the spec",
}

_HISTORY: Final = {
    "all": "not checked, and said so",
    "part": "checked as far as the files themselves go, and said so",
    "more": "checked by what the files say; git only shows more",
}


def parts(rule: Rule) -> dict[str, str]:
    """The named parts of a rule's docstring: What, Why, Bad, Good, Way out; and the first sentence under ""."""
    pieces = _PART.split(rule.page)
    return {"": pieces[0].strip()} | {
        name: text.strip("\n") for name, text in zip(pieces[1::2], pieces[2::2], strict=True)
    }


def summary(rule: Rule) -> str:
    """One sentence: what holds when the rule is quiet."""
    return " ".join(parts(rule)[""].split())


def file_name(rule: Rule) -> str:
    return f"{rule.code}-{rule.name}.md"


def render(rule: Rule) -> str:
    """The page of one rule, as Markdown."""
    told = parts(rule)
    body = "\n\n".join(f"## {name}\n\n{_reflowed(told[name])}" for name in PARTS)
    return (
        f"# {rule.code} {rule.name}\n\n{summary(rule)}\n\n"
        f"| | |\n|---|---|\n"
        f"| tier | {_TIERS[rule.tier]} |\n"
        f"| runs at | {'; '.join(_STAGES[stage] for stage in rule.stages)} |\n"
        f"| no schema sees it | {_WHYS[rule.why]} ({rule.why}) |\n{_without_history(rule)}\n{body}\n"
    )


def _without_history(rule: Rule) -> str:
    """The row of a rule that compares with history: what it does where there is none."""
    return "" if rule.history is None else f"| outside of git, in a shallow clone | {_HISTORY[rule.history]} |\n"


def render_index() -> str:
    """The list of all rules, as Markdown."""
    lines = [
        f"| [{rule.code}]({file_name(rule)}) | {rule.name} | {rule.tier} | {', '.join(rule.stages)} | {summary(rule)} |"
        for rule in rules()
    ]
    head = "# Rules\n\n`isopod rules NAME` explains a rule, `isopod audit --select NAME` runs one.\n\n"
    return head + "| code | name | tier | runs at | holds when |\n|---|---|---|---|---|\n" + "\n".join(lines) + "\n"


def render_all() -> dict[str, str]:
    """Every page by its path below the repository."""
    pages = {f"{FOLDER}/{file_name(rule)}": render(rule) for rule in rules()}
    return {f"{FOLDER}/README.md": render_index(), **pages}


def _reflowed(text: str) -> str:
    """Paragraphs on one line each (as the docs of the project are read in a browser); code blocks as they are."""
    blocks = re.split(r"\n{2,}", text.strip("\n"))
    return "\n\n".join(block if block.startswith("    ") else " ".join(block.split()) for block in blocks)
