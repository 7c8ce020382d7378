"""D16: what a person may want to do. Printed by the preview and the page, written nowhere."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from pipeline.draft.judge import names
from pipeline.draft.sheet import Sheet
from schemas.card import Card
from schemas.compiled import Suggestion
from text.coordinates import SpanT
from text.coverage import coverage
from text.folding import fold

_CODE = re.compile(r"`([^`]+)`")
_SHOWN_UNITS = 5
_ROWS = 4


def suggest(
    sheet: Sheet, cards: Sequence[Card], too_big: Collection[str], claimed: Sequence[SpanT]
) -> Iterator[Suggestion]:
    """Every suggestion, in the order of the rules' list."""
    live = [card for card in cards if card.state not in ("deleted", "done")]
    yield from _shared_words(sheet, live)
    yield from _unordered_stories(sheet, live)
    yield from _idle_questions(live)
    yield from _blocking_titles(sheet, live)
    yield from _rows(sheet, live)
    yield from _too_big(live, too_big)
    yield from _unclaimed(sheet, claimed)


def _shared_words(sheet: Sheet, cards: Sequence[Card]) -> Iterator[Suggestion]:
    """A decision and a story that share a code literal or a term of the glossary, with no edge between them.

    A term that several stories use says nothing of this one.
    """
    stories = [card for card in cards if card.kind == "story"]
    texts = {card.id: _text(sheet, card) for card in cards if card.kind in ("decision", "story")}
    spoken_of = {identity: literals(text) for identity, text in texts.items()}
    terms = [sheet.text(claim) for claim in sheet.claims if claim.kind == "term"]
    users = {term: [card.id for card in stories if names(texts[card.id].casefold(), term.casefold())] for term in terms}
    for decision in cards:
        if decision.kind != "decision" or decision.decision is None or decision.decision.superseded_by is not None:
            continue
        spoken = texts[decision.id].casefold()
        own_terms = [term for term in terms if len(users[term]) == 1 and names(spoken, term.casefold())]
        for story in stories:
            if decision.id in {entry.card for entry in story.depends_on}:
                continue
            shared = spoken_of[decision.id] & spoken_of[story.id]
            shared |= {term for term in own_terms if users[term] == [story.id]}
            if shared:
                words = ", ".join(sorted(shared))
                text = f"{story.id} ({story.title}) and the decision {decision.id} ({decision.title}) both speak of {words}"
                yield Suggestion(rule="D16", text=text, do=_depend(story.id, decision.id))


def _text(sheet: Sheet, card: Card) -> str:
    return " ".join(sheet.text(sheet.by_id[anchor]) for anchor in card.anchors if anchor in sheet.by_id)


def literals(text: str) -> set[str]:
    """The code literals of a text, by their first word (`302 Found` is about 302)."""
    return {literal.split()[0] for literal in _CODE.findall(text) if literal.split()}


def _unordered_stories(sheet: Sheet, cards: Sequence[Card]) -> Iterator[Suggestion]:
    """Stories of one topic without an edge between them."""
    topics: dict[int, list[Card]] = {}
    for card in cards:
        if card.kind == "story" and card.anchors and card.anchors[0] in sheet.by_id:
            topics.setdefault(sheet.topic(sheet.by_id[card.anchors[0]]).section, []).append(card)
    for stories in topics.values():
        if len(stories) > _ROWS:
            continue  # one story a row: that they have no order is what a table says
        for number, later in enumerate(stories):
            for earlier in stories[:number]:
                linked = {entry.card for entry in later.depends_on} | {entry.card for entry in earlier.depends_on}
                if not linked & {earlier.id, later.id}:
                    text = (
                        f"{later.id} ({later.title}) may come after {earlier.id} ({earlier.title}): one topic, no order"
                    )
                    yield Suggestion(rule="D16", text=text, do=_depend(later.id, earlier.id))


def _idle_questions(cards: Sequence[Card]) -> Iterator[Suggestion]:
    waited = {entry.card for card in cards for entry in card.depends_on}
    for card in cards:
        if card.kind == "gate" and card.id not in waited:
            text = f"nothing waits for the question {card.id} ({card.title})"
            yield Suggestion(rule="D16", text=text, do=_depend("STORY", card.id))


def _blocking_titles(sheet: Sheet, cards: Sequence[Card]) -> Iterator[Suggestion]:
    for card in cards:
        if (
            card.kind == "story"
            and card.title_by == "rules"
            and card.anchors
            and all(anchor in sheet.blocked for anchor in card.anchors)
        ):
            text = f"{card.id} has its title from a blocking sentence: {card.title}"
            yield Suggestion(
                rule="D16",
                text=text,
                do=f"isopod edit {card.id} title=TEXT --by NAME",
            )


def _rows(sheet: Sheet, cards: Sequence[Card]) -> Iterator[Suggestion]:
    """A section with one story a row."""
    counts: dict[tuple[int, str], int] = {}
    for card in cards:
        if card.kind == "story" and len(card.acceptance) == 1 and card.anchors and card.anchors[0] in sheet.by_id:
            topic = sheet.topic(sheet.by_id[card.anchors[0]])
            counts[topic.section, topic.heading] = counts.get((topic.section, topic.heading), 0) + 1
    for (_, heading), count in counts.items():
        if count > _ROWS and heading:
            text = f'"{heading}" became {count} stories of one line each'
            yield Suggestion(
                rule="D16",
                text=text,
                do=f'set specs.{sheet.key}.sections."{heading}".draft: one in config.yaml (background if it is no work)',
            )


def _too_big(cards: Sequence[Card], too_big: Collection[str]) -> Iterator[Suggestion]:
    for card in cards:
        if card.kind == "story" and set(card.anchors) & set(too_big):
            text = (
                f"{card.id} ({card.title}) has {len(card.acceptance)} lines: one block of the spec that no rule can cut"
            )
            yield Suggestion(
                rule="D10",
                text=text,
                do="cut the block in the spec, or raise limits.acceptance_per_card in config.yaml",
            )


def _unclaimed(sheet: Sheet, claimed: Sequence[SpanT]) -> Iterator[Suggestion]:
    """Units that look like claims and that nobody claimed: the first few, and how many more there are."""
    missed = coverage(sheet.spec, sheet.structure, claimed).unclaimed
    for unit in missed[:_SHOWN_UNITS]:
        words = fold(unit.text)
        shown = words if len(words) <= 60 else words[:57] + "..."
        text = f"line {unit.lines[0]} looks like a claim ({unit.why}) and is neither claimed nor marked not-a-claim: {shown}"
        yield Suggestion(
            rule="D16",
            text=text,
            do=f"isopod claim {sheet.spec.path} --line {unit.lines[0]} --kind requirement --by NAME",
        )
    if len(missed) > _SHOWN_UNITS:
        yield Suggestion(
            rule="D16",
            text=f"{len(missed) - _SHOWN_UNITS} more units look like claims and nobody claimed them",
            do="isopod audit --select C232",
        )


def _depend(card: str, on: str) -> str:
    return f'isopod depend {card} --on {on} --by NAME --because "..."'
