"""isopod audit: check everything by every rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import Exit

if TYPE_CHECKING:
    from store.past import Past


@options.command(
    "audit",
    examples=[
        ("isopod audit", "check everything"),
        ("isopod audit --select dependency-cycle --select C210", "only these rules, by name or code"),
        ("isopod audit --ignore unclaimed-unit --strict", "without one rule, and warnings count"),
        ("isopod audit --base v1.2", "what changed is compared with that commit"),
        ("isopod audit --ci --format json", "for a build: trusts no cache, prints isopod.findings/1"),
    ],
)
@click.option("--select", multiple=True, metavar="RULE", help="Only this rule (name or code); may be repeated.")
@click.option("--ignore", multiple=True, metavar="RULE", help="All but this rule (name or code); may be repeated.")
@click.option("--strict", is_flag=True, help="Warnings count: exit 1 with any finding.")
@click.option(
    "--base", metavar="REF", help="Compare with this commit; by default with where the branch left the default branch."
)
@click.option("--ci", is_flag=True, help="Compare files by their bytes, not by their times.")
def command(
    face: Face, select: tuple[str, ...], ignore: tuple[str, ...], strict: bool, base: str | None, ci: bool
) -> int:
    """Check cards, claims, spec files, settlements, the ledger and config by every rule. Nothing is written.

    Some rules compare with an earlier commit: --base, else where this branch left the default branch, on that branch
    itself the commit before. Outside of git and in a shallow clone they say that they could not.

    Exit 0 when no error was found, 1 otherwise. `isopod rules NAME` explains a rule, `isopod fix`
    applies the safe fixes.
    """
    from gates.run import run
    from isopod.render.findings import audit_lines

    snapshot = face.snapshot(hash_mode=ci)

    def past() -> Past:
        from store.past import past_of

        return past_of(snapshot, base)

    findings = run("audit", snapshot, select=_words(select) or None, ignore=_words(ignore), past=past)
    face.give(findings, lambda: audit_lines(findings, snapshot, face))
    failed = findings.counts.get("error", 0) or (strict and findings.counts.get("warn", 0))
    return Exit.DOES_NOT_HOLD if failed else Exit.HOLDS


def _words(given: tuple[str, ...]) -> list[str]:
    return [word.strip() for one in given for word in one.split(",") if word.strip()]
