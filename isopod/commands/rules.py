"""isopod rules: the rules, and the page of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face

if TYPE_CHECKING:
    from gates.registry import Rule
    from schemas.outputs import RuleItem


@options.command(
    "rules",
    examples=[
        ("isopod rules", "every rule with what it holds to"),
        ("isopod rules C220", "what one rule means, and the way out"),
        ("isopod rules dependency-cycle", "the same by its name"),
        ("isopod rules --stage audit --format json", "the rules that `isopod audit` runs"),
    ],
)
@click.argument("name", required=False)
@click.option("--stage", type=click.Choice(["join", "adopt", "draft", "audit"]), help="Only the rules of this stage.")
def command(face: Face, name: str | None, stage: str | None) -> None:
    """List the rules, or explain the rule NAME (its name or its code).

    Codes never change their meaning. config.yaml lets findings through, for a reason and for a time (`audit.ignore`);
    a baseline lets through what an old project comes with (`isopod audit --write-baseline`).
    """
    from gates.registry import rule_named, rules
    from schemas.outputs import RulesOutput

    chosen = (rule_named(name),) if name else tuple(rule for rule in rules() if stage is None or stage in rule.stages)
    items = tuple(map(_item, chosen))
    face.give(RulesOutput(rules=items), lambda: _page(chosen[0], face) if name else _list(items, face))


def _item(rule: Rule) -> RuleItem:
    from gates.pages import summary
    from schemas.outputs import RuleItem

    return RuleItem(
        code=rule.code,
        name=rule.name,
        tier=rule.tier,
        stages=rule.stages,
        why=rule.why,
        what=summary(rule),
        page=rule.page.strip(),
    )


def _list(items: tuple[RuleItem, ...], face: Face) -> Iterator[str]:
    from isopod.render.columns import wrap

    for item in items:
        yield from wrap(f"{item.code}  {item.tier:5}  {item.name}", face.width, first="")
        yield from wrap(item.what, face.width, indent=" " * 13)


def _page(rule: Rule, face: Face) -> Iterator[str]:
    from gates.pages import parts

    yield face.paint(f"{rule.code} {rule.name}", "bold") + f"  ({rule.tier}; runs at {', '.join(rule.stages)})"
    for title, text in parts(rule).items():
        yield ""
        if title:
            yield face.paint(title, "bold")
        for number, block in enumerate(text.split("\n\n")):
            if number:
                yield ""
            yield from _block(block, "  " if title else "", face.width)


def _block(block: str, indent: str, width: int) -> Iterator[str]:
    """A paragraph in the width that there is; an example, which stands further in, line by line as it is."""
    from isopod.escape import escape
    from isopod.render.columns import wrap

    if block.startswith("    "):
        yield from map(escape, block.split("\n"))
    else:
        yield from wrap(" ".join(block.split()), width, indent=indent)
