"""Real specs that changed, version by version: cards follow, nothing is in error, and compiling again changes nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from scenes import Scene

HISTORIES = (
    ("openspec-cli-update", "union"),
    ("semver", "agreed"),
    ("kep-3850-backoff", "agreed"),
    ("kep-753-sidecar", "union"),
)


@pytest.mark.parametrize(("name", "accept"), HISTORIES)
def test_cards_follow_a_real_history(tmp_path: Path, cases: Path, name: str, accept: str) -> None:
    scene = Scene.new(tmp_path)
    versions = sorted((cases / "cases" / "histories" / name).iterdir())
    assert len(versions) > 2
    for version in versions:
        shutil.copyfile(version, scene.spec("spec"))
        assert scene.compile("spec", offline=True, accept=accept).exit_code == 0, version.name
        assert scene.audit_errors() == [], version.name
        assert scene.compile("spec", offline=True).compiled.changed == (), version.name


ALIKE = "The system must store the long link in the table of links."


def test_equal_sentences_with_equal_context_keep_their_claims(tmp_path: Path) -> None:
    scene = Scene.new(tmp_path)
    scene.spec("same").write_text("# T\n\n" + f"- {ALIKE}\n" * 4, encoding="utf-8")
    assert scene.compile("same", offline=True, accept="union").exit_code == 0
    assert len(scene.snapshot.anchors["same"].store.anchors) == 4 and scene.audit_errors() == []
    assert scene.compile("same", offline=True).compiled.changed == ()
    scene.spec("same").write_text("# T\n\nIt is a shop.\n\n" + f"- {ALIKE}\n" * 4, encoding="utf-8")
    before = [anchor.id for anchor in scene.snapshot.anchors["same"].store.anchors]
    assert scene.compile("same", offline=True, accept="union").exit_code == 0
    live = [anchor.id for anchor in scene.snapshot.anchors["same"].store.anchors if anchor.status == "live"]
    assert set(before) <= set(live) and scene.audit_errors() == []
