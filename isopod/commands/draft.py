"""isopod draft: cards from what is adopted, without reading the spec again."""

from __future__ import annotations

from collections.abc import Iterator

import click

from isopod import options
from isopod.face import Face


@options.command(
    "draft",
    examples=[
        ("isopod draft specs/links.md --again --dry-run", "what a changed config.yaml would regroup"),
        ("isopod draft specs/links.md --again", "make drafted cards anew by the config as it is now"),
    ],
)
@click.argument("spec", required=False)
@click.option("--again", is_flag=True, help="Dissolve the drafted cards and group their claims anew.")
@options.dry_run
def command(face: Face, spec: str | None, again: bool, dry_run: bool) -> None:
    """Make cards of the claims of SPEC that are adopted already; nothing is read.

    Claims without a card get one. With --again drafted cards are made anew, so that a change of teams or sections in
    config.yaml shows. Cards that were looked at or published stay as they are.
    """
    from isopod.render.findings import finding_lines
    from isopod.render.preview import board, card_lines, suggestion_lines
    from isopod.workplace import spec_path, workspace
    from isopod.writing import changed_lines, diff_lines
    from pipeline.batching import explained
    from pipeline.handing import with_ways_on
    from pipeline.models.pending import PendingError
    from pipeline.redrafting import commit, draft_spec, note
    from schemas.line_outputs import DraftOutput

    place = workspace(face)
    path = spec_path(place, spec)
    try:
        outcome = draft_spec(place, path, again=again, say=lambda message: face.note(f"isopod: {message}"))
    except PendingError as error:
        waits = explained(place.snapshot.instance if place.snapshot is not None else None, error)
        raise with_ways_on(place, place.name_of(path), error.calls, waits, again=again) from None
    transaction = outcome.transaction
    diff = transaction.diff() if dry_run else ""
    changed = transaction.changed if dry_run else commit(outcome)
    if dry_run:
        note(outcome)
    store = place.store(outcome.key)

    def lines() -> Iterator[str]:
        yield from card_lines(
            board(outcome.cards, store.anchors if store else (), heuristic=bool(store and store.heuristic)), face
        )
        if outcome.findings and place.snapshot is not None:
            yield ""
            yield from finding_lines(outcome.findings, place.snapshot.instance.root, face)
        yield from suggestion_lines(outcome.suggestions, face)
        yield ""
        yield from diff_lines(face, diff) if dry_run and diff else changed_lines(changed, dry_run)

    record = DraftOutput(
        spec=outcome.key,
        cards=outcome.cards,
        findings=outcome.findings,
        suggestions=outcome.suggestions,
        dry_run=dry_run,
        changed=changed,
    )
    face.give(record, lines)
