"""Rules that compare with history, where the fixtures do not go: no history, a base by name, merges, what is no fault."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from gate_cases import CASES, TODAY, git, snapshot_of

from gates.registry import rules
from gates.run import run
from schemas.card import Card
from schemas.errors import RefusedError
from schemas.finding import Findings
from store import ledger
from store.cards import to_text
from store.instance import open_instance
from store.past import past_of
from store.transaction import Transaction

CONFIG = (CASES / "done-edited" / "good" / "now" / "config.yaml").read_text(encoding="utf-8")
ONE = "STY-AAAAAAA1"
LINES = [{"id": "A1", "text": "A link lives for 30 days."}]
LEANING = {rule.code for rule in rules() if rule.history == "all"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An instance in a repository of its own; nothing is committed yet."""
    (tmp_path / "cards").mkdir()
    (tmp_path / "config.yaml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / ".gitattributes").write_text("cards/ledger/checkpoint.json merge=union\n", encoding="utf-8")
    (tmp_path / ".gitignore").write_text(".isopod/\n", encoding="utf-8")
    git(tmp_path, "init", "-q")
    return tmp_path


def put(root: Path, card_id: str = ONE, **fields: Any) -> Card:
    data = {"id": card_id, "kind": "story", "title": "Expiry", "team": "growth", "acceptance": LINES}
    card = Card.parse(data | fields, source=card_id)
    (root / "cards" / f"{card_id}.yaml").write_text(to_text(card, open_instance(root).config), encoding="utf-8")
    return card


def commit(root: Path, message: str = "a commit") -> str:
    git(root, "add", "-A")
    git(root, "commit", "-qm", message)
    return git(root, "rev-parse", "HEAD")


def seal(root: Path, card: Card, minute: int = 0) -> str:
    instance = open_instance(root)
    tx = Transaction(instance.root, instance.state_dir, command="done")
    name = ledger.seal(tx, instance, card=card, by="Kim", at=f"2026-11-30T09:{minute:02}:00Z")
    tx.commit()
    return name


def audit(root: Path, base: str | None = None, **options: Any) -> Findings:
    snapshot = snapshot_of(root)
    return run("audit", snapshot, today=TODAY, past=partial(past_of, snapshot, base), **options)


def codes(root: Path, base: str | None = None) -> list[tuple[str, str]]:
    return [(finding.code, finding.subject) for finding in audit(root, base).findings]


# --- no history -------------------------------------------------------------------------------------------------------


def unchecked(found: Findings) -> dict[str, str]:
    return {entry.rule: entry.why for entry in found.not_checked}


def test_outside_of_git_it_is_said_what_was_not_checked_and_no_error_comes_of_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(root)
    shutil.rmtree(root / ".git")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(root.parent))
    found = audit(root)
    assert found.counts == {"error": 0, "warn": 0}
    wanted = dict.fromkeys(LEANING, "not a git repository") | {"C241": "only in part: not a git repository"}
    assert unchecked(found) == wanted


def test_a_shallow_clone_says_that_it_lacks_the_history(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    put(root, state="published")
    commit(root)
    put(root, state="published", acceptance=[])
    commit(root)
    clone = tmp_path_factory.mktemp("shallow") / "clone"
    git(root, "clone", "-q", "--depth", "1", f"file://{root}", str(clone))
    found = audit(clone)
    assert found.findings == ()
    assert unchecked(found)["C245"] == "this is a shallow clone, it lacks the history"


def test_before_the_first_commit_nothing_is_compared(root: Path) -> None:
    put(root)
    assert "no commit yet" in unchecked(audit(root))["C244"]


def test_git_is_not_asked_when_no_rule_leans_on_it(root: Path) -> None:
    def no_past() -> Any:
        raise AssertionError("nobody asked for history")

    run("audit", snapshot_of(root), today=TODAY, select=["C201", "dangling-link"], past=no_past)


def test_a_seal_and_the_ledger_are_held_without_git(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seal(root, put(root, state="done"))
    put(root, state="done", title="Expiry of links")
    (root / "cards" / "ledger" / ledger.CHECKPOINT).unlink()
    shutil.rmtree(root / ".git")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(root.parent))
    assert set(codes(root)) == {("C240", ONE), ("C246", ledger.CHECKPOINT)}


def test_a_copy_that_cannot_be_read_is_said_and_not_judged(root: Path) -> None:
    (root / "cards" / f"{ONE}.yaml").write_text("id: [\n", encoding="utf-8")
    commit(root)
    put(root, state="published")
    found = audit(root)
    assert found.findings == ()
    assert f"cards/{ONE}.yaml in the history cannot be read" in unchecked(found)["C245"]


# --- the base ---------------------------------------------------------------------------------------------------------


def test_the_base_may_be_named(root: Path) -> None:
    put(root, state="published")
    commit(root)
    git(root, "tag", "v1")
    put(root, state="published", acceptance=[])
    commit(root)
    put(root, "STY-AAAAAAA2")
    commit(root)
    assert codes(root) == []  # what came with the commit before this one is not new any more
    assert codes(root, "v1") == [("C241", ONE), ("C245", ONE)]
    assert "since v1" in audit(root, "v1").findings[1].message
    with pytest.raises(RefusedError, match="git knows no commit 'v2'"):
        audit(root, "v2")


def test_an_instance_below_the_top_of_its_repository_is_compared_with_its_own_folder(
    tmp_path: Path,
) -> None:
    app = tmp_path / "apps" / "links"
    (app / "cards").mkdir(parents=True)
    (app / "config.yaml").write_text(CONFIG, encoding="utf-8")
    git(tmp_path, "init", "-q")
    put(app, state="published")
    commit(tmp_path)
    put(app, state="published", acceptance=[])
    assert codes(app) == [("C241", ONE), ("C245", ONE)]


# --- done cards -------------------------------------------------------------------------------------------------------


def test_a_sealed_card_may_lose_nothing_not_even_its_file(root: Path) -> None:
    seal(root, put(root, state="done"))
    commit(root)
    assert codes(root) == []
    put(root, state="deleted")
    assert codes(root) == [("C240", ONE)]
    (root / "cards" / f"{ONE}.yaml").unlink()
    assert codes(root) == [("C240", ONE)]


def test_a_done_card_that_was_edited_and_committed_is_still_found_by_its_seal(root: Path) -> None:
    seal(root, put(root, state="done"))
    commit(root)
    put(root, state="done", notes="by the way")
    commit(root)
    commit_of_another_file(root)
    (finding,) = audit(root).findings
    assert (finding.code, finding.subject) == ("C240", ONE)


def commit_of_another_file(root: Path) -> None:
    (root / "README.md").write_text("read\n", encoding="utf-8")
    commit(root)


def test_a_question_that_was_answered_stays_as_it_was_answered(root: Path) -> None:
    gate = {
        "kind": "gate",
        "state": "done",
        "acceptance": [],
        "gate": {"waits_for": "answer", "answer": "DEC-AAAAAAA1"},
    }
    put(root, "GAT-AAAAAAA1", **gate)
    put(root, "DEC-AAAAAAA1", kind="decision", acceptance=[], decision={"affects": "all"})
    commit(root)
    assert codes(root) == []
    put(root, "GAT-AAAAAAA1", **gate | {"title": "Another question"})
    assert codes(root) == [("C240", "GAT-AAAAAAA1")]


def test_another_team_may_open_its_issue_again(root: Path) -> None:
    theirs = {"kind": "external", "team": "data", "acceptance": []}
    tracker = {"provider": "local", "site": "there", "id": "1", "key": "DATA-1", "read_at": "2026-11-30T08:00:00Z"}
    put(root, "EXT-AAAAAAA1", **theirs, state="done", tracker=tracker)
    commit(root)
    put(root, "EXT-AAAAAAA1", **theirs, state="in_progress", tracker=tracker)
    assert codes(root) == []


# --- ids --------------------------------------------------------------------------------------------------------------


def test_a_card_that_comes_back_as_it_was_is_no_other_card(root: Path) -> None:
    put(root)
    commit(root)
    (root / "cards" / f"{ONE}.yaml").unlink()
    commit(root)
    commit_of_another_file(root)
    put(root, notes="here again")
    assert codes(root) == []
    put(root, title="Codes", acceptance=[{"id": "A1", "text": "A code has six characters."}])
    assert codes(root) == [("C244", ONE)]


def test_compiling_again_may_change_every_word_of_a_card_that_nobody_published(root: Path) -> None:
    put(root, spec="links", anchors=["ANC-AAAAAAA1"])
    commit(root)
    other = [{"id": "A1", "text": "A code has six characters."}]
    put(root, spec="links", anchors=["ANC-AAAAAAA2"], title="Codes", acceptance=other)
    assert "C244" not in {code for code, _ in codes(root)}
    put(root, spec="pages", anchors=["ANC-AAAAAAA2"], title="Codes", acceptance=other)
    assert "C244" in {code for code, _ in codes(root)}


def test_a_published_decision_may_get_another_title(root: Path) -> None:
    decision = {"kind": "decision", "state": "published", "acceptance": [], "decision": {"affects": "all"}}
    put(root, "DEC-AAAAAAA1", **decision)
    commit(root)
    put(root, "DEC-AAAAAAA1", **decision | {"title": "Links end"})
    assert "C244" not in {code for code, _ in codes(root)}


# --- intent -----------------------------------------------------------------------------------------------------------


def test_a_published_card_whose_file_is_gone_is_named_and_a_cut_one_is_not(root: Path) -> None:
    put(root, state="published")
    put(root, "STY-AAAAAAA2", state="in_review")
    commit(root)
    (root / "cards" / f"{ONE}.yaml").unlink()
    put(root, "STY-AAAAAAA2", state="deleted")
    assert codes(root) == [("C245", ONE)]


def test_a_published_line_that_moved_to_another_place_of_the_card_is_kept(root: Path) -> None:
    two = {"id": "A2", "text": "An expired code answers 410."}
    put(root, state="published", acceptance=[*LINES, two])
    commit(root)
    put(root, state="published", acceptance=[two, *LINES])
    assert "C245" not in {code for code, _ in codes(root)}


# --- merges -----------------------------------------------------------------------------------------------------------


def two_branches_that_seal(root: Path) -> tuple[str, str]:
    """Two branches that both sealed a card, merged; the names of their entries."""
    put(root, ONE, state="in_review")
    put(root, "STY-AAAAAAA2", state="in_review")
    put(root, "STY-AAAAAAA3", state="done")
    seal(root, put(root, "STY-AAAAAAA3", state="done"))
    commit(root, "base")
    git(root, "checkout", "-qb", "theirs")
    theirs = seal(root, put(root, ONE, state="done"), 1)
    commit(root, "theirs")
    git(root, "checkout", "-q", "main")
    ours = seal(root, put(root, "STY-AAAAAAA2", state="done"), 2)
    commit(root, "ours")
    git(root, "merge", "-q", "--no-edit", "theirs")
    return ours, theirs


def test_two_branches_that_both_sealed_merge_and_hold(root: Path) -> None:
    ours, theirs = two_branches_that_seal(root)
    assert codes(root) == []
    found = snapshot_of(root).ledger
    assert (set(found.heads), found.problems) == ({ours, theirs}, ())


@pytest.mark.parametrize("which", ["ours", "theirs", "base"])
@pytest.mark.parametrize("deed", ["changed", "cut", "cut with a new checkpoint"])
def test_after_the_merge_an_entry_that_was_changed_or_cut_is_found(root: Path, which: str, deed: str) -> None:
    ours, theirs = two_branches_that_seal(root)
    folder = root / "cards" / "ledger"
    (base,) = {path.stem for path in folder.glob("*.json")} - {ours, theirs, "checkpoint"}
    name = {"ours": ours, "theirs": theirs, "base": base}[which]
    path = folder / f"{name}.json"
    if deed == "changed":
        path.write_bytes(path.read_bytes().replace(b"Kim", b"Lee"))
    else:
        path.unlink()
    if deed.endswith("checkpoint"):
        heads = [f"sha256:{one}" for one in (ours, theirs) if one != name]
        text = "".join(f'{{"heads":["{head}"]}}\n' for head in heads)
        (folder / ledger.CHECKPOINT).write_text(text, encoding="utf-8")
    commit(root, "a deed")
    broken = [(finding.code, finding.subject) for finding in audit(root).findings if finding.code == "C246"]
    assert broken == [("C246", name)]


def test_a_checkpoint_in_which_a_merge_left_its_markers_is_named_with_their_lines(root: Path) -> None:
    (root / ".gitattributes").unlink()
    with pytest.raises(Exception, match="returned non-zero"):
        two_branches_that_seal(root)
    (finding,) = (one for one in audit(root).findings if one.code == "C246")
    assert "conflict markers on the lines 1, 3, 5" in finding.message
    assert finding.where.file == "cards/ledger/checkpoint.json"


def test_conflict_markers_in_a_card_and_in_a_store_file_are_errors_that_name_all_their_lines(root: Path) -> None:
    put(root)
    commit(root)
    git(root, "checkout", "-qb", "theirs")
    put(root, title="Expiry of links")
    commit(root)
    git(root, "checkout", "-q", "main")
    put(root, title="Links that expire")
    commit(root)
    with pytest.raises(Exception, match="returned non-zero"):
        git(root, "merge", "-q", "theirs")
    (root / "cards" / "anchors").mkdir()
    markers = "schema: isopod.anchors/1\n<<<<<<< HEAD\na: 1\n||||||| base\na: 0\n=======\na: 2\n>>>>>>> theirs\n"
    (root / "cards" / "anchors" / "links.yaml").write_text(markers, encoding="utf-8")
    found = {finding.where.file: finding for finding in audit(root).findings}
    assert {file: finding.name for file, finding in found.items()} == {
        "cards/anchors/links.yaml": "merge-conflict",
        f"cards/{ONE}.yaml": "merge-conflict",
    }
    assert "conflict markers on the lines 2, 4, 6, 8" in found["cards/anchors/links.yaml"].message
    assert "conflict markers on the lines" in found[f"cards/{ONE}.yaml"].message


def test_in_a_merge_that_waits_both_sides_are_known(root: Path) -> None:
    put(root)
    commit(root)
    git(root, "checkout", "-qb", "theirs")
    put(root, "STY-AAAAAAA2", title="Codes", acceptance=[{"id": "A1", "text": "A code has six characters."}])
    commit(root)
    (root / "cards" / "STY-AAAAAAA2.yaml").unlink()
    commit(root)
    git(root, "checkout", "-q", "main")
    commit_of_another_file(root)
    git(root, "merge", "-q", "--no-commit", "theirs")
    put(root, "STY-AAAAAAA2", title="Statistics", acceptance=[{"id": "A1", "text": "Opens are counted."}])
    assert codes(root) == [("C244", "STY-AAAAAAA2")]
