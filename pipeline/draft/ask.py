"""The drafter as a model step (DRAFTING.md D14): a model answers the four closed questions, and code makes everything else of them.

Asked only when a claim has no home; what a person said in config is not asked. An answer that was refused twice gives way to the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pipeline.draft.judge import Judged, judge, lead, named_team
from pipeline.draft.question import SYSTEM, Question, questions, task, version
from pipeline.draft.sheet import DraftClaim, JudgedKind, Judgement, Sheet
from pipeline.draft.verdict import verdict
from pipeline.models.desk import Desk
from pipeline.models.dialogue import NO_ENVELOPE, converse
from pipeline.models.executor import Executor
from pipeline.models.pending import PendingError, merged
from pipeline.models.prompt import ALL_OF_IT
from schemas.anchors import AnchorStore
from schemas.call import Call
from schemas.card import Card
from schemas.compiled import Suggestion
from schemas.errors import OutsideError
from schemas.run import Violation

MOST_CALLS: Final = 2
"""An answer is refused once and asked for again; refused twice, the rules judge."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Drafter:
    """The model that drafts: the desk of the reader that `draft.reader` names."""

    desk: Desk
    executor: Executor
    say: Say


@dataclass(frozen=True, slots=True)
class Standing:
    """What has a home already: the card of each claim that one carries, and the claims of the glossary and of an epic elsewhere."""

    cards: Mapping[str, Card]
    homed: frozenset[str]

    @classmethod
    def of(cls, sheet: Sheet, cards: Sequence[Card], store: AnchorStore | None, *, again: bool = False) -> Standing:
        """`cards` are those of the spec in any state. With `again` drafted cards are dissolved, and the glossary is judged anew."""
        live = [card for card in cards if card.state != "deleted" and not (again and card.state == "drafted")]
        carried = {anchor: card for card in live for anchor in card.anchors if anchor in sheet.by_id}
        stored = store.anchors if store is not None and not again else ()
        homed = frozenset(one.id for one in stored if one.home in ("glossary", "epic") and one.id in sheet.by_id)
        return cls(carried, homed - carried.keys())


@dataclass(frozen=True, slots=True)
class Placed:
    """Judgements on every claim of a sheet, and what people must know of how they came about."""

    judged: Judged
    notes: tuple[Suggestion, ...] = ()


def judge_by_model(
    sheet: Sheet, drafter: Drafter, standing: Standing, settled: Collection[str] = frozenset()
) -> Placed:
    """The model's judgements where a claim has no home, the rules' when its answer was refused twice; `notes` then say so.

    `settled` are the claims that people put on a card: the model is not asked where they belong.
    Raises PendingError with every question that has no answer yet, and as `Desk.ask`.
    """
    rules = judge(sheet)
    by_rules = {one.anchor: one for one in rules.judgements}
    fixed = _fixed(sheet, by_rules) | frozenset(settled)
    fresh = {claim.id for claim in sheet.claims} - standing.cards.keys() - standing.homed
    asked = questions(sheet, fresh - fixed, fixed, drafter.desk.config)
    if not asked:
        return Placed(replace(rules, judgements=_merged(sheet, by_rules, {}, fixed, standing)))
    drafter.say(f"{drafter.desk.config.model} groups the claims into cards")
    answered = _asked(sheet, drafter, asked, standing, fresh, by_rules)
    refused = next((one for one in answered if isinstance(one, Violation)), None)
    if refused is not None:
        ruled = replace(rules, judgements=_merged(sheet, by_rules, by_rules, fixed, standing))
        return Placed(ruled, (_refused(drafter, refused),))
    judged = {one.anchor: one for given in answered if not isinstance(given, Violation) for one in given}
    too_big = tuple(leader for leader in rules.too_big if leader in fixed)
    merged_ = _merged(sheet, by_rules, judged, fixed, standing)
    return Placed(Judged(merged_, too_big), tuple(_doubts(sheet, judged, by_rules, fresh)))


def _fixed(sheet: Sheet, by_rules: Mapping[str, Judgement]) -> frozenset[str]:
    """Claims that `draft` of their section in config places, with all that the rules put on one story with them."""
    said = {claim.id for claim in sheet.claims if (section := sheet.section_config(claim)) and section.draft}
    ruled = [one for one in by_rules.values() if one.kind in ("story", "background")]
    leaders = {one.leader for one in ruled if one.anchor in said}
    return frozenset(one.anchor for one in ruled if one.leader in leaders)


# --- asking -----------------------------------------------------------------------------------------------------------


def _asked(
    sheet: Sheet,
    drafter: Drafter,
    asked: Sequence[Question],
    standing: Standing,
    fresh: Collection[str],
    by_rules: Mapping[str, Judgement],
) -> list[tuple[Judgement, ...] | Violation]:
    """What the model says to each question: its judgements, or the first thing wrong with an answer that was refused twice."""

    def answer(number: int) -> tuple[Judgement, ...] | Violation | PendingError:
        try:
            return _answer(sheet, drafter.desk, asked[number], place(number), standing, fresh, by_rules)
        except PendingError as error:
            return error

    def place(number: int) -> str:
        part = f" (part {number + 1} of {len(asked)})" if len(asked) > 1 else ""
        return f"{sheet.spec.path}, cards{part}"

    results = drafter.executor.run(answer, range(len(asked)))
    waiting = [one for one in results if isinstance(one, PendingError)]
    if waiting:
        raise merged(waiting)
    return [one for one in results if not isinstance(one, PendingError)]


def _answer(
    sheet: Sheet,
    desk: Desk,
    question: Question,
    place: str,
    standing: Standing,
    fresh: Collection[str],
    by_rules: Mapping[str, Judgement],
) -> tuple[Judgement, ...] | Violation:
    text = task(sheet, question, standing.cards)

    def call_of(added: str) -> Call:
        return Call(
            reader=sheet.config.draft.reader,
            model=desk.config.model,
            purpose="draft",
            round=0,
            prompt=version(),
            shape="judgements",
            system=SYSTEM,
            user=text + added,
            max_tokens=desk.config.max_tokens,
            place=place,
        )

    def judged(envelope: dict[str, Any]) -> tuple[tuple[Judgement, ...], tuple[Violation, ...]]:
        found = verdict(sheet, question, envelope["judgements"], fresh, by_rules)
        return found.judgements, found.violations

    try:
        # The rules place the claims then: asking each compile anew would cost each time, and move cards about.
        concluded = converse(
            desk, call_of, ("judgements",), judged, most=MOST_CALLS, ending=ALL_OF_IT, forgets=False
        )
    except OutsideError as error:
        if error.code != NO_ENVELOPE:
            raise
        return Violation(code=error.code, path="the answer", message=error.message)
    return concluded.violations[0] if concluded.violations else concluded.made


# --- merging ----------------------------------------------------------------------------------------------------------


def _merged(
    sheet: Sheet,
    by_rules: Mapping[str, Judgement],
    judged: Mapping[str, Judgement],
    fixed: Collection[str],
    standing: Standing,
) -> tuple[Judgement, ...]:
    """One judgement a claim: config's word first, then the card on which it stands, then the model's, then the rules'.

    A claim that is put with standing ones joins the card that carries most of them, which keeps the leader it was born with.
    """
    leaders = _standing_leaders(sheet, standing)
    placed: dict[str, Judgement] = {}
    for claim in sheet.claims:
        card = standing.cards.get(claim.id)
        one = by_rules[claim.id]
        if claim.id in fixed:
            placed[claim.id] = one
        elif card is not None and card.id in leaders:
            kind, leader = leaders[card.id]
            placed[claim.id] = replace(one, kind=kind, leader=leader or claim.id, team=card.team)
        else:
            placed[claim.id] = judged.get(claim.id, one)
    mates: dict[tuple[JudgedKind, str], Counter[str]] = {}
    for one in judged.values():
        card = standing.cards.get(one.anchor)
        if card is not None and card.kind == one.kind and leaders.get(card.id, ("", None))[1]:
            mates.setdefault((one.kind, one.leader), Counter())[card.id] += 1
    for one in judged.values():
        counts = mates.get((one.kind, one.leader))
        if counts and placed[one.anchor] is one:
            leader = leaders[max(counts, key=lambda identity: counts[identity])][1]
            placed[one.anchor] = replace(one, leader=leader or one.leader)
    placed |= _requests(sheet, placed, standing, leaders)
    return tuple(replace(one, team=_team(one, placed)) for one in placed.values())


def _team(one: Judgement, placed: Mapping[str, Judgement]) -> str:
    return placed[one.leader].team if placed[one.leader].kind == one.kind else one.team


def _standing_leaders(sheet: Sheet, standing: Standing) -> dict[str, tuple[JudgedKind, str | None]]:
    """Kind and leader of each standing card: the claim whose id gave the card its own, else whom D11 would take; an epic has none."""
    own: dict[str, list[DraftClaim]] = {}
    for claim in sheet.claims:
        if claim.id in standing.cards:
            own.setdefault(standing.cards[claim.id].id, []).append(claim)
    found: dict[str, tuple[JudgedKind, str | None]] = {}
    for card in standing.cards.values():
        if card.kind == "epic":
            found[card.id] = ("epic", None)
        elif card.kind in ("story", "gate", "request", "decision"):
            claims = own[card.id]
            born = next((claim for claim in claims if claim.id.rpartition("-")[2] == card.id.rpartition("-")[2]), None)
            found[card.id] = (card.kind, (born or lead(sheet, claims)).id)
    return found


def _requests(
    sheet: Sheet,
    placed: Mapping[str, Judgement],
    standing: Standing,
    leaders: Mapping[str, tuple[JudgedKind, str | None]],
) -> dict[str, Judgement]:
    """D6: all that we need of one team is one request, in whichever question it was asked; a standing one stays."""
    needs: dict[str, list[Judgement]] = {}
    for one in placed.values():
        team = named_team(sheet, sheet.by_id[one.anchor])
        if one.kind == "request" and team is not None and one.anchor not in standing.cards:
            needs.setdefault(team.id, []).append(one)
    standing_for = {
        card.request.team: leaders[card.id][1]
        for card in standing.cards.values()
        if card.request is not None and card.id in leaders
    }
    found: dict[str, Judgement] = {}
    for team_id, members in needs.items():
        first = next((one for one in members if one.anchor in sheet.linked), members[0])
        leader = standing_for.get(team_id) or first.anchor
        found |= {one.anchor: replace(one, leader=leader, team=placed[leader].team) for one in members}
    return found


# --- what people must know --------------------------------------------------------------------------------------------


def _refused(drafter: Drafter, violation: Violation) -> Suggestion:
    model = drafter.desk.config.model
    return Suggestion(
        rule="D14",
        text=f"the rules grouped these claims: what {model} answered was refused twice ({violation.path}: {violation.message})",
        do="set draft: {drafter: rules} in config.yaml, or name another model for that reader",
    )


def _doubts(
    sheet: Sheet, judged: Mapping[str, Judgement], by_rules: Mapping[str, Judgement], fresh: Collection[str]
) -> list[Suggestion]:
    """Contradictions that the model sees and no agreed edge shows: a person looks, no card changes."""
    return [
        Suggestion(
            rule="D14",
            text=f"the model that drafts sees another claim contradict {claim.id}: {sheet.text(claim)}",
            do=f"isopod show {claim.id}",
        )
        for claim in sheet.claims
        if claim.id in fresh and claim.id in judged and by_rules[claim.id].aligned and not judged[claim.id].aligned
    ]
