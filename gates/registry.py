"""Finds the rules: every module below `gates/anchors` and `gates/audits` is one. Adding a rule is adding one file."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Final, Literal, get_args

import gates.anchors
import gates.audits
from gates.found import Found
from gates.words import sentence
from schemas.errors import RefusedError
from schemas.finding import Finding
from schemas.kinds import Severity

Stage = Literal["join", "adopt", "draft", "audit"]
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)
Why = Literal["cross-file", "reference", "graph", "filesystem", "git", "config", "tracker", "text"]
# What `check` is given: the claims of one spec, those with their cards, or the whole instance.
On = Literal["claims", "drafted", "instance"]
# What an audit by the rule must have read to the last file: it reports what no file holds.
Needs = Literal["cards", "anchors"]
# How an audit leans on git: `all` is quiet without it, `part` sees less and says so, `more` judges all that is here and
# sees more with it.
History = Literal["all", "part", "more"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, as its module states it. `why` is the reason why a schema cannot catch it; `page` is the module's
    docstring."""

    code: str
    name: str
    tier: Severity
    stages: tuple[Stage, ...]
    why: Why
    on: On
    needs: Needs | None
    history: History | None
    page: str
    check: Callable[[Any], Iterator[Found]]

    def findings(self, subject: object) -> Iterator[Finding]:
        """What the rule finds in one subject, under its own code and name."""
        for found in self.check(subject):
            yield Finding(
                code=self.code,
                name=self.name,
                severity=found.severity or self.tier,
                subject=found.subject,
                message=sentence(found.message),
                where=found.where,
                related=found.related,
                fix=found.fix,
                heuristic=found.heuristic,
            )


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, by code."""
    found = [
        _rule_of(importlib.import_module(f"{package.__name__}.{module.name}"))
        for package in (gates.anchors, gates.audits)
        for module in pkgutil.iter_modules(package.__path__)
    ]
    return tuple(sorted(found, key=lambda rule: rule.code))


def rule_named(word: str) -> Rule:
    """The rule of this code or name.

    Raises RefusedError naming the nearest rules.
    """
    for rule in rules():
        if word in (rule.code, rule.name):
            return rule
    from difflib import get_close_matches

    near = get_close_matches(word, [name for rule in rules() for name in (rule.name, rule.code)])
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise RefusedError("unknown-rule", f"no rule is called {word!r}{hint}", fix="isopod rules")


def _rule_of(module: ModuleType) -> Rule:
    return Rule(
        code=module.CODE,
        name=module.NAME,
        tier=module.TIER,
        stages=module.STAGES,
        why=module.WHY,
        on=module.ON,
        needs=getattr(module, "NEEDS", None),
        history=getattr(module, "HISTORY", None),
        page=module.__doc__ or "",
        check=module.check,
    )
