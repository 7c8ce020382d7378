"""Cards and claims of a snapshot as the records that the looking commands print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final

from isopod.words import number_of, reason_words
from schemas.anchors import Anchor, AnchorStore, Discarded
from schemas.card import Card
from schemas.errors import RefusedError
from schemas.kinds import CardKind
from schemas.outputs import CardItem, ClaimEdge, Passage, ShownAnchor, WaitStep
from store.graph import Graph
from store.snapshot import Snapshot

if TYPE_CHECKING:
    from isopod.face import Face
    from text.selectors import Located

KIND_ORDER: Final[tuple[CardKind, ...]] = (
    "epic", "story", "migration", "gate", "request", "decision", "external",
)  # fmt: skip


def look(face: Face) -> Looking:
    """A look at the instance around; files that cannot be read, which it therefore lacks, are counted on stderr.

    Raises RefusedError (no-instance) outside of one.
    """
    looking = Looking(face.snapshot())
    unreadable = len({problem.where.file for problem in looking.snapshot.file_problems})
    if unreadable:
        face.note(f"isopod: {number_of(unreadable, 'file')} could not be read: isopod audit")
    return looking


class Looking:
    """One look at an instance. Everything in it is made when it is first asked for."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.graph: Graph = snapshot.graph

    # --- cards ----------------------------------------------------------------------------------------------------

    def item(self, card: Card) -> CardItem:
        """A card as it stands in a list."""
        return CardItem(
            id=card.id,
            kind=card.kind,
            title=card.title,
            state=card.state,
            standing=self.standing(card),
            team=card.team,
            spec=card.spec,
            parent=card.parent,
            due=card.due,
            ready=self.graph.is_ready(card.id),
            waits_for=() if card.state in ("done", "deleted") else self.graph.unsatisfied(card.id),
            dependents=self.graph.dependents(card.id),
            lines=len(card.acceptance),
            heuristic=card.heuristic,
            file=self.snapshot.file_of(card.id),
        )

    def standing(self, card: Card) -> str:
        """How a card stands, in one or two words that people use."""
        if card.state in ("done", "deleted"):
            return card.state
        if card.gate is not None:
            return "answered" if card.gate.answer else "opened" if card.gate.opened else "open"
        if card.kind == "decision":
            return "replaced" if self.graph.is_superseded(card.id) else "in force"
        if card.kind in ("story", "migration"):
            return "ready" if self.graph.is_ready(card.id) else "waits"
        return "open" if card.kind == "request" else ""

    def items(self, cards: Iterable[Card]) -> tuple[CardItem, ...]:
        """Cards in the order in which a person reads them: by kind, then as their claims stand in the spec."""
        return tuple(self.item(card) for card in sorted(cards, key=self._order))

    def card(self, card_id: str) -> Card:
        """The card of this id, whatever the case it was typed in.

        Raises RefusedError naming the nearest ids.
        """
        found = self.find_card(card_id)
        if found is None:
            raise self.unknown(card_id)
        return found

    def find_card(self, card_id: str) -> Card | None:
        cards = self.snapshot.card_by_id
        return cards.get(card_id) or cards.get(card_id.upper())

    def claim_id(self, word: str) -> str:
        """The id of the claim of this id, whatever the case it was typed in. Raises RefusedError naming the nearest ids."""
        found = next((one for one in (word, word.upper()) if one in self.snapshot.anchor_by_id), None)
        if found is None:
            raise self.unknown(word)
        return found

    def carrier(self, word: str) -> Card:
        """The card that carries the claim of this id, the first by id of several.

        Raises RefusedError when none is called so, or no card carries it: then it says where the claim is.
        """
        claim = self.claim_id(word)
        held = [card for card in self.snapshot.cards_of_anchor.get(claim, ()) if card.state != "deleted"]
        if not held:
            home = self.snapshot.anchor_by_id[claim].home
            where = "was left out of the plan" if isinstance(home, Discarded) else f"is in the {home} of its spec"
            status = self.snapshot.anchor_by_id[claim].status
            said = f"is {status}" if status != "live" else where if home != "card" else "is on no card"
            raise RefusedError("no-card", f"no card carries {claim}: it {said}", fix=f"isopod show {claim}")
        return min(held, key=lambda card: card.id)

    def unknown(self, word: str) -> RefusedError:
        """No card and no claim is called `word`."""
        from difflib import get_close_matches

        near = get_close_matches(word.upper(), [*self.snapshot.card_by_id, *self.snapshot.anchor_by_id], n=2)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        return RefusedError("unknown-id", f"no card and no claim is called {word!r}{hint}", fix="isopod cards")

    def refuse_unknown_team(self, *teams: str | None) -> None:
        """Raises RefusedError for a team that config does not name; a filter that can match nothing is a slip."""
        known = [team.id for team in self.snapshot.config.teams]
        for team in teams:
            if team is not None and team not in known:
                raise RefusedError("unknown-team", f"no team is called {team!r}; there are: {', '.join(known)}")

    def refuse_unknown_spec(self, key: str | None) -> None:
        """Raises RefusedError for a spec that nothing was compiled from."""
        known = self.snapshot.anchor_stores
        if key is not None and key not in known:
            there = f"there are: {', '.join(known)}" if known else "none was compiled yet"
            raise RefusedError("unknown-spec", f"no compiled spec is called {key!r}; {there}", fix="isopod status")

    def around(self, card: Card) -> frozenset[str]:
        """The card, all that it waits for and all that waits for it, however far."""
        reached = {card.id}
        for step in (self.graph.dependencies, self.graph.dependents):
            left = [card.id]
            while left:
                new = [other for other in step(left.pop()) if other not in reached]
                reached.update(new)
                left += new
        return frozenset(reached)

    def _order(self, card: Card) -> tuple[int, str, int, str]:
        where = min((self._position.get(anchor, len(self._position)) for anchor in card.anchors), default=0)
        return KIND_ORDER.index(card.kind), card.spec or "", where, card.id

    @cached_property
    def _position(self) -> dict[str, int]:
        anchors = (anchor for store in self.snapshot.anchor_stores.values() for anchor in store.anchors)
        return {anchor.id: number for number, anchor in enumerate(anchors)}

    # --- waiting --------------------------------------------------------------------------------------------------

    def chain(self, card: Card) -> Iterator[WaitStep]:
        """What a card waits for and what that waits for, depth first; ends at cycles."""
        for wait in self.graph.waits_for(card.id):
            target = self.snapshot.card_by_id.get(wait.card)
            by = self.snapshot.card_by_id[wait.by]
            reasons = (reason for entry in by.depends_on if entry.card == wait.card for reason in entry.because)
            yield WaitStep(
                card=wait.card,
                title=target.title if target else "",
                kind=target.kind if target else None,
                state=target.state if target else None,
                depth=wait.depth,
                needs=self.needs(target),
                waited_for_by=wait.by,
                reasons=tuple(map(reason_words, reasons)),
                shown_before=wait.again,
            )

    def needs(self, card: Card | None) -> str:
        """What must happen before a card holds nobody up."""
        if card is None:
            return "does not exist"
        if card.state == "deleted":
            return "was cut from the plan"
        if card.gate is not None:
            return "needs an answer" if card.gate.waits_for == "answer" else "needs to be opened"
        if card.kind == "decision":
            return "was replaced by another decision"
        if card.request is not None:
            return f"needs an issue of {self.team_name(card.request.team)}"
        return "needs to be done"

    def team_name(self, team_id: str) -> str:
        team = self.snapshot.config.team(team_id)
        return team.name if team else team_id

    # --- claims ---------------------------------------------------------------------------------------------------

    def passages(self, anchors: Iterable[str]) -> tuple[Passage, ...]:
        """The claims of these ids as they stand in their spec today; ids that no store holds are left out (C211)."""
        return tuple(self.passage(anchor_id) for anchor_id in anchors if anchor_id in self.snapshot.anchor_by_id)

    def passage(self, anchor_id: str) -> Passage:
        store, anchor = self._stored(anchor_id)
        spec = self.snapshot.spec(store.spec.key)
        found = (self._places(store.spec.key) or {}).get(anchor.id)
        span = found.span if found else None
        return Passage(
            anchor=anchor.id,
            kind=anchor.kind,
            exact=anchor.exact,
            status=anchor.status if anchor.status == "retired" else found.status if found else "lost",
            file=store.spec.path,
            span=span,
            lines=spec.lines_of(span) if spec and span else None,
        )

    def claim(self, anchor_id: str) -> ShownAnchor:
        """Everything that is known of one claim."""
        store, anchor = self._stored(anchor_id)
        home = anchor.home
        return ShownAnchor(
            id=anchor.id,
            passage=self.passage(anchor_id),
            section=anchor.section,
            labels=anchor.labels,
            home=f"left out ({home.discarded}: {home.because}; {home.by})" if isinstance(home, Discarded) else home,
            cards=tuple(card.id for card in self.snapshot.cards_of_anchor.get(anchor_id, ())),
            edges=tuple(
                ClaimEdge(kind=edge.kind, from_=edge.from_, to=edge.to, cue=edge.cue)
                for edge in store.edges
                if anchor_id in (edge.from_, edge.to)
            ),
            readings=store.readings,
            heuristic=store.heuristic,
        )

    def _stored(self, anchor_id: str) -> tuple[AnchorStore, Anchor]:
        if anchor_id not in self._stores:
            raise self.unknown(anchor_id)
        return self._stores[anchor_id], self.snapshot.anchor_by_id[anchor_id]

    @cached_property
    def _stores(self) -> dict[str, AnchorStore]:
        """Of two claims with one id the first stands, as in the snapshot (A104 reports the other)."""
        found: dict[str, AnchorStore] = {}
        for store in self.snapshot.anchor_stores.values():
            for anchor in store.anchors:
                found.setdefault(anchor.id, store)
        return found

    def _places(self, key: str) -> dict[str, Located] | None:
        """Where the claims of a spec stand in its text of today, by id; None when that is gone."""
        from text.sections import unchanged_sections
        from text.selectors import Finder

        spec, parsed = self.snapshot.spec(key), self.snapshot.structure(key)
        if spec is None or parsed is None:
            return None
        if key not in self._places_of:
            store = self.snapshot.anchor_stores[key]
            standing = [anchor for anchor in store.anchors if anchor.status != "retired"]
            unchanged = unchanged_sections(spec, parsed, store.sections)
            places = Finder(spec, parsed).locate_all(standing, unchanged)
            self._places_of[key] = {anchor.id: place for anchor, place in zip(standing, places, strict=True)}
        return self._places_of[key]

    @cached_property
    def _places_of(self) -> dict[str, dict[str, Located]]:
        return {}
