"""isopod not-a-claim: a person says that a sentence is none."""

from __future__ import annotations

from isopod import options
from isopod.face import Face


@options.command(
    "not-a-claim",
    examples=[
        ("isopod not-a-claim specs/links.md --line 3 --by Kim", "what stands in line 3 is no claim"),
        ('isopod not-a-claim "People paste long links into chats." --by Kim', "by its words"),
    ],
)
@options.spec_and_words
@options.line
@options.by
@options.because
@options.offline
@options.dry_run
def command(
    face: Face,
    named: tuple[str, ...],
    line: tuple[int, int] | None,
    by: str | None,
    because: str | None,
    offline: bool,
    dry_run: bool,
) -> None:
    """Mark a sentence, list item or table row of SPEC as no claim, by its WORDS or its line.

    The audit then no longer says that nobody claimed it; a claim that stands there falls away at the next compile.
    """
    from isopod.saying import say
    from isopod.workplace import said
    from pipeline.answers import say_no_claim

    who = said(by, because)
    say(
        face,
        "not-a-claim",
        lambda docket, words: say_no_claim(docket, words, line, who),
        named=named,
        offline=offline,
        dry_run=dry_run,
    )
