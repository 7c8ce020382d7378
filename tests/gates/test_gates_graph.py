"""The rules about the graph, edges, mirrors and the ledger, on what their fixtures do not show."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from schemas.card import Card
from schemas.ids import digest
from schemas.kinds import CardKind, CardState
from schemas.promise import promise
from store.digraph import components, reach_counts
from store.graph import Blocker, Graph

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
    graph: nx.DiGraph = nx.DiGraph()
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
