"""The same spec and readings give the same bytes, whoever compiles them, whatever the reader calls its claims."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest
from scenes import Scene, fingerprint

SPECS = ("link-shortener", "reminder-ko")


def cards_of(root: Path) -> dict[str, str]:
    return fingerprint(root / "cards")


def compiled(root: Path) -> Scene:
    scene = Scene.demo(root)
    for name in SPECS:
        assert scene.compile(name).exit_code == 0
    return scene


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return compiled(tmp_path_factory.mktemp("reference"))


def test_compiling_again_changes_no_byte_of_the_instance(tmp_path: Path) -> None:
    scene = compiled(tmp_path)
    before = fingerprint(tmp_path)
    for name in SPECS:
        outcome = scene.compile(name)
        assert outcome.compiled.changed == () and outcome.compiled.calls == 0
    assert fingerprint(tmp_path) == before


def test_two_instances_give_the_same_bytes(reference: Scene, tmp_path: Path) -> None:
    assert cards_of(compiled(tmp_path).root) == cards_of(reference.root)


def test_the_order_of_specs_does_not_matter(reference: Scene, tmp_path: Path) -> None:
    scene = Scene.demo(tmp_path)
    for name in reversed(SPECS):
        scene.compile(name)
    assert cards_of(tmp_path) == cards_of(reference.root)


@pytest.mark.parametrize("seed", range(3))
def test_other_refs_and_another_order_of_every_list_change_no_byte(reference: Scene, tmp_path: Path, seed: int) -> None:
    scene = Scene.demo(tmp_path)
    chance = random.Random(seed)
    for path in sorted((tmp_path / "specs" / "recorded").glob("*.json")):
        data = json.loads(path.read_bytes())
        refs = [anchor["ref"] for anchor in data["anchors"]]
        names = dict(zip(refs, (f"n{number}" for number in chance.sample(range(1000), len(refs))), strict=True))
        for anchor in data["anchors"]:
            anchor["ref"] = names[anchor["ref"]]
        for edge in data["edges"]:
            edge["from"], edge["to"] = names[edge["from"]], names[edge["to"]]
        chance.shuffle(data["anchors"])
        chance.shuffle(data["edges"])
        path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    for name in SPECS:
        scene.compile(name)
    assert cards_of(tmp_path) == cards_of(reference.root)


def with_crlf(root: Path) -> None:
    for path in (root / "specs").glob("*.md"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


def test_specs_with_crlf_keep_every_id_and_show_no_finding(tmp_path: Path) -> None:
    scene = compiled(tmp_path)
    findings, cards = scene.audit(), cards_of(tmp_path)
    with_crlf(tmp_path)
    assert scene.audit() == findings
    assert scene.audit_errors() == []
    for name in SPECS:
        assert scene.compile(name).exit_code == 0
    assert cards_of(tmp_path) == cards


def test_a_checkout_with_autocrlf_changes_no_id_and_no_finding(tmp_path: Path) -> None:
    origin = tmp_path / "origin"
    origin.mkdir()
    scene = compiled(origin)
    git(origin, "init", "-q")
    git(origin, "add", ".")
    git(origin, "commit", "-qm", "all")
    clone = tmp_path / "clone"
    git(tmp_path, "-c", "core.autocrlf=true", "clone", "-q", "--config", "core.autocrlf=true", "origin", "clone")
    copy = Scene(clone)
    assert b"\r\n" in copy.spec("link-shortener").read_bytes()
    assert sorted(copy.cards) == sorted(scene.cards)
    assert [one.code for one in copy.audit()] == [one.code for one in scene.audit()]
    assert copy.audit_errors() == []
    for name in SPECS:
        assert copy.compile(name).compiled.changed == ()


def git(folder: Path, *arguments: str) -> None:
    own = ("-c", "user.name=Kim", "-c", "user.email=kim@example.com", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *own, *arguments], cwd=folder, check=True, capture_output=True)


def test_a_clone_compiles_to_the_same_bytes(reference: Scene, tmp_path: Path) -> None:
    origin = tmp_path / "origin"
    origin.mkdir()
    Scene.demo(origin)
    git(origin, "init", "-q")
    git(origin, "add", ".")
    git(origin, "commit", "-qm", "specs")
    git(tmp_path, "clone", "-q", "origin", "clone")
    scene = Scene(tmp_path / "clone")
    for name in SPECS:
        scene.compile(name)
    assert cards_of(scene.root) == cards_of(reference.root)
