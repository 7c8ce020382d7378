"""What `supersede` and `decide --supersedes` share: the options for edges, the questions on a terminal, and what became of it in words."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from schemas.errors import RefusedError
from schemas.ledger import REASON_KINDS

if TYPE_CHECKING:
    from isopod.face import Face
    from isopod.looking import Looking
    from pipeline.deeds.supersede import Keeping, Leaning, Superseded, Turn, Verdict
    from pipeline.said import Said

Given: TypeAlias = Any
"""The value of one of the options `verdicts`."""

_KEYS: Final = {"m": "move", "d": "drop", "k": "keep"}
_END: Final = ("q", "\x04", "")


def verdicts(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what becomes of the edges to a replaced decision; `Verdicts.of` takes their values."""
    options = (
        click.option("--move", multiple=True, metavar="CARD", help="CARD leans on the new decision from now on."),
        click.option("--drop", multiple=True, metavar="CARD", help="CARD leans on neither of the two."),
        click.option(
            "--keep",
            multiple=True,
            metavar="CARD=REASON",
            help="CARD keeps its edge to the old decision, for a reason.",
        ),
        click.option("--all", "rest", type=click.Choice(["move", "drop"]), help="So for every card that is not named."),
        click.option("--until", metavar="DATE", help="With --keep: until when (YYYY-MM-DD)."),
        click.option(
            "--reason-kind",
            type=click.Choice(REASON_KINDS),
            default="other",
            show_default=True,
            help="With --keep: what kind of reason it is.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


@dataclass(frozen=True)
class Verdicts:
    """What was said of the edges so far: by card, and of the rest."""

    by_card: dict[str, Verdict]
    rest: Turn | None
    keeping: Keeping

    @classmethod
    def of(
        cls,
        looking: Looking,
        *,
        move: Sequence[str],
        drop: Sequence[str],
        keep: Sequence[str],
        rest: Turn | None,
        until: str | None,
        reason_kind: Any,
    ) -> Verdicts:
        """Raises RefusedError for a card that is unknown or named for two things, a reason that is missing, and no date."""
        from datetime import date

        from pipeline.deeds.supersede import Keeping, Verdict

        if until is not None:
            try:
                until = date.fromisoformat(until).isoformat()
            except ValueError:
                raise RefusedError("usage", f"{until!r} is no date", fix="--until 2027-01-31") from None
        named = [*((word, Verdict("move")) for word in move), *((word, Verdict("drop")) for word in drop)]
        for word in keep:
            card, _, reason = word.partition("=")
            named.append((card, Verdict("keep", reason)))
        found: dict[str, Verdict] = {}
        for word, verdict in named:
            card_id = looking.card(word).id
            if card_id in found and found[card_id] != verdict:
                raise RefusedError("usage", f"{card_id} is named for two things", fix="name each card once")
            found[card_id] = verdict
        return cls(found, rest, Keeping(reason_kind, until))

    @property
    def any_given(self) -> bool:
        return bool(self.by_card) or self.rest is not None


def may_ask(face: Face) -> bool:
    """Whether a person is there to be asked."""
    return not face.as_json and sys.stdin.isatty()


def who_says(face: Face, name: str | None, because: str | None, *, option: str) -> Said:
    """Who says it. Asks on a terminal. Raises RefusedError naming the option when nobody is there to be asked."""
    from isopod.workplace import said

    if name is None and may_ask(face):
        name = str(click.prompt("Your name (it is kept on the edges)", err=True))
    if name is None or not name.strip():
        words = "an edge is turned with the name of who says so"
        raise RefusedError("name-missing", words, fix=f"{option} NAME")
    return said(name, because)


def ask(face: Face, looking: Looking, leaning: Sequence[Leaning], new: str | None, given: Verdicts) -> Verdicts:
    """One question for each card that leans on the old decision and is not answered for; `new` is what replaces it, if it has an id.

    Raises RefusedError when the person leaves: then nothing is half done.
    """
    from pipeline.deeds.supersede import Verdict

    found = dict(given.by_card)
    open_ones = list(dict.fromkeys(one.card.id for one in leaning if one.card.id not in found))
    for number, card_id in enumerate(open_ones):
        face.note("")
        face.give_text(_edge_lines([one for one in leaning if one.card.id == card_id], looking, face))
        to = new or "the new decision"
        face.note(f"{len(open_ones) - number} open:  [m] lean on {to}  [d] drop  [k] keep, with a reason  [q] quit")
        key = click.getchar()
        while key not in (*_KEYS, *_END):
            key = click.getchar()
        if key in _END:
            raise RefusedError("not-confirmed", "some edges were not looked at; nothing was written")
        because = str(click.prompt("Why is it kept", err=True)) if key == "k" else None
        found[card_id] = Verdict(_KEYS[key], because)  # type: ignore[arg-type]
    return replace(given, by_card=found)


def told(done: Superseded, looking: Looking, face: Face) -> Iterator[str]:
    """What became of every edge, and what is ready afterwards or still leans on what is no longer true."""
    from isopod.deeds import hand_lines
    from isopod.render.columns import wrap
    from store.graph import Graph

    def line(words: str) -> Iterator[str]:
        return wrap(words, face.width, indent="    ", first="")

    yield from hand_lines(done.hand, face)
    now = {card.id: card for card in looking.snapshot.cards} | {after.id: after for _, after in done.hand.changes}
    graph = Graph.of(now.values())
    for one, turn in done.turned:
        name = one.card.id
        other = f"{one.entry.card}, through a claim of {done.old}" if one.through else done.old
        became = {
            "move": f"goes on to wait for {one.entry.card}" if one.through else f"leans on {done.new} now",
            "drop": f"does not wait for {other} any more",
            "keep": f"still leans on {other}; every audit shows it"
            + ("" if one.through else ", and the card is not ready before that edge is turned"),
        }[turn]
        yield from line(f"{name} {became}{'; it is ready' if turn != 'keep' and graph.is_ready(name) else ''}")
    if done.history:
        yield from line(f"done, and so left as they are: {', '.join(done.history)}")
    before, after = looking.snapshot.card_by_id[done.old], now[done.new]
    for_all = after.decision is not None and after.decision.affects == "all"
    if before.decision is not None and before.decision.affects == "all":
        verb = "affects all cards like it" if for_all else "does not"
        yield from line(f"{done.old} affected all cards; {done.new} {verb}")
    if not for_all and not graph.dependents(done.new):
        yield from line(f"no card leans on {done.new}: isopod decide {done.new} --affects CARD, or --affects all")


def _edge_lines(own: Sequence[Leaning], looking: Looking, face: Face) -> Iterator[str]:
    from isopod.deeds import STATE_WORDS
    from isopod.render.columns import wrap
    from isopod.words import reason_words

    card = own[0].card
    yield from wrap(f"{card.id}  {STATE_WORDS[card.state]}  {card.title}", face.width, indent="    ", first="")
    for one in own:
        other = looking.snapshot.card_by_id.get(one.entry.card)
        words = f"leans on {one.entry.card}  {other.title if other is not None else ''}"
        yield from wrap(words, face.width, indent="      ", first="    ")
        for reason in one.entry.because:
            yield from wrap(reason_words(reason), face.width, indent="        ", first="      ")
