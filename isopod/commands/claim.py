"""isopod claim: a person names a claim that both readers missed."""

from __future__ import annotations

import click

from isopod import options
from isopod.face import Face
from schemas.kinds import ANCHOR_KINDS, AnchorKind


@options.command(
    "claim",
    examples=[
        ('isopod claim "Expired links answer 410." --kind requirement --by Kim', "the exact words of the spec"),
        (
            'isopod claim specs/links.md "short code" --kind term --line 12 --by Kim',
            "words that stand more than once",
        ),
    ],
)
@options.spec_and_words
@click.option("--kind", type=click.Choice(ANCHOR_KINDS), required=True, help="What kind of claim it is.")
@options.line
@options.by
@options.because
@options.offline
@options.dry_run
def command(
    face: Face,
    named: tuple[str, ...],
    kind: AnchorKind,
    line: tuple[int, int] | None,
    by: str | None,
    because: str | None,
    offline: bool,
    dry_run: bool,
) -> None:
    """Say that WORDS of SPEC are a claim although neither reader said so.

    The words are quoted exactly as they stand, or --line names the sentence. SPEC may be left out when only one spec holds
    them. The next compile puts the claim on a card, and so does every later one.
    """
    from isopod.saying import say, words_of_line
    from isopod.workplace import said
    from pipeline.answers import say_claim

    who = said(by, because)
    say(
        face,
        "claim",
        lambda docket, words: say_claim(docket, kind, words or words_of_line(docket, line), who, line),
        named=named,
        offline=offline,
        dry_run=dry_run,
    )
