"""The join: two readings meet on spans, with no threshold; what differs is disputed, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import AnchorT, EdgeT, reading_of

import pipeline.join
import pipeline.pairing
from pipeline.bench import Bench
from pipeline.join import Joined, TwoJoins, join
from pipeline.joinrecord import to_record
from pipeline.pairing import pair
from schemas.kinds import ANCHOR_KINDS, EDGE_KINDS
from schemas.reading import Coverage, GroundedAnchor
from schemas.run import RunAnchor
from text import intervals
from text.coordinates import of_text
from text.cores import core
from text.grounding import GroundedEdge, Reading, ground
from text.intervals import crossing

WORDS = [f"{letter}{number}" for number in range(3) for letter in "abcdefghij"]
TEXT = " ".join(WORDS) + ".\n"
BENCH = Bench.of(of_text(TEXT, "spec.md"))
STARTS = [TEXT.index(word) for word in WORDS]


def span(first: int, last: int) -> tuple[int, int]:
    """From word `first` to word `last`, both in."""
    return STARTS[first], STARTS[last] + len(WORDS[last])


def joined(a: Reading, b: Reading) -> TwoJoins:
    return join(BENCH.spec, BENCH.structure, a, b)


def reading(anchors: Sequence[tuple[str, str, tuple[int, int]]], edges: Sequence[tuple[str, str, str]] = ()) -> Reading:
    """A reading by words: ref, kind, first and last word; edges have the whole text's first word as their cue."""
    grounded = [
        GroundedAnchor(
            ref=ref,
            kind=kind,
            span=span(*words),
            core=core(TEXT, span(*words)),
            step="exact",
            lines=(1, 1),
        )
        for ref, kind, words in anchors
    ]
    grounded.sort(key=lambda one: (one.span[0], -one.span[1], one.ref))
    return Reading(tuple(grounded), tuple(GroundedEdge(kind, from_, to, span(0, 0)) for from_, kind, to in edges), ())


@st.composite
def readings(draw: st.DrawFn, prefix: str = "a", most: int = 8) -> Reading:
    """Any reading that grounding lets through: nothing crosses, nothing of a class coincides."""
    chosen: list[tuple[str, str, tuple[int, int]]] = []
    spans: list[tuple[int, int]] = []
    taken = set()
    for number in range(draw(st.integers(0, most))):
        first = draw(st.integers(0, len(WORDS) - 1))
        last = draw(st.integers(first, min(len(WORDS) - 1, first + 6)))
        kind = draw(st.sampled_from(ANCHOR_KINDS))
        group = "obligation" if kind in ("requirement", "constraint", "interface") else kind
        if (group, span(first, last)) in taken or crossing([*spans, span(first, last)]):
            continue
        taken.add((group, span(first, last)))
        spans.append(span(first, last))
        chosen.append((f"{prefix}{number}", kind, (first, last)))
    refs = [ref for ref, _, _ in chosen]
    edges = []
    if len(refs) > 1:
        for _ in range(draw(st.integers(0, 4))):
            from_, to = draw(st.permutations(refs))[:2]
            edges.append((from_, draw(st.sampled_from(EDGE_KINDS)), to))
    return reading(chosen, edges)


def ends(side: Reading) -> dict[str, tuple[object, ...]]:
    return {one.ref: (one.kind, one.span) for one in side.anchors}


# --- properties ------------------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(readings())
def test_a_reading_agrees_with_itself(a: Reading) -> None:
    for one in (joined(a, a).standard, joined(a, a).strict):
        assert (one.anchors, one.edges, one.disputes) == (0, 0, ())
        assert len(one.pairs) == len(a.anchors)
        assert all(pair.a.ref == pair.b.ref and pair.labels is None for pair in one.pairs)
        assert one.verdict == ("agree" if a.anchors else "no-claims")


def swapped(one: Joined) -> dict[str, object]:
    return {
        "pairs": sorted((pair.b.ref, pair.a.ref, pair.kind, pair.span) for pair in one.pairs),
        "disputes": [(each.type, each.b, each.a, each.span) for each in one.disputes],
        "anchors": one.anchors,
        "edges": one.edges,
        "parts": (
            sorted(anchor.ref for anchor, _ in one.parts_b),
            sorted(anchor.ref for anchor, _ in one.parts_a),
        ),
    }


def kept(one: Joined) -> dict[str, object]:
    return {
        "pairs": sorted((pair.a.ref, pair.b.ref, pair.kind, pair.span) for pair in one.pairs),
        "disputes": [(each.type, each.a, each.b, each.span) for each in one.disputes],
        "anchors": one.anchors,
        "edges": one.edges,
        "parts": (
            sorted(anchor.ref for anchor, _ in one.parts_a),
            sorted(anchor.ref for anchor, _ in one.parts_b),
        ),
    }


@settings(max_examples=200, deadline=None)
@given(readings("a"), readings("b"))
def test_b_joined_with_a_mirrors_a_joined_with_b(a: Reading, b: Reading) -> None:
    there, back = joined(a, b), joined(b, a)
    for one, other in ((there.standard, back.standard), (there.strict, back.strict)):
        mirrored, straight = swapped(other), kept(one)
        assert sorted(map(repr, mirrored.pop("disputes"))) == sorted(map(repr, straight.pop("disputes")))
        assert mirrored == straight
        assert {each.id for each in one.disputes} == {each.id for each in other.disputes}


def renamed(side: Reading, names: dict[str, str]) -> Reading:
    return Reading(
        tuple(
            sorted(
                (one.model_copy(update={"ref": names[one.ref]}) for one in side.anchors),
                key=lambda one: (one.span[0], -one.span[1], one.ref),
            )
        ),
        tuple(reversed([replace(edge, from_=names[edge.from_], to=names[edge.to]) for edge in side.edges])),
        (),
    )


@settings(max_examples=150, deadline=None)
@given(readings("a"), readings("b"), st.randoms(use_true_random=False))
def test_other_names_and_another_order_change_nothing_but_names(a: Reading, b: Reading, chance: random.Random) -> None:
    refs = [one.ref for one in a.anchors]
    news = [f"z{number}" for number in range(len(refs))]
    chance.shuffle(news)
    names = dict(zip(refs, news, strict=True))
    before, after = joined(a, b), joined(renamed(a, names), b)
    for one, other in ((before.standard, after.standard), (before.strict, after.strict)):
        assert (one.anchors, one.edges) == (other.anchors, other.edges)
        assert {each.id for each in one.disputes} == {each.id for each in other.disputes}
        assert sorted((names[each.a.ref], each.b.ref, each.kind, each.span) for each in one.pairs) == sorted(
            (each.a.ref, each.b.ref, each.kind, each.span) for each in other.pairs
        )
        assert {(edge.kind, one.pairs[edge.from_].span, one.pairs[edge.to].span) for edge in one.agreed_edges} == {
            (edge.kind, other.pairs[edge.from_].span, other.pairs[edge.to].span) for edge in other.agreed_edges
        }


@settings(max_examples=150, deadline=None)
@given(readings("a"), readings("b"), st.sampled_from(ANCHOR_KINDS))
def test_one_more_claim_that_overlaps_nothing_is_exactly_one_difference(a: Reading, b: Reading, kind: str) -> None:
    lone = reading([("lone", kind, (len(WORDS) - 1, len(WORDS) - 1))]).anchors[0]
    if any(one.core[1] > lone.core[0] for one in (*a.anchors, *b.anchors)):
        return
    before, after = joined(a, b), joined(Reading((*a.anchors, lone), a.edges, ()), b)
    for one, other in ((before.standard, after.standard), (before.strict, after.strict)):
        assert (other.anchors, other.edges) == (one.anchors + 1, one.edges)
        new = {each.id for each in other.disputes} - {each.id for each in one.disputes}
        assert [(each.type, each.a, each.b) for each in other.disputes if each.id in new] == [
            ("missing", ("lone",), ())
        ]


@settings(max_examples=200, deadline=None)
@given(readings("a"), readings("b"))
def test_every_claim_is_in_a_pair_a_part_or_a_dispute_and_in_one_of_them_only(a: Reading, b: Reading) -> None:
    for one in (joined(a, b).standard, joined(a, b).strict):
        for side, part, name in ((a, one.parts_a, "a"), (b, one.parts_b, "b")):
            paired = [getattr(each, name).ref for each in one.pairs]
            parts = [anchor.ref for anchor, _ in part]
            disputed = [ref for each in one.disputes if each.type != "edge" for ref in getattr(each, name)]
            assert sorted([*paired, *parts, *disputed]) == sorted(ends(side))
        assert not crossing([core(TEXT, each.span) for each in one.pairs])
        assert len({each.id for each in one.disputes}) == len(one.disputes)
        counted = sum(len(each.a) + len(each.b) for each in one.disputes if each.type != "edge")
        assert one.anchors == counted
        assert one.verdict == ("dispute" if one.disputes or one.edges else "agree" if one.pairs else "no-claims")


@settings(max_examples=100, deadline=None)
@given(readings("a"), readings("b"))
def test_strict_never_calls_more_agreed_than_the_standard_join(a: Reading, b: Reading) -> None:
    both = joined(a, b)
    if both.strict.anchors == 0 and both.strict.edges == 0:
        assert both.standard.anchors == 0


def random_reading(chance: random.Random, prefix: str) -> Reading:
    """A random reading, quickly: nested and neighbouring claims that do not cross."""
    chosen, spans = [], []
    for number in range(chance.randint(0, 6)):
        first = chance.randrange(len(WORDS))
        last = min(len(WORDS) - 1, first + chance.randint(0, 5))
        if span(first, last) not in spans and not crossing([*spans, span(first, last)]):
            spans.append(span(first, last))
            chosen.append((f"{prefix}{number}", chance.choice(ANCHOR_KINDS[:5]), (first, last)))
    refs = [ref for ref, _, _ in chosen]
    edges = [(*chance.sample(refs, 2),) for _ in range(chance.randint(0, 2))] if len(refs) > 1 else []
    return reading(chosen, [(one, chance.choice(EDGE_KINDS), other) for one, other in edges])


def test_a_tree_only_and_a_sweep_only_join_are_equal_on_10_000_random_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pairing decides all; it is compared on 10,000 pairs of readings, the whole join on every tenth."""
    chance = random.Random(7)
    sides = [(random_reading(chance, "a"), random_reading(chance, "b")) for _ in range(10_000)]

    def with_method(method: intervals.Method) -> list[object]:
        def only(left: Sequence[tuple[int, int]], right: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
            return intervals.overlapping(left, right, method=method)

        monkeypatch.setattr(pipeline.pairing, "overlapping", only)
        monkeypatch.setattr(pipeline.join, "overlapping", only)
        found: list[object] = []
        for number, (a, b) in enumerate(sides):
            found.append(pair(a.anchors, b.anchors, pipeline.pairing.TWO_STAGE))
            if number % 10 == 0:
                found.append(joined(a, b))
        return found

    assert with_method("tree") == with_method("sweep")


# --- examples: each step of section 5 --------------------------------------------------------------------------------


def figures(one: Joined) -> tuple[int, int]:
    return one.anchors, one.edges


def types(one: Joined) -> list[str]:
    return [each.type for each in one.disputes]


def test_a_one_stage_join_calls_agreement_a_granularity_dispute() -> None:
    """Both readers see a sentence, and a term inside it. A join of all kinds together finds one heap of overlaps."""
    a = reading([("a1", "requirement", (0, 5)), ("a2", "term", (0, 1))])
    b = reading([("b1", "requirement", (0, 5)), ("b2", "term", (0, 1))])

    def one_stage(left: Reading, right: Reading) -> list[tuple[list[str], list[str]]]:
        """Connected components of overlaps, kinds not looked at."""
        nodes = [("a", one) for one in left.anchors] + [("b", one) for one in right.anchors]
        group = list(range(len(nodes)))
        for i, (side, one) in enumerate(nodes):
            for j, (other_side, other) in enumerate(nodes):
                if side != other_side and intervals.overlap(one.core, other.core):
                    old, new = group[j], group[i]
                    group = [new if each == old else each for each in group]
        return [
            (
                [one.ref for place, (side, one) in enumerate(nodes) if group[place] == name and side == "a"],
                [one.ref for place, (side, one) in enumerate(nodes) if group[place] == name and side == "b"],
            )
            for name in sorted(set(group))
        ]

    heap = one_stage(a, b)
    assert heap == [(["a1", "a2"], ["b1", "b2"])]  # two against two: "granularity", although they agree on both
    assert figures(joined(a, b).standard) == (0, 0)
    assert [(each.a.ref, each.b.ref) for each in joined(a, b).standard.pairs] == [("a1", "b1"), ("a2", "b2")]


def test_leaf_meets_leaf_and_container_meets_container() -> None:
    a = reading([("whole", "requirement", (0, 9)), ("leaf", "constraint", (5, 8))])
    b = reading([("whole2", "requirement", (0, 8)), ("leaf2", "constraint", (5, 7))])
    assert {(each.a.ref, each.b.ref) for each in joined(a, b).standard.pairs} == {
        ("whole", "whole2"),
        ("leaf", "leaf2"),
    }


def test_a_claim_cut_in_two_stays_unpaired() -> None:
    a = reading([("a1", "requirement", (0, 9))])
    b = reading([("b1", "requirement", (0, 4)), ("b2", "requirement", (5, 9))])
    for one in (joined(a, b).standard, joined(a, b).strict):
        assert figures(one) == (3, 0)
        assert [(each.type, each.a, each.b) for each in one.disputes] == [("granularity", ("a1",), ("b1", "b2"))]


def test_labels_within_a_class_are_noted_and_only_strictly_disputed() -> None:
    a, b = reading([("a1", "requirement", (0, 3))]), reading([("b1", "constraint", (0, 3))])
    both = joined(a, b)
    (agreed,) = both.standard.pairs
    assert (agreed.kind, agreed.labels) == ("constraint", ("requirement", "constraint"))
    assert both.standard.verdict == "agree"
    assert types(both.strict) == ["kind"] and figures(both.strict) == (2, 0)
    for kinds, stands in ((("interface", "requirement"), "interface"), (("interface", "constraint"), "constraint")):
        pairs = joined(reading([("a1", kinds[0], (0, 3))]), reading([("b1", kinds[1], (0, 3))])).standard.pairs
        assert pairs[0].kind == stands


def test_one_and_one_of_different_classes_is_a_dispute_about_the_kind() -> None:
    both = joined(reading([("a1", "requirement", (0, 3))]), reading([("b1", "question", (1, 4))]))
    for one in (both.standard, both.strict):
        assert [(each.type, each.a, each.b) for each in one.disputes] == [("kind", ("a1",), ("b1",))]
        assert one.disputes[0].span == span(0, 4) and figures(one) == (2, 0)


def test_equal_kinds_pair_before_classes_do() -> None:
    a = reading([("a1", "requirement", (0, 5))])
    b = reading([("b1", "constraint", (0, 6)), ("b2", "requirement", (0, 4))])
    assert joined(a, b).standard.pairs[0].b.ref == "b2"
    equal = reading([("b1", "constraint", (0, 5)), ("b2", "requirement", (0, 4))])
    assert joined(a, equal).standard.pairs[0].b.ref == "b1"  # equal cores of one class come before overlaps of one kind


def test_an_unpaired_obligation_or_term_inside_an_agreed_obligation_is_a_part() -> None:
    a = reading([("a1", "requirement", (0, 9)), ("a2", "constraint", (2, 4)), ("a3", "term", (6, 6))])
    b = reading([("b1", "requirement", (0, 9))])
    both = joined(a, b)
    assert sorted(anchor.ref for anchor, _ in both.standard.parts_a) == ["a2", "a3"]
    assert figures(both.standard) == (0, 0) and both.standard.verdict == "agree"
    assert figures(both.strict) == (2, 0) and not both.strict.parts_a
    question = joined(reading([("a1", "requirement", (0, 9)), ("a2", "question", (2, 4))]), b).standard
    assert [(each.type, each.covered_by) for each in question.disputes] == [("missing", ("a1",))]


def test_a_part_is_one_of_the_smallest_whole_and_its_edges_are_those_of_the_whole() -> None:
    a = reading(
        [
            ("a1", "requirement", (0, 12)),
            ("a2", "constraint", (2, 9)),
            ("a3", "constraint", (4, 5)),
            ("a4", "interface", (20, 22)),
        ],
        [("a3", "requires", "a4"), ("a3", "requires", "a2")],
    )
    b = reading(
        [("b1", "requirement", (0, 12)), ("b2", "constraint", (2, 9)), ("b4", "interface", (20, 22))],
        [("b2", "requires", "b4")],
    )
    one = joined(a, b).standard
    ((part, whole),) = one.parts_a
    assert part.ref == "a3" and one.pairs[whole].b.ref == "b2"
    assert figures(one) == (0, 0)  # a3 -> a4 is read as a2 -> a4; the edge between a part and its whole is dropped
    assert len(one.agreed_edges) == 1


def test_pairs_whose_adopted_spans_cross_are_a_cut_dispute() -> None:
    a = reading([("a1", "requirement", (0, 3)), ("a2", "question", (4, 9))])
    b = reading([("b1", "requirement", (0, 5)), ("b2", "question", (6, 9))])
    assert figures(joined(a, b).standard) == (4, 0)
    (dispute,) = joined(a, b).standard.disputes
    assert (dispute.type, dispute.a, dispute.b) == ("cut", ("a1", "a2"), ("b1", "b2"))


def test_the_adopted_span_is_the_longer_when_one_holds_the_other_else_the_hull() -> None:
    inside = joined(reading([("a1", "requirement", (1, 3))]), reading([("b1", "requirement", (0, 5))])).standard
    assert inside.pairs[0].span == span(0, 5)
    across = joined(reading([("a1", "requirement", (0, 3))]), reading([("b1", "requirement", (2, 5))])).standard
    assert across.pairs[0].span == span(0, 5)


EDGES = [("a1", "requirement", (0, 3)), ("a2", "interface", (5, 8)), ("a3", "constraint", (10, 12))]


def test_edges_that_order_work_are_compared_and_refines_is_only_listed() -> None:
    a = reading(EDGES, [("a1", "requires", "a2"), ("a3", "refines", "a1"), ("a1", "conflicts_with", "a3")])
    b = reading(EDGES, [("a3", "conflicts_with", "a1")])
    both = joined(a, b)
    assert figures(both.standard) == (0, 1)
    (dispute,) = both.standard.disputes
    assert (dispute.type, dispute.a, dispute.b) == ("edge", ("a1 requires a2",), ())
    assert [edge.kind for edge in both.standard.agreed_edges] == ["conflicts_with"]  # unordered: both drew it
    assert figures(both.strict) == (0, 2)  # strictly refines counts too


def test_an_edge_with_an_end_that_is_not_agreed_counts_and_goes_with_that_dispute() -> None:
    a = reading([*EDGES, ("a4", "requirement", (20, 22))], [("a4", "requires", "a1")])
    one = joined(a, reading(EDGES)).standard
    assert figures(one) == (1, 1) and types(one) == ["missing"]
    assert [(edge.from_, edge.to) for edge in one.only_a.loose] == [("a4", "a1")]


def test_nothing_against_nothing_never_passes() -> None:
    both = joined(reading([]), reading([]))
    assert both.standard.verdict == both.strict.verdict == "no-claims"


# --- a full stop is harmless; the record is sorted -------------------------------------------------------------------

SPEC = "- A link lives for 30 days.\n- Owners can renew a link.\n- It is short.\n"
A_SIDE: list[AnchorT] = [
    ("a2", "requirement", "Owners can renew a link."),
    ("a1", "constraint", "A link lives for 30 days."),
]
B_SIDE: list[AnchorT] = [
    ("x1", "constraint", "- A link lives for 30 days"),
    ("x2", "requirement", "Owners can renew a link"),
    ("x3", "constraint", "It is short"),
]
A_EDGES: list[EdgeT] = [("a2", "requires", "a1", "renew a link")]


def test_one_readers_full_stop_and_list_mark_are_harmless() -> None:
    bench = Bench.of(of_text(SPEC, "spec.md"))
    both = join(bench.spec, bench.structure, reading_of(SPEC, A_SIDE), reading_of(SPEC, B_SIDE[:2]))
    assert both.strict.verdict == "agree" and len(both.strict.pairs) == 2


def test_the_record_names_everything_and_is_sorted() -> None:
    bench = Bench.of(of_text(SPEC, "spec.md"))
    a, b = reading_of(SPEC, A_SIDE, A_EDGES), reading_of(SPEC, B_SIDE)
    record = to_record(
        join(bench.spec, bench.structure, a, b),
        bench.spec,
        a,
        b,
        Coverage(units=3, claimed=2, unclaimed=()),
        strict=False,
    )
    assert [(one.a, one.b, one.relation, one.lines) for one in record.agreed] == [
        ("a1", "x1", "equals", (1, 1)),
        ("a2", "x2", "equals", (2, 2)),
    ]
    assert [(one.type, one.a, one.b) for one in record.disputes] == [
        ("edge", ("a2 requires a1",), ()),
        ("missing", (), ("x3",)),
    ]
    assert [(one.from_, one.to) for one in record.edges.only_a] == [("a2", "a1")]
    assert record.symmetric_difference.anchors == 1 and record.symmetric_difference.edges == 1
    assert all(one.id.startswith("D-") and len(one.id) == 10 for one in record.disputes)


def test_dispute_ids_are_of_the_words_and_survive_an_edit_elsewhere() -> None:
    first = Bench.of(of_text(SPEC, "spec.md"))
    moved_text = "A new opening.\n\n" + SPEC
    second = Bench.of(of_text(moved_text, "spec.md"))
    here = join(first.spec, first.structure, reading_of(SPEC, A_SIDE, A_EDGES), reading_of(SPEC, B_SIDE)).standard
    there = join(
        second.spec, second.structure, reading_of(moved_text, A_SIDE, A_EDGES), reading_of(moved_text, B_SIDE)
    ).standard
    assert {one.id for one in here.disputes} == {one.id for one in there.disputes}
    assert len(here.disputes) == 2


def test_equal_words_in_dispute_twice_have_ids_of_their_own() -> None:
    text = "- It is short.\n- It is short.\n"
    bench = Bench.of(of_text(text, "spec.md"))
    a = ground(
        bench.grounder,
        [
            (0, RunAnchor(ref="a1", kind="constraint", quote="It is short.", lines=(1, 1))),
            (1, RunAnchor(ref="a2", kind="constraint", quote="It is short.", lines=(2, 2))),
        ],
        [],
    )
    one = join(bench.spec, bench.structure, a, Reading((), (), ())).standard
    assert len({each.id for each in one.disputes}) == 2
