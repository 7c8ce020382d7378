"""The cards that this repository ships are those that the program makes of its specs."""

from __future__ import annotations

import shutil
from pathlib import Path

from scenes import REPOSITORY, Scene

from schemas.settlement import Settlement
from store.yamlio import load


def test_compiling_the_repositorys_specs_anew_gives_its_cards(tmp_path: Path) -> None:
    shutil.copy(REPOSITORY / "config.yaml", tmp_path)
    shutil.copytree(REPOSITORY / "specs", tmp_path / "specs")
    scene = Scene(tmp_path)
    for name in ("link-shortener", "reminder-ko"):
        assert scene.compile(name).exit_code == 0
    assert scene.compile("isopod", offline=True, accept="union").exit_code == 0
    for folder in ("", "anchors"):
        made = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "cards" / folder).glob("*.yaml")}
        ours = {path.name: path.read_text(encoding="utf-8") for path in (REPOSITORY / "cards" / folder).glob("*.yaml")}
        assert made == ours
    (made_answer,) = (tmp_path / "cards" / "settlements" / "isopod").glob("*.yaml")
    (our_answer,) = (REPOSITORY / "cards" / "settlements" / "isopod").glob("*.yaml")
    assert _taken(made_answer) == _taken(our_answer)


def _taken(path: Path) -> tuple[object, ...]:
    settlement = Settlement.parse(load(path.read_text(encoding="utf-8"), path.name), source=path.name)
    return settlement.id, settlement.answer, settlement.anchors, settlement.edges, settlement.left_out
