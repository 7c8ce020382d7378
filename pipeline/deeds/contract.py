"""What we expect of another team's card: pinned as versions that only grow, and compared with what we ask for today."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.deeds.hand import Hand
from pipeline.deeds.migrate import new_words
from pipeline.said import Said
from schemas.card import Card, ContractVersion
from schemas.contract import ContractDifference
from schemas.errors import RefusedError
from schemas.lifecycle import By
from store import ledger
from store.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is expected: a text, its lines, and the claims of a spec behind them."""

    text: str
    lines: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pinned:
    """The version that stands now; `is_new` is whether this deed made it."""

    hand: Hand
    version: ContractVersion
    is_new: bool


def pin(
    snapshot: Snapshot,
    card_id: str,
    said: Said,
    *,
    request: str | None = None,
    text: str | None = None,
    lines: Sequence[str] = (),
) -> Pinned:
    """Pin what we expect of another team's card: a text and lines, or what a request of ours says.

    Without a text it is `request`, or the one request that the card's issue took over. What stands already is not pinned twice.
    The version is an entry of the ledger. Raises RefusedError when the card is no mirror or nothing says what is expected.
    """
    hand = Hand(snapshot, said, f"contract pin {card_id}")
    card = external(hand, card_id)
    if text is not None:
        wanted = Wanted(" ".join(text.split()), tuple(" ".join(line.split()) for line in lines))
        if not wanted.text or not all(wanted.lines):
            raise RefusedError("words-missing", "a contract has words", fix='--text "..." --line "..."')
    elif lines:
        raise RefusedError("words-missing", "lines belong to a text of what is expected", fix='--text "..."')
    else:
        wanted = wanted_by(_request(hand, card, request))
    return pinned(hand, card_id, wanted, by="person")


def pinned(hand: Hand, card_id: str, wanted: Wanted, *, by: By) -> Pinned:
    """Pin a version by a hand, unless the last one says the same."""
    card = hand.card(card_id)
    last = card.consumer_contract[-1] if card.consumer_contract else None
    if last is not None and Wanted(last.text, last.lines, last.anchors) == wanted:
        return Pinned(hand, last, is_new=False)
    version = ContractVersion(
        version=len(card.consumer_contract) + 1,
        text=wanted.text,
        lines=wanted.lines,
        anchors=wanted.anchors,
        by=hand.said.by,
        at=hand.said.at,
    )
    hand.change(card_id, {"consumer_contract": (*card.consumer_contract, version)}, by=by)
    ledger.append(
        hand.transaction,
        hand.instance,
        kind="contract",
        subject=card_id,
        body=version.to_data(),
        by=hand.said.by,
        at=hand.said.at,
    )
    return Pinned(hand, version, is_new=True)


def wanted_by(request: Card) -> Wanted:
    """What a request asks for, as it stands on its card."""
    return Wanted(request.title, tuple(line.text for line in request.acceptance), request.anchors)


def external(hand: Hand, card_id: str) -> Card:
    """A card that mirrors another team's issue. Raises RefusedError when it is none, or was cut."""
    card = hand.card(card_id)
    if card.kind != "external":
        raise RefusedError(
            "not-external",
            f"{card_id} is a {card.kind} of ours: a contract says what we expect of another team's card",
            fix="isopod cards --kind external",
        )
    if card.state == "deleted":
        raise RefusedError("cut-card", f"{card_id} was cut from the plan", fix=f"isopod show {card_id}")
    return card


def requests_of(snapshot: Snapshot, card_id: str) -> tuple[Card, ...]:
    """The requests of ours that a mirrored issue took over."""
    return tuple(
        card
        for card in snapshot.cards
        if card.request is not None and card.request.external == card_id and card.state != "deleted"
    )


def differences(
    snapshot: Snapshot, card: Card, before: int | None = None, after: int | None = None
) -> tuple[ContractDifference, ...]:
    """Two versions compared; without numbers the last two, and the last with what our requests say today.

    Raises RefusedError when there is no such version.
    """
    versions = {version.version: version for version in card.consumer_contract}
    if not versions:
        raise RefusedError(
            "no-contract", f"nobody wrote down what we expect of {card.id}", fix=f"isopod contract pin {card.id}"
        )
    last = max(versions)
    if before is not None or after is not None:
        later = last if after is None else after
        earlier = later - 1 if before is None else before
        for number in (earlier, later):
            if number not in versions:
                words = f"{card.id} has no version {number} of its contract; it has {', '.join(map(str, versions))}"
                raise RefusedError("unknown-version", words, fix=f"isopod contract show {card.id}")
        return (_difference(versions[earlier], _of(versions[later]), later),)
    found = [_difference(versions[last - 1], _of(versions[last]), last)] if last > 1 else []
    asked = requests_of(snapshot, card.id)
    if asked:
        found.append(_difference(versions[last], _today(snapshot, asked, _of(versions[last])), None))
    return tuple(found)


def _today(snapshot: Snapshot, asked: Sequence[Card], last: Wanted) -> Wanted:
    """What the requests say today: a line whose claim has new words in the spec has these, one that the spec gave up is gone.

    A contract that was pinned for one of several requests is compared with that one.
    """
    own = [card for card in asked if set(last.anchors) & set(card.anchors)] or list(asked)
    lines = [line for card in own for line in _lines_today(snapshot, card)]
    return Wanted(last.text if len(own) > 1 else own[0].title, tuple(lines))


def _lines_today(snapshot: Snapshot, request: Card) -> Iterator[str]:
    for line in request.acceptance:
        try:
            yield new_words(snapshot, request, line)
        except RefusedError:
            continue


def _difference(before: ContractVersion, after: Wanted, number: int | None) -> ContractDifference:
    added = tuple(line for line in after.lines if line not in before.lines)
    removed = tuple(line for line in before.lines if line not in after.lines)
    same_text = before.text == after.text or (number is None and bool(before.lines))
    return ContractDifference(
        before=before.version,
        after=number,
        differs=bool(added or removed) or not same_text,
        text_before=before.text,
        text_after=after.text,
        added=added,
        removed=removed,
    )


def _of(version: ContractVersion) -> Wanted:
    return Wanted(version.text, version.lines, version.anchors)


def _request(hand: Hand, card: Card, named: str | None) -> Card:
    """The request that says what is expected. Raises RefusedError when none does, or several do and none was named."""
    if named is not None:
        found = hand.card(named)
        if found.request is None:
            raise RefusedError("no-request", f"{named} is a {found.kind}", fix="isopod cards --kind request")
        if found.request.team != card.team:
            words = f"{named} asks team {found.request.team}, and {card.id} is the card of team {card.team}"
            raise RefusedError("other-team", words, fix=f"isopod show {named}")
        return found
    asked = requests_of(hand.snapshot, card.id)
    if len(asked) != 1:
        there = f"{', '.join(one.id for one in asked)} were taken over by it" if asked else "it took over no request"
        raise RefusedError(
            "words-missing", f"say what is expected of {card.id}: {there}", fix='--text "...", or --for REQUEST'
        )
    return asked[0]
