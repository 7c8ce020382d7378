"""isopod audit: check everything by every rule."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import Exit, RefusedError

if TYPE_CHECKING:
    from gates.let_through import Known
    from gates.run import Audit
    from store.past import Past
    from store.snapshot import Snapshot


@options.command(
    "audit",
    examples=[
        ("isopod audit", "check everything"),
        ("isopod audit --select dependency-cycle --select C210", "only these rules, by name or code"),
        ("isopod audit --ignore unclaimed-unit --strict", "without one rule, and warnings count"),
        ("isopod audit --base v1.2", "what changed is compared with that commit"),
        ("isopod audit --ci --format sarif", "for a build: trusts no cache; json, junit and github too"),
        ("isopod audit --write-baseline baseline.yaml", "an old project: what is found today is known"),
        ("isopod audit --baseline baseline.yaml", "only what came since counts"),
        (
            "isopod audit --baseline baseline.yaml --write-baseline baseline.yaml --yes",
            "take out of the baseline what is mended",
        ),
    ],
    formats=("text", "json", "sarif", "junit", "github"),
)
@click.option("--select", multiple=True, metavar="RULE", help="Only this rule (name or code); may be repeated.")
@click.option("--ignore", multiple=True, metavar="RULE", help="All but this rule (name or code); may be repeated.")
@click.option("--strict", is_flag=True, help="Warnings count: exit 1 with any finding.")
@click.option("--ci", is_flag=True, help="Compare files by their bytes, not by their times.")
@click.option(
    "--base", metavar="REF", help="Compare with this commit; by default with where the branch left the default branch."
)
@click.option("--baseline", metavar="FILE", help="Let through what this file knows; say how much, and what is mended.")
@click.option(
    "--write-baseline",
    metavar="FILE",
    help="Write what is found now; with --baseline only what that one still lets through.",
)
@click.option("--yes", is_flag=True, help="With --write-baseline: replace a baseline that is there.")
@click.option("--dry-run", is_flag=True, help="With --write-baseline: show what would be written, write nothing.")
def command(
    face: Face,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    strict: bool,
    ci: bool,
    base: str | None,
    baseline: str | None,
    write_baseline: str | None,
    yes: bool,
    dry_run: bool,
) -> int:
    """Check cards, claims, spec files, settlements, the ledger and config by every rule. Nothing is written but
    a baseline that is asked for.

    Some rules compare with an earlier commit: --base, else where this branch left the default branch, on that branch
    itself the commit before. Outside of git and in a shallow clone they say that they could not.

    A baseline is for a project that comes to isopod late: what it knows is let through and counted, what is new counts.
    A file that cannot be read is never let through.

    Exit 0 when no error was found, 1 otherwise. `isopod rules NAME` explains a rule, `isopod fix`
    applies the safe fixes.
    """
    from gates.run import audit as judge

    _refuse_idle(face, select, ignore, write_baseline, yes or dry_run)
    snapshot = face.snapshot(hash_mode=ci)
    audit = judge(
        snapshot,
        select=_words(select) or None,
        ignore=_words(ignore),
        past=lambda: _past(snapshot, base),
        known=None if baseline is None else _known(snapshot, baseline),
    )
    if write_baseline is not None:
        _write(face, snapshot, audit, write_baseline, anew=yes, dry_run=dry_run)
        return Exit.HOLDS
    _give(face, snapshot, audit, strict=strict)
    counts = audit.findings.counts
    failed = counts.get("error", 0) or (strict and counts.get("warn", 0))
    return Exit.DOES_NOT_HOLD if failed else Exit.HOLDS


def _refuse_idle(
    face: Face, select: tuple[str, ...], ignore: tuple[str, ...], write_baseline: str | None, idle: bool
) -> None:
    """Raises RefusedError for options that would do nothing, or half of what they say."""
    if write_baseline is None and idle:
        raise RefusedError("usage", "--yes and --dry-run belong to --write-baseline", fix="isopod audit --help")
    if write_baseline is not None and (select or ignore):
        message = "a baseline is of all rules: without --select and --ignore"
        raise RefusedError("usage", message, fix=f"isopod audit --write-baseline {write_baseline}")
    if write_baseline is not None and face.format not in ("text", "json"):
        raise RefusedError("usage", f"a written baseline is not told as {face.format}", fix="--format text, or json")


def _past(snapshot: Snapshot, base: str | None) -> Past:
    from store.past import past_of  # starts git: only when a rule asks

    return past_of(snapshot, base)


def _known(snapshot: Snapshot, baseline: str) -> Known:
    from gates.let_through import Known
    from store.baseline import read

    name = _named(snapshot, baseline)
    return Known(read(Path(baseline), name), name)


def _write(face: Face, snapshot: Snapshot, audit: Audit, file: str, *, anew: bool, dry_run: bool) -> None:
    from isopod.render.findings import not_checked_lines
    from isopod.words import number_of
    from isopod.workplace import refuse_unreadable
    from isopod.writing import commit_or_show
    from pipeline.baseline import write_baseline

    refuse_unreadable(snapshot)
    # `..` goes without a look at the disk: a symbolic link on the way is for the store to refuse.
    written = write_baseline(snapshot, audit, Path(os.path.abspath(file)), anew=anew)  # noqa: PTH100
    commit_or_show(face, written.transaction, command="audit", dry_run=dry_run)
    face.note(f"{number_of(len(written.baseline.findings), 'finding')} in the baseline")
    for line in not_checked_lines(audit, face):
        face.note(line)


def _named(snapshot: Snapshot, file: str) -> str:
    """How a file is named in results: from the root of the instance, wherever the command was called."""
    path = Path(file).resolve()
    root = snapshot.instance.root
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else file


def _give(face: Face, snapshot: Snapshot, audit: Audit, *, strict: bool) -> None:
    if face.format == "sarif":
        from isopod.render.findings_sarif import sarif

        face.give_json(sarif(audit, snapshot))
    elif face.format == "junit":
        from isopod.render.findings_junit import junit_text

        face.give_text(junit_text(audit, snapshot, strict=strict).split("\n"))
    elif face.format == "github":
        from isopod.render.findings_github import github_lines

        face.give_text(github_lines(audit, snapshot))
    else:
        from isopod.render.findings import audit_lines

        face.give(audit.findings, lambda: audit_lines(audit, snapshot, face))


def _words(given: tuple[str, ...]) -> list[str]:
    return [word.strip() for one in given for word in one.split(",") if word.strip()]
