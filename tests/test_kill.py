"""kill -9 in the middle of `isopod compile`: the instance is the old one or the new one, and nothing that a person wrote is lost."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from scenes import REPOSITORY, AnchorT, EdgeT, Scene, fingerprint

from schemas.errors import ConflictError
from store.disk import TEMPORARY, Disk
from store.instance import open_instance
from store.transaction import recover, unfinished
from store.view import View

SECTIONS = 12
COMMAND = [sys.executable, "-m", "isopod", "compile", "specs/links.md"]


def spec_of(word: str) -> tuple[str, list[AnchorT], list[EdgeT]]:
    """A spec of many sections, each a card; `word` stands in every one of them."""
    text, anchors, edges = "# Links\n", [], []
    for number in range(SECTIONS):
        first, second = f"Part {number} must start.", f"Part {number} must end in {word} steps."
        text += f"\n## Part {number}\n\n- {first}\n- {second}\n"
        anchors += [(f"a{number}", "requirement", first), (f"b{number}", "constraint", second)]
        if number:
            edges.append((f"a{number}", "requires", f"a{number - 1}", f"Part {number} must start"))
    return text, anchors, edges


@dataclass(frozen=True)
class States:
    """An instance whose spec has just changed, and what all of its files are before and after a compile."""

    scene: Scene
    old: dict[str, str]
    new: dict[str, str]

    def copy(self, place: Path) -> Scene:
        shutil.copytree(self.scene.root, place)
        return Scene(place)


@pytest.fixture(scope="module", params=["first", "again"])
def states(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> States:
    """`first`: nothing was compiled yet; `again`: every card changes."""
    scene = Scene.new(tmp_path_factory.mktemp("old"))
    if request.param == "again":
        scene.write("links", *spec_of("two"))
        assert scene.compile("links").exit_code == 0
    scene.write("links", *spec_of("three"))
    old = fingerprint(scene.root)
    finished = Scene(tmp_path_factory.mktemp("new") / "root")
    shutil.copytree(scene.root, finished.root)
    assert len(finished.compile("links").compiled.changed) > SECTIONS
    return States(scene, old, fingerprint(finished.root))


def start(root: Path) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    return subprocess.Popen(COMMAND, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def seen(root: Path) -> dict[str, str]:
    """The files as every reader sees them: through an unfinished journal."""
    import hashlib

    instance = open_instance(root)
    view = View(root.resolve(), instance.state_dir)
    found = {}
    for folder in (root / "cards", root / "specs", root):
        for path, _ in view.scan(folder.resolve(), deep=folder != root):
            data = view.read(root.resolve() / path)
            if data is not None and ".isopod" not in path:
                found[path] = hashlib.sha256(data).hexdigest()
    return found


def left_over(root: Path) -> list[str]:
    return [str(path) for path in root.rglob("*") if path.name.startswith(TEMPORARY)]


def finish_and_check(scene: Scene, states: States) -> str:
    """Old or new, never a mix; then the next compile works and leaves nothing behind."""
    shown = seen(scene.root)
    assert shown in (states.old, states.new)
    assert [one for one in scene.audit_errors() if not one.startswith(("C231", "C230"))] == []
    assert scene.compile("links").exit_code == 0
    assert fingerprint(scene.root) == states.new
    assert left_over(scene.root) == []
    assert scene.compile("links").compiled.changed == ()
    return "old" if shown == states.old else "new"


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(5))
def test_a_compile_killed_at_a_random_point_leaves_the_old_or_the_new_state(
    states: States, tmp_path: Path, turn: int
) -> None:
    """Five kills a turn, fifty in all: every second one waits until the write has begun."""
    chance = random.Random()
    for number in range(5):
        scene = states.copy(tmp_path / str(number))
        process = start(scene.root)
        if number % 2:
            marks = [scene.root / ".isopod" / name for name in ("staging.json", "journal.json")]
            mark = chance.choice(marks)
            until = time.monotonic() + 30
            while process.poll() is None and not mark.exists() and time.monotonic() < until:
                pass
            delay = chance.uniform(0, 0.02)
        else:
            delay = chance.uniform(0.05, 1.5)
        try:
            process.communicate(timeout=delay)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        finish_and_check(scene, states)


# --- the same, at chosen points: a child process that kills itself at its n-th operation on the disk -----------------


def die_at(scene: Scene, number: int) -> bool:
    """Compile in a child process that dies at its n-th change of the disk; False when it came to its end before."""
    child = os.fork()
    if child == 0:
        try:
            done = 0

            def mortal(name: str) -> Callable[..., object]:
                real = getattr(Disk, name)

                def operation(self: Disk, *arguments: object) -> object:
                    nonlocal done
                    done += 1
                    if done == number:
                        os.kill(os.getpid(), signal.SIGKILL)
                    return real(self, *arguments)

                return operation

            for name in ("write_temporary", "sync", "replace", "remove", "make_folder"):
                setattr(Disk, name, mortal(name))
            scene.compile("links")
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def test_a_compile_killed_at_any_operation_of_its_write_leaves_the_old_or_the_new_state(
    states: States, tmp_path: Path
) -> None:
    outcomes = []
    for number in range(1, 400, 3):
        scene = states.copy(tmp_path / str(number))
        if not die_at(scene, number):
            break
        outcomes.append(finish_and_check(scene, states))
        shutil.rmtree(scene.root)
    else:
        pytest.fail("a compile of a few cards has hundreds of operations on the disk")
    assert set(outcomes) == {"old", "new"} and outcomes == sorted(outcomes, reverse=True)


def cut_off(states: States, place: Path) -> tuple[Scene, list[str], list[str]]:
    """A compile that died while its files got their names: the scene, what is in place and what is not yet."""
    for number in range(30, 400):
        scene = states.copy(place)
        assert die_at(scene, number), "the write was never cut off half way"
        journal = unfinished(scene.root / ".isopod")
        if journal is not None:
            disk = fingerprint(scene.root)
            inside = [entry.path for entry in journal.entries if disk.get(entry.path) == states.new.get(entry.path)]
            outside = [entry.path for entry in journal.entries if entry.path not in inside]
            if len(inside) > 2 and len(outside) > 2:
                return scene, inside, outside
        shutil.rmtree(scene.root)
    raise AssertionError("the write was never cut off half way")


@pytest.mark.parametrize("which", ["in place", "not yet"])
@pytest.mark.parametrize("keep", ["mine", "journal"])
def test_a_hand_edit_after_the_crash_is_never_overwritten(
    states: States, tmp_path: Path, which: str, keep: str
) -> None:
    scene, inside, outside = cut_off(states, tmp_path / "scene")
    path = scene.root / next(one for one in (inside if which == "in place" else outside) if "/STY-" in one)
    mine = (path.read_bytes() if path.exists() else b"") + b"# my own words\n"
    path.write_bytes(mine)
    before = fingerprint(scene.root)
    with pytest.raises(ConflictError) as refused:
        scene.compile("links")
    assert refused.value.code == "journal-conflict" and path.name in refused.value.message
    assert refused.value.fix is not None and "recover" in refused.value.fix
    assert fingerprint(scene.root) == before
    recover(scene.root.resolve(), scene.root.resolve() / ".isopod", keep)
    shown = path.relative_to(scene.root).as_posix()
    after = fingerprint(scene.root)
    assert {name: digest for name, digest in after.items() if name != shown} == {
        name: digest for name, digest in states.new.items() if name != shown
    }
    if keep == "mine":
        assert path.read_bytes() == mine
    else:
        assert after == states.new
        saved = [one.read_bytes() for one in (scene.root / ".isopod" / "recovered").rglob(path.name)]
        assert saved == [mine]


def test_a_hand_edit_of_a_card_between_crash_and_next_compile_is_kept(states: States, tmp_path: Path) -> None:
    if "cards/anchors/links.yaml" not in states.old:
        pytest.skip("before the first compile there is no card to edit")
    scene = states.copy(tmp_path / "scene")
    assert die_at(scene, 2)  # before the journal is written: the old state stands
    card = scene.titled("Part 3")
    scene.edit(card.id, {"title": "My own title", "notes": "my own words"})
    assert scene.compile("links").exit_code == 0
    after = scene.cards[card.id]
    assert (after.title, after.title_by, after.notes) == ("My own title", "Kim", "my own words")
    assert after.acceptance[1].text == "Part 3 must end in three steps."


def test_an_edit_while_a_compile_runs_is_a_conflict_and_nothing_is_written(states: States, tmp_path: Path) -> None:
    if "cards/anchors/links.yaml" not in states.old:
        pytest.skip("before the first compile there is no card to edit")
    from pipeline.compile import CompileOptions, commit, compile_spec

    scene = states.copy(tmp_path / "scene")
    workspace = scene.workspace
    outcome = compile_spec(workspace, scene.spec("links"), CompileOptions())
    card = scene.titled("Part 3")
    scene.edit(card.id, {"notes": "meanwhile"})
    before = fingerprint(scene.root)
    with pytest.raises(ConflictError):
        commit(workspace, outcome)
    assert fingerprint(scene.root) == before
