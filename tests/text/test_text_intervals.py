"""Allen's thirteen relations, and overlaps by two methods and by looking at all pairs."""

from __future__ import annotations

import itertools
import random
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reading import Relation
from text.intervals import cross, crossing, holds, hull, nest, overlap, overlapping, relation

SPANS = st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda one: (one[0], one[0] + one[1]))
INVERSE = {
    "precedes": "preceded-by",
    "meets": "met-by",
    "overlaps": "overlapped-by",
    "finished-by": "finishes",
    "contains": "during",
    "starts": "started-by",
    "equals": "equals",
}
INVERSE |= {other: one for one, other in INVERSE.items()}

HOLDS = {  # the definition of each relation, by its end points (Allen 1983)
    "precedes": lambda x, y: x[1] < y[0],
    "meets": lambda x, y: x[1] == y[0],
    "overlaps": lambda x, y: x[0] < y[0] < x[1] < y[1],
    "finished-by": lambda x, y: x[0] < y[0] and x[1] == y[1],
    "contains": lambda x, y: x[0] < y[0] and y[1] < x[1],
    "starts": lambda x, y: x[0] == y[0] and x[1] < y[1],
    "equals": lambda x, y: x == y,
    "started-by": lambda x, y: x[0] == y[0] and y[1] < x[1],
    "during": lambda x, y: y[0] < x[0] and x[1] < y[1],
    "finishes": lambda x, y: y[0] < x[0] and x[1] == y[1],
    "overlapped-by": lambda x, y: y[0] < x[0] < y[1] < x[1],
    "met-by": lambda x, y: y[1] == x[0],
    "preceded-by": lambda x, y: y[1] < x[0],
}


def test_exactly_one_of_thirteen_relations_holds_for_any_two_spans() -> None:
    assert set(HOLDS) == set(get_args(Relation)) == set(INVERSE)
    spans = list(itertools.combinations(range(6), 2))
    seen = set()
    for x, y in itertools.product(spans, spans):
        true = [name for name, test in HOLDS.items() if test(x, y)]
        assert true == [relation(x, y)]
        assert relation(y, x) == INVERSE[relation(x, y)]
        seen.add(relation(x, y))
    assert seen == set(HOLDS)


@given(SPANS, SPANS)
def test_crossing_is_two_of_the_thirteen_and_nesting_is_seven(x: tuple[int, int], y: tuple[int, int]) -> None:
    assert cross(x, y) == (relation(x, y) in ("overlaps", "overlapped-by"))
    inside = {"equals", "starts", "during", "finishes"}
    assert holds(y, x) == (relation(x, y) in inside)
    assert nest(x, y) == (relation(x, y) in inside | {INVERSE[one] for one in inside})
    assert overlap(x, y) == (cross(x, y) or nest(x, y))
    assert holds(hull((x, y)), x) and holds(hull((x, y)), y)


@settings(max_examples=150, deadline=None)
@given(st.lists(SPANS, max_size=25))
def test_crossing_pairs_are_those_that_looking_at_all_finds(spans: list[tuple[int, int]]) -> None:
    wanted = [(i, j) for i, j in itertools.combinations(range(len(spans)), 2) if cross(spans[i], spans[j])]
    assert crossing(spans) == wanted


@settings(max_examples=150, deadline=None)
@given(st.lists(SPANS, max_size=20), st.lists(SPANS, max_size=20))
def test_tree_and_sweep_find_what_looking_at_all_finds(
    left: list[tuple[int, int]], right: list[tuple[int, int]]
) -> None:
    wanted = [(i, j) for i, x in enumerate(left) for j, y in enumerate(right) if overlap(x, y)]
    assert overlapping(left, right, method="tree") == wanted
    assert overlapping(left, right, method="sweep") == wanted
    assert overlapping(left, right) == wanted


def test_tree_and_sweep_agree_on_10_000_random_readings() -> None:
    generator = random.Random(13)
    for _ in range(10_000):
        size = generator.randint(0, 7)
        width = generator.choice((5, 20, 80))
        sides = []
        for _ in range(2):
            starts = [generator.randrange(60) for _ in range(size)]
            sides.append([(start, start + generator.randint(1, width)) for start in starts])
        assert overlapping(*sides, method="tree") == overlapping(*sides, method="sweep")


def test_many_spans_of_one_place_are_all_found() -> None:
    assert overlapping([(0, 3)] * 3, [(1, 2)] * 2, method="tree") == list(itertools.product(range(3), range(2)))
    assert overlapping([(0, 3)] * 3, [(1, 2)] * 2, method="sweep") == list(itertools.product(range(3), range(2)))
