"""isopod diff, move, split and merge as they are typed."""

from __future__ import annotations

import json
import re
import shlex
from itertools import pairwise
from pathlib import Path

import jsonschema
import pytest
from conftest import Run
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from scenes import SAID, AnchorT, EdgeT, Scene, fingerprint, lines

from pipeline.deeds.cut import cut
from pipeline.difference import words_between
from schemas.jsonschema import schema_of

TEXT = """\
# 링크

## Creating

- It makes a short link.
- A code has exactly six characters from the alphabet that the owner has chosen beforehand.

## 기한

- 링크는 만든 날부터 30일 동안 산다.
- 만료된 코드는 1년 동안 다른 주소에 주지 않는다.
"""
ANCHORS: list[AnchorT] = [
    ("a1", "requirement", "It makes a short link."),
    ("a2", "constraint", "A code has exactly six characters from the alphabet that the owner has chosen beforehand."),
    ("a3", "constraint", "링크는 만든 날부터 30일 동안 산다."),
    ("a4", "constraint", "만료된 코드는 1년 동안 다른 주소에 주지 않는다."),
]
EDGES: list[EdgeT] = [("a3", "requires", "a1", "만든 날부터")]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene.new(tmp_path)
    scene.write("links", TEXT, ANCHORS, EDGES)
    assert scene.compile("links").exit_code == 0
    return scene


def change(scene: Scene, *replaced: tuple[str, str]) -> None:
    """The spec with other words, and readings of it."""
    text, anchors = TEXT, ANCHORS
    for old, new in replaced:
        text = text.replace(old, new)
        anchors = [(ref, kind, quote.replace(old, new)) for ref, kind, quote in anchors]
    scene.write("links", text, [one for one in anchors if one[2] in text], EDGES)


def diff(isopod: Run, *arguments: str) -> dict[str, object]:
    done = isopod("diff", *arguments, "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, schema_of("diff"))
    return dict(found)


def test_a_spec_that_did_not_change_says_so(scene: Scene, isopod: Run) -> None:
    assert isopod("diff").stdout == "The spec says what it said when it was compiled.\n"
    assert diff(isopod, "links")["diff"] == []


@pytest.mark.parametrize("columns", ["80", "132"])
def test_old_and_new_words_stand_side_by_side_with_the_cards_and_the_way_out(
    scene: Scene, isopod: Run, columns: str
) -> None:
    change(scene, ("six characters", "eight small characters"), ("30일", "60일"))
    shown = isopod("diff", "specs/links.md", COLUMNS=columns)
    assert shown.returncode == 0
    assert all(cell_len(line) <= int(columns) for line in shown.stdout.splitlines())
    pairs = [line.split(" | ") for line in shown.stdout.splitlines() if " | " in line]
    assert len({cell_len(left) for left, _ in pairs}) == 1  # the columns line up, Korean too
    old, new = (" ".join(side.strip() for side in column) for column in zip(*pairs, strict=True))
    assert "[-six-]" in old and "{+eight small+}" in new and "[-30일-]" in old and "{+60일+}" in new
    creating = scene.titled("Creating")
    assert f"  {creating.id} A2  drafted  Creating\n      isopod compile specs/links.md\n" in shown.stdout
    assert "specs/links.md:8  링크 > 기한: changed since it was read" in shown.stdout


def test_the_words_of_a_published_card_are_beside_the_claim_that_stands_there_now(scene: Scene, isopod: Run) -> None:
    creating = scene.titled("Creating")
    scene.put_state(creating.id, "in_progress")
    change(scene, ("six characters", "eight characters"))
    scene.compile("links")
    (claim,) = diff(isopod, "links")["diff"]  # type: ignore[misc]
    assert claim["new"].startswith("A code has exactly eight") and claim["standing"] == "edited"
    (card,) = claim["cards"]
    assert (card["card"], card["state"], card["lines"]) == (creating.id, "in_progress", ["A2"])
    assert card["do"] == f"isopod move {claim['new_claim']} --instead-of {claim['claim']}" and not claim["settled"]
    assert f"claimed as {claim['new_claim']}" in isopod("diff").stdout
    done = isopod(*shlex.split(card["do"])[1:], "--by", "Kim", "--yes")
    assert done.returncode == 0 and f"{claim['new_claim']} is what the spec says now" in done.stdout
    (claim,) = diff(isopod, "links")["diff"]  # type: ignore[misc]
    assert claim["settled"] and claim["cards"][0]["do"] is None
    assert "every changed claim is answered for" in isopod("diff").stdout
    assert scene.audit_errors() == []


def test_a_claim_that_is_gone_has_nothing_beside_it(scene: Scene, isopod: Run) -> None:
    text = TEXT.replace("- 만료된 코드는 1년 동안 다른 주소에 주지 않는다.\n", "")
    scene.write("links", text, ANCHORS[:3], EDGES)
    (claim,) = diff(isopod, "links")["diff"]  # type: ignore[misc]
    assert claim["new"] is None and claim["words"] == [{"op": "gone", "text": claim["old"]}]
    assert "(nothing like it in that section)" in isopod("diff").stdout


def test_words_that_stand_twice_and_sections_that_come_and_go_are_told(scene: Scene, isopod: Run) -> None:
    again = "\n## 부록\n\n- It makes a short link.\n"
    text = TEXT.replace("## Creating", "## Making").replace(
        "- It makes a short link.", "- It makes a short link.\n\nX."
    )
    scene.write("links", text + again, ANCHORS, EDGES)
    found = diff(isopod, "links")
    assert [claim["standing"] for claim in found["diff"]] == ["ambiguous"]  # type: ignore[index,attr-defined]
    sections = {(one["path"], one["change"]) for one in found["sections"]}  # type: ignore[index,attr-defined]
    assert {("링크 > Making", "new"), ("링크 > 부록", "new"), ("링크 > Creating", "gone")} <= sections


def test_a_spec_that_is_gone_or_unknown_is_named_with_a_way_out(scene: Scene, isopod: Run) -> None:
    assert isopod("diff", "nothing").returncode == 2
    scene.spec("links").unlink()
    refused = isopod("diff", "links")
    assert refused.returncode == 2 and "isopod spec mv specs/links.md" in refused.stderr


def test_looking_writes_nothing_and_hostile_words_do_nothing(scene: Scene, isopod: Run) -> None:
    change(scene, ("six characters", "six \x1b[31m\u202echaracters"))
    before = fingerprint(scene.root)
    shown = isopod("diff")
    assert "\x1b" not in shown.stdout and "\u202e" not in shown.stdout and fingerprint(scene.root) == before


@given(st.text("ab 한글漢字.`", max_size=30), st.text("ab 한글漢字.`", max_size=30))
def test_the_words_of_a_difference_are_both_texts(old: str, new: str) -> None:
    words = words_between(old, new)
    assert "".join(one.text for one in words if one.op != "new") == old
    assert "".join(one.text for one in words if one.op != "gone") == new
    assert not any(a.op == b.op for a, b in pairwise(words))


# --- move, split, merge ----------------------------------------------------------------------------------------------


def test_split_and_merge_show_ask_and_write(scene: Scene, isopod: Run) -> None:
    creating = scene.titled("Creating")
    before = fingerprint(scene.root)
    shown = isopod("split", creating.id.lower(), "--lines", "a2", "--title", "코드", "--by", "김", "--dry-run")
    assert shown.returncode == 0 and "would write cards/groups/" in shown.stdout and fingerprint(scene.root) == before
    refused = isopod("split", creating.id, "--lines", "A2")
    assert refused.returncode == 2 and "(not-confirmed)" in refused.stderr
    done = isopod("split", creating.id, "--lines", "A2", "--title", "코드", "--by", "김", "--yes")
    assert done.returncode == 0 and "is new:  코드" in done.stdout
    assert all(cell_len(line) <= 80 for line in done.stdout.split("diff ")[0].splitlines())
    new = scene.titled("코드")
    assert new.title_by == "김" and scene.snapshot.group_files[new.id].group.claims[0].by == "김"
    data = json.loads(isopod("merge", creating.id, new.id, "--yes", "--format", "json").stdout)
    jsonschema.validate(data, schema_of("written"))
    assert data["command"] == "merge" and lines(scene.cards[creating.id]) == lines(creating)


def test_move_takes_claims_and_refuses_in_words(scene: Scene, isopod: Run) -> None:
    creating, expiry = scene.titled("Creating"), scene.titled("기한")
    moved = isopod("move", creating.anchors[1].lower(), "--to", expiry.id, "--because", "같이 만든다", "--yes")
    assert moved.returncode == 0 and len(scene.cards[expiry.id].acceptance) == 3
    scene.put_state(expiry.id, "published")
    refused = isopod("move", expiry.anchors[0], "--to", creating.id, "--yes")
    assert refused.returncode == 2 and re.search(r"is published: ANC-\w+ stays on it", refused.stderr)
    assert isopod("move", expiry.anchors[0]).returncode == 2
    assert "(unknown-id)" in isopod("move", "ANC-00000000", "--to", creating.id).stderr
    cut(scene.snapshot, [creating.id], SAID).hand.transaction.commit()
    assert "final" in isopod("move", expiry.anchors[0], "--to", creating.id, "--yes").stderr


# --- why, spec mv ----------------------------------------------------------------------------------------------------


def test_why_knows_claims(scene: Scene, isopod: Run) -> None:
    expiry = scene.titled("기한")
    assert isopod("why", expiry.anchors[0].lower()).stdout == isopod("why", expiry.id).stdout
    cut(scene.snapshot, [expiry.id], SAID).hand.transaction.commit()
    refused = isopod("why", expiry.anchors[0])
    assert refused.returncode == 2 and "it was left out of the plan" in refused.stderr
    assert "(unknown-id)" in isopod("why", "ANC-00000000").stderr


def test_a_spec_is_renamed_only_to_a_file_that_holds_its_claims(scene: Scene, isopod: Run) -> None:
    old, new = scene.spec("links"), scene.spec("short")
    new.write_text("# Other\n\n- It is another spec.\n", encoding="utf-8")
    there = isopod("spec", "mv", "specs/links.md", "specs/short.md")
    assert there.returncode == 2 and "still there" in there.stderr
    text = old.read_text(encoding="utf-8")
    old.unlink()
    other = isopod("spec", "mv", "specs/links.md", "specs/short.md")
    assert other.returncode == 2 and "not one of the 4 claims" in other.stderr
    new.write_text(text.replace("six", "seven"), encoding="utf-8")
    assert isopod("spec", "mv", "specs/links.md", "specs/short.md").returncode == 0
    assert scene.snapshot.anchor_stores["links"].spec.path == "specs/short.md"
