"""Cards as a product owner reads them: lists, one card, what it waits for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from isopod.escape import escape
from isopod.face import Face
from isopod.looking import Looking
from isopod.render.columns import pad, table, wrap
from isopod.render.quotes import quote_lines
from isopod.words import reason_words
from schemas.card import Card
from schemas.kinds import CardKind
from schemas.outputs import CardItem, Passage, ShownAnchor, WaitStep

KIND_TITLES: Final[dict[CardKind, str]] = {
    "epic": "Epics",
    "story": "Stories",
    "migration": "Migrations",
    "gate": "Open questions and observations",
    "request": "What we need from other teams",
    "decision": "Decisions",
    "external": "Cards of other teams",
}
KIND_WORDS: Final[dict[CardKind, str]] = {
    "epic": "epic",
    "story": "story",
    "migration": "migration",
    "gate": "question",
    "request": "request",
    "decision": "decision",
    "external": "card of another team",
}
NO_CARDS: Final = "No cards. `isopod compile SPEC` makes them from a spec."


def card_list(items: tuple[CardItem, ...], face: Face) -> Iterator[str]:
    """A list by kind: id, state, how it stands, title."""
    for number, (kind, group) in enumerate(groupby(items, key=lambda item: item.kind)):
        rows = list(group)
        if number:
            yield ""
        yield face.paint(f"{KIND_TITLES[kind]} ({len(rows)})", "bold")
        yield from table([(f"  {item.id}", item.state, item.standing, _title(item)) for item in rows], face.width)


def frontier(items: tuple[CardItem, ...], face: Face) -> Iterator[str]:
    """Ready cards by state."""
    if not items:
        yield "Nothing is ready. `isopod cards --waits` lists what waits, `isopod why ID` says for what."
    for number, (state, group) in enumerate(groupby(items, key=lambda item: item.state)):
        rows = list(group)
        if number:
            yield ""
        yield face.paint(f"Ready, {state} ({len(rows)})", "bold")
        yield from table([(f"  {item.id}", item.team, _title(item)) for item in rows], face.width)


def one_card(card: Card, item: CardItem, passages: Iterable[Passage], looking: Looking, face: Face) -> Iterator[str]:
    """A whole card with the lines of the spec behind it."""
    head = ", ".join(filter(None, (KIND_WORDS[card.kind], card.state, item.standing)))
    yield f"{face.paint(card.id, 'bold')}  {head}"
    yield from wrap(card.title, face.width, indent="  ")
    facts = (
        ("team", looking.team_name(card.team)),
        ("part of", _named(card.parent, looking)),
        ("spec", card.spec),
        ("due", card.due),
        ("issue", card.tracker and f"{card.tracker.key} {card.tracker.url or ''} ({card.tracker.sync})"),
        ("read by", "heuristics: check it against the spec" if card.heuristic else None),
        ("needed from", card.request and looking.team_name(card.request.team)),
        ("taken over by", card.request and card.request.external),
        ("answer", card.gate and card.gate.answer),
        ("opened", card.gate and card.gate.opened and f"{card.gate.opened.by}: {card.gate.opened.because}"),
        ("replaces", card.decision and ", ".join(card.decision.supersedes)),
        ("replaced by", card.decision and card.decision.superseded_by),
        ("restates", card.migrates and f"{card.migrates.card} {', '.join(card.migrates.lines)}"),
        ("related", ", ".join(card.related)),
        ("notes", card.notes),
    )
    yield from (line for name, value in facts if value for line in _fact(name, value, face.width))
    yield from _block("Done when", _acceptance(card, face.width), face)
    yield from _block("To do", _subtasks(card, face.width), face)
    yield from _block("Waits for" if item.waits_for else "Leans on", _dependencies(card, looking, face), face)
    yield from _block("Waiting for this", _dependents(item, looking, face.width), face)
    yield from _block("What we expect of it", _contract(card, face.width), face)
    yield from _block("In the spec", passage_lines(passages, looking, face), face)


def passage_lines(passages: Iterable[Passage], looking: Looking, face: Face) -> Iterator[str]:
    """Each claim with the lines of its spec and carets under its words."""
    for number, passage in enumerate(passages):
        if number:
            yield ""
        spec = looking.snapshot.spec_at(passage.file)
        place = f"{passage.file}:{passage.lines[0]}" if passage.lines else passage.file
        yield f"  {escape(place)}  {passage.kind}  {face.paint(passage.anchor, 'dim')}"
        if spec is not None and passage.span is not None:
            yield from quote_lines(spec, passage.span, face.width, indent="    ")
        else:
            yield from wrap(passage.exact, face.width, indent="    ")
            yield f"    {face.paint(_GONE[passage.status], 'yellow')}"


_GONE: Final = {
    "live": "",
    "ambiguous": "the spec holds these words more than once now",
    "edited": "these words were changed in the spec",
    "lost": "these words are no longer in the spec",
    "retired": "retired",
}


def one_claim(claim: ShownAnchor, looking: Looking, face: Face) -> Iterator[str]:
    """A claim: where it stands, who gave it which name, which card carries it, what it is tied to."""
    passage = claim.passage
    yield f"{face.paint(claim.id, 'bold')}  {passage.kind}, {passage.status}"
    yield from passage_lines([passage], looking, face)
    readers = ", ".join(f"{reading.reader} ({reading.provider}, {reading.model})" for reading in claim.readings)
    facts = (
        ("section", claim.section),
        ("read as", claim.labels and f"{claim.labels[0]} by one reader, {claim.labels[1]} by the other"),
        ("read by", f"{readers}; two readings agreeing proves agreement, not a right reading" if readers else None),
        ("", "these readers are heuristics: check it against the spec" if claim.heuristic else None),
        ("home", None if claim.home == "card" and claim.cards else claim.home),
        ("card", ", ".join(str(_named(card, looking)) for card in claim.cards)),
    )
    yield from (line for name, value in facts if value for line in _fact(name, value, face.width))
    for edge in claim.edges:
        ours = edge.from_ == claim.id
        other = looking.snapshot.anchor_by_id.get(edge.to if ours else edge.from_)
        words = _EDGE_WORDS[edge.kind][0 if ours else 1]
        yield from _fact(
            words,
            f'{edge.to if ours else edge.from_}  {other.exact if other else ""} (the spec says "{edge.cue}")',
            face.width,
        )


_EDGE_WORDS: Final = {
    "requires": ("needs", "needed by"),
    "blocked_by": ("waits for", "holds up"),
    "supersedes": ("replaces", "replaced by"),
    "conflicts_with": ("contradicts", "contradicts"),
    "refines": ("details", "detailed by"),
}


def chain_lines(card: CardItem, steps: tuple[WaitStep, ...], cycle: tuple[str, ...], face: Face) -> Iterator[str]:
    """The chain that a card waits for, each step with its reasons."""
    yield from wrap(f"{card.id}  {card.title}", face.width, indent="  ", first="")
    if not steps:
        yield f"  {_NOT_WAITING.get(card.standing, 'It waits for nothing.')}"
        return
    for step in steps:
        indent = "  " * step.depth
        known = f"{KIND_WORDS[step.kind]}, " if step.kind else ""
        again = "; see above" if step.shown_before else ""
        yield from wrap(
            f"waits for {step.card}  {step.title} ({known}{step.needs}{again})",
            face.width,
            indent=indent + "  ",
            first=indent,
        )
        for reason in step.reasons:
            yield from wrap(f"because {reason}", face.width, indent=indent + "      ", first=indent + "    ")
    if cycle:
        yield ""
        yield from wrap(f"These wait for each other and can never start: {' -> '.join((*cycle, cycle[0]))}", face.width)


_NOT_WAITING: Final = {
    "ready": "It is ready: nothing that it waits for is open.",
    "done": "It is done.",
    "deleted": "It was cut from the plan.",
}


def _title(item: CardItem) -> str:
    return f"(heuristic) {item.title}" if item.heuristic else item.title


def _fact(name: str, value: str, width: int) -> Iterator[str]:
    return wrap(value, width, indent=" " * 16, first="  " + pad(name, 13) + " ")


def _named(card_id: str | None, looking: Looking) -> str | None:
    card = looking.snapshot.card_by_id.get(card_id) if card_id else None
    return f"{card_id}  {card.title}" if card else card_id


def _block(title: str, lines: Iterable[str], face: Face) -> Iterator[str]:
    made = list(lines)
    if made:
        yield ""
        yield face.paint(title, "bold")
        yield from made


def _acceptance(card: Card, width: int) -> Iterator[str]:
    for line in card.acceptance:
        tighter = f" (tightens {line.tightens})" if line.tightens else ""
        yield from wrap(line.text + tighter, width, indent="      ", first=f"  {pad(line.id, 3)} ")


def _subtasks(card: Card, width: int) -> Iterator[str]:
    for task in card.subtasks:
        yield from wrap(
            task.text, width, indent="          ", first=f"  {pad(task.id, 3)} [{'x' if task.done else ' '}] "
        )


def _dependencies(card: Card, looking: Looking, face: Face) -> Iterator[str]:
    for entry in card.depends_on:
        target = looking.snapshot.card_by_id.get(entry.card)
        held = "" if looking.graph.satisfied(entry.card) else f" ({looking.needs(target)})"
        scope = f", for {', '.join(entry.scope)}" if isinstance(entry.scope, tuple) and entry.scope else ""
        yield from wrap(
            f"{entry.card}  {target.title if target else ''}{held}{scope}", face.width, indent="    ", first="  "
        )
        for reason in entry.because:
            yield from wrap(f"because {reason_words(reason)}", face.width, indent="        ", first="      ")


def _dependents(item: CardItem, looking: Looking, width: int) -> Iterator[str]:
    for card_id in item.dependents:
        yield from wrap(str(_named(card_id, looking)), width, indent="    ", first="  ")


def _contract(card: Card, width: int) -> Iterator[str]:
    for version in card.consumer_contract:
        yield from wrap(
            f"{version.version}: {version.text} ({version.by}, {version.at})", width, indent="     ", first="  "
        )
