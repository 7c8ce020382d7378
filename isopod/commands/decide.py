"""isopod decide: a person decides something, and says which cards lean on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from isopod import options, replacing
from isopod.face import Face
from schemas.errors import RefusedError

if TYPE_CHECKING:
    from isopod.looking import Looking
    from pipeline.deeds.decide import Affects, Decided, Replacing
    from schemas.card import Card

_SHOWN = 12


@options.command(
    "decide",
    examples=[
        (
            'isopod decide "Codes are random" --by Kim --because "others leak" --affects STY-7Q4M2K9X',
            "a decision that no spec says; the story leans on it",
        ),
        (
            'isopod decide "Times are in UTC" --by Kim --because "one clock" --affects all --spec links',
            "it affects every card, without an edge each",
        ),
        (
            'isopod decide "Use SQLite" --by Kim --because "one server" --supersedes DEC-CGXNM6HH --all move',
            "it replaces another one, and what leaned on that leans on it",
        ),
        (
            'isopod decide DEC-7Q4M2K9X --affects STY-V0C3TNQ1 --by Kim --because "both speak of 302"',
            "a decision that is there already: what leans on it",
        ),
    ],
)
@click.argument("decision", metavar="TEXT")
@click.option("--spec", default=None, metavar="SPEC", help="The spec that it belongs to: its key, or its file.")
@click.option("--affects", multiple=True, metavar="CARD|all", help="A card that leans on it, or all of them.")
@click.option("--supersedes", default=None, metavar="OLD", help="The decision that it replaces.")
@replacing.verdicts
@options.by
@options.because
@options.yes
@options.dry_run
def command(
    face: Face,
    decision: str,
    spec: str | None,
    affects: tuple[str, ...],
    supersedes: str | None,
    by: str | None,
    because: str | None,
    yes: bool,
    dry_run: bool,
    **given: replacing.Given,
) -> None:
    """Write down a decision, TEXT, that was made outside of a spec; or name the cards that lean on the decision with the id TEXT.

    A card that leans on a decision is shown when that is replaced. On a terminal you are asked which cards do. With --supersedes the
    decision replaces another one, and each edge that leaned on that one moves, goes or is kept, as with `isopod supersede`.
    """
    from isopod.deeds import at_hand, spec_key
    from isopod.writing import ask_and_commit
    from pipeline.deeds.decide import decide, lean_on

    looking = at_hand(face)
    known = _known(looking, decision)
    said = replacing.who_says(face, by, because, option="--by")
    verdicts = replacing.Verdicts.of(looking, **given)
    if supersedes is None and verdicts.any_given:
        raise RefusedError(
            "usage", "--move, --drop, --keep and --all belong to --supersedes", fix="isopod decide --help"
        )
    if known is not None:
        if not affects and not replacing.may_ask(face):
            raise RefusedError("usage", f"say which cards lean on {known.id}", fix="--affects CARD, or --affects all")
        if spec is not None or supersedes is not None:
            words = f"{known.id} is there already: only --affects is said of it here"
            raise RefusedError("usage", words, fix=f"isopod supersede OLD --by {known.id}")
        done = lean_on(looking.snapshot, known.id, _affects(face, looking, affects, known.title, known.spec), said)
    else:
        key = spec_key(looking, spec) if spec is not None else None
        instead = _replacing(face, looking, supersedes, verdicts)
        whom = _affects(face, looking, affects, decision, key)
        done = decide(looking.snapshot, decision, said, spec=key, affects=whom, replacing=instead)
    ask_and_commit(
        face,
        done.hand.transaction,
        command="decide",
        dry_run=dry_run,
        yes=yes,
        told=[*_lines(done, looking, face)],
    )


def _known(looking: Looking, words: str) -> Card | None:
    """The card whose id the text is. Raises RefusedError for an id that nothing has: it is a slip, no decision."""
    from schemas.config import id_pattern

    word = words.strip()
    prefixes = tuple(one.prefix for one in looking.snapshot.config.prefixes if one.kind == "decision")
    if re.fullmatch(id_pattern(prefixes), word, re.IGNORECASE):
        return looking.card(word)
    return looking.find_card(word)


def _replacing(face: Face, looking: Looking, old: str | None, verdicts: replacing.Verdicts) -> Replacing | None:
    from pipeline.deeds.decide import Replacing
    from pipeline.deeds.supersede import leaning_on

    if old is None:
        return None
    before = looking.card(old).id
    if verdicts.rest is None and replacing.may_ask(face):
        verdicts = replacing.ask(face, looking, leaning_on(looking.snapshot, before), None, verdicts)
    return Replacing(before, verdicts.by_card, verdicts.rest, verdicts.keeping)


def _affects(face: Face, looking: Looking, given: Sequence[str], words: str, spec: str | None) -> Affects:
    """The cards that lean on the decision: those that were named, else those that a person names when asked."""
    if not given and replacing.may_ask(face):
        from pipeline.deeds.decide import candidates

        offered = candidates(looking.snapshot, words, spec)
        face.give_text(_offer_lines(offered, face))
        answer = click.prompt("Which cards lean on it (ids, all, or nothing)", default="", show_default=False, err=True)
        given = str(answer).replace(",", " ").split()
    if "all" in given:
        if len(given) > 1:
            raise RefusedError("usage", "all, or the cards by name", fix="--affects all")
        return "all"
    return tuple(looking.card(word).id for word in given)


def _offer_lines(offered: Sequence[Card], face: Face) -> Iterator[str]:
    from isopod.render.columns import wrap

    for card in offered[:_SHOWN]:
        yield from wrap(f"{card.id}  {card.title}", face.width, indent="    ", first="")
    if len(offered) > _SHOWN:
        yield f"and {len(offered) - _SHOWN} more: isopod cards --kind story"


def _lines(done: Decided, looking: Looking, face: Face) -> Iterator[str]:
    from isopod.deeds import hand_lines
    from isopod.render.columns import wrap

    if done.superseded is not None:
        yield from replacing.told(done.superseded, looking, face)
    else:
        yield from hand_lines(done.hand, face)
    part = done.decision.decision
    for_all = part is not None and part.affects == "all"
    moved = done.superseded is not None and any(turn == "move" for _, turn in done.superseded.turned)
    if for_all:
        yield from wrap(f"{done.decision.id} affects all cards", face.width, indent="    ", first="")
    elif not done.leaning and not moved and done.superseded is None:
        words = f"no card leans on {done.decision.id} yet: isopod decide {done.decision.id} --affects CARD, or --affects all"
        yield from wrap(words, face.width, indent="    ", first="")
