"""D11 to D13: cards from judgements. A model drafter only regroups; titles, lines and edges are made here, always."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from pipeline.draft.judge import named_team, names_team
from pipeline.draft.sheet import DraftClaim, DraftEdge, Judgement, Sheet
from pipeline.draft.wording import claim_text, headed, is_short, line_text, plain
from schemas.card import (
    AcceptanceLine,
    Card,
    DecisionPart,
    Dependency,
    EdgeReason,
    GatePart,
    Reason,
    RequestPart,
    RuleReason,
)
from schemas.config import Team
from schemas.ids import conflict_name, conflict_series, tail
from schemas.kinds import CardKind
from schemas.promise import promise
from text.coordinates import SpanT
from text.folding import fold
from text.intervals import overlap, overlapping

EDGE_TEXT = "the whole spec rests on this decision"


@dataclass(slots=True)
class Bundle:
    """The claims of one card to be, in text order, with what the rules know of it before it has a name."""

    kind: CardKind
    leader: DraftClaim | None
    claims: list[DraftClaim]
    team: str
    id: str = ""
    conflict: tuple[str, str] | None = None
    lines: list[AcceptanceLine] = field(default_factory=list)
    waits: dict[str, list[Reason]] = field(default_factory=dict)
    related: set[str] = field(default_factory=set)
    supersedes: list[str] = field(default_factory=list)
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True)
class Homes:
    """What the judgements make of the claims that no card carries: the glossary's and the background's."""

    glossary: tuple[str, ...]
    background: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Built:
    cards: tuple[Card, ...]
    homes: Homes


def build(
    sheet: Sheet,
    judgements: Sequence[Judgement],
    *,
    heuristic: bool,
    issued: Collection[str] = (),
    named: Mapping[str, str] | None = None,
) -> Built:
    """The cards of these judgements: epic first, then by kind in text order.

    `issued` are ids that may not be given again; `named` are the ids of cards that stand already, by their leading anchor (an epic
    by the spec's key, a contradiction's gate by both anchors).
    """
    bundles = _bundles(sheet, judgements)
    _name(sheet, bundles, issued, named or {})
    _write_lines(sheet, bundles)
    _draw_edges(sheet, bundles)
    cards = _cards(sheet, bundles, heuristic=heuristic)
    return Built(
        cards,
        Homes(
            glossary=tuple(one.anchor for one in judgements if one.kind == "glossary"),
            background=tuple(one.anchor for one in judgements if one.kind == "background"),
        ),
    )


def _bundles(sheet: Sheet, judgements: Sequence[Judgement]) -> list[Bundle]:
    """The epic, then gates, requests, decisions and stories, each kind in text order of its leader."""
    epic = Bundle("epic", None, [], sheet.spec_team)
    led: dict[str, Bundle] = {}
    for one in judgements:
        claim = sheet.by_id[one.anchor]
        if one.kind == "epic":
            epic.claims.append(claim)
        elif one.kind in ("story", "gate", "request", "decision"):
            bundle = led.setdefault(one.leader, Bundle(one.kind, sheet.by_id[one.leader], [], one.team))
            bundle.claims.append(claim)
    rank = {"story": 0, "gate": 1, "request": 2, "decision": 3}
    rest = sorted(
        led.values(), key=lambda bundle: (rank[bundle.kind], sheet.order[bundle.leader.id if bundle.leader else ""])
    )
    for edge in sheet.edges:
        if edge.kind == "conflicts_with":
            ends = (min(edge.from_, edge.to), max(edge.from_, edge.to))
            if not any(bundle.conflict == ends for bundle in rest):
                rest.append(Bundle("gate", None, [], sheet.team(sheet.by_id[edge.from_]), conflict=ends))
    return [epic, *rest]


def _name(sheet: Sheet, bundles: list[Bundle], issued: Collection[str], named: Mapping[str, str]) -> None:
    """Ids: the prefix of the kind and the tail of the leading anchor's id; the next number if that was ever issued."""
    taken = set(issued)
    for bundle in bundles:
        prefix = sheet.config.prefix_of(bundle.kind)
        if bundle.leader is not None:
            born, first = bundle.leader.id, bundle.leader.id.rpartition("-")[2]
        elif bundle.conflict is not None:
            born, first = conflict_name(bundle.conflict), tail(["conflict", *bundle.conflict])
        else:
            born, first = sheet.key, tail(["epic", sheet.key])
        bundle.id = named[born] if born in named else free_id(prefix, born, first, taken)
        taken.add(bundle.id)


def conflict_tails(ends: tuple[str, str], issued: Collection[str]) -> Iterator[str]:
    """The tails that the gates of a contradiction were given, one after the other, as far as they are `issued`."""
    return takewhile(lambda candidate: candidate in issued, conflict_series(ends))


def free_id(prefix: str, born: str, first: str, taken: Collection[str]) -> str:
    """`prefix-first`, or while that was ever issued the tail of a hash of what it was born from and the next n."""
    candidate, n = f"{prefix}-{first}", 0
    while candidate in taken:
        n += 1
        candidate = f"{prefix}-{tail([born, n])}"
    return candidate


def _write_lines(sheet: Sheet, bundles: list[Bundle]) -> None:
    """D12: every line unit that holds an obligation of the card, in text order, once."""
    home = {claim.id: bundle.id for bundle in bundles for claim in bundle.claims}
    lines: list[tuple[Bundle, SpanT, list[DraftClaim]]] = []
    for bundle in bundles:
        unit_of = sheet.sentence if bundle.kind in ("decision", "gate") else sheet.unit
        own = [claim for claim in bundle.claims if claim.is_obligation]
        lined = [claim for claim in own if claim.id not in sheet.blocked] or own
        lines += [(bundle, span, claims) for span, claims in _by_unit(lined, unit_of)]
    homed = [claim for claim in sheet.claims if claim.id in home]
    shared = {
        number
        for number, place in overlapping([span for _, span, _ in lines], [claim.span for claim in homed])
        if home[homed[place].id] != lines[number][0].id
    }
    for number, (bundle, span, claims) in enumerate(lines):
        line = AcceptanceLine(
            id=f"A{len(bundle.lines) + 1}",
            text=line_text(sheet, span, claims, shared=number in shared),
            anchors=tuple(claim.id for claim in claims),
        )
        bundle.lines.append(line)


def _by_unit(
    claims: Iterable[DraftClaim], unit_of: Callable[[DraftClaim], SpanT]
) -> list[tuple[SpanT, list[DraftClaim]]]:
    """Claims by their line unit in text order; units that overlap (a claim over two sentences) are one."""
    units: list[tuple[SpanT, list[DraftClaim]]] = []
    for span, claim in sorted(
        ((unit_of(claim), claim) for claim in claims), key=lambda entry: (entry[0], entry[1].span)
    ):
        if units and overlap(units[-1][0], span):
            before = units[-1][0]
            units[-1] = ((before[0], max(before[1], span[1])), [*units[-1][1], claim])
        else:
            units.append((span, [claim]))
    return units


def _draw_edges(sheet: Sheet, bundles: list[Bundle]) -> None:
    """D6, D9 and D13: edges between cards, only where an agreed edge or the structure says so."""
    of = {claim.id: bundle for bundle in bundles for claim in bundle.claims}
    for edge in sheet.edges:
        one, other = of.get(edge.from_), of.get(edge.to)
        if edge.kind == "conflicts_with":
            _wait_for_conflict(bundles, edge, one, other)
        elif one is None or other is None or one is other:
            continue
        elif edge.kind == "supersedes":
            if one.kind == other.kind == "decision":
                one.supersedes.append(other.id)
                other.superseded_by = one.id
            else:
                one.related.add(other.id)
        else:
            _draw(sheet, edge, one, other)
    _drop_cycles(sheet, bundles)
    _lean_epic(bundles)


def _wait_for_conflict(bundles: list[Bundle], edge: DraftEdge, one: Bundle | None, other: Bundle | None) -> None:
    ends = (min(edge.from_, edge.to), max(edge.from_, edge.to))
    gate = next(bundle for bundle in bundles if bundle.conflict == ends)
    for bundle in (one, other):
        if bundle is not None and bundle.kind == "story":
            bundle.waits.setdefault(gate.id, []).append(_reason(edge))
        elif bundle is not None and bundle is not gate:
            bundle.related.add(gate.id)


def _draw(sheet: Sheet, edge: DraftEdge, one: Bundle, other: Bundle) -> None:
    """One agreed `requires`, `blocked_by` or `refines` between two cards."""
    if "request" in (one.kind, other.kind):
        need, waiting = (other, one) if other.kind == "request" else (one, other)
        if waiting.kind == "story":
            waiting.waits.setdefault(need.id, []).append(_reason(edge))
        else:
            one.related.add(other.id)
    elif (
        one.kind != "story"
        or (other.kind in ("epic", "decision") and not (other.kind == "decision" and edge.kind == "requires"))
        or (
            edge.kind == "refines"
            and sheet.topic(sheet.by_id[edge.from_]).section != sheet.topic(sheet.by_id[edge.to]).section
        )
    ):
        one.related.add(other.id)
    else:
        one.waits.setdefault(other.id, []).append(_reason(edge))


def _reason(edge: DraftEdge) -> EdgeReason:
    return EdgeReason(edge=edge.kind, from_=edge.from_, to=edge.to, cue=edge.cue)


def _drop_cycles(sheet: Sheet, bundles: list[Bundle]) -> None:
    """A cycle among stories loses its `refines` edges, latest in text first; what is left is C220's."""
    by_id = {bundle.id: bundle for bundle in bundles}
    for bundle in reversed(bundles):
        for target in sorted(bundle.waits, key=lambda identity: _place(sheet, by_id[identity]), reverse=True):
            reasons = bundle.waits[target]
            only_refines = all(isinstance(reason, EdgeReason) and reason.edge == "refines" for reason in reasons)
            if only_refines and _reaches(by_id, target, bundle.id):
                del bundle.waits[target]
                bundle.related.add(target)


def _place(sheet: Sheet, bundle: Bundle) -> int:
    return sheet.order[bundle.leader.id] if bundle.leader is not None else -1


def _reaches(by_id: Mapping[str, Bundle], start: str, goal: str) -> bool:
    seen, ahead = {start}, [start]
    while ahead:
        at = ahead.pop()
        if at == goal:
            return True
        for onward in by_id[at].waits:
            if onward not in seen:
                seen.add(onward)
                ahead.append(onward)
    return False


def _lean_epic(bundles: list[Bundle]) -> None:
    """A decision in force that no card depends on: the epic leans on it, so that its replacement shows itself there."""
    epic = bundles[0]
    leaned = {target for bundle in bundles for target in bundle.waits}
    for bundle in bundles:
        if bundle.kind == "decision" and bundle.superseded_by is None and bundle.id not in leaned:
            epic.waits[bundle.id] = [RuleReason(rule="D13", text=EDGE_TEXT)]


def _cards(sheet: Sheet, bundles: list[Bundle], *, heuristic: bool) -> tuple[Card, ...]:
    stories: dict[int, int] = {}
    for bundle in bundles:
        if bundle.kind == "story" and bundle.leader is not None:
            section = sheet.topic(bundle.leader).section
            stories[section] = stories.get(section, 0) + 1
    made = {bundle.id: _card(sheet, bundle, bundles[0].id, stories, heuristic=heuristic) for bundle in bundles}
    texts = {
        bundle.id: sheet.text(bundle.leader)
        for bundle in bundles
        if bundle.leader is not None and bundle.kind == "decision"
    }
    cards = []
    for bundle in bundles:
        waits = tuple(
            Dependency(
                card=target,
                because=tuple(bundle.waits[target]),
                seen=promise(made[target], texts.get(target)),
                scope="all" if made[target].kind == "gate" else None,
            )
            for target in sorted(bundle.waits)
        )
        cards.append(
            made[bundle.id].model_copy(
                update={"depends_on": waits, "related": tuple(sorted(bundle.related - set(bundle.waits)))}
            )
        )
    return tuple(cards)


def _card(sheet: Sheet, bundle: Bundle, epic: str, stories: Mapping[int, int], *, heuristic: bool) -> Card:
    return Card(
        id=bundle.id,
        kind=bundle.kind,
        title=title(sheet, bundle, stories),
        team=bundle.team,
        parent=None if bundle.kind == "epic" else epic,
        spec=sheet.key,
        anchors=tuple(claim.id for claim in bundle.claims),
        heuristic=heuristic,
        acceptance=tuple(bundle.lines),
        start=True if bundle.kind == "story" else None,
        gate=GatePart(waits_for="answer") if bundle.kind == "gate" else None,
        decision=DecisionPart(supersedes=tuple(sorted(bundle.supersedes)), superseded_by=bundle.superseded_by)
        if bundle.kind == "decision"
        else None,
        request=RequestPart(team=_need_of(sheet, bundle).id) if bundle.kind == "request" else None,
    )


def _need_of(sheet: Sheet, bundle: Bundle) -> Team:
    """The team that a request asks: the one other team that its leading unit names (D6 saw to it that there is one)."""
    team = named_team(sheet, bundle.leader) if bundle.leader is not None else None
    if team is None:
        raise AssertionError(f"request {bundle.id} names no team")
    return team


def title(sheet: Sheet, bundle: Bundle, stories: Mapping[int, int]) -> str:
    """D11."""
    if bundle.conflict is not None:
        first, second = (claim_text(sheet, sheet.by_id[end]) for end in _in_text_order(sheet, bundle.conflict))
        return headed("", f"{first} ↔ {second}")
    if bundle.leader is None:
        return headed("", sheet.topics.title_text or sheet.key)
    text = claim_text(sheet, bundle.leader) or bundle.leader.id
    topic = sheet.topic(bundle.leader)
    if bundle.kind == "request":
        return _request_title(sheet, bundle, text)
    if bundle.kind in ("decision", "gate"):
        return headed(plain(topic.heading) if is_short(text) else "", text)
    heading = "" if topic.section in sheet.lists else plain(topic.heading)
    if heading and stories.get(topic.section) == 1:
        return headed("", heading)
    return headed(heading, text)


def _in_text_order(sheet: Sheet, ends: tuple[str, str]) -> list[str]:
    return sorted(ends, key=lambda end: sheet.order[end])


def _request_title(sheet: Sheet, bundle: Bundle, text: str) -> str:
    """Its own text without the cue of its edge if it starts with it; the team before it unless it names the team."""
    team = _need_of(sheet, bundle)
    cues = [
        plain(fold(edge.cue))
        for edge in sheet.edges
        if bundle.leader is not None and bundle.leader.id in (edge.from_, edge.to)
    ]
    for cue in sorted(cues, key=len, reverse=True):
        if cue and text.startswith(cue) and len(text) > len(cue):
            text = text[len(cue) :].lstrip(" ,:")
            break
    return headed("" if names_team(text, team) else team.name, text)
