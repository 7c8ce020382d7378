"""Every real spec goes down the whole line with the offline readers: no crash, exact spans, true line numbers, plain cards."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from scenes import SAID, Scene, fingerprint, lines

from pipeline.compile import CompileOptions, Outcome, commit, compile_spec
from pipeline.workspace import Workspace
from text.cores import core
from text.intervals import crossing


def _specs() -> list[str]:
    folder = os.environ.get("ISOPOD_CASES")
    return sorted(path.name for path in (Path(folder) / "cases" / "specs").iterdir()) if folder else []


SPECS = _specs() or [
    pytest.param("", marks=pytest.mark.skip(reason="ISOPOD_CASES is not set: the real specs are not here"))
]


def preview(path: Path) -> tuple[Workspace, Outcome]:
    workspace = Workspace.alone()
    return workspace, compile_spec(workspace, path, CompileOptions(offline=True), preview=True)


def line_as_grep_counts(data: bytes, offset: int) -> int:
    """The number that `grep -n` gives the line of a byte."""
    return data.count(b"\n", 0, offset) + 1


@pytest.mark.parametrize("name", SPECS)
def test_a_preview_of_a_real_spec_is_exact(cases: Path, name: str) -> None:
    path = cases / "cases" / "specs" / name
    data = path.read_bytes()
    text = data.decode("utf-8-sig")
    _, outcome = preview(path)
    assert outcome.exit_code in (0, 3)
    assert outcome.compiled.heuristic
    for anchor in outcome.compiled.anchors:
        assert text[anchor.span[0] : anchor.span[1]] == anchor.exact
        first = len(text[: anchor.span[0]].encode()) + len(data) - len(text.encode())
        last = len(text[: anchor.span[1] - 1].encode()) + len(data) - len(text.encode())
        assert anchor.lines == (line_as_grep_counts(data, first), line_as_grep_counts(data, last))
    assert crossing([core(text, anchor.span) for anchor in outcome.compiled.anchors]) == []
    for card in outcome.compiled.cards:
        assert card.heuristic
        assert card.kind != "story" or card.acceptance
        for shown in (card.title, *lines(card)):
            assert "|" not in shown and "\n" not in shown and shown.count("`") % 2 == 0 and shown.strip() == shown
        assert len(card.title) <= 100


@pytest.mark.parametrize("name", SPECS)
def test_a_real_spec_becomes_cards_that_hold_together(cases: Path, tmp_path: Path, name: str) -> None:
    scene = Scene.new(tmp_path)
    path = tmp_path / "specs" / name
    path.write_bytes((cases / "cases" / "specs" / name).read_bytes())
    options = CompileOptions(offline=True, accept="union", said=SAID)

    def compiled() -> Outcome:
        workspace = scene.workspace
        outcome = compile_spec(workspace, path, options)
        commit(workspace, outcome)
        return outcome

    outcome = compiled()
    assert outcome.exit_code == 0, [one.message for one in outcome.findings if one.severity == "error"]
    assert scene.audit_errors() == []
    (store,) = scene.snapshot.anchor_stores.values()
    ids = [*(anchor.id for anchor in store.anchors), *scene.cards]
    assert len({one.casefold() for one in ids}) == len(ids) and store.heuristic
    assert all(card.heuristic for card in scene.snapshot.cards)
    homes = [anchor for card in scene.snapshot.cards for anchor in card.anchors]
    assert len(set(homes)) == len(homes)
    before = fingerprint(tmp_path)
    assert compiled().compiled.changed == () and fingerprint(tmp_path) == before
