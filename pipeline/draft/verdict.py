"""Whether a model's judgements may stand (DRAFTING.md D14): four closed fields a claim, and what the cards of section 2 rest on.

Nothing is mended here. What is wrong has a code, the JSON path and what to do, and goes back to the model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args

from pipeline.draft.judge import named_team
from pipeline.draft.question import Question, teams_of
from pipeline.draft.sheet import DraftClaim, JudgedKind, Judgement, Sheet
from pipeline.models.shapes import GroupKind
from schemas.kinds import AnchorKind
from schemas.run import Violation
from store.digraph import components, shortest_cycle

_FIELDS: Final = ("anchor", "leader", "kind", "team", "aligned")
_KINDS: Final[tuple[GroupKind, ...]] = get_args(GroupKind)
_KIND_OF: Final[Mapping[AnchorKind, JudgedKind]] = {
    "term": "glossary",
    "decision": "decision",
    "question": "gate",
    "exclusion": "epic",
}
"""Claims whose kind leaves no choice; an obligation has one, but for the glossary."""

_LEADS_ALONE: Final[frozenset[AnchorKind]] = frozenset({"decision", "question"})
_LEADING: Final[Mapping[JudgedKind, AnchorKind]] = {"decision": "decision", "gate": "question"}
"""A card of this kind is led by a claim of that kind; a story and a request are led by an obligation."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgements in text order where nothing is wrong, else what is wrong."""

    judgements: tuple[Judgement, ...]
    violations: tuple[Violation, ...]


def verdict(
    sheet: Sheet, question: Question, rows: Sequence[Any], fresh: Collection[str], rules: Mapping[str, Judgement]
) -> Verdict:
    """Check the rows of one answer; `fresh` are the claims without a home, `rules` what the rules would say of each claim.

    The rows are looked at one by one, then how they fit one another, then the stories they make; each only when the step before holds.
    """
    checking = _Checking(sheet, question, fresh, rules)
    violations = list(checking.read(rows))
    for step in (checking.fit, checking.stories):
        violations = violations or list(step())
    if violations:
        return Verdict((), tuple(violations))
    return Verdict(tuple(checking.rows[claim.id][1] for claim in question.claims), ())


class _Checking:
    def __init__(
        self, sheet: Sheet, question: Question, fresh: Collection[str], rules: Mapping[str, Judgement]
    ) -> None:
        self.sheet = sheet
        self.question = question
        self.fresh = fresh
        self.rules = rules
        self.asked = question.asked
        self.leaders = self.asked | question.joinable
        self.teams = teams_of(sheet)
        self.rows: dict[str, tuple[int, Judgement]] = {}
        contrary = [edge for edge in sheet.edges if edge.kind == "conflicts_with"]
        self.contradicted = {end for edge in contrary for end in (edge.from_, edge.to)}
        # An edge with an end in the glossary orders nothing (D13).
        terms = {claim.id for claim in sheet.claims if claim.kind == "term"}
        work = [edge for edge in sheet.edges if not {edge.from_, edge.to} & terms]
        requires = [edge for edge in work if edge.kind == "requires"]
        self.needing = {edge.from_ for edge in requires}
        self.ordered = self.needing | {edge.to for edge in requires} | {e.from_ for e in work if e.kind == "blocked_by"}

    # --- one by one ---------------------------------------------------------------------------------------------------

    def read(self, rows: Sequence[Any]) -> Iterator[Violation]:
        """The rows by their claims, and what is wrong with each on its own."""
        for index, row in enumerate(rows):
            wrong = list(self._shape(row)) or list(self._values(row))
            if not wrong and row["anchor"] in self.rows:
                wrong = [("anchor", "judged-twice", f"{row['anchor']} has a judgement already: give one")]
            for field, code, message in wrong:
                yield _violation(index, field, code, message)
            if not wrong:
                self.rows[row["anchor"]] = (index, Judgement(**row))
        named = {row["anchor"] for row in rows if isinstance(row, dict) and isinstance(row.get("anchor"), str)}
        for claim in self.question.claims:
            if claim.id not in named:
                message = f"{claim.id} has no judgement: give one for every claim"
                yield Violation(code="not-judged", path="judgements", ref=claim.id, message=message)

    def _shape(self, row: Any) -> Iterator[tuple[str, str, str]]:
        if not isinstance(row, dict):
            yield "", "not-an-object", f"must be an object with {', '.join(_FIELDS)}"
            return
        for field in _FIELDS:
            wanted = bool if field == "aligned" else str
            if field not in row:
                yield field, "missing-key", "is missing"
            elif not isinstance(row[field], wanted):
                yield field, "wrong-type", f"must be {'true or false' if wanted is bool else 'a string'}"
        for key in row:
            if key not in _FIELDS:
                yield "", "unknown-key", f"{key!r} does not belong there: only {', '.join(_FIELDS)}"

    def _values(self, row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        if row["anchor"] not in self.asked:
            yield "anchor", "unknown-anchor", f"{row['anchor']!r} is no claim of the list"
            return
        if row["leader"] not in self.leaders:
            yield "leader", "unknown-leader", f"{row['leader']!r} is no claim of the list that could lead"
        if row["kind"] not in _KINDS:
            yield "kind", "unknown-kind", f"{row['kind']!r} is none of {', '.join(_KINDS)}"
        if row["team"] not in self.teams:
            yield "team", "unknown-team", f"{row['team']!r} is none of {', '.join(sorted(self.teams))}"
        if row["aligned"] and row["anchor"] in self.contradicted:
            yield "aligned", "is-contradicted", "an agreed conflicts_with ends here: aligned is false"

    # --- how they fit -------------------------------------------------------------------------------------------------

    def fit(self) -> Iterator[Violation]:
        """What is wrong between a claim and the card that it joins."""
        for identity, (index, one) in self.rows.items():
            wrong = list(self._kind(self.sheet.by_id[identity], one)) or list(self._leader(one))
            for field, code, message in wrong:
                yield _violation(index, field, code, message)

    def _kind(self, claim: DraftClaim, one: Judgement) -> Iterator[tuple[str, str, str]]:
        wanted = _KIND_OF.get(claim.kind)
        if wanted is not None and one.kind != wanted:
            yield "kind", "kind-of-claim", f"a {claim.kind} is always {wanted}"
        elif wanted is None and one.kind == "glossary":
            yield "kind", "kind-of-claim", f"the glossary is for terms, and this is a {claim.kind}"
        elif (
            wanted is None
            and claim.id in self.ordered
            and one.kind not in ("story", "request", self.rules[claim.id].kind)
        ):
            yield "kind", "is-work", "requires or blocked_by begins or ends here, so it is work: a story"
        elif one.kind == "request":
            if named_team(self.sheet, claim) is None:
                yield "kind", "no-team-named", 'a request asks one other team, and this claim has no "names"'
            if claim.id in self.needing:
                yield "kind", "needs-others", "it requires another claim, so it is our work: a story"

    def _leader(self, one: Judgement) -> Iterator[tuple[str, str, str]]:
        claim, leader = self.sheet.by_id[one.anchor], self.sheet.by_id[one.leader]
        if claim.kind in _LEADS_ALONE and leader is not claim:
            yield "leader", "leads-itself", f"a {claim.kind} leads a card of its own: its leader is {claim.id}"
            return
        wanted = _LEADING.get(one.kind)
        if wanted is not None and leader.kind != wanted:
            yield (
                "leader",
                "wrong-leader",
                f"a {one.kind} card is led by a {wanted}, and {leader.id} is a {leader.kind}",
            )
        elif one.kind in ("story", "request") and not leader.is_obligation:
            yield "leader", "wrong-leader", f"a {one.kind} is led by an obligation, and {leader.id} is a {leader.kind}"
        elif wanted is None and one.leader not in self.rows:
            yield "leader", "wrong-leader", f"{leader.id} leads a card of another kind"
        if one.kind in ("story", "gate", "decision") and self.sheet.team(claim) != self.sheet.team(leader):
            teams = f"{self.sheet.team(claim)} and {self.sheet.team(leader)}"
            yield "leader", "two-teams", f"config gives the sections of the two to {teams}: one card has one team"
        given = self.sheet.config_team(leader)
        if given is not None and one.team != given:
            yield "team", "team-of-section", f"config gives the section of {leader.id} to {given}"
        if one.leader not in self.rows:
            return
        led = self.rows[one.leader][1]
        if led.leader != led.anchor:
            yield "leader", "leader-follows", f"{led.anchor} does not lead itself: its leader is {led.leader}"
        elif led.kind != one.kind:
            yield "kind", "two-kinds", f"its leader {led.anchor} is judged {led.kind}: one card has one kind"
        elif led.team != one.team:
            yield "team", "two-teams", f"its leader {led.anchor} is judged {led.team}: one card has one team"
        elif one.kind == "request" and named_team(self.sheet, claim) != named_team(self.sheet, leader):
            yield "leader", "two-teams-asked", f"{led.anchor} names another team: a request asks one team"

    # --- the stories --------------------------------------------------------------------------------------------------

    def stories(self) -> Iterator[Violation]:
        """Stories that are too large (D10), and stories that wait for each other where the rules' do not."""
        led: dict[str, list[str]] = {}
        for identity, (_, one) in self.rows.items():
            if one.kind == "story":
                led.setdefault(one.leader, []).append(identity)
        limit = self.sheet.config.limits.acceptance_per_card
        for leader, members in led.items():
            lines = {self.sheet.unit(self.sheet.by_id[one]) for one in members if one in self.fresh}
            if len(lines) > limit:
                message = f"the story of {leader} has {len(lines)} lines, and {limit} are the most: split it"
                yield _violation(self.rows[leader][0], "leader", "too-many-lines", message)
        judged = {identity: leader for leader, members in led.items() for identity in members}
        by_rules = {one: self.rules[one].leader for one in judged if self.rules[one].kind == "story"}
        if not self._ring(by_rules):
            ring = self._ring(judged)
            if ring:
                message = (
                    f"the stories of {', '.join(ring)} wait for each other by requires or blocked_by: group otherwise"
                )
                yield _violation(self.rows[ring[0]][0], "leader", "wait-in-a-ring", message)

    def _ring(self, leader_of: Mapping[str, str]) -> tuple[str, ...]:
        """The leaders of a shortest ring of stories that wait for each other, () when there is none."""
        leaders = sorted(set(leader_of.values()))
        number = {leader: index for index, leader in enumerate(leaders)}
        out: list[set[int]] = [set() for _ in leaders]
        for edge in self.sheet.edges:
            if edge.kind in ("requires", "blocked_by") and edge.from_ in leader_of and edge.to in leader_of:
                out[number[leader_of[edge.from_]]].add(number[leader_of[edge.to]])
        ahead = [sorted(targets - {index}) for index, targets in enumerate(out)]
        rings = [component for component in components(ahead) if len(component) > 1]
        return tuple(leaders[index] for index in shortest_cycle(rings[0], ahead)) if rings else ()


def _violation(index: int, field: str, code: str, message: str) -> Violation:
    return Violation(code=code, path=f"judgements[{index}]{f'.{field}' if field else ''}", message=message)
