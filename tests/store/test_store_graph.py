"""The graph core against networkx as the oracle, and the one predicate of readiness."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.card import Card
from schemas.kinds import CardKind, CardState
from store.digraph import components, redundant_edges, shortest_cycle
from store.graph import Blocker, Graph, Wait

REASON = {"rule": "D13", "text": "made for this test"}
PARTS: dict[str, dict[str, object]] = {
    "gate": {"gate": {"waits_for": "answer"}},
    "request": {"request": {"team": "data"}},
    "migration": {"migrates": {"card": "STY-0", "lines": ["A1"]}},
}


def card(name: str, *waits: str, kind: CardKind = "story", state: CardState = "planned", **more: object) -> Card:
    data = {"id": name, "kind": kind, "title": name, "state": state, "team": "growth"}
    depends = [{"card": other, "because": [REASON]} for other in waits]
    return Card.model_validate({**data, "depends_on": depends, **PARTS.get(kind, {}), **more})


@st.composite
def digraphs(draw: st.DrawFn) -> list[list[int]]:
    count = draw(st.integers(1, 12))
    edges = draw(st.sets(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=30))
    return [sorted(target for source, target in edges if source == node) for node in range(count)]


def oracle(out: Sequence[Sequence[int]]) -> nx.DiGraph:
    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(range(len(out)))
    graph.add_edges_from((source, target) for source, targets in enumerate(out) for target in targets)
    return graph


@given(digraphs())
def test_components_are_those_of_networkx_and_come_targets_first(out: list[list[int]]) -> None:
    found = components(out)
    assert sorted(found) == sorted(tuple(sorted(c)) for c in nx.strongly_connected_components(oracle(out)))
    place = {node: number for number, members in enumerate(found) for node in members}
    assert all(place[target] <= place[source] for source, targets in enumerate(out) for target in targets)


@given(digraphs())
def test_the_witness_is_a_cycle_and_no_cycle_of_its_component_is_shorter(out: list[list[int]]) -> None:
    graph = oracle(out)
    for members in components(out):
        inside = graph.subgraph(members)
        if not inside.edges:
            continue
        cycle = shortest_cycle(members, out)
        assert all(graph.has_edge(a, b) for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True))
        assert len(cycle) == min(len(found) for found in nx.simple_cycles(inside))
        assert cycle[0] == min(cycle)


@given(digraphs())
def test_redundant_edges_are_those_that_a_transitive_reduction_drops(out: list[list[int]]) -> None:
    acyclic = [[target for target in targets if target < source] for source, targets in enumerate(out)]
    graph = oracle(acyclic)
    expected = set(graph.edges) - set(nx.transitive_reduction(graph).edges)
    assert set(redundant_edges(components(acyclic), acyclic)) == expected


@given(digraphs())
def test_no_redundant_edge_is_the_only_path(out: list[list[int]]) -> None:
    graph = oracle(out)
    for source, target in redundant_edges(components(out), out):
        graph.remove_edge(source, target)
        assert nx.has_path(graph, source, target)
        graph.add_edge(source, target)


def test_a_ring_of_twenty_thousand_cards_is_one_cycle_and_no_recursion() -> None:
    out = [[(node + 1) % 20_000] for node in range(20_000)]
    (members,) = components(out)
    assert shortest_cycle(members, out) == tuple(range(20_000))


def test_the_order_of_the_cards_changes_nothing() -> None:
    cards = [card("STY-1", "STY-2"), card("STY-2", "STY-1", "STY-3"), card("STY-3")]
    forwards, backwards = Graph.of(cards), Graph.of(reversed(cards))
    assert forwards.cycles == backwards.cycles == (("STY-1", "STY-2"),)
    assert forwards.dependents("STY-3") == ("STY-2",)


def test_a_card_that_depends_on_itself_is_a_cycle_of_one() -> None:
    assert Graph.of([card("STY-1", "STY-1")]).cycles == (("STY-1",),)


def test_edges_of_a_deleted_card_are_no_edges() -> None:
    graph = Graph.of([card("STY-1", "STY-2"), card("STY-2", "STY-1", state="deleted")])
    assert graph.cycles == ()
    assert graph.dependencies("STY-2") == ()


def test_unknown_ids_are_missing_and_hold_the_card_up() -> None:
    graph = Graph.of([card("STY-1", "STY-9", "STY-9")])
    assert graph.missing("STY-1") == ("STY-9",)
    assert not graph.is_ready("STY-1")
    assert graph.unsatisfied("STY-1") == ("STY-9",)
    assert not graph.satisfied("STY-9")


OPENED = {"by": "a person", "at": "2026-11-30T09:00:00Z", "because": "seen in production"}


@pytest.mark.parametrize(
    ("other", "satisfied"),
    [
        (card("X", state="done"), True),
        (card("X", state="in_review"), False),
        (card("X", state="deleted"), False),
        (card("X", kind="migration", state="done"), True),
        (card("X", kind="request", state="published"), False),
        (card("X", kind="request", state="done"), True),
        (card("X", kind="external", state="in_progress"), False),
        (card("X", kind="external", state="done"), True),
        (card("X", kind="gate"), False),
        (card("X", kind="gate", state="done", gate={"waits_for": "answer", "answer": "DEC-1"}), True),
        (card("X", kind="gate", gate={"waits_for": "observation", "opened": OPENED}), True),
        (card("X", kind="gate", state="deleted", gate={"waits_for": "observation", "opened": OPENED}), False),
        (card("X", kind="decision", state="drafted"), True),
        (card("X", kind="decision", state="done"), True),
        (card("X", kind="decision", state="deleted"), False),
        (card("X", kind="decision", decision={"superseded_by": "DEC-2"}), False),
    ],
)
def test_what_satisfies_a_dependency(other: Card, satisfied: bool) -> None:
    graph = Graph.of([card("STY-1", "X"), other])
    assert graph.satisfied("X") is satisfied
    assert graph.is_ready("STY-1") is satisfied
    assert graph.unsatisfied("STY-1") == (() if satisfied else ("X",))


def test_a_decision_is_superseded_when_either_side_says_so_and_the_new_one_stands() -> None:
    old = card("DEC-1", kind="decision", state="done")
    new = card("DEC-2", kind="decision", decision={"supersedes": ["DEC-1"]})
    assert Graph.of([old, new]).is_superseded("DEC-1")
    assert not Graph.of([old, new.model_copy(update={"state": "deleted"})]).is_superseded("DEC-1")


@pytest.mark.parametrize("kind", ["epic", "gate", "decision", "request", "external"])
def test_only_stories_and_migrations_are_ever_ready(kind: CardKind) -> None:
    assert not Graph.of([card("X", kind=kind)]).is_ready("X")


def test_a_finished_card_is_not_ready_and_a_ready_one_may_be_in_any_live_state() -> None:
    states: tuple[CardState, ...] = ("drafted", "planned", "published", "in_progress", "in_review", "done", "deleted")
    graph = Graph.of([card(f"STY-{state}", state=state) for state in states])
    assert graph.ready() == ("STY-drafted", "STY-in_progress", "STY-in_review", "STY-planned", "STY-published")


def test_the_chain_shows_each_cards_waits_once_and_ends_in_a_cycle() -> None:
    graph = Graph.of(
        [card("A", "B", "C"), card("B", "D"), card("C", "D", "DONE"), card("D", "B"), card("DONE", state="done")]
    )
    assert graph.waits_for("A") == (
        Wait("B", "A", 1, again=False),
        Wait("D", "B", 2, again=False),
        Wait("B", "D", 3, again=True),
        Wait("C", "A", 1, again=False),
        Wait("D", "C", 2, again=True),
    )


def test_never_ready_names_what_stands_in_the_way() -> None:
    graph = Graph.of(
        [
            card("STY-CYC1", "STY-CYC2"),
            card("STY-CYC2", "STY-CYC1"),
            card("STY-BEHIND", "STY-CYC1"),
            card("STY-CUT", "STY-GONE"),
            card("STY-GONE", state="deleted"),
            card("STY-OLD", "DEC-OLD"),
            card("DEC-OLD", kind="decision", decision={"superseded_by": "DEC-NEW"}),
            card("STY-LOST", "STY-NOWHERE"),
            card("STY-WAITS", "GAT-1", "STY-FREE"),
            card("GAT-1", "STY-WAITS", kind="gate"),
            card("STY-FREE"),
        ]
    )
    assert graph.never_ready == {
        "STY-BEHIND": (Blocker("STY-CYC1", "never-ready"),),
        "STY-CUT": (Blocker("STY-GONE", "deleted"),),
        "STY-CYC1": (Blocker("STY-CYC2", "cycle"),),
        "STY-CYC2": (Blocker("STY-CYC1", "cycle"),),
        "STY-LOST": (Blocker("STY-NOWHERE", "missing"),),
        "STY-OLD": (Blocker("DEC-OLD", "superseded"),),
    }


def test_a_done_card_breaks_the_wait_of_a_cycle() -> None:
    graph = Graph.of([card("A", "B"), card("B", "A", state="done")])
    assert graph.is_ready("A")
    assert graph.never_ready == {}
    assert graph.cycles == (("A", "B"),)


@st.composite
def projects(draw: st.DrawFn) -> list[Card]:
    count = draw(st.integers(1, 8))
    states = st.sampled_from(["drafted", "published", "done", "deleted"])
    kinds = st.sampled_from(["story", "gate", "request", "decision", "external", "migration"])
    names = [f"X{number}" for number in range(count)]
    return [
        card(name, *draw(st.sets(st.sampled_from([*names, "NONE"]), max_size=3)), kind=draw(kinds), state=draw(states))
        for name in names
    ]


@given(projects())
def test_never_ready_is_what_no_order_of_work_reaches(cards: list[Card]) -> None:
    """The oracle works: it finishes whatever can be finished until nothing moves any more."""
    now = {entry.id: entry for entry in cards}
    reached = set()
    moved = True
    while moved:
        moved = False
        for name, entry in now.items():
            graph = Graph.of(now.values())
            if graph.is_ready(name):
                reached.add(name)
            free = entry.kind in ("gate", "request", "external") or graph.is_ready(name)
            if free and entry.state not in ("done", "deleted"):
                now[name] = entry.model_copy(update={"state": "done"})
                moved = True
                break
    live_work = {c.id for c in cards if c.kind in ("story", "migration") and c.state not in ("done", "deleted")}
    assert set(Graph.of(cards).never_ready) == live_work - reached


def test_networkx_gets_the_same_graph() -> None:
    exported = Graph.of([card("A", "B"), card("B")]).to_networkx()
    assert list(exported.edges) == [("A", "B")]
    assert exported.nodes["A"] == {"kind": "story", "state": "planned", "title": "A"}
