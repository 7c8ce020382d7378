"""The rules about the graph, edges, mirrors and the ledger, on what their fixtures do not show."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from gate_cases import CASES, TODAY, reported
from hypothesis import given
from hypothesis import strategies as st
from scenes import Scene

from gates.run import run
from schemas.card import Card, PersonReason
from schemas.ids import digest
from schemas.kinds import CardKind, CardState
from schemas.ledger import ExemptionBody
from schemas.promise import promise
from store import ledger
from store.digraph import components, reach_counts
from store.graph import Blocker, Graph
from store.instance import open_instance
from store.snapshot import load
from store.transaction import Transaction

REASON = {"rule": "D13", "text": "made for this test"}


def card(name: str, *waits: str, kind: CardKind = "story", state: CardState = "planned", **more: object) -> Card:
    data = {"id": name, "kind": kind, "title": name, "state": state, "team": "growth"}
    parts = {"gate": {"gate": {"waits_for": "observation"}}}.get(kind, {})
    return Card.model_validate(
        {**data, "depends_on": [{"card": other, "because": [REASON]} for other in waits], **parts, **more}
    )


# --- the graph ----------------------------------------------------------------------------------------------------


@st.composite
def digraphs(draw: st.DrawFn) -> list[list[int]]:
    count = draw(st.integers(1, 10))
    edges = draw(st.sets(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=25))
    return [sorted(target for source, target in edges if source == node) for node in range(count)]


@given(digraphs(), st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_what_leads_to_a_node_is_counted_as_networkx_counts_its_ancestors(
    out: Sequence[Sequence[int]], asked: set[int], counted: set[int]
) -> None:
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(out)))
    graph.add_edges_from((source, target) for source, targets in enumerate(out) for target in targets)
    asked = {node for node in asked if node < len(out)}
    found = reach_counts(components(out), out, asked, counted)
    assert found == {node: len((nx.ancestors(graph, node) - {node}) & counted) for node in asked}


def test_work_behind_a_gate_is_what_still_waits_over_any_number_of_cards() -> None:
    graph = Graph.of(
        [
            card("GAT-1", kind="gate"),
            card("STY-1", "GAT-1"),
            card("STY-2", "STY-1"),
            card("EPC-1", "STY-2", kind="epic"),
            card("STY-3", "EPC-1"),
            card("STY-4", "STY-5"),
            card("STY-5", "GAT-1", state="done"),
            card("STY-6", "GAT-1", state="deleted"),
        ]
    )
    assert graph.work_behind(["GAT-1", "STY-2"]) == {"GAT-1": 3, "STY-2": 1}


def test_a_path_over_a_finished_card_makes_no_edge_redundant() -> None:
    chain = [card("A", "B", "C"), card("B", "C"), card("C")]
    assert Graph.of(chain).redundant == (("A", "C"),)
    chain[1] = card("B", "C", state="done")
    assert Graph.of(chain).redundant == ()


def test_what_is_never_satisfied_names_the_end_of_its_chain() -> None:
    graph = Graph.of(
        [
            card("A", "B"),
            card("B", "GAT-1", "LOST"),
            card("GAT-1", "A", kind="gate"),
            card("C", "EPC-1"),
            card("EPC-1", "DEC-1", kind="epic"),
            card("DEC-1", kind="decision", decision={"superseded_by": "DEC-2"}),
            card("D", "E"),
            card("E", "D"),
        ]
    )
    assert graph.never_because == {
        "A": ("B", Blocker("LOST", "missing")),
        "B": ("B", Blocker("LOST", "missing")),
        "C": ("EPC-1", Blocker("DEC-1", "superseded")),
        "EPC-1": ("EPC-1", Blocker("DEC-1", "superseded")),
        "D": ("D", Blocker("E", "cycle")),
        "E": ("E", Blocker("D", "cycle")),
    }


# --- promises -----------------------------------------------------------------------------------------------------

LINES = st.lists(
    st.fixed_dictionaries({"text": st.text(min_size=1), "anchors": st.just(["ANC-AAAAAAA1"]) | st.just([])}), max_size=3
)


@given(LINES, st.none() | st.text(min_size=1))
def test_a_promise_is_the_digest_of_what_the_card_says_to_the_last_byte(
    lines: list[dict[str, object]], due: str | None
) -> None:
    acceptance = [{"id": f"A{number}", **line} for number, line in enumerate(lines, 1)]
    contract = [{"version": 1, "text": "takes \x07 and 👩‍💻", "by": "Kim", "at": "2026-11-30T09:00:00Z"}]
    made = card("EXT-1", kind="external", acceptance=acceptance, consumer_contract=contract, due=due)
    data = made.to_data()
    assert promise(made) == digest({key: data[key] for key in ("kind", "acceptance", "consumer_contract", "due")})


def test_a_decision_promises_the_words_of_its_claim_and_a_persons_its_title() -> None:
    decision = card("DEC-1", kind="decision", anchors=["ANC-AAAAAAA1"])
    assert promise(decision, "Codes are random.") == digest({"kind": "decision", "text": "Codes are random."})
    assert promise(decision) == digest({"kind": "decision", "text": "DEC-1"})


# --- edges --------------------------------------------------------------------------------------------------------


def instance(into: Path, like: str, **cards: str) -> Path:
    """A good fixture with other cards: YAML by id, without the keys that every card has."""
    folder = into / "instance"
    shutil.copytree(CASES / like / "good", folder)
    for path in (folder / "cards").glob("*.yaml"):
        path.unlink()
    for name, text in cards.items():
        known = "schema: isopod.card/1\nid: {id}\nteam: growth\ntitle: Links\n"
        identity = name.replace("_", "-")
        (folder / "cards" / f"{identity}.yaml").write_text(known.format(id=identity) + text, encoding="utf-8")
    return folder


def told(folder: Path, *rules: str, **options: Any) -> list[tuple[str, str]]:
    return [(found["code"], found["subject"]) for found in reported(folder, "audit", select=rules or None, **options)]


OLD = "kind: decision\ndecision: {superseded_by: DEC-AAAAAAA2}\n"
NEW = "kind: decision\ndecision: {supersedes: [DEC-AAAAAAA1], affects: all}\n"
SAID = '{person: Kim, text: "they asked", at: 2026-11-30T09:00:00Z}'


def waiting(on: str, because: str, more: str = "") -> str:
    return f"kind: story\ndepends_on:\n  - {{card: {on}, because: [{because}]}}\n{more}"


def test_no_reason_outlives_the_decision_that_it_leads_to(tmp_path: Path) -> None:
    cards = {"DEC_AAAAAAA1": OLD, "DEC_AAAAAAA2": NEW, "STY_AAAAAAA1": waiting("DEC-AAAAAAA1", SAID)}
    assert told(instance(tmp_path, "never-executable", **cards)) == [("C250", "STY-AAAAAAA1"), ("C222", "STY-AAAAAAA1")]


@pytest.mark.parametrize(("rule", "stale"), [("D13", True), ("D15", False), ("D9", False)])
def test_the_drafters_edge_to_a_decision_holds_while_the_spec_states_it(tmp_path: Path, rule: str, stale: bool) -> None:
    cards = {
        "DEC_AAAAAAA1": "kind: decision\nanchors: [ANC-AAAAAAA4]\n",
        "EPC_AAAAAAA1": waiting("DEC-AAAAAAA1", f"{{rule: {rule}, text: leans}}").replace("story", "epic"),
    }
    folder = instance(tmp_path, "stale-edge", **cards)
    assert told(folder, "C250") == []
    store = folder / "cards" / "anchors" / "links.yaml"
    text = store.read_text(encoding="utf-8")
    place = text.index("ANC-AAAAAAA4")
    store.write_text(text[:place] + text[place:].replace("live", "lost", 1), encoding="utf-8")
    assert told(folder, "C250") == ([("C250", "EPC-AAAAAAA1")] if stale else [])


def test_an_edge_beside_a_published_card_holds_while_its_own_claim_lives(tmp_path: Path) -> None:
    reason = "{rule: D15, text: a new claim}"
    cards = {
        "STY_AAAAAAA1": "kind: story\nanchors: [ANC-AAAAAAA1]\n",
        "STY_AAAAAAA2": waiting("STY-AAAAAAA1", reason, "anchors: [ANC-AAAAAAA2]\n"),
    }
    folder = instance(tmp_path, "stale-edge", **cards)
    assert told(folder, "C250") == []
    store = folder / "cards" / "anchors" / "links.yaml"
    text = store.read_text(encoding="utf-8")
    place = text.index("ANC-AAAAAAA2")
    store.write_text(text[:place] + text[place:].replace("live", "edited", 1), encoding="utf-8")
    assert told(folder, "C250") == [("C250", "STY-AAAAAAA2")]


def test_a_claim_that_no_file_holds_is_told_once(tmp_path: Path) -> None:
    reason = "{edge: requires, from: ANC-00000000, to: ANC-AAAAAAA1, cue: then}"
    cards = {"STY_AAAAAAA1": "kind: story\n", "STY_AAAAAAA2": waiting("STY-AAAAAAA1", reason)}
    assert told(instance(tmp_path, "never-executable", **cards), "C211", "C250") == [
        ("C211", "STY-AAAAAAA2"),
        ("C211", "STY-AAAAAAA2"),
    ]


def test_a_contradiction_ties_its_claims_in_either_order(tmp_path: Path) -> None:
    folder = tmp_path / "instance"
    shutil.copytree(CASES / "conflict-without-gate" / "good", folder)
    path = folder / "cards" / "STY-AAAAAAA2.yaml"
    text = path.read_text(encoding="utf-8")
    turned = text.replace("from: ANC-AAAAAAA1, to: ANC-AAAAAAA2", "from: ANC-AAAAAAA2, to: ANC-AAAAAAA1")
    assert turned != text
    path.write_text(turned, encoding="utf-8")
    assert told(folder) == []


def test_a_ring_names_the_cards_that_the_shortest_cycle_leaves_out(tmp_path: Path) -> None:
    reason = "{rule: D9, text: waits}"
    cards = {
        "STY_AAAAAAA1": waiting("STY-AAAAAAA2", reason),
        "STY_AAAAAAA2": waiting("STY-AAAAAAA1", reason, f"  - {{card: STY-AAAAAAA3, because: [{reason}]}}\n"),
        "STY_AAAAAAA3": waiting("STY-AAAAAAA1", reason),
    }
    assert told(instance(tmp_path, "never-executable", **cards)) == [("C220", "STY-AAAAAAA1"), ("C225", "STY-AAAAAAA3")]


def test_an_edge_to_what_is_over_or_unknown_is_no_inversion(tmp_path: Path) -> None:
    due = "due: 2027-02-30\n"
    cards = {
        "STY_AAAAAAA1": waiting("STY-AAAAAAA2", SAID, "due: 2026-12-01\n"),
        "STY_AAAAAAA2": f"kind: story\n{due}",
    }
    assert told(instance(tmp_path, "never-executable", **cards)) == [("C260", "STY-AAAAAAA2")]


# --- the ledger ---------------------------------------------------------------------------------------------------

INTENT = "kind: story\nstate: published\nstart: true\ndepends_on:\n  - {card: STY-AAAAAAA2, because: [{rule: D9, text: x}]}\n"


def excepted(folder: Path, rule: str, at: str, until: str | None = None) -> None:
    opened = open_instance(folder)
    tx = Transaction(opened.root, opened.state_dir, command="test")
    body = ExemptionBody(rule=rule, surface="audit", reason_kind="deadline", because="shipped first", until=until)
    ledger.exempt(tx, opened, subject="STY-AAAAAAA1", body=body, by="Kim", at=at)
    tx.commit()


def test_an_exception_is_open_while_its_rule_finds_something_there(tmp_path: Path) -> None:
    folder = instance(tmp_path, "never-executable", STY_AAAAAAA1=INTENT, STY_AAAAAAA2="kind: story\n")
    excepted(folder, "intent-not-executable", "2026-11-29T09:00:00Z", "2026-12-01")
    assert told(folder, "C263") == [("C263", "STY-AAAAAAA1")]
    path = folder / "cards" / "STY-AAAAAAA2.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "state: done\n", encoding="utf-8")
    assert told(folder, "C263") == []


def test_an_exception_that_was_made_anew_counts_once_and_with_its_new_date(tmp_path: Path) -> None:
    folder = instance(tmp_path, "never-executable", STY_AAAAAAA1=INTENT, STY_AAAAAAA2="kind: story\n")
    excepted(folder, "C229", "2026-11-01T09:00:00Z", "2026-11-15")
    excepted(folder, "C229", "2026-11-16T09:00:00Z", "2026-12-15")
    snapshot = load(open_instance(folder), cache=False)
    (now,) = run("audit", snapshot, select=["C263"], today=TODAY).findings
    assert "not regular yet" in now.message
    (later,) = run("audit", snapshot, select=["C263"], today=date(2026, 12, 16)).findings
    assert "ran out on 2026-12-15" in later.message


@pytest.mark.parametrize("rule", ["evidence", "C263", "C241", "ungrounded-quote"])
def test_an_exception_from_what_no_file_can_tell_stays_open(tmp_path: Path, rule: str) -> None:
    folder = instance(tmp_path, "never-executable", STY_AAAAAAA1="kind: story\n")
    excepted(folder, rule, "2026-11-29T09:00:00Z")
    assert told(folder, "C263") == [("C263", "STY-AAAAAAA1")]


def test_an_exception_that_says_nothing_is_no_entry(tmp_path: Path) -> None:
    folder = instance(tmp_path, "never-executable", STY_AAAAAAA1="kind: story\n")
    opened = open_instance(folder)
    tx = Transaction(opened.root, opened.state_dir, command="test")
    ledger.append(tx, opened, kind="exemption", subject="STY-AAAAAAA1", body={}, by="Kim", at="2026-11-29T09:00:00Z")
    tx.commit()
    assert {code for code, _ in told(folder)} == {"C246"}


# --- mirrors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("age", "read_at", "stale"),
    [
        ("1d", "2026-11-29T00:00:00Z", False),
        ("1d", "2026-11-28T23:59:59Z", True),
        ("999999w", "2001-01-01T00:00:00Z", False),
        ("1d", "2026-13-99T00:00:00Z", False),
    ],
)
def test_the_age_of_a_mirror_is_measured_from_the_audit(tmp_path: Path, age: str, read_at: str, stale: bool) -> None:
    text = f"kind: external\ntracker: {{provider: jira, site: s, id: '1', key: DATA-1, read_at: {read_at}}}\n"
    folder = instance(tmp_path, "never-executable", EXT_AAAAAAA1=text)
    path = folder / "cards" / "EXT-AAAAAAA1.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("team: growth", "team: data"), encoding="utf-8")
    with (folder / "config.yaml").open("a", encoding="utf-8") as config:
        config.write(f"limits: {{mirror_age: {age}}}\n")
    assert told(folder) == ([("C270", "EXT-AAAAAAA1")] if stale else [])


# --- the demo -----------------------------------------------------------------------------------------------------


def test_the_demo_has_no_finding_when_drafted_and_says_what_waits_when_published(tmp_path: Path) -> None:
    scene = Scene.demo(tmp_path)
    for name in ("link-shortener", "reminder-ko"):
        scene.compile(name)
    mine = [rule for rule in CODES if rule in {found.code for found in scene.audit()}]
    assert mine == []
    for one in scene.snapshot.cards:
        scene.put_state(one.id, "published")
    found = [found for found in scene.audit() if found.code in CODES]
    assert {one.code for one in found} == {"C224", "C229"}
    assert {one.subject for one in found} == {
        one.id for one in scene.snapshot.cards if one.start and not scene.snapshot.graph.is_ready(one.id)
    }


CODES = (
    "C221", "C223", "C224", "C225", "C226", "C227", "C228", "C229", "C250", "C251", "C261", "C262", "C263", "C270",
    "C271", "C272", "C273",
)  # fmt: skip


BEFORE = "# Links\n\n## Opening\n\n- A link opens its page.\n\n## Counting\n\n- Each opening is counted. This needs the opening.\n"
CLAIMS = [("a1", "requirement", "A link opens its page."), ("a2", "requirement", "Each opening is counted.")]


def test_a_published_card_is_told_when_the_words_of_its_edge_leave_the_spec(tmp_path: Path) -> None:
    scene = Scene.new(tmp_path)
    scene.write("links", BEFORE, CLAIMS, [("a2", "requires", "a1", "This needs the opening.")])
    scene.compile("links")
    counting = scene.titled("Counting")
    for one in scene.snapshot.cards:
        scene.put_state(one.id, "published")
    assert [found.code for found in scene.audit() if found.code.startswith("C25")] == []
    scene.write("links", BEFORE.replace(" This needs the opening.", ""), CLAIMS)
    scene.compile("links")
    (stale,) = [found for found in scene.audit() if found.severity == "error"]
    assert (stale.code, stale.subject) == ("C250", counting.id)
    assert "This needs the opening" in stale.message
    (entry,) = scene.cards[counting.id].depends_on
    said = PersonReason(person="Kim", text="we still build it first", at="2026-11-30T09:00:00Z")
    scene.edit(counting.id, {"depends_on": (entry.model_copy(update={"because": (*entry.because, said)}),)})
    assert scene.audit_errors() == []
