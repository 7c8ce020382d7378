"""Coverage: what looks like a claim and why, and what no claim touches."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from text.claims import Claims, why_claim
from text.coordinates import SpanT, SpecText, decode, of_text
from text.coverage import coverage
from text.structure import Structure, structure


def _parsed(text: str, path: str = "spec.md") -> tuple[SpecText, Structure]:
    spec = of_text(text, path)
    return spec, structure(spec)


def _why(text: str) -> list[str | None]:
    spec, parsed = _parsed(text)
    return [why_claim(spec, parsed, unit) for unit in parsed.units if unit.claim_bearing]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("The redirect must\nnot wait.", 'modal "must not"'),
        ("Nothing else is said here.", None),
        ("When the link expires, the service shall answer 410.", 'EARS shape "When ..., the system shall ..."'),
        ("예약이 취소되면 알림을 지운다.", 'Korean plain ending "운다"'),
        ("예약은 환자 한 명의 기록이다.", None),
        ("저장 위치는 원본 폴더여야 한다.", 'modal "여야 한다"'),
        ("保存しなければならない。", 'modal "なければならない"'),
        ("密码必须加密。", 'modal "必须"'),
        ("For example, it must be short.", None),
        ('The key words "MUST" and "SHOULD" are to be read as in RFC 2119.', None),
        ("[It must be here](https://example.org/must)", None),
    ],
)
def test_a_sentence_looks_like_a_claim_for_a_reason(text: str, why: str | None) -> None:
    assert _why(text) == [why]


def test_items_and_rows_count_under_a_heading_of_requirements_and_only_there() -> None:
    text = (
        "# T\n\n## Requirements\n\n- Dark colours\n\n| a | b |\n|---|---|\n| c | d |\n\n## Colours\n\n- Dark colours\n"
    )
    assert _why(text) == ['item under "Requirements"', 'row under "Requirements"', None]


def test_a_subsection_keeps_the_class_of_the_section_around_it() -> None:
    assert _why("# T\n\n## Requirements\n\n### Colours\n\n- Dark ones\n") == ['item under "Requirements"']


def test_the_title_of_the_document_gives_no_class() -> None:
    assert _why("# Product requirements\n\n## Colours\n\n- Dark ones\n") == [None]


def test_a_step_that_only_sets_the_scene_is_no_claim_and_its_answer_is() -> None:
    steps = "- **GIVEN** a link that must expire\n- **AND** a user\n- **WHEN** it expires\n"
    steps += "- **THEN** show 410\n- **AND** log it\n"
    ears = 'EARS shape "WHEN ... THEN ..."'
    assert _why(f"# T\n\n## Scenario: expiry\n\n{steps}") == [None, None, None, ears, ears]


def test_a_row_that_names_a_property_of_an_item_is_no_claim() -> None:
    text = "# T\n\n## Requirements\n\n| Item | Value |\n|---|---|\n| **Priority** | Must |\n| Speed | must be 5 ms |\n"
    assert _why(text) == [None, 'modal "must"']


def test_headings_fences_and_front_matter_are_not_counted() -> None:
    spec, parsed = _parsed("---\nmust: x\n---\n# It must\n\n```\nit must\n```\n\nIt must.\n")
    found = coverage(spec, parsed, ())
    assert (found.units, found.claimed, [unclaimed.text for unclaimed in found.unclaimed]) == (1, 0, ["It must."])


def test_a_touched_unit_is_claimed_and_the_others_are_listed_on_one_line() -> None:
    text = "It must stop. It must\nalso start. That is all.\n"
    spec, parsed = _parsed(text)
    found = coverage(spec, parsed, [(3, 7)])
    assert (found.units, found.claimed) == (3, 1)
    assert [(entry.lines, entry.text, entry.why) for entry in found.unclaimed] == [
        ((1, 2), "It must also start.", 'modal "must"')
    ]


def test_a_span_that_ends_where_a_unit_begins_does_not_touch_it() -> None:
    spec, parsed = _parsed("It must stop. It must start.")
    second = parsed.units[1].span
    assert coverage(spec, parsed, [(0, second[0])]).claimed == 1
    assert coverage(spec, parsed, [(second[0], second[0])]).claimed == 0
    assert coverage(spec, parsed, [(0, second[0] + 1)]).claimed == 2


TEXT = "# T\n\nIt must stop. It must start.\n\n- one must\n- two\n  - three must. Four must!\n"
TEXT += "\n| a | b |\n|---|---|\n| must | c |\n"


@given(st.lists(st.tuples(st.integers(0, len(TEXT)), st.integers(0, 40)), max_size=12))
def test_claimed_is_what_a_look_at_every_pair_says(places: list[tuple[int, int]]) -> None:
    spans: list[SpanT] = [(start, min(start + length, len(TEXT))) for start, length in places]
    spec, parsed = _parsed(TEXT)
    bearing = [unit for unit in parsed.units if unit.claim_bearing]
    touched = [unit for unit in bearing if any(max(unit.span[0], s) < min(unit.span[1], e) for s, e in spans)]
    found = coverage(spec, parsed, spans)
    assert (found.units, found.claimed) == (len(bearing), len(touched))
    claims = Claims(spec, parsed)
    assert len(found.unclaimed) == sum(1 for unit in bearing if unit not in touched and claims.why(unit) is not None)


@settings(max_examples=100)
@given(
    st.lists(
        st.sampled_from(["must ", "해야 한다. ", "- ", "\n", "# ", "|", "**", "THEN ", "`", "。", "x", ": "]),
        max_size=40,
    )
)
def test_any_text_has_a_coverage(parts: list[str]) -> None:
    spec, parsed = _parsed("".join(parts))
    found = coverage(spec, parsed, ())
    assert found.claimed == 0
    assert len(found.unclaimed) <= found.units
    assert all("\n" not in entry.text and entry.why for entry in found.unclaimed)


def test_every_real_spec_has_a_coverage_with_its_own_lines() -> None:
    folder = os.environ.get("ISOPOD_CASES")
    if not folder:
        pytest.skip("ISOPOD_CASES names no folder with real specs")
    paths = sorted(Path(folder).glob("cases/specs/*"))
    assert paths
    for path in paths:
        spec = decode(path.read_bytes(), path.name)
        found = coverage(spec, structure(spec), ())
        assert 0 < len(found.unclaimed) <= found.units, path.name
        assert all(1 <= entry.lines[0] <= entry.lines[1] <= spec.line_count for entry in found.unclaimed), path.name
