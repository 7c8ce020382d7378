"""isopod init: make this folder an instance."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import Place, RefusedError

if TYPE_CHECKING:
    from isopod.newcomer import NewTeam
    from store.transaction import Transaction

_CONFIG = "config.yaml"


@options.command(
    "init",
    examples=[
        ("isopod init", "answer three questions and begin"),
        ('isopod init --yes --project "Shop" --team Growth --waits-for "Data team"', "the same from a script"),
        ("isopod init --yes --project Shop --team growth=그로스팀 --dry-run", "show what would be written"),
    ],
)
@click.option("--project", metavar="NAME", help="What the project is called; the folder's name by default.")
@click.option("--team", "teams", multiple=True, metavar="[ID=]NAME", help="One of your own teams; may be repeated.")
@click.option("--waits-for", multiple=True, metavar="[ID=]NAME", help="A team that you wait for; may be repeated.")
@click.option("--yes", is_flag=True, help="Ask nothing; what is not given gets its default.")
@options.dry_run
def command(
    face: Face, project: str | None, teams: tuple[str, ...], waits_for: tuple[str, ...], yes: bool, dry_run: bool
) -> None:
    """Make this folder a place where specs become cards: config.yaml, specs/, cards/, and what git and editors need.

    Name the teams that you wait for too: only then does a sentence such as "we need from the Data team ..." become a
    request to that team. An existing config.yaml is never overwritten.
    """
    from isopod.newcomer import new_teams, refuse_what_is_in_the_way
    from isopod.writing import changed_lines, diff_lines
    from schemas.outputs import WrittenOutput

    root = Path.cwd()
    if (root / _CONFIG).exists():
        from store.instance import open_instance

        open_instance(root)  # a config that is not ours, or not valid, is named with what is wrong with it
        raise RefusedError(
            "already-there", "there is a config already; edit it instead", where=Place(_CONFIG), fix="isopod status"
        )
    if not yes:
        project, teams, waits_for = _ask(root, project, teams, waits_for)
    named = new_teams(teams or ("Our team",), waits_for)
    refuse_what_is_in_the_way(root)
    transaction = _prepared(root, project or root.name or "project", named)
    changed = transaction.changed if dry_run else _written(root, transaction)

    def lines() -> Iterator[str]:
        if dry_run:
            yield from diff_lines(face, transaction.diff())
            return
        yield from changed_lines(changed, dry_run)
        yield ""
        yield "Next: put a spec into specs/ and see the cards that it would make:"
        yield "  isopod compile specs/YOURS.md --offline --preview"

    face.give(WrittenOutput(command="init", dry_run=dry_run, changed=changed), lines)


def _ask(
    root: Path, project: str | None, teams: tuple[str, ...], waits_for: tuple[str, ...]
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The three questions, on stderr; those that an option answers are not asked."""
    name = project or str(click.prompt("Project", default=root.name, err=True))
    own = teams or _names(click.prompt("Your own teams (separate with commas)", default="Our team", err=True))
    others = waits_for or _names(
        click.prompt(
            "Teams that you wait for, as specs call them (commas; empty for none)",
            default="",
            show_default=False,
            err=True,
        )
    )
    return name, own, others


def _names(answer: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in answer.split(",") if name.strip())


def _written(root: Path, transaction: Transaction) -> tuple[str, ...]:
    """Commit; the empty folders that go with the files are taken back when that fails."""
    from isopod.newcomer import FOLDERS

    missing = [root / folder for folder in FOLDERS if not (root / folder).exists()]
    try:
        for folder in missing:
            folder.mkdir()
        return transaction.commit()
    except BaseException:
        for folder in missing:
            with suppress(OSError):  # it was not made yet, or somebody put something there
                folder.rmdir()
        raise


def _prepared(root: Path, project: str, teams: tuple[NewTeam, ...]) -> Transaction:
    """All files of a new instance in one transaction; what is there already keeps what it holds."""
    from isopod.commands.schema import CARD_SCHEMA, card_schema_text
    from isopod.newcomer import GIT_ATTRIBUTES, GIT_IGNORE, config_text, with_lines
    from schemas.config import Config
    from store.transaction import Transaction
    from store.yamlio import load

    text = config_text(project, teams)
    config = Config.parse(load(text, _CONFIG), source=_CONFIG)
    transaction = Transaction(root, root / config.paths.state, command="init")
    transaction.write(root / _CONFIG, text.encode(), expected=None)
    for name, wanted in ((".gitattributes", GIT_ATTRIBUTES), (".gitignore", GIT_IGNORE)):
        before = transaction.read(root / name) or b""
        transaction.write(
            root / name,
            with_lines(before.decode("utf-8", "surrogateescape"), wanted).encode("utf-8", "surrogateescape"),
        )
    transaction.write(root / CARD_SCHEMA, card_schema_text(config).encode())
    return transaction
