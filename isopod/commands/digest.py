"""isopod digest: what changed, in words that a person reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click

from isopod import options
from isopod.face import Face

if TYPE_CHECKING:
    from store.git import Repository
    from store.past import Version
    from store.snapshot import Snapshot

_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?")


@options.command(
    "digest",
    examples=[
        ("isopod digest --since v1.2", "what changed since a tag"),
        ("isopod digest --since 2026-11-23 --format md", "since a day, for a mail or a page"),
        ("isopod digest --since main", "what this branch changed, committed or not"),
        ("isopod digest --since HEAD~10 --format json", "for a script"),
    ],
    formats=("text", "md", "json"),
)
@click.option(
    "--since",
    required=True,
    metavar="REF|DATE",
    help="A commit by any name, or a date or time (UTC): the last commit before.",
)
def command(face: Face, since: str) -> None:
    """Tell what changed since a commit: claims, cards, replaced decisions and answers, what waits for what, other teams'
    cards, overridden rules.

    What lies in the folder now is compared, committed or not. A name that reads like a date is one. Outside of git there is
    nothing to compare with; a date in a shallow clone cannot be found.
    """
    from isopod.looking import look
    from isopod.render.digest import digest_lines
    from isopod.words import reason_words
    from pipeline.digest import Held, digest
    from schemas.digest import DigestOutput
    from store.git import Repository
    from store.past import Version

    snapshot = look(face).snapshot
    repository = Repository(snapshot.instance.root)
    commit = _commit(repository, since)
    known = {file.sha256: file.card for file in snapshot.card_files}
    version = None if commit is None else Version(repository, snapshot.instance, commit, known)
    found = digest(Held() if version is None else Held.at(version), Held.now(snapshot), reason_words)
    output = DigestOutput(
        project=snapshot.config.project,
        since=since,
        commit=commit,
        digest=found,
        changes=sum(len(getattr(found, name)) for name in type(found).model_fields),
        unreadable=_unreadable(snapshot, version),
    )
    face.give(output, lambda: digest_lines(output, face))


def _commit(repository: Repository, since: str) -> str | None:
    """The commit that is meant; None for a time before the first one."""
    return repository.last_before(since) if _DATE.fullmatch(since) else repository.commit(since)


def _unreadable(snapshot: Snapshot, version: Version | None) -> tuple[str, ...]:
    now = {problem.where.file for problem in snapshot.file_problems}
    return tuple(sorted(now | set(version.unreadable if version is not None else ())))
