"""isopod demo: two real specs become cards while one watches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import Exit

if TYPE_CHECKING:
    from pipeline.compile import Outcome


@options.command(
    "demo",
    examples=[
        ("isopod demo", "in ./isopod-demo"),
        ("isopod demo /tmp/demo", "in another folder, new or empty"),
        ("isopod demo --format json", "every figure, for a script"),
    ],
)
@click.argument("folder", metavar="[DIR]", default="isopod-demo")
def command(face: Face, folder: str) -> int:
    """Make an instance in DIR from two specs and real recorded readings of them, and go down the whole line with both.

    Nothing is asked, no key and no network is needed. Running it again is safe: what did not change is not written again.
    """
    from gates.run import run
    from isopod.looking import Looking
    from isopod.render.demo import demo_lines
    from pipeline.demo import prepare
    from schemas.line_outputs import DemoOutput
    from store.instance import open_instance
    from store.snapshot import load

    root = Path(os.path.abspath(folder))  # noqa: PTH100 - `resolve` would follow links that a person named on purpose
    specs = prepare(root).specs
    _write_card_schema(root)
    outcomes = [_compile(root, root / spec) for spec in specs]
    snapshot = load(open_instance(root))
    findings = run("audit", snapshot)
    looking = Looking(snapshot)
    frontier = looking.items(snapshot.card_by_id[card_id] for card_id in looking.graph.ready())
    record = DemoOutput(
        folder=str(root), demo=tuple(outcome.compiled for outcome in outcomes), findings=findings, frontier=frontier
    )

    def lines() -> Iterator[str]:
        yield from demo_lines(folder, outcomes, findings, frontier, looking, face)

    face.give(record, lines)
    failed = findings.counts.get("error", 0) or any(outcome.exit_code for outcome in outcomes)
    return Exit.DOES_NOT_HOLD if failed else Exit.HOLDS


def _write_card_schema(root: Path) -> None:
    """Editors validate the demo's cards by it, as in every instance that `init` made."""
    from isopod.commands.schema import CARD_SCHEMA, card_schema_text
    from store.instance import open_instance
    from store.transaction import Transaction

    instance = open_instance(root)
    transaction = Transaction(root, instance.state_dir, command="demo")
    transaction.write(root / CARD_SCHEMA, card_schema_text(instance.config).encode())
    transaction.commit()


def _compile(root: Path, spec: Path) -> Outcome:
    """One spec down the line, and what it found written."""
    from pipeline.compile import CompileOptions, commit, compile_spec
    from pipeline.workspace import Workspace
    from store.instance import open_instance
    from store.snapshot import load

    place = Workspace.of(load(open_instance(root)))
    outcome = compile_spec(place, spec, CompileOptions())
    commit(place, outcome)
    return outcome
