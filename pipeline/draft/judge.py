"""D3 to D10 and D14: the deterministic judge. Structure, agreed edges and the team names of config; no word of the spec is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from pipeline.draft.sheet import DraftClaim, JudgedKind, Judgement, Sheet
from schemas.config import Team
from text.cores import core
from text.folding import fold
from text.intervals import holds, overlap


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgements, one a claim in text order, and the stories that no rule could make small enough (D10)."""

    judgements: tuple[Judgement, ...]
    too_big: tuple[str, ...]


Group = tuple[str, int]


def judge(sheet: Sheet) -> Judged:
    """Place every claim (DRAFTING.md section 2)."""
    return _Judge(sheet).judged()


@dataclass
class _Judge:
    sheet: Sheet
    placed: dict[str, tuple[JudgedKind, str]] = field(default_factory=dict)
    needs: dict[str, str] = field(default_factory=dict)
    defining: dict[str, DraftClaim] = field(default_factory=dict)
    too_big: list[str] = field(default_factory=list)

    def judged(self) -> Judged:
        self._glossary()
        self._leads()
        self._join_decisions_and_gates()
        self._background()
        self._requests()
        self._epic()
        self._stories()
        self._definitions()
        conflicted = {
            end for edge in self.sheet.edges if edge.kind == "conflicts_with" for end in (edge.from_, edge.to)
        }
        judgements = []
        for claim in self.sheet.claims:
            kind, leader = self.placed[claim.id]
            team = self.sheet.team(self.sheet.by_id[leader]) if kind != "request" else self.sheet.team(claim)
            judgements.append(Judgement(claim.id, leader, kind, team, claim.id not in conflicted))
        return Judged(tuple(judgements), tuple(self.too_big))

    def _free(self) -> list[DraftClaim]:
        """Obligations that no rule has placed yet."""
        return [
            claim
            for claim in self.sheet.claims
            if claim.is_obligation and claim.id not in self.placed and claim.id not in self.defining
        ]

    def _kind_of(self, identity: str) -> JudgedKind | None:
        return self.placed[identity][0] if identity in self.placed else None

    def _glossary(self) -> None:
        """D3. An obligation inside a definition's own list item waits for D12."""
        sheet = self.sheet
        starts: dict[int, DraftClaim] = {}
        for claim in sheet.claims:
            if claim.kind == "term":
                self.placed[claim.id] = ("glossary", claim.id)
                block = sheet.own_block(claim)
                if block is not None and block.kind == "item" and _begins(sheet, block.span, claim):
                    starts.setdefault(block.index, claim)
        for claim in sheet.claims:
            block = sheet.own_block(claim)
            if claim.is_obligation and block is not None and block.index in starts:
                self.defining[claim.id] = starts[block.index]

    def _leads(self) -> None:
        """D4, D5, D7: a decision and a question each lead a card, an exclusion is the epic's."""
        leads: dict[str, JudgedKind] = {"decision": "decision", "question": "gate", "exclusion": "epic"}
        for claim in self.sheet.claims:
            if claim.kind in leads:
                self.placed[claim.id] = (leads[claim.kind], claim.id)

    def _join_decisions_and_gates(self) -> None:
        """D4 and D5: what refines a decision or a question joins it, a decision's edge-less reason too, and what refines those."""
        sheet = self.sheet
        replaced = {edge.to for edge in sheet.edges if edge.kind == "supersedes"}
        first_decision: dict[int, str] = {}
        for claim in sheet.claims:
            block = sheet.outer_block(claim)
            if claim.kind == "decision" and claim.id not in replaced and block is not None:
                first_decision.setdefault(block.index, claim.id)
        moved = self._join_refining(lambda target: sheet.by_id[target].kind in ("decision", "question"))
        for claim in self._free():
            block = sheet.outer_block(claim)
            if claim.id not in sheet.linked and block is not None and block.index in first_decision:
                self.placed[claim.id] = ("decision", first_decision[block.index])
                moved = True
        while moved:
            moved = self._join_refining(lambda target: self._kind_of(target) in ("decision", "gate"))

    def _join_refining(self, may_join: Callable[[str], bool]) -> bool:
        moved = False
        for claim in self._free():
            for edge in self.sheet.edges_from(claim, "refines"):
                if may_join(edge.to):
                    self.placed[claim.id] = self.placed[edge.to]
                    moved = True
                    break
        return moved

    def _background(self) -> None:
        """What a person called background in config is no work."""
        for claim in self._free():
            section = self.sheet.section_config(claim)
            if section is not None and section.draft == "background":
                self.placed[claim.id] = ("background", claim.id)

    def _requests(self) -> None:
        """D6: what we need from a team that writes its own cards."""
        sheet = self.sheet
        named = {claim.id: named_team(sheet, claim) for claim in self._free()}
        needing = {
            edge.from_
            for edge in sheet.edges
            if edge.kind == "requires" and self._is_between_claims(edge.from_, edge.to)
        }
        needed = {
            edge.to for edge in sheet.edges if edge.kind == "requires" and self._is_between_claims(edge.from_, edge.to)
        }
        blocks: dict[tuple[int, str], str] = {}
        for claim in self._free():
            team = named[claim.id]
            if team is None or claim.id in needing:
                continue
            if claim.id in needed or _begins_with_name(sheet.spec.quoted(sheet.unit(claim)), team):
                self.needs[claim.id] = team.id
        for identity, owner in self.needs.items():
            block = sheet.outer_block(sheet.by_id[identity])
            if block is not None:
                blocks.setdefault((block.index, owner), owner)
        for claim in self._free():
            team = named[claim.id]
            block = sheet.outer_block(claim)
            if (
                team is not None
                and block is not None
                and claim.id not in sheet.linked
                and (block.index, team.id) in blocks
            ):
                self.needs[claim.id] = team.id
        for team_id in sorted(set(self.needs.values())):
            own = [claim for claim in sheet.claims if self.needs.get(claim.id) == team_id]
            leader = next((claim for claim in own if claim.id in sheet.linked), own[0])
            for claim in own:
                self.placed[claim.id] = ("request", leader.id)

    def _is_between_claims(self, from_: str, to: str) -> bool:
        """An edge with an end in the glossary is no `requires` for D6 (D13)."""
        return all(self._kind_of(end) != "glossary" for end in (from_, to))

    def _epic(self) -> None:
        """D7: the opening, where it holds nothing but purpose."""
        sheet = self.sheet
        if len({sheet.topic(claim).section for claim in sheet.claims}) < 2:
            return
        for span in sheet.topics.opening():
            inside = [claim for claim in sheet.claims if holds(span, claim.span)]
            blocks = [
                block
                for block in sheet.structure.blocks_in(span)
                if holds(span, block.span) and block.kind not in ("heading", "front_matter")
            ]
            opening = all(block.kind == "paragraph" for block in blocks) and not any(
                claim.kind == "interface" or claim.id in sheet.linked for claim in inside
            )
            if opening:
                for claim in self._free():
                    if holds(span, claim.span):
                        self.placed[claim.id] = ("epic", claim.id)

    def _stories(self) -> None:
        """D8 to D10."""
        sheet = self.sheet
        rest = self._free()
        if not rest:
            return
        roots = _roots(sheet, rest)
        gate_blocks = self._gate_blocks(rest)
        groups: dict[Group, list[DraftClaim]] = {}
        for claim in rest:
            groups.setdefault(self._group(claim, roots, gate_blocks), []).append(claim)
        stories: dict[tuple[int, tuple[str, ...], str], list[DraftClaim]] = {}
        for key, members in groups.items():
            waits = self._waits(key, members, gate_blocks)
            for claim in members:
                anchor = claim if key[0] == "block" else roots[claim.id]
                stories.setdefault((sheet.topic(anchor).section, waits, sheet.team(anchor)), []).append(claim)
        for members in stories.values():
            members.sort(key=lambda claim: sheet.order[claim.id])
            for part in self._sized(members, roots, gate_blocks):
                leader = lead(sheet, part)
                for claim in part:
                    self.placed[claim.id] = ("story", leader.id)

    def _gate_blocks(self, rest: Iterable[DraftClaim]) -> dict[int, set[str]]:
        """D9: blocks that hold the `from` of a `blocked_by` to a question, with the gates they wait for."""
        found: dict[int, set[str]] = {}
        for claim in rest:
            for edge in self.sheet.edges_from(claim, "blocked_by"):
                block = self.sheet.outer_block(claim)
                if self.sheet.by_id[edge.to].kind == "question" and block is not None:
                    found.setdefault(block.index, set()).add(edge.to)
        return found

    def _group(self, claim: DraftClaim, roots: dict[str, DraftClaim], gate_blocks: dict[int, set[str]]) -> Group:
        for one in (claim, roots[claim.id]):
            outer = self.sheet.outer_block(one)
            if outer is not None and outer.index in gate_blocks:
                return "block", outer.index
        block = self.sheet.own_block(roots[claim.id])
        return "group", -1 if block is None else block.group

    def _waits(self, key: Group, members: list[DraftClaim], gate_blocks: dict[int, set[str]]) -> tuple[str, ...]:
        waits = set(gate_blocks[key[1]]) if key[0] == "block" else set()
        own = {claim.id for claim in members}
        for edge in self.sheet.edges:
            for one, other in ((edge.from_, edge.to), (edge.to, edge.from_)):
                if one in own and other in self.needs:
                    waits.add(self.placed[other][1])
        return tuple(sorted(waits))

    def _sized(
        self, members: list[DraftClaim], roots: dict[str, DraftClaim], gate_blocks: dict[int, set[str]]
    ) -> list[list[DraftClaim]]:
        """D10: too many lines are split at deeper headings, then at structural groups, then each item or row is a story."""
        sheet = self.sheet
        section = sheet.section_config(roots[members[0].id])
        override = section.draft if section is not None else None
        if override == "one":
            return [members]
        limit = sheet.config.limits.acceptance_per_card if override != "item" else 0

        def by_section(claim: DraftClaim) -> object:
            return sheet.structure.section_at(claim.span[0]).index

        def by_group(claim: DraftClaim) -> object:
            return self._group(claim, roots, gate_blocks)

        def by_item(claim: DraftClaim) -> object:
            block = sheet.outer_block(roots[claim.id])
            if block is not None and block.kind in ("item", "row"):
                return "block", block.index
            return self._group(claim, roots, gate_blocks)

        parts = [members]
        for cut in (by_section, by_group, by_item):
            parts = [
                piece for part in parts for piece in (_split(part, cut) if _lines(sheet, part) > limit else [part])
            ]
        if override != "item":
            self.too_big += [lead(sheet, part).id for part in parts if _lines(sheet, part) > limit]
        return parts

    def _definitions(self) -> None:
        """D12: an obligation of a definition joins the first card with an edge to its term, else the first that uses it, else the epic."""
        sheet = self.sheet
        for identity, term in self.defining.items():
            using = [
                end
                for edge in sheet.edges
                if term.id in (edge.from_, edge.to)
                for end in (edge.from_, edge.to)
                if end != identity and self._kind_of(end) in ("story", "gate", "decision", "request")
            ]
            word = sheet.text(term).casefold()
            if not using:
                using = [
                    claim.id
                    for claim in sheet.claims
                    if self._kind_of(claim.id) == "story"
                    and names(fold(sheet.spec.quoted(sheet.unit(claim))).casefold(), word)
                ]
            first = min(using, key=lambda end: sheet.order[self.placed[end][1]], default=None)
            self.placed[identity] = self.placed[first] if first is not None else ("epic", identity)


def lead(sheet: Sheet, claims: list[DraftClaim]) -> DraftClaim:
    """D11: no blocked constraint unless alone; most incoming `refines` from anywhere; requirement or interface first; text order."""
    able = [claim for claim in claims if claim.id not in sheet.blocked] or claims
    return min(able, key=lambda claim: (-sheet.refined[claim.id], claim.kind == "constraint", sheet.order[claim.id]))


def named_team(sheet: Sheet, claim: DraftClaim) -> Team | None:
    """The one other team that the claim's unit names; None for none and for several."""
    unit = sheet.spec.quoted(sheet.unit(claim))
    named = [team for team in sheet.other_teams if names_team(unit, team)]
    return named[0] if len(named) == 1 else None


def names_team(text: str, team: Team) -> bool:
    """Whether `text` holds the team's name or one of its aliases."""
    return any(names(fold(text).casefold(), name) for name in _names_of(team))


def _roots(sheet: Sheet, rest: list[DraftClaim]) -> dict[str, DraftClaim]:
    """D8: first a claim's container, then `refines` followed inside the topic, until neither leads on."""
    among = {claim.id for claim in rest}
    containers = _containers(sheet, rest)
    roots: dict[str, DraftClaim] = {}
    for claim in rest:
        at = claim
        seen = {at.id}
        while True:
            onward = containers.get(at.id)
            if onward is None:
                topic = sheet.topic(at).section
                targets = [edge.to for edge in sheet.edges_from(at, "refines")]
                onward = next(
                    (
                        sheet.by_id[to]
                        for to in targets
                        if to in among and sheet.topic(sheet.by_id[to]).section == topic
                    ),
                    None,
                )
            if onward is None or onward.id in seen:
                break
            seen.add(onward.id)
            at = onward
        roots[claim.id] = at
    return roots


def _containers(sheet: Sheet, claims: list[DraftClaim]) -> dict[str, DraftClaim]:
    """The smallest claim around each nested one: claims never cross, so the open ones form a stack."""
    found: dict[str, DraftClaim] = {}
    open_: list[DraftClaim] = []
    for claim in claims:
        inner = core(sheet.spec.text, claim.span)
        while open_ and not overlap(core(sheet.spec.text, open_[-1].span), inner):
            open_.pop()
        if open_:
            found[claim.id] = open_[-1]
        open_.append(claim)
    return found


def _split(members: list[DraftClaim], cut: Callable[[DraftClaim], object]) -> list[list[DraftClaim]]:
    parts: dict[object, list[DraftClaim]] = {}
    for claim in members:
        parts.setdefault(cut(claim), []).append(claim)
    return list(parts.values())


def _lines(sheet: Sheet, members: list[DraftClaim]) -> int:
    return len({sheet.unit(claim) for claim in members})


def _begins(sheet: Sheet, span: tuple[int, int], claim: DraftClaim) -> bool:
    """Whether the text of `span` begins with the claim, marks aside."""
    return core(sheet.spec.text, span)[0] == core(sheet.spec.text, claim.span)[0]


def _names_of(team: Team) -> tuple[str, ...]:
    return tuple(fold(name).casefold() for name in (team.name, *team.aliases))


def names(text: str, name: str) -> bool:
    """Whether `text` holds `name`, both folded; a Latin name as whole words, in other scripts endings may follow."""
    start = r"(?<!\w)" if name[:1].isascii() else ""
    end = r"(?!\w)" if name[-1:].isascii() else ""
    return bool(name) and re.search(start + re.escape(name) + end, text) is not None


def _begins_with_name(unit: str, team: Team) -> bool:
    """Whether a unit begins with the team's name; one short word (an article) may stand before it."""
    text = fold(unit).casefold().lstrip("*_` ")
    for name in _names_of(team):
        place = text.find(name)
        before = text[:place].strip() if place >= 0 else ""
        if (
            place >= 0
            and names(text[: place + len(name) + 1], name)
            and (not before or (len(before) <= 3 and before.isalpha()))
        ):
            return True
    return False
