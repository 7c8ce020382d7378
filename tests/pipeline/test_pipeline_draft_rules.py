"""The drafter's rules one by one (DRAFTING.md section 2), each on the smallest spec that shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from scenes import AnchorT, EdgeT, Scene, lines, waits

Drafted = Callable[..., Scene]


@pytest.fixture
def draft(tmp_path: Path) -> Drafted:
    """Compile a spec whose two readings are these; returns the instance."""

    def make(text: str, anchors: Sequence[AnchorT], edges: Sequence[EdgeT] = (), *, extra: str = "") -> Scene:
        scene = Scene.new(tmp_path, extra=extra)
        scene.write("spec", text, anchors, edges)
        outcome = scene.compile("spec")
        assert outcome.exit_code == 0, (outcome.compiled.disputes, outcome.findings)
        assert scene.audit_errors() == []
        return scene

    return make


def stories(scene: Scene) -> dict[str, list[str]]:
    return {card.title: lines(card) for card in scene.of_kind("story")}


def each(*quotes: str, kind: str = "requirement") -> list[AnchorT]:
    return [(f"a{number}", kind, quote) for number, quote in enumerate(quotes, start=1)]


# --- D1, D2, D12: lines, topics, titles ------------------------------------------------------------------------------


def test_topics_are_the_headings_below_the_title_and_numbers_are_dropped(draft: Drafted) -> None:
    text = "# Spec\n\n## 1. One\n\nIt starts.\n\n### 1.1 Deep\n\nIt runs.\n\n#### Deeper\n\nIt stops.\n\n## 2. Two\n\nIt ends.\n"
    scene = draft(text, [("a1", "interface", "It starts."), *each("x", "It runs.", "It stops.", "It ends.")[1:]])
    assert stories(scene) == {"One": ["It starts."], "Deep": ["It runs.", "It stops."], "Two": ["It ends."]}
    assert scene.of_kind("epic")[0].title == "Spec"


def test_without_a_title_heading_levels_count_from_the_first(draft: Drafted) -> None:
    scene = draft("# One\n\n- It starts.\n\n# Two\n\n- It ends.\n", each("It starts.", "It ends."))
    assert stories(scene) == {"One": ["It starts."], "Two": ["It ends."]}
    assert scene.of_kind("epic")[0].title == "spec"


def test_a_spec_without_headings_is_one_topic(draft: Drafted) -> None:
    scene = draft("It starts. It ends.\n", each("It starts.", "It ends."))
    assert stories(scene) == {"It starts": ["It starts.", "It ends."]}


def test_a_line_is_a_unit_of_the_spec_whatever_stands_in_it(draft: Drafted) -> None:
    text = "# S\n\n## Codes\n\n- **Codes** are `short`,\n  and never reused.\n  - A child stays alone.\n"
    scene = draft(
        text,
        [
            ("a1", "requirement", "**Codes** are `short`"),
            ("a2", "constraint", "never reused"),
            ("a3", "requirement", "A child stays alone."),
        ],
    )
    assert list(stories(scene).values()) == [["Codes are `short`, and never reused.", "A child stays alone."]]
    card = scene.of_kind("story")[0]
    assert [len(line.anchors) for line in card.acceptance] == [2, 1]


def test_bars_newlines_and_half_code_marks_never_reach_a_card(draft: Drafted) -> None:
    text = (
        "# S\n\n## Codes | and `bars\n\n"
        "It answers `a | b` and a lone ` mark | bar\nover two lines.\n\n"
        "| A `x` | B |\n|---|---|\n| `c \\| d` | must **e** |\n"
    )
    scene = draft(
        text,
        [
            ("a1", "requirement", "answers `a | b` and a lone ` mark | bar\nover two"),
            ("a2", "constraint", "`c \\| d` | must **e**"),
        ],
    )
    for card in scene.snapshot.cards:
        for shown in (card.title, *lines(card)):
            assert "|" not in shown and "\n" not in shown and shown.count("`") % 2 == 0 and "**" not in shown


def test_titles_are_capped_at_a_clause_mark_or_a_space(draft: Drafted) -> None:
    clause = (
        "The service keeps every one of the links that it ever made, " + "and it keeps them in a very safe place " * 3
    )
    plain = "The service keeps every one of the links that it ever made in a place that is " + "very " * 12 + "safe"
    text = f"# S\n\n## Out\n\nNever QR.\n\n- {clause.strip()}.\n\n## Not\n\nNever SMS.\n\n- {plain}.\n"
    scene = draft(
        text,
        [
            ("x1", "exclusion", "Never QR."),
            ("a1", "requirement", clause.strip() + "."),
            ("x2", "exclusion", "Never SMS."),
            ("a2", "requirement", plain + "."),
        ],
    )
    first, second = (card.title for card in scene.of_kind("story"))
    assert first == "The service keeps every one of the links that it ever made"
    assert len(second) <= 100 and second.endswith("…") and plain.startswith(second[:-1])


def test_a_short_question_gets_its_heading(draft: Drafted) -> None:
    scene = draft(
        "# S\n\n## Retention\n\nTBC.\n\n## Other\n\nIt stops.\n", [("q", "question", "TBC."), *each("It stops.")]
    )
    assert scene.of_kind("gate")[0].title == "Retention: TBC"


def test_a_row_names_its_cells_and_titles_a_story_by_them(draft: Drafted) -> None:
    rows = "\n".join(f"| FR-00{number} | Thing {number} works | P{number} |" for number in range(1, 4))
    text = f"# S\n\n## Features\n\n| Id | What | Priority |\n|---|---|---|\n{rows}\n"
    anchors = [(f"a{n}", "requirement", f"FR-00{n} | Thing {n} works") for n in range(1, 4)]
    scene = draft(text, anchors, extra="limits: {acceptance_per_card: 2}\n")
    assert stories(scene) == {
        f"Features: FR-00{n} – Thing {n} works": [f"FR-00{n} — What: Thing {n} works; Priority: P{n}"]
        for n in range(1, 4)
    }


def test_a_unit_that_two_cards_share_gives_each_its_own_words(draft: Drafted) -> None:
    text = "# S\n\n## Renewal\n\nWhether it costs is not decided, the page waits for that. Links renew.\n"
    scene = draft(
        text,
        [
            ("q", "question", "Whether it costs is not decided"),
            ("a1", "requirement", "the page waits for that"),
            ("a2", "requirement", "Links renew."),
        ],
        [("a1", "blocked_by", "q", "waits for that")],
    )
    shown = [line for card in scene.of_kind("story") for line in lines(card)]
    assert "the page waits for that" in shown and all("Whether" not in line for line in shown)


def test_a_blocked_constraint_is_the_reason_of_an_edge_and_no_line_unless_it_is_alone(draft: Drafted) -> None:
    text = "# S\n\n## Renewal\n\nLinks renew. Whether it costs is not decided; it cannot ship before that.\n"
    anchors = [
        ("a1", "requirement", "Links renew."),
        ("q", "question", "Whether it costs is not decided"),
        ("c", "constraint", "it cannot ship before that"),
    ]
    scene = draft(text, anchors, [("c", "blocked_by", "q", "cannot ship before that")])
    assert stories(scene) == {"Renewal": ["Links renew."]}
    card = scene.of_kind("story")[0]
    assert len(card.anchors) == 2 and waits(card) == {scene.of_kind("gate")[0].id: ["cannot ship before that"]}


# --- D3, D12: glossary -----------------------------------------------------------------------------------------------

TERMS = (
    "# S\n\n## Terms\n\n- **window**: when it may send. From 8 to 21.\n\n## Sending\n\n- It sends inside the window.\n"
)


def test_terms_are_the_glossary_and_what_a_definition_demands_joins_the_card_that_uses_it(draft: Drafted) -> None:
    scene = draft(
        TERMS,
        [
            ("t", "term", "window"),
            ("c", "constraint", "From 8 to 21."),
            ("a1", "requirement", "It sends inside the window."),
        ],
        [("a1", "requires", "t", "inside the window")],
    )
    assert stories(scene) == {"Sending": ["window: when it may send. From 8 to 21.", "It sends inside the window."]}
    assert waits(scene.of_kind("story")[0]) == {}  # an edge to the glossary is no edge between cards
    homes = {anchor.exact: anchor.home for anchor in scene.snapshot.anchor_stores["spec"].anchors}
    assert homes["window"] == "glossary" and homes["From 8 to 21."] == "card"


def test_a_definition_that_no_card_uses_is_the_epics(draft: Drafted) -> None:
    text = TERMS.replace("inside the window", "at once")
    scene = draft(
        text,
        [
            ("t", "term", "window"),
            ("c", "constraint", "From 8 to 21."),
            ("a1", "requirement", "It sends at once."),
        ],
    )
    assert lines(scene.of_kind("epic")[0]) == ["window: when it may send. From 8 to 21."]


# --- D4, D5: decisions, questions, contradictions --------------------------------------------------------------------


def test_the_reason_of_a_decision_joins_it_and_a_replaced_one_leads_a_card_of_its_own(draft: Drafted) -> None:
    text = "# S\n\n## Work\n\n- It sends.\n\n## Decisions\n\n- Queues are tables. They hold 20,000 a day. This replaces Redis.\n"
    scene = draft(
        text,
        [
            *each("It sends."),
            ("d", "decision", "Queues are tables."),
            ("c", "constraint", "They hold 20,000 a day."),
            ("r", "decision", "Redis"),
        ],
        [("d", "supersedes", "r", "This replaces")],
    )
    new, old = scene.of_kind("decision")
    assert lines(new) == ["They hold 20,000 a day."] and new.depends_on == ()
    assert old.decision is not None and old.decision.superseded_by == new.id and lines(old) == []
    assert waits(scene.of_kind("epic")[0]) == {new.id: ["D13"]}


def test_a_story_leans_on_a_decision_and_then_the_epic_does_not(draft: Drafted) -> None:
    text = "# S\n\n## Work\n\n- It sends.\n\n## Decisions\n\n- Queues are tables.\n"
    scene = draft(
        text, [*each("It sends."), ("d", "decision", "Queues are tables.")], [("a1", "requires", "d", "Queues")]
    )
    decision = scene.of_kind("decision")[0]
    assert waits(scene.of_kind("story")[0]) == {decision.id: ["Queues"]}
    assert waits(scene.of_kind("epic")[0]) == {} and scene.ready() == {"Work"}


def test_who_answers_joins_the_question(draft: Drafted) -> None:
    text = "# S\n\n## Work\n\n- It sends.\n\n## Open\n\nWhether it costs is not decided. The board answers by May. In writing.\n"
    scene = draft(
        text,
        [
            *each("It sends."),
            ("q", "question", "Whether it costs is not decided."),
            ("c", "constraint", "The board answers by May."),
            ("d", "constraint", "In writing."),
        ],
        [("c", "refines", "q", "The board answers"), ("d", "refines", "c", "In writing")],
    )
    assert lines(scene.of_kind("gate")[0]) == ["The board answers by May.", "In writing."]


def test_a_contradiction_makes_one_gate_that_both_cards_wait_for(draft: Drafted) -> None:
    text = "# S\n\n## Keep\n\n- Links live for ever.\n\n## Drop\n\n- Links die after a day.\n"
    scene = draft(
        text,
        each("Links live for ever.", "Links die after a day."),
        [("a2", "conflicts_with", "a1", "die after a day")],
    )
    (gate,) = scene.of_kind("gate")
    assert gate.title == "Links live for ever ↔ Links die after a day"
    assert gate.gate is not None and gate.gate.waits_for == "answer" and gate.anchors == ()
    assert [waits(card) for card in scene.of_kind("story")] == [{gate.id: ["die after a day"]}] * 2
    assert scene.ready() == set()


def test_the_gate_of_a_contradiction_is_the_same_whichever_way_it_is_drawn(tmp_path: Path) -> None:
    text = "# S\n\n## Keep\n\n- Links live for ever.\n\n## Drop\n\n- Links die after a day.\n"
    found = []
    for number, (one, other) in enumerate((("a1", "a2"), ("a2", "a1"))):
        scene = Scene.new(tmp_path / str(number))
        scene.write(
            "spec",
            text,
            each("Links live for ever.", "Links die after a day."),
            [(one, "conflicts_with", other, "die")],
        )
        scene.compile("spec")
        found.append(scene.of_kind("gate")[0])
    assert found[0] == found[1]


# --- D6: what we need from another team ------------------------------------------------------------------------------

NEED = (
    "# S\n\n## Work\n\nIt sends events. The Data team owns the stream; we need an endpoint from the Data team.\n\n"
    "## More\n\nIt shows them.\n"
)
NEED_ANCHORS: list[AnchorT] = [
    ("a1", "requirement", "It sends events."),
    ("a2", "constraint", "The Data team owns the stream"),
    ("a3", "interface", "we need an endpoint from the Data team."),
    ("a4", "requirement", "It shows them."),
]


def test_a_need_of_another_team_is_one_request_that_its_story_waits_for(draft: Drafted) -> None:
    scene = draft(NEED, NEED_ANCHORS, [("a1", "requires", "a3", "we need")])
    (request,) = scene.of_kind("request")
    assert request.request is not None and request.request.team == "data" and request.team == "growth"
    assert request.title == "an endpoint from the Data team"
    assert lines(request) == ["The Data team owns the stream; we need an endpoint from the Data team."]
    assert waits(scene.titled("Work")) == {request.id: ["we need"]} and waits(scene.titled("More")) == {}


def test_a_sentence_that_begins_with_the_teams_name_is_a_need_without_any_edge(draft: Drafted) -> None:
    scene = draft(NEED, NEED_ANCHORS)
    (request,) = scene.of_kind("request")
    assert len(request.anchors) == 2
    assert stories(scene) == {"Work": ["It sends events."], "More": ["It shows them."]}


def test_what_needs_is_no_need_and_two_teams_in_one_sentence_are_none(draft: Drafted) -> None:
    text = "# S\n\n## Work\n\nIt asks the Data team. It answers.\n\n## Both\n\nThe Data team and 원무팀 meet.\n"
    scene = draft(
        text,
        each("It asks the Data team.", "It answers.", "The Data team and 원무팀 meet."),
        [("a1", "requires", "a2", "asks")],
    )
    assert scene.of_kind("request") == []


def test_a_team_that_writes_its_cards_here_is_asked_nothing(draft: Drafted) -> None:
    scene = draft(
        "# S\n\n## Work\n\nThe Growth team sends events. It ends.\n", each("The Growth team sends events.", "It ends.")
    )
    assert scene.of_kind("request") == []


# --- D7: the epic ----------------------------------------------------------------------------------------------------


def test_opening_purpose_is_the_epics_only_while_nothing_refers_to_it(draft: Drafted) -> None:
    text = "# S\n\n## Purpose\n\nIt makes links short.\n\n## Work\n\n- It sends.\n"
    scene = draft(text, each("It makes links short.", "It sends."))
    assert lines(scene.of_kind("epic")[0]) == ["It makes links short."]
    assert stories(scene) == {"Work": ["It sends."]}


@pytest.mark.parametrize("kind", ["requirement", "interface"])
def test_an_opening_that_is_referred_to_or_is_an_interface_is_work(draft: Drafted, kind: str) -> None:
    text = "# S\n\n## Purpose\n\nIt makes links short.\n\n## Work\n\n- It sends.\n"
    edges: list[EdgeT] = [("a2", "refines", "a1", "sends")] if kind == "requirement" else []
    scene = draft(text, [("a1", kind, "It makes links short."), ("a2", "requirement", "It sends.")], edges)
    assert set(stories(scene)) == {"Purpose", "Work"}


def test_exclusions_are_the_epics_and_no_line(draft: Drafted) -> None:
    text = "# S\n\n## Work\n\n- It sends.\n\n## Not now\n\nQR images are not part of this.\n"
    scene = draft(text, [*each("It sends."), ("x", "exclusion", "QR images are not part of this.")])
    epic = scene.of_kind("epic")[0]
    assert len(epic.anchors) == 1 and lines(epic) == []
    assert scene.snapshot.anchor_stores["spec"].anchors[-1].home == "epic"


# --- D8 to D10: groups, waiting, size --------------------------------------------------------------------------------


def numbered(count: int, start: int = 1) -> list[str]:
    return [f"Thing {number} works." for number in range(start, start + count)]


def test_a_topic_that_is_too_big_splits_at_deeper_headings_then_groups_then_items(draft: Drafted) -> None:
    one, two, three = numbered(3), numbered(3, 4), numbered(4, 7)
    text = (
        "# S\n\n## Work\n\n"
        + "\n".join(f"- {item}" for item in one)
        + "\n\n### Case A\n\n#### Deep\n\nFirst.\n\n"
        + "\n".join(f"- {item}" for item in two)
        + "\n\n#### Deeper\n\n"
        + "\n".join(f"- {item}" for item in three)
        + "\n"
    )
    scene = draft(text, each(*one, *two, *three), extra="limits: {acceptance_per_card: 3}\n")
    sizes = [len(card.acceptance) for card in scene.of_kind("story")]
    assert sizes == [3, 3, 1, 1, 1, 1]
    assert sum(sizes) == 10


def test_one_block_that_no_rule_can_cut_is_said_to_be_too_big(tmp_path: Path) -> None:
    fence = "\n".join(f"command{number} must answer" for number in range(5))
    scene = Scene.new(tmp_path, extra="limits: {acceptance_per_card: 3}\n")
    scene.write("spec", f"# S\n\n## Work\n\n```\n{fence}\n```\n", each(*fence.split("\n")))
    outcome = scene.preview("spec")
    assert len(outcome.too_big) == 1
    assert any(one.rule == "D10" for one in outcome.compiled.suggestions)


@pytest.mark.parametrize(("override", "count"), [("one", 1), ("item", 4), ("background", 0), (None, 4)])
def test_a_persons_word_on_a_section_stands_over_the_rules(draft: Drafted, override: str | None, count: int) -> None:
    items = "\n".join(f"- {item}" for item in numbered(4))
    word = f"specs: {{spec: {{path: specs/spec.md, sections: {{Goals: {{draft: {override}}}}}}}}}\n" if override else ""
    scene = draft(
        f"# S\n\n## Goals\n\n{items}\n\n## Work\n\nIt sends.\n",
        each(*numbered(4), "It sends."),
        extra="limits: {acceptance_per_card: 3}\n" + word,
    )
    assert len([card for card in scene.of_kind("story") if "Thing" in lines(card)[0]]) == count
    discarded = [one for one in scene.snapshot.anchor_stores["spec"].anchors if not isinstance(one.home, str)]
    assert len(discarded) == (4 if override == "background" else 0)


def test_claims_of_one_topic_that_wait_for_different_things_are_different_stories(draft: Drafted) -> None:
    text = "# S\n\n## Work\n\n- It sends.\n- It bills, once prices are known.\n\n## Open\n\nWhich prices hold is not decided.\n"
    scene = draft(
        text,
        [
            *each("It sends.", "It bills, once prices are known."),
            ("q", "question", "Which prices hold is not decided."),
        ],
        [("a2", "blocked_by", "q", "once prices are known")],
    )
    assert stories(scene) == {
        "Work: It sends": ["It sends."],
        "Work: It bills, once prices are known": ["It bills, once prices are known."],
    }
    assert scene.ready() == {"Work: It sends"}


def test_different_teams_are_different_stories(draft: Drafted) -> None:
    extra = "specs: {spec: {path: specs/spec.md, sections: {Korea: {team: reservations}}}}\n"
    text = "# S\n\n## Work\n\n- It sends.\n\n### Korea\n\n- It sends there.\n"
    scene = draft(text, each("It sends.", "It sends there."), extra="draft: {card_depth: 1}\n" + extra)
    assert {card.team: lines(card) for card in scene.of_kind("story")} == {
        "growth": ["It sends."],
        "reservations": ["It sends there."],
    }


# --- D13: edges ------------------------------------------------------------------------------------------------------

THREE = "# S\n\n## One\n\n- It starts.\n\n## Two\n\n- It runs.\n\n## Three\n\n- It ends.\n"


def test_requires_orders_and_refines_across_topics_only_relates(draft: Drafted) -> None:
    scene = draft(
        THREE,
        each("It starts.", "It runs.", "It ends."),
        [("a2", "requires", "a1", "runs"), ("a3", "refines", "a2", "ends"), ("a3", "supersedes", "a1", "ends")],
    )
    one, two, three = scene.of_kind("story")
    assert waits(two) == {one.id: ["runs"]} and waits(three) == {}
    assert set(three.related) == {two.id, one.id}


def test_several_reasons_for_one_pair_are_a_list(draft: Drafted) -> None:
    text = "# S\n\n## One\n\n- It starts.\n- It warms.\n\n## Two\n\n- It runs.\n"
    scene = draft(
        text,
        each("It starts.", "It warms.", "It runs."),
        [("a3", "requires", "a1", "runs"), ("a3", "blocked_by", "a2", "It runs")],
    )
    one, two = scene.of_kind("story")
    assert waits(two) == {one.id: ["runs", "It runs"]}


def test_a_cycle_loses_its_refines_edges_first(draft: Drafted) -> None:
    text = "# S\n\n## Work\n\n- It runs.\n- It bills, once prices are known.\n\n## Open\n\nWhich prices hold is not decided.\n"
    scene = draft(
        text,
        [*each("It runs.", "It bills, once prices are known."), ("q", "question", "Which prices hold is not decided.")],
        [
            ("a2", "blocked_by", "q", "once prices are known"),
            ("a2", "refines", "a1", "It bills"),
            ("a1", "requires", "a2", "It runs"),
        ],
    )
    runs, bills = scene.of_kind("story")
    gate = scene.of_kind("gate")[0]
    assert waits(runs) == {bills.id: ["It runs"]}
    assert waits(bills) == {gate.id: ["once prices are known"]} and bills.related == (runs.id,)


def test_a_cycle_of_requires_stays_and_is_a_finding(tmp_path: Path) -> None:
    scene = Scene.new(tmp_path)
    drawn = [("a1", "requires", "a2", "starts"), ("a2", "requires", "a1", "runs")]
    scene.write("spec", THREE, each("It starts.", "It runs.", "It ends."), drawn)
    assert scene.compile("spec").exit_code == 0
    assert [error[:4] for error in scene.audit_errors()] == ["C220"]


# --- D14, and both directions of an empty spec -----------------------------------------------------------------------


def test_the_team_of_a_spec_is_that_of_its_cards(draft: Drafted) -> None:
    scene = draft(
        THREE,
        each("It starts.", "It runs.", "It ends."),
        extra="specs: {spec: {path: specs/spec.md, team: reservations}}\n",
    )
    assert {card.team for card in scene.snapshot.cards} == {"reservations"}


def test_a_spec_without_claims_waits_for_a_person_and_writes_nothing(tmp_path: Path) -> None:
    scene = Scene.new(tmp_path)
    scene.write("spec", "# S\n\nNothing here.\n", [])
    outcome = scene.compile("spec")
    assert outcome.exit_code == 3 and outcome.transaction is None
    assert not (tmp_path / "cards").exists()
