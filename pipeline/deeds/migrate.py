"""What a published or done card says and what no longer holds: a migration card restates it (DESIGN.md section 7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.deeds.hand import Hand
from pipeline.draft.build import free_id
from pipeline.draft.wording import capped, plain
from pipeline.said import Said
from pipeline.workspace import Workspace
from schemas.card import AcceptanceLine, Card, Dependency, MigratesPart, PersonReason
from schemas.errors import ManyErrors, RefusedError
from schemas.ids import tail
from schemas.kinds import OPEN_EDIT_STATES
from schemas.ownership import variant_of
from store.promises import promise_of
from store.snapshot import Snapshot
from text.folding import fold


@dataclass(frozen=True)
class Migrated:
    """The migration, and the lines of the card that it restates."""

    hand: Hand
    migration: Card
    restated: tuple[AcceptanceLine, ...]


def migrate(snapshot: Snapshot, card_id: str, line_ids: Sequence[str], texts: Sequence[str], said: Said) -> Migrated:
    """Make a migration card for lines of a card that may not be rewritten.

    `texts` are what holds instead, one line each. Without any, a line is restated in the words of the claims that took the place of
    its own, else, while the spec still says it, in its own. The migration names the card and its lines, never their claims, and waits
    for the card while that is not done. Raises RefusedError for a card that is still open to edits, was cut or is another team's;
    ManyErrors for lines that it does not have, that a migration restates already, or whose new words nobody said.
    """
    hand = Hand(snapshot, said, f"migrate {card_id}")
    card = hand.card(card_id)
    _refuse_unfit(snapshot, card)
    lines = {line.id: line for line in card.acceptance}
    names = tuple(dict.fromkeys(line_ids))
    errors = list(_wrong_lines(snapshot, card, names))
    if errors:
        raise ManyErrors(errors)
    restated = tuple(lines[name] for name in names)
    words = [" ".join(text.split()) for text in texts] or [new_words(snapshot, card, line) for line in restated]
    if not restated or not all(plain(text) for text in words):
        raise RefusedError("words-missing", "say what holds instead", fix='--line A1 --with "..."')
    migration = hand.make(_card(snapshot, card, names, words, said))
    return Migrated(hand, migration, restated)


def new_words(snapshot: Snapshot, card: Card, line: AcceptanceLine) -> str:
    """What holds instead of a line as far as the spec says it. Raises RefusedError when it does not: then a person must."""
    claims = [snapshot.anchor_by_id[name] for name in line.anchors if name in snapshot.anchor_by_id]
    if all(claim.status == "live" for claim in claims):
        return line.text
    now = [claim if claim.status == "live" else snapshot.anchor_by_id.get(claim.successor or "") for claim in claims]
    said = [claim.exact for claim in now if claim is not None and claim.status == "live"]
    if len(said) < len(now):
        raise RefusedError(
            "words-missing",
            f"the spec no longer says what {line.id} of {card.id} was made of: say what holds instead",
            fix=f'isopod migrate {card.id} --line {line.id} --with "..." --by NAME',
        )
    return " ".join(fold(text) for text in dict.fromkeys(said))


def _refuse_unfit(snapshot: Snapshot, card: Card) -> None:
    if variant_of(card.kind, snapshot.config.team(card.team)) != "own":
        raise RefusedError(
            "not-ours",
            f"{card.id} is another team's card: what we expect of it is its contract",
            fix=f"isopod contract pin {card.id}",
        )
    if card.state in OPEN_EDIT_STATES:
        raise RefusedError(
            "still-open",
            f"{card.id} is {card.state}: nobody builds its words yet, so it is changed itself",
            fix=f"isopod edit {card.id}"
            if card.spec is None
            else f"isopod compile {card.spec}, or isopod edit {card.id}",
        )
    if card.state == "deleted":
        raise RefusedError("cut-card", f"{card.id} was cut from the plan", fix=f"isopod show {card.id}")


def _wrong_lines(snapshot: Snapshot, card: Card, names: Sequence[str]) -> Iterator[RefusedError]:
    there = [line.id for line in card.acceptance]
    for name in names:
        if name not in there:
            words = f"{card.id} has no line {name}; it has {', '.join(there) or 'none'}"
            yield RefusedError("unknown-line", words, fix=f"isopod show {card.id}")
    for other in snapshot.cards:
        part = other.migrates
        if part is None or part.card != card.id or other.state == "deleted":
            continue
        for name in part.lines:
            if name in names:
                way = f"isopod migrate {other.id} --line A1" if other.state == "done" else f"isopod show {other.id}"
                yield RefusedError("restated-already", f"{other.id} restates {name} of {card.id} already", fix=way)


def _card(snapshot: Snapshot, card: Card, names: tuple[str, ...], words: Sequence[str], said: Said) -> Card:
    born = f"migrate {card.id} {' '.join(names)}"
    first = tail(["migrate", card.id, list(names), list(words)])
    why = (said.because or "").strip()
    waits = Dependency(
        card=card.id,
        because=(PersonReason(person=said.by, text=why or f"it changes what {card.id} builds", at=said.at),),
        seen=promise_of(card, snapshot.anchor_by_id),
    )
    return Card(
        id=free_id(snapshot.config.prefix_of("migration"), born, first, Workspace.of(snapshot).issued()),
        kind="migration",
        title=capped(plain(words[0])),
        title_by=said.by,
        team=card.team,
        parent=card.parent if _stands(snapshot, card.parent) else None,
        spec=card.spec,
        acceptance=tuple(AcceptanceLine(id=f"A{number}", text=text) for number, text in enumerate(words, 1)),
        depends_on=(waits,) if card.state != "done" else (),
        start=True,
        migrates=MigratesPart(card=card.id, lines=names),
        notes=why,
    )


def _stands(snapshot: Snapshot, epic: str | None) -> bool:
    """Whether the epic is there; one that only config names is another tracker's and stands."""
    found = snapshot.card_by_id.get(epic) if epic is not None else None
    return epic is not None and (found is None or found.state != "deleted")
