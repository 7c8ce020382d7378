"""There is one way to write a card, one way around a rule, and no other: shown on the source, and while the program runs."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from scenes import SAID, Scene

from pipeline.deeds.answer import answer
from pipeline.deeds.cut import cut
from pipeline.deeds.decide import Replacing, decide
from pipeline.deeds.states import approve_spec, done
from store.instance import open_instance
from store.transaction import Transaction

ROOT = Path(__file__).parents[1]
PACKAGES = ("schemas", "text", "store", "gates", "trackers", "pipeline", "isopod")

# Who adds a write to a transaction: each has files of its own, and those of cards belong to `store.cards.edit` alone.
WRITERS = {
    ("store/cards.py", "edit"),  # cards/*.yaml
    ("store/anchors.py", "write"),
    ("store/settlements.py", "write"),
    ("store/settlements.py", "take_back"),
    ("store/groupings.py", "write"),
    ("store/groupings.py", "remove"),
    ("store/ledger.py", "append"),
    ("store/ledger.py", "checkpoint"),
    ("store/baseline.py", "write"),
    ("store/transaction.py", "taking_back"),  # what the last command changed, as it was before
    ("pipeline/movespec.py", "_move_in_config"),  # config.yaml
    ("isopod/commands/init.py", "_prepared"),
    ("isopod/commands/demo.py", "_write_card_schema"),
    ("isopod/commands/schema.py", "_write"),
}
# Who changes files without a transaction, and which: none of them is below the folder of cards.
ON_DISK = {
    "store/disk.py",  # what a transaction does
    "store/lock.py",  # the state folder
    "store/cache.py",  # the state folder
    "store/book.py",  # records of runs, in the state folder
    "store/answers.py",  # answers of models, in the state folder
    "store/files.py",  # a file that a person names, outside of what the instance owns
    "store/exports.py",  # a file that a person names
    "pipeline/demo.py",  # a fresh folder
    "isopod/editor.py",  # the text in $EDITOR, in a temporary folder
    "isopod/docs.py",  # docs/ of this repository
    "isopod/crash.py",  # a report in the system's temporary folder
}
# Who looks at the environment: for colours, an editor, keys and addresses of models, and to pass it on to programs.
ENVIRONMENT = {
    "isopod/face.py",
    "isopod/editor.py",
    "store/git.py",
    "pipeline/models/wire.py",
    "pipeline/readers/command.py",
}
NAMED = {"NO_COLOR", "TERM", "VISUAL", "EDITOR"}
WRITING = {"write_text", "write_bytes", "unlink", "touch", "rename", "rmtree", "symlink_to", "hardlink_to"}


@dataclass(frozen=True)
class Call:
    """One call in the source, in the function that holds it."""

    file: str
    function: str
    node: ast.Call

    @property
    def name(self) -> str:
        called = self.node.func
        return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")

    @property
    def receiver(self) -> str:
        """The last word before the called name: `transaction` for `hand.transaction.write`."""
        called = self.node.func
        before = called.value if isinstance(called, ast.Attribute) else None
        return before.attr if isinstance(before, ast.Attribute) else getattr(before, "id", "")

    def keyword(self, name: str) -> ast.expr | None:
        return next((one.value for one in self.node.keywords if one.arg == name), None)


@cache
def sources() -> dict[str, ast.Module]:
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@cache
def calls() -> tuple[Call, ...]:
    return tuple(call for file, tree in sources().items() for call in _calls(file, tree, ""))


def _calls(file: str, node: ast.AST, function: str) -> Iterator[Call]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield Call(file, function, child)
        inside = child.name if isinstance(child, ast.FunctionDef) and not function else function
        yield from _calls(file, child, inside)


# --- cards -----------------------------------------------------------------------------------------------------------


def test_only_the_stores_own_functions_add_a_write_to_a_transaction() -> None:
    found = {(one.file, one.function) for one in calls() if one.name in ("write", "delete") and _is_transaction(one)}
    assert found == WRITERS


def test_a_transaction_is_called_one_so_that_the_test_above_sees_it() -> None:
    for file, tree in sources().items():
        for node in ast.walk(tree):
            for name, value in _bound(node):
                made = isinstance(value, ast.Call) and ast.unparse(value.func).endswith("Transaction")
                declared = not isinstance(value, ast.Call) and ast.unparse(value).strip("\"'") == "Transaction"
                if made or declared:
                    assert name in ("tx", "transaction"), (file, getattr(node, "lineno", 0), name)


def test_the_text_of_a_card_is_made_where_it_is_checked() -> None:
    users = {
        (one.file, one.function) for one in calls() if one.name == "to_text" and one.receiver in ("cards", "card_files")
    }
    assert users == set()
    own = {one.function for one in calls() if one.file == "store/cards.py" and one.name == "to_text"}
    assert own == {"edit"}
    checks = [one.name for one in calls() if (one.file, one.function) == ("store/cards.py", "edit")]
    writes = [number for number, name in enumerate(checks) if name == "write"]
    assert [name for name in checks if name.startswith("refuse")] == ["refuse_birth", "refuse_edit"]
    assert len(writes) == 2 and checks.index("refuse_birth") < writes[0] and checks.index("refuse_edit") < writes[1]


def test_nothing_else_changes_a_file_of_an_instance() -> None:
    found = {one.file for one in calls() if _changes_a_file(one)}
    found |= {one.file for one in calls() if one.name in ("open", "fdopen") and _opens_to_write(one)}
    assert found - ON_DISK == set()


def test_while_the_program_runs_every_write_of_a_card_comes_from_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene.demo(tmp_path)
    written = _watched(monkeypatch, open_instance(tmp_path).cards_dir)
    scene.compile("link-shortener")
    story, question = scene.titled("Creating a link"), scene.titled("Whether a paid plan")
    answer(scene.snapshot, question.id, "No", SAID).hand.transaction.commit()
    approve_spec(scene.snapshot, "link-shortener", SAID).hand.transaction.commit()
    old = scene.titled("Codes are random")
    decide(scene.snapshot, "Codes are counted", SAID, replacing=Replacing(old.id, {}, "move")).hand.transaction.commit()
    cut(scene.snapshot, [scene.titled("Opening a link").id], SAID).hand.transaction.commit()
    scene.edit(story.id, {"state": "published"}, by="publish")
    done(scene.snapshot, story.id, SAID).transaction.commit()
    assert set(written) == {"store/cards.py edit"} and len(written) > 20


# --- rules -----------------------------------------------------------------------------------------------------------


def test_an_exemption_is_written_by_the_one_seam() -> None:
    kinds = [(one.file, one.function, one.keyword("kind")) for one in calls() if _is_ledger_append(one)]
    assert all(isinstance(kind, ast.Constant) for _, _, kind in kinds), "the type of an entry is told by the source"
    seams = {
        (file, function)
        for file, function, kind in kinds
        if isinstance(kind, ast.Constant) and kind.value == "exemption"
    }
    assert seams == {("store/ledger.py", "exempt")}


def test_every_override_that_is_made_goes_through_the_seam() -> None:
    bodies = {(one.file, one.function) for one in calls() if one.name == "ExemptionBody"}
    exempting = {(one.file, one.function) for one in calls() if one.name == "exempt" and one.receiver == "ledger"}
    assert (
        bodies
        == exempting
        == {
            ("pipeline/answers.py", "_exempt"),
            ("pipeline/deeds/states.py", "done"),
            ("pipeline/deeds/supersede.py", "_turn"),
        }
    )


def test_no_variable_of_the_environment_opens_anything() -> None:
    users, names = set(), set()
    for file, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in ("environ", "environb", "getenv", "getenvb"):
                users.add(file)
            if (
                isinstance(node, ast.ImportFrom)
                and node.module == "os"
                and any("env" in one.name for one in node.names)
            ):
                users.add(file)
    assert users <= ENVIRONMENT
    for one in calls():
        if one.receiver == "environ" and one.name == "get" and isinstance(one.node.args[0], ast.Constant):
            names.add(one.node.args[0].value)
    assert names <= NAMED


def _is_transaction(call: Call) -> bool:
    return call.receiver in ("tx", "transaction")


def _is_ledger_append(call: Call) -> bool:
    own = call.file == "store/ledger.py" and isinstance(call.node.func, ast.Name)
    return call.name == "append" and (own or call.receiver == "ledger")


def _bound(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Names with the call that made them, or with the type that they are declared to have."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield getattr(target, "attr", getattr(target, "id", "")), node.value
    elif isinstance(node, ast.AnnAssign):
        yield getattr(node.target, "id", ""), node.annotation
    elif isinstance(node, ast.arg) and node.annotation is not None:
        yield node.arg, node.annotation


def _changes_a_file(call: Call) -> bool:
    """Whether a call is one of `pathlib` or `os` that changes a file or its name. `str.replace` takes two arguments."""
    if not isinstance(call.node.func, ast.Attribute):
        return False
    renames = call.name == "replace" and len(call.node.args) == 1 and not call.node.keywords
    return call.name in WRITING or renames or (call.receiver == "os" and call.name in ("replace", "remove"))


def _opens_to_write(call: Call) -> bool:
    """Whether a call of `open` gives a mode that writes; `open` with flags of the system counts too."""
    given = [*call.node.args, *(one.value for one in call.node.keywords if one.arg == "mode")]
    modes = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    flags = any("O_WRONLY" in ast.unparse(one) or "O_RDWR" in ast.unparse(one) for one in given)
    to_write = any(set(mode) & set("wax+") and len(mode) <= 3 for mode in modes)
    return (to_write or (flags and call.receiver == "os")) and "devnull" not in ast.unparse(call.node)


def _watched(monkeypatch: pytest.MonkeyPatch, cards: Path) -> list[str]:
    """Who adds a write of a card's file to a transaction: the nearest function of the store, file by file."""
    found: list[str] = []
    put: Callable[..., None] = Transaction._set

    def watching(self: Transaction, path: Path, content: bytes | None, expected: Any) -> None:
        if path.parent == cards and path.suffix == ".yaml":
            found.append(_who(sys._getframe(2)))
        put(self, path, content, expected)

    monkeypatch.setattr(Transaction, "_set", watching)
    return found


def _who(frame: FrameType) -> str:
    return f"{Path(frame.f_code.co_filename).relative_to(ROOT).as_posix()} {frame.f_code.co_name}"
