"""isopod audit --base, and what it says where there is no history, as people type it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from conftest import Run, fingerprint


def git(folder: Path, *arguments: str) -> None:
    own = ("-c", "user.name=Kim", "-c", "user.email=kim@example.com", "-c", "init.defaultBranch=main")
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *own, *arguments], cwd=folder, check=True, capture_output=True, env=os.environ | quiet)


def rewrite(instance: Path, card_id: str, old: str, new: str) -> None:
    path = instance / "cards" / f"{card_id}.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def committed(instance: Path) -> Path:
    git(instance, "init", "-q")
    rewrite(instance, "STY-00000001", "state: planned", "state: published")
    git(instance, "add", "-A")
    git(instance, "commit", "-qm", "first")
    git(instance, "tag", "v1")
    return instance


LINE = "Owners can renew a link before it expires., anchors"


def test_a_rewritten_line_of_a_published_card_is_named_by_an_audit_against_a_tag(committed: Path, isopod: Run) -> None:
    rewrite(committed, "STY-00000001", f"text: {LINE}", "text: Owners can renew., anchors")
    git(committed, "commit", "-qam", "second")
    before = fingerprint(committed)
    done = isopod("audit", "--base", "v1", "--select", "intent-weakened,prose-without-edges")
    assert done.returncode == 1
    assert 'now says "Owners can renew." since v1' in done.stdout
    assert "does it still wait for GAT-00000003 and STY-00000002?" in done.stdout
    assert fingerprint(committed) == before


def test_a_base_that_git_does_not_know_is_refused(committed: Path, isopod: Run) -> None:
    done = isopod("audit", "--base", "v9")
    assert (done.returncode, done.stdout) == (2, "")
    assert "git knows no commit 'v9'" in done.stderr


def test_outside_of_git_the_exit_code_is_that_of_the_other_rules(instance: Path, isopod: Run) -> None:
    chosen = ("--select", "C242,C243,C244,C245,C210")
    around = {"GIT_CEILING_DIRECTORIES": str(instance.parent)}
    done = isopod("audit", *chosen, **around)
    assert done.returncode == 0
    assert "not checked: C242, C243, C244, C245 (not a git repository)" in done.stdout
    assert isopod("audit", *chosen, "--base", "main", **around).returncode == 0
    data = json.loads(isopod("audit", *chosen, "--format", "json", **around).stdout)
    assert {entry["why"] for entry in data["not_checked"]} == {"not a git repository"}
