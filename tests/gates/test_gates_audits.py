"""Audits on instances that the fixtures do not show."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from gate_cases import CASES, reported


def changed(rule: str, which: str, into: Path, edits: dict[str, tuple[str, str] | bytes | None]) -> Path:
    """A fixture with some files changed: a replacement in the text, other bytes, or None for no file."""
    folder = into / "instance"
    shutil.copytree(CASES / rule / which, folder)
    for name, edit in edits.items():
        file = folder / name
        if edit is None:
            file.unlink()
        elif isinstance(edit, bytes):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(edit)
        else:
            text = file.read_text(encoding="utf-8")
            assert edit[0] in text
            file.write_text(text.replace(*edit), encoding="utf-8")
    return folder


def codes(folder: Path) -> list[str]:
    return [found["code"] for found in reported(folder, "audit")]


def test_other_line_ends_in_the_spec_change_no_finding(tmp_path: Path) -> None:
    spec = (CASES / "spec-drift" / "good" / "specs" / "links.md").read_bytes()
    folder = changed("spec-drift", "good", tmp_path, {"specs/links.md": spec.replace(b"\n", b"\r\n")})
    assert codes(folder) == []


def test_a_spec_that_is_gone_is_one_finding_and_not_one_a_claim(tmp_path: Path) -> None:
    assert codes(changed("spec-drift", "good", tmp_path, {"specs/links.md": None})) == ["C230"]


def test_a_spec_that_cannot_be_read_is_not_called_gone(tmp_path: Path) -> None:
    folder = changed("spec-drift", "good", tmp_path, {"specs/links.md": "A link".encode("utf-16")})
    found = reported(folder, "audit")
    assert [finding["where"]["file"] for finding in found] == ["specs/links.md"]
    assert "C230" not in {finding["code"] for finding in found}


def test_an_epic_that_lives_in_the_tracker_is_no_dangling_parent(tmp_path: Path) -> None:
    config = (CASES / "dangling-link" / "good" / "config.yaml").read_bytes()
    config += b"specs:\n  links: {path: specs/links.md, epic: GROW-7}\n"
    edits = {"config.yaml": config, "cards/STY-AAAAAAA1.yaml": ("EPC-AAAAAAA1", "GROW-7")}
    assert codes(changed("dangling-link", "good", tmp_path, edits)) == []


def test_an_answered_conflict_leaves_a_decision_in_the_place_of_its_gate(tmp_path: Path) -> None:
    edits = {
        "cards/STY-AAAAAAA1.yaml": ("GAT-AAAAAAA1", "DEC-AAAAAAA9"),
        "cards/STY-AAAAAAA2.yaml": ("GAT-AAAAAAA1", "DEC-AAAAAAA9"),
        "cards/GAT-AAAAAAA1.yaml": ("state: drafted", "state: done"),
        "cards/DEC-AAAAAAA9.yaml": b"schema: isopod.card/1\nid: DEC-AAAAAAA9\nkind: decision\ntitle: Ends\nteam: growth\n",
    }
    assert codes(changed("conflict-without-gate", "good", tmp_path, edits)) == []


def test_a_gate_of_another_question_does_not_answer_a_conflict(tmp_path: Path) -> None:
    edits = {"cards/STY-AAAAAAA2.yaml": ("edge: conflicts_with", "edge: blocked_by")}
    assert codes(changed("conflict-without-gate", "good", tmp_path, edits)) == ["C250", "A145"]


def test_a_dependency_of_a_deleted_card_is_nobodys_concern(tmp_path: Path) -> None:
    edits = {"cards/STY-AAAAAAA1.yaml": ("state: drafted", "state: deleted")}
    assert codes(changed("dangling-dependency", "bad", tmp_path, edits)) == []


def test_a_mark_of_no_claim_falls_when_the_words_around_it_change(tmp_path: Path) -> None:
    edits = {"specs/links.md": ("another target.", "another owner.")}
    assert "C232" in codes(changed("unclaimed-unit", "good", tmp_path, edits))


def test_two_ids_that_differ_by_case_are_one_id(tmp_path: Path) -> None:
    card = (CASES / "id-filename" / "good" / "cards" / "STY-AAAAAAA1.yaml").read_bytes()
    copy = card.replace(b"STY-AAAAAAA1", b"STY-AAAAAAa1")
    assert codes(changed("id-filename", "good", tmp_path, {"cards/STY-AAAAAAa1.yaml": copy})) == ["C201"]


def test_an_id_of_control_characters_is_shown_and_not_sent(tmp_path: Path) -> None:
    edits = {"cards/STY-AAAAAAA1.yaml": ("STY-AAAAAAA2", '"\\e[2J\\u202E"')}
    found = reported(changed("dangling-dependency", "good", tmp_path, edits), "audit")
    assert [finding["code"] for finding in found] == ["C210"]
    assert "\\x1b[2J\\u202e" in found[0]["message"]
    assert "\x1b" not in found[0]["message"]


@pytest.mark.parametrize("state", ["published", "in_progress", "in_review"])
def test_a_published_card_keeps_its_words_and_is_told_so(tmp_path: Path, state: str) -> None:
    edits = {"cards/STY-AAAAAAA1.yaml": ("state: drafted", f"state: {state}")}
    found = reported(changed("spec-drift", "bad", tmp_path, edits), "audit", select=["C231"])
    assert "keeps its words" in next(entry["message"] for entry in found if entry["subject"] == "STY-AAAAAAA1")
