"""isopod merge-check: what two branches changed that meets in a merge."""

from __future__ import annotations

import click

from isopod import options
from isopod.face import Face
from schemas.errors import Exit


@options.command(
    "merge-check",
    examples=[
        ("isopod merge-check main~3 main feature", "before the merge: what collides"),
        ('isopod merge-check "$(git merge-base main feature)" main feature', "with the base that git would take"),
        ("isopod merge-check v1 HEAD origin/main --format json", "for a script"),
    ],
)
@click.argument("base", metavar="BASE")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
def command(face: Face, base: str, a: str, b: str) -> int:
    """Explain what the commits A and B, which both come from BASE, changed in the same cards and claims.

    Two people who added two lines to a card do not collide, two who wrote one line in two ways do. Also told: what is
    only wrong once both are in one graph (a card that waits for one that the other side cut, a circle, one claim on two
    cards), ids that both sides gave, and the ledger. Nothing is written and nothing is merged.

    Exit 0 when nothing collides, 1 otherwise.
    """
    from isopod.render.mergecheck import merge_lines
    from pipeline.mergecheck import merge_check
    from store.git import Repository
    from store.past import Version

    snapshot = face.snapshot()
    repository = Repository(snapshot.instance.root)
    known = {file.sha256: file.card for file in snapshot.card_files}
    versions = [Version(repository, snapshot.instance, repository.commit(ref), known) for ref in (base, a, b)]
    found = merge_check(versions[0], versions[1], versions[2], (base, a, b))
    face.give(found, lambda: merge_lines(found, face))
    return Exit.DOES_NOT_HOLD if found.collisions else Exit.HOLDS
