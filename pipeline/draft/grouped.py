"""People's groups over a drafter's judgements (DRAFTING.md D15): what people put together stays so, whoever drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pipeline.draft.judge import named_team
from pipeline.draft.sheet import DraftClaim, JudgedKind, Judgement, Sheet
from pipeline.draft.standing import CARD_KINDS, leader_of
from schemas.grouping import Group


def put(sheet: Sheet, groups: Sequence[Group]) -> Mapping[str, Group]:
    """By claim: the group that people put it into; of several the latest word. Only obligations are grouped by anybody."""
    words = sorted(
        ((one.at, group.card, one.claim, group) for group in groups for one in group.claims), key=lambda word: word[:3]
    )
    return {claim: group for _, _, claim, group in words if claim in sheet.by_id and sheet.by_id[claim].is_obligation}


def grouped(sheet: Sheet, judgements: Sequence[Judgement], groups: Sequence[Group]) -> tuple[Judgement, ...]:
    """The judgements with every group's claims beside its leader, in their order.

    A card whose leader people took away is led by another one of its claims; a group whose leader the spec has lost leads itself.
    """
    of = put(sheet, groups)
    if not of:
        return tuple(judgements)
    judged = {one.anchor: one for one in judgements}
    placed = {one.anchor: one for one in _led_anew(sheet, judgements, of)}
    members: dict[str, list[DraftClaim]] = {}
    for claim in sheet.claims:
        if claim.id in of:
            members.setdefault(of[claim.id].card, []).append(claim)
    by_card = {group.card: group for group in groups}
    for card_id, own in members.items():
        home = placed.get(by_card[card_id].leader)
        if home is not None and home.anchor not in of and home.kind in (*CARD_KINDS, "epic"):
            kind, leader, team = home.kind, home.leader, home.team
        else:
            kind, leader, team = _alone(sheet, by_card[card_id], own)
        for claim in own:
            led = claim.id if kind == "epic" else leader
            placed[claim.id] = replace(judged[claim.id], kind=kind, leader=led, team=team)
    return tuple(placed[one.anchor] for one in judgements)


def _led_anew(sheet: Sheet, judgements: Sequence[Judgement], of: Mapping[str, Group]) -> list[Judgement]:
    """The judgements on what nobody grouped, with a leader among these for each card."""
    free = [one for one in judgements if one.anchor not in of]
    left: dict[str, list[Judgement]] = {}
    for one in free:
        if one.kind in CARD_KINDS and one.leader in of:
            left.setdefault(one.leader, []).append(one)
    leaders = {
        old: leader_of(sheet, members[0].kind, [sheet.by_id[one.anchor] for one in members]).id
        for old, members in left.items()
    }
    return [replace(one, leader=leaders.get(one.leader, one.leader)) for one in free]


def _alone(sheet: Sheet, group: Group, own: Sequence[DraftClaim]) -> tuple[JudgedKind, str, str]:
    """Kind, leader and team of a card that holds nothing but its group. A request asks a team that its leading claim names."""
    prefix = group.card.rpartition("-")[0]
    of_card = next((one.kind for one in sheet.config.prefixes if one.prefix == prefix), None)
    # A question or a decision that lost the claim by which it was one leaves work behind.
    kind: JudgedKind = of_card if of_card == "request" or of_card == "epic" else "story"
    chosen = {group.leader} & {claim.id for claim in own}
    leader = leader_of(sheet, kind, own, chosen)
    if kind == "request" and named_team(sheet, leader) is None:
        kind, leader = "story", leader_of(sheet, "story", own, chosen)
    return kind, leader.id, sheet.team(leader)
