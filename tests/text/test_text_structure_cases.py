"""The structure of real specs: the demo specs line by line, every case file whole."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest

from text.coordinates import SpecText, decode
from text.display import display, line_unit
from text.structure import Structure, structure

_CASES = os.environ.get("ISOPOD_CASES")
pytestmark = pytest.mark.skipif(_CASES is None, reason="ISOPOD_CASES names no folder with cases/ and demo/")
_ROOT = Path(_CASES or ".")
_SPECS = sorted((_ROOT / "cases" / "specs").glob("*")) + sorted((_ROOT / "demo" / "specs").glob("*"))


def read(path: Path) -> tuple[SpecText, Structure]:
    spec = decode(path.read_bytes(), path.name)
    return spec, structure(spec)


@pytest.mark.parametrize("path", _SPECS, ids=lambda path: path.name)
def test_every_spec_is_cut_whole(path: Path) -> None:
    spec, found = read(path)
    segments = sorted(segment for block in found.blocks for segment in block.segments)
    assert all(left[1] <= right[0] for left, right in pairwise(segments))
    spans = [unit.span for unit in found.units]
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    position = lines = 0
    for unit in found.units:
        lines += spec.text.count("\n", position, unit.span[0])
        position = unit.span[0]
        assert unit.lines == (lines + 1, lines + 1 + spec.text.count("\n", *unit.span))
        assert found.unit_at(position) is unit
        assert found.block_at(position) is found.blocks[unit.block]
        shown = display(spec, found, line_unit(found, position).span)
        assert shown
        assert not {"|", "\n"} & set(shown)
    assert sum(unit.claim_bearing for unit in found.units) >= 10
    assert len({section.name for section in found.sections}) == len(found.sections) >= 3


@pytest.mark.parametrize("path", _SPECS, ids=lambda path: path.name)
def test_nearly_every_word_of_a_spec_is_in_a_unit(path: Path) -> None:
    """What is in none: list marks, table bars, tags, fence lines, link definitions, page furniture."""
    spec, found = read(path)
    inside = sum(len(spec.quoted(unit.span).split()) for unit in found.units)
    assert inside >= 0.85 * len(spec.text.split())


def _lines(path: Path, section: str) -> list[str]:
    spec, found = read(path)
    index = next(one.index for one in found.sections if one.name == section)
    units = [unit for unit in found.units if found.blocks[unit.block].section == index and unit.claim_bearing]
    seen = dict.fromkeys(line_unit(found, unit.span[0]) for unit in units)
    return [display(spec, found, line.span) for line in seen]


def test_the_lines_of_the_link_shortener() -> None:
    path = _ROOT / "demo" / "specs" / "link-shortener.md"
    assert _lines(path, "Link shortener > Expiry") == [
        "A link lives for 30 days from its creation.",
        "On day 29 it still redirects; from exactly 30 days on, `GET /{code}` answers `410 Gone`.",
        "An expired code is not given to another target for one year.",
        "Owners can renew a link before it expires, which starts a new period of 30 days.",
        (
            "Whether a paid plan gets longer periods is not decided yet; the pricing committee answers by the end of "
            "the quarter, and the renewal page cannot ship before that."
        ),
    ]
    assert _lines(path, "Link shortener > Statistics")[-3:] == [
        "Opens per day — Shown to: owner; Fresh within: 15 minutes",
        "Opens by country — Shown to: owner; Fresh within: 24 hours",
        "The owner page shows both figures for the last 30 days.",
    ]
    found = read(path)[1]
    groups = [block.group for block in found.blocks if found.sections[block.section].titles[-1] == "Statistics"]
    assert [group - groups[1] for group in groups] == [-1, 0, 0, 0, 0, 1]


def test_the_lines_of_the_reminder_service() -> None:
    path = _ROOT / "demo" / "specs" / "reminder-ko.md"
    assert _lines(path, "예약 알림 서비스 > 3. 알림 발송")[1:4] == [
        "예약이 오전 9시 이전이면 두 번째 알림은 보내지 않는다.",
        "알림은 발송 창 밖에서 절대 나가지 않는다. 발송 창 밖으로 밀린 알림은 다음 창이 열릴 때 보낸다.",
        "같은 예약의 같은 알림은 두 번 보내지 않는다. 재시도 중에도 마찬가지다.",
    ]
    assert (
        _lines(path, "예약 알림 서비스 > 2. 용어")[2]
        == "발송 창: 알림을 보내도 되는 시간대. 오전 8시부터 오후 9시까지."
    )
    assert _lines(path, "예약 알림 서비스 > 4. 외부 연동")[3] == (
        "`reservation.created` — 우리가 하는 일: 알림 두 건을 만든다; 허용 지연: 1분"
    )


def test_a_modal_at_a_line_end_keeps_its_negation() -> None:
    spec, found = read(_ROOT / "cases" / "specs" / "semver.md")
    unit = found.unit_at(spec.text.index("Numeric identifiers MUST"))
    assert unit is not None
    assert " ".join(spec.quoted(unit.span).split()) == "Numeric identifiers MUST NOT include leading zeroes."


def test_a_row_of_the_openapi_tables_is_one_line() -> None:
    spec, found = read(_ROOT / "cases" / "specs" / "openapi-3.2.0.md")
    line = line_unit(found, spec.text.index("This string MUST be the [version number]"))
    assert display(spec, found, line.span).startswith(
        "openapi — Type: `string`; Description: REQUIRED. This string MUST"
    )


def test_an_rfc_has_its_sections_and_none_of_its_table_of_contents() -> None:
    found = read(_ROOT / "cases" / "specs" / "rfc2616.txt")[1]
    names = [section.titles[-1] for section in found.sections if section.titles]
    assert names.count("14.9 Cache-Control") == 1
    section = next(one for one in found.sections if one.titles[-1:] == ("14.9.1 What is Cacheable",))
    assert section.titles[:-1] == ("14 Header Field Definitions", "14.9 Cache-Control")
