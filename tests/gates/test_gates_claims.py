"""Anchor gates on small specs: what the fixtures do not show."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from gates.claims import Claim, ClaimEdge, Claims, ReadSpan
from gates.run import run
from schemas.finding import Finding
from schemas.kinds import ANCHOR_KINDS, AnchorKind, kind_class
from text.coordinates import of_text
from text.cores import core
from text.intervals import cross
from text.structure import structure


def claims_in(
    text: str, *quoted: tuple[AnchorKind, str], edges: tuple[ClaimEdge, ...] = (), **options: object
) -> Claims:
    """Claims c1, c2... at the first place of each quote."""
    spec = of_text(text, "specs/links.md")
    found = []
    for number, (kind, quote) in enumerate(quoted, start=1):
        span = (text.index(quote), text.index(quote) + len(quote))
        found.append(Claim(f"c{number}", kind, span, core(text, span), quote))
    return Claims(spec, structure(spec), tuple(found), edges, file="specs/links.md", **options)  # type: ignore[arg-type]


def read(claims: Claims, kind: AnchorKind, quote: str) -> ReadSpan:
    text = claims.spec.text
    span = (text.index(quote), text.index(quote) + len(quote))
    return ReadSpan(kind, span, core(text, span))


def codes(claims: Claims, code: str) -> list[Finding]:
    return list(run("join", claims, select=[code]).findings)


TWO = "- A code is short. It counts for retries too.\n"


def test_a_second_sentence_that_no_reading_claims_alone_belongs_to_the_first() -> None:
    assert codes(claims_in(TWO, ("requirement", "A code is short. It counts for retries too.")), "A110") == []


def test_a_second_sentence_that_one_reading_claims_is_a_second_concern() -> None:
    claims = claims_in(TWO, ("requirement", "A code is short. It counts for retries too."))
    readings = ((), (read(claims, "requirement", "It counts for retries too."),))
    twice = Claims(claims.spec, claims.structure, claims.claims, readings=readings, file=claims.file)
    assert [finding.subject for finding in codes(twice, "A110")] == ["c1"]


def test_a_second_sentence_that_a_reading_calls_a_term_is_no_second_concern() -> None:
    claims = claims_in(TWO, ("requirement", "A code is short. It counts for retries too."))
    readings = ((), (read(claims, "term", "retries"),))
    named = Claims(claims.spec, claims.structure, claims.claims, readings=readings, file=claims.file)
    assert codes(named, "A110") == []


def test_cells_of_one_row_are_one_concern_and_two_rows_are_two() -> None:
    table = "| a | b |\n|---|---|\n| Opens | daily |\n| Clicks | hourly |\n"
    assert codes(claims_in(table, ("requirement", "Opens | daily")), "A110") == []
    assert len(codes(claims_in(table, ("requirement", "daily |\n| Clicks")), "A110")) == 1


def test_a_negation_behind_a_comma_is_another_statement() -> None:
    assert codes(claims_in("Codes are random, not sequential.\n", ("decision", "Codes are random")), "A111") == []


def test_a_term_may_stand_beside_a_negation() -> None:
    assert codes(claims_in("No **visitor** is counted.\n", ("term", "visitor")), "A111") == []


def test_a_contracted_negation_is_seen() -> None:
    assert len(codes(claims_in("The client doesn't retry.\n", ("requirement", "retry")), "A111")) == 1


def test_a_japanese_negation_after_the_quote_is_seen() -> None:
    assert len(codes(claims_in("再試行はしてはならない。\n", ("requirement", "再試行はしてはなら")), "A111")) == 1


def test_a_constraint_with_a_requirement_in_its_list_item_bounds_it() -> None:
    text = "- The page loads.\n  - Within 2 seconds.\n"
    claims = claims_in(text, ("requirement", "The page loads."), ("constraint", "Within 2 seconds."))
    assert codes(claims, "A140") == []


def test_a_definition_is_no_use_of_its_own_term() -> None:
    text = "- **Code**: a code of six characters.\n"
    claims = claims_in(text, ("term", "Code"), ("requirement", "**Code**: a code of six characters."))
    assert [finding.subject for finding in codes(claims, "A141")] == ["c1"]


def test_a_pair_of_decisions_is_reported_once() -> None:
    text = "We call. We write, and that replaces the decision to call, the decision to call.\n"
    claims = claims_in(
        text, ("decision", "We write, and that replaces the decision to call"), ("decision", "the decision to call")
    )
    assert len(codes(claims, "A143")) == 1


def test_findings_of_offline_readers_say_that_they_are_heuristic() -> None:
    text = "The 99th percentile stays low.\n"
    assert codes(claims_in(text, ("constraint", "The 99th percentile stays low."), heuristic=True), "A140")[0].heuristic


SPANS = st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda place: (place[0], place[0] + place[1]))


@settings(max_examples=100)
@given(st.lists(st.tuples(SPANS, st.sampled_from(ANCHOR_KINDS)), max_size=8))
def test_claims_that_cross_or_coincide_are_found_as_brute_force_finds_them(
    placed: list[tuple[tuple[int, int], AnchorKind]],
) -> None:
    text = "a" * 50
    spec = of_text(text, "specs/links.md")
    claims = tuple(
        Claim(f"ANC-{index}", kind, span, span, text[: span[1] - span[0]]) for index, (span, kind) in enumerate(placed)
    )
    subject = Claims(spec, structure(spec), claims, file="specs/links.md", anchor_prefix="ANC")
    found = run("adopt", subject, select=["crossing-anchors"]).findings
    crossings = {frozenset((x.id, y.id)) for x, y in combinations(claims, 2) if cross(x.core, y.core)}
    coinciding = {
        y.id for x, y in combinations(claims, 2) if x.core == y.core and kind_class(x.kind) == kind_class(y.kind)
    }
    assert {frozenset((one.subject, *one.related)) for one in found if "crosses" in one.message} == crossings
    assert {one.subject for one in found if "same words" in one.message} == coinciding
