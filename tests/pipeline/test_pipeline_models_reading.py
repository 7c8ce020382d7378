"""A model reads: parts of whole sections, what is wrong goes back, relations across parts, disputed places again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_scenes import Scripted, claim, desk_of, reading, relation, request_of, shown_lines

from pipeline.bench import Bench
from pipeline.extract import Extracted, take
from pipeline.models.asking import StoredClaim
from pipeline.models.chunks import chunks_of, named, passages_of
from pipeline.models.pending import PendingError
from pipeline.models.reading import read_by_model
from pipeline.readers.protocol import Repair
from schemas.call import Call
from schemas.errors import OutsideError
from text.coordinates import of_text

SPEC = """# Shop

## Carts

A cart holds at most 50 items. The cart is emptied after 30 days.

## Orders

An order needs a cart. Orders cannot ship before the tax rule is known.

## Tax

Which tax rule applies is not decided yet.
"""


def lines_of(text: str, words: str) -> int:
    return text[: text.index(words)].count("\n") + 1


def taken(text: str, data: bytes) -> Extracted:
    return take(Bench.of(of_text(text, "spec.md")), data, "spec.md")


def standing(extracted: Extracted, text: str = SPEC) -> list[tuple[str, str]]:
    return [(one.kind, text[one.span[0] : one.span[1]]) for one in extracted.reading.anchors]


def brain(call: Call) -> dict[str, Any]:
    """Claims every sentence that is shown; draws the one relation across sections when asked for it."""
    quotes = {
        "A cart holds at most 50 items.": "constraint",
        "The cart is emptied after 30 days.": "requirement",
        "An order needs a cart.": "requirement",
        "Orders cannot ship before the tax rule is known.": "constraint",
        "Which tax rule applies is not decided yet.": "question",
    }
    if call.purpose == "edges":
        refs = {line.split(": ")[-1]: line.split()[1] for line in call.user.splitlines() if line.startswith("- ")}
        waiting, asked = (
            next(refs[quote] for quote in refs if words in quote) for words in ("cannot ship", "not decided")
        )
        line = lines_of(SPEC, "cannot ship")
        return {"edges": [relation(waiting, "blocked_by", asked, "cannot ship before", line)]}
    shown = shown_lines(call)
    found = [(quote, kind) for quote, kind in quotes.items() if lines_of(SPEC, quote) in shown]
    return reading(*(claim(f"x{n}", quote, lines_of(SPEC, quote), kind) for n, (quote, kind) in enumerate(found)))


def test_a_short_spec_is_read_in_one_call_and_keeps_the_readers_own_labels(tmp_path: Path) -> None:
    model = Scripted(brain)
    extracted = taken(SPEC, read_by_model(request_of(SPEC, desk_of(model, tmp_path))))
    assert [call.purpose for call in model.asked] == ["read"]
    assert [anchor.ref for anchor in extracted.run.anchors] == ["x0", "x1", "x2", "x3", "x4"]
    assert extracted.reader.provider == "scripted"
    assert extracted.reading.violations == ()


def test_a_long_spec_is_read_part_by_part_and_then_asked_for_relations_across(tmp_path: Path) -> None:
    long = SPEC.replace("## Orders", "Filler stands here.\n" * 12 + "\n## Orders").replace(
        "## Tax", "More filler.\n" * 15 + "\n## Tax"
    )
    quotes = {"An order needs a cart.": "x", "Which tax rule applies is not decided yet.": "y"}

    def long_brain(call: Call) -> dict[str, Any]:
        if call.purpose == "edges":
            refs = {line.split(": ")[-1]: line.split()[1] for line in call.user.splitlines() if line.startswith("- ")}
            order, tax = (refs[quote] for quote in quotes)
            return {"edges": [relation(order, "blocked_by", tax, "An order needs", lines_of(long, "An order"))]}
        shown = shown_lines(call)
        return reading(
            *(claim("a1", quote, lines_of(long, quote)) for quote in quotes if lines_of(long, quote) in shown)
        )

    model = Scripted(long_brain)
    extracted = taken(long, read_by_model(request_of(long, desk_of(model, tmp_path), size=200)))
    assert [call.purpose for call in model.asked].count("edges") == 1
    reads = [call for call in model.asked if call.purpose == "read"]
    assert len(reads) > 2
    shown = [line for call in reads for line in shown_lines(call)]
    assert sorted(shown) == sorted(set(shown))
    assert len(extracted.reading.anchors) == 2
    assert [edge.kind for edge in extracted.reading.edges] == ["blocked_by"]


def test_what_is_wrong_goes_back_with_its_own_words_and_is_mended(tmp_path: Path) -> None:
    answers = iter(
        [
            reading(claim("a1", "A cart holds 50 things.", 5), claim("a2", "An order needs a cart.", 9, kind="wish")),
            reading(claim("a1", "A cart holds at most 50 items.", 5), claim("a2", "An order needs a cart.", 9)),
        ]
    )
    model = Scripted(lambda call: next(answers))
    extracted = taken(SPEC, read_by_model(request_of(SPEC, desk_of(model, tmp_path))))
    assert len(model.asked) == 2
    assert "A cart holds 50 things." in model.asked[1].user
    assert "quote-not-found" in model.asked[1].user
    assert "unknown-kind" in model.asked[1].user
    assert model.asked[1].user.startswith(model.asked[0].user)
    assert len(extracted.reading.anchors) == 2


def test_what_is_wrong_three_times_is_left_out_and_recorded_as_a_violation(tmp_path: Path) -> None:
    model = Scripted(lambda call: reading(claim("a1", "No such words.", 5), claim("a2", "An order needs a cart.", 9)))
    extracted = taken(SPEC, read_by_model(request_of(SPEC, desk_of(model, tmp_path))))
    assert len(model.asked) == 3
    assert [one.ref for one in extracted.reading.anchors] == ["a2"]
    assert [one.code for one in extracted.reading.violations] == ["quote-not-found"]


def test_an_answer_that_is_never_in_form_fails_its_part_keeps_the_others_and_is_asked_anew(tmp_path: Path) -> None:
    def deaf(call: Call) -> Any:
        return "I would rather not." if 9 in shown_lines(call) else brain(call)

    model = Scripted(deaf)
    long = SPEC.replace("## Tax", "More words.\n" * 15 + "\n## Tax")
    with pytest.raises(OutsideError) as caught:
        read_by_model(request_of(long, desk_of(model, tmp_path), size=200))
    assert caught.value.code == "no-envelope"
    assert len([call for call in model.asked if 9 in shown_lines(call)]) == 3
    again = Scripted(lambda call: {"edges": []} if call.purpose == "edges" else reading())
    read_by_model(request_of(long, desk_of(again, tmp_path), size=200))
    assert [9 in shown_lines(call) for call in again.asked] == [True]


def test_a_claim_of_lines_that_were_not_shown_is_left_out(tmp_path: Path) -> None:
    model = Scripted(
        lambda call: reading(claim("a1", "An order needs a cart.", 9), claim("a2", "A cart holds at most 50 items.", 5))
    )
    extracted = taken(SPEC, read_by_model(request_of(SPEC, desk_of(model, tmp_path), changed=frozenset({1}))))
    assert len(model.asked) == 3
    assert "outside-lines" in model.asked[1].user
    assert standing(extracted) == [("requirement", "A cart holds at most 50 items.")]


def test_sections_that_did_not_change_are_not_sent_and_their_claims_can_be_ends_of_new_relations(
    tmp_path: Path,
) -> None:
    question = "Which tax rule applies is not decided yet."
    place = SPEC.index(question)
    stored = [StoredClaim("question", (place, place + len(question)))]
    model = Scripted(brain)
    extracted = taken(
        SPEC, read_by_model(request_of(SPEC, desk_of(model, tmp_path), changed=frozenset({2}), stored=stored))
    )
    read, across = model.asked
    assert "Carts" not in read.user
    assert "not decided" not in read.user
    assert "not decided" in across.user
    assert [edge.kind for edge in extracted.reading.edges] == ["blocked_by"]
    assert ("question", question) in standing(extracted)


def test_a_kept_answer_is_never_asked_for_again_and_without_a_model_the_rest_is_pending(tmp_path: Path) -> None:
    model = Scripted(brain)
    first = read_by_model(request_of(SPEC, desk_of(model, tmp_path)))
    assert read_by_model(request_of(SPEC, desk_of(None, tmp_path))) == first
    changed = SPEC.replace("50 items", "60 items")
    with pytest.raises(PendingError) as caught:
        read_by_model(request_of(changed, desk_of(None, tmp_path), size=200))
    assert [call.purpose for call in caught.value.calls] == ["read"] * len(caught.value.calls)


def repaired(tmp_path: Path, again: Any, units: list[str]) -> tuple[Extracted, Scripted]:
    before = taken(SPEC, read_by_model(request_of(SPEC, desk_of(Scripted(first_reading), tmp_path / "one"))))
    spans = tuple((SPEC.index(words), SPEC.index(words) + len(words)) for words in units)
    model = Scripted(again)
    repair = Repair(before.run, before.reading, spans)
    data = read_by_model(request_of(SPEC, desk_of(model, tmp_path / "two"), repair=repair, number=1))
    return taken(SPEC, data), model


def first_reading(call: Call) -> dict[str, Any]:
    edge = relation("x3", "blocked_by", "x4", "cannot ship before", lines_of(SPEC, "cannot ship"))
    return {**brain(call), "edges": [edge]}


def test_a_repair_shows_the_disputed_lines_and_the_readers_own_words_and_keeps_the_rest(tmp_path: Path) -> None:
    words = "A cart holds at most 50 items."
    extracted, model = repaired(
        tmp_path,
        lambda call: reading(
            claim("n1", words, 5, "requirement"), claim("n2", "The cart is emptied after 30 days.", 5, "requirement")
        ),
        [words],
    )
    (call,) = model.asked
    assert shown_lines(call) == [5]
    assert "x0 constraint" in call.user
    assert "An order needs a cart." not in call.user
    assert standing(extracted)[:2] == [
        ("requirement", words),
        ("requirement", "The cart is emptied after 30 days."),
    ]
    assert len(extracted.reading.anchors) == 5
    assert [edge.kind for edge in extracted.reading.edges] == ["blocked_by"]
    assert extracted.reader.round == 1


def test_a_repair_decides_relations_too_and_their_other_ends_may_stand_elsewhere(tmp_path: Path) -> None:
    waiting = "Orders cannot ship before the tax rule is known."
    line = lines_of(SPEC, waiting)
    without, model = repaired(
        tmp_path,
        lambda call: reading(claim("x2", "An order needs a cart.", 9), claim("x3", waiting, line, "constraint")),
        [waiting],
    )
    assert without.reading.edges == ()
    assert "x4 question" in model.asked[0].user
    kept, _ = repaired(
        tmp_path / "again",
        lambda call: reading(
            claim("n1", waiting, line, "constraint"),
            edges=[relation("n1", "blocked_by", "x4", "cannot ship before", line)],
        ),
        [waiting],
    )
    assert [edge.kind for edge in kept.reading.edges] == ["blocked_by"]


def test_a_repair_of_an_end_keeps_the_relation_of_an_untouched_claim_that_is_drawn_again(tmp_path: Path) -> None:
    question = "Which tax rule applies is not decided yet."
    extracted, model = repaired(
        tmp_path,
        lambda call: reading(
            claim("q", question, 13, "question"),
            edges=[relation("x3", "blocked_by", "q", "cannot ship before", lines_of(SPEC, "cannot ship"))],
        ),
        [question],
    )
    assert "x3 blocked_by x4" in model.asked[0].user
    assert [edge.kind for edge in extracted.reading.edges] == ["blocked_by"]
    assert len(extracted.reading.anchors) == 5


def test_a_new_claim_may_not_take_the_label_of_one_elsewhere(tmp_path: Path) -> None:
    waiting = "Orders cannot ship before the tax rule is known."
    line = lines_of(SPEC, waiting)
    extracted, model = repaired(tmp_path, lambda call: reading(claim("x4", waiting, line, "constraint")), [waiting])
    assert "ref-taken" in model.asked[1].user
    assert ("question", "Which tax rule applies is not decided yet.") in standing(extracted)


paragraph = st.lists(
    st.sampled_from(
        ["The system logs in. ", "네, 저장한다. ", "| x | y |\n", "- item one\n", "\r\n", "`code` ", "\n\n"]
    ),
    max_size=12,
)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["# ", "## ", "### ", ""]), paragraph), min_size=1, max_size=6),
    st.integers(5, 200),
)
def test_chunks_hold_every_line_with_a_claim_once_in_order(sections: list[tuple[str, list[str]]], size: int) -> None:
    text = "\n".join(f"{mark}Title {number}\n\n{''.join(parts)}" for number, (mark, parts) in enumerate(sections))
    bench = Bench.of(of_text(text, "spec.md"))
    chunks = chunks_of(bench.spec, bench.structure, range(len(bench.structure.sections)), size)
    passages = [passage for chunk in chunks for passage in chunk]
    lines = [line for one in passages for line in range(one.lines[0], one.lines[1] + 1)]
    assert lines == sorted(set(lines))
    bearing = {unit.lines[0] for unit in bench.structure.units if unit.claim_bearing}
    assert bearing <= set(lines)
    for one in passages:
        assert bench.spec.text[slice(*one.span)] == bench.spec.text[slice(*bench.spec.whole_lines(one.lines))]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 200), st.integers(1, 60)), max_size=8))
def test_passages_hold_all_lines_of_their_spans_and_no_line_twice(places: list[tuple[int, int]]) -> None:
    bench = Bench.of(of_text(SPEC, "spec.md"))
    end = len(SPEC)
    spans = [(min(start, end - 1), min(start + length, end)) for start, length in places]
    found = passages_of(bench.spec, bench.structure, spans)
    lines = [line for one in found for line in range(one.lines[0], one.lines[1] + 1)]
    wanted = {line for span in spans for line in range(bench.spec.lines_of(span)[0], bench.spec.lines_of(span)[1] + 1)}
    assert lines == sorted(wanted)


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 20)
    | st.sampled_from(["", "a1", "x", "An order needs a cart.", "requirement", "requires"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "ref",
                    "kind",
                    "quote",
                    "first_line",
                    "last_line",
                    "nth",
                    "from",
                    "to",
                    "cue",
                    "cue_first_line",
                    "cue_last_line",
                    "lines",
                ]
            ),
            inner,
            max_size=7,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=120, deadline=None)
@given(st.lists(anything, max_size=4), st.lists(anything, max_size=4))
def test_whatever_a_model_answers_ends_in_a_run_that_can_be_taken_apart(
    tmp_path_factory: pytest.TempPathFactory, anchors: list[Any], edges: list[Any]
) -> None:
    model = Scripted(lambda call: json.dumps({"anchors": anchors, "edges": edges}))
    folder = tmp_path_factory.mktemp("any")
    extracted = taken(SPEC, read_by_model(request_of(SPEC, desk_of(model, folder))))
    repair = Repair(extracted.run, extracted.reading, ((SPEC.index("An order"), SPEC.index("An order") + 8),))
    taken(SPEC, read_by_model(request_of(SPEC, desk_of(model, folder), repair=repair, number=1)))


def test_a_part_of_one_line_is_named_as_one() -> None:
    bench = Bench.of(of_text("# Links\n\nLinks live 30 days.\n\nThey end.\n", "spec.md"))
    assert named(bench.spec, passages_of(bench.spec, bench.structure, [(9, 12)])) == "spec.md line 3"
    assert named(bench.spec, passages_of(bench.spec, bench.structure, [(9, 40)])) == "spec.md lines 3-5"
