"""Whatever people type, in any order, over specs that change: no card, no id and no entry of the ledger is lost, and nothing lies."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from scenes import fingerprint
from walking import FIELDS, Walk

from isopod.cli import run
from schemas.errors import Exit
from store.snapshot import Snapshot

WHO = ("--by", "Kim", "--because", "a test says so")


@pytest.mark.parametrize("seed", range(4))
def test_two_hundred_commands_in_any_order_lose_and_forge_nothing(tmp_path: Path, seed: int) -> None:
    walk = Walk.start(tmp_path, seed)
    for _ in range(200):
        walk.step()
    assert len(walk.taken) > len(walk.verbs) * 2 / 3, "most commands did something"


def typed(snapshot: Snapshot, chance: Random) -> list[str]:
    """A command line that may make sense."""

    def card(kind: str | None = None) -> str:
        found = [one.id for one in snapshot.cards if kind in (None, one.kind)]
        return chance.choice(found or [one.id for one in snapshot.cards])

    claim = chance.choice(sorted(snapshot.anchor_by_id))
    spec = chance.choice([store.spec.path for store in snapshot.anchor_stores.values()])
    field = chance.choice(FIELDS).format(other=card(), first=card())
    lines = (
        ["edit", card(), field, "--yes"],
        ["approve", card(), "--yes"],
        ["approve", "--spec", spec, "--yes"],
        ["start", card(), "--yes"],
        ["review", card(), "--yes"],
        ["done", card(), *WHO, "--yes"],
        ["answer", card("gate"), "--with", f"answer {chance.random()}", "--by", "Kim", "--yes"],
        ["open", card("gate"), *WHO, "--yes"],
        ["cut", card(), "--by", "Kim", "--because", "no time", "--yes"],
        ["depend", card(), "--on", card(), *WHO, "--yes"],
        ["confirm", card(), card(), "--by", "Kim", "--yes"],
        ["decide", f"We decide {chance.random()}", "--affects", chance.choice(["all", card()]), *WHO, "--yes"],
        ["supersede", card("decision"), "--by", card("decision"), "--all", chance.choice(["move", "drop"]), "--yes"],
        ["migrate", card(), "--line", "A1", "--with", "It is otherwise.", *WHO, "--yes"],
        ["contract", "pin", card("external"), "--text", "as agreed", "--by", "Kim", "--yes"],
        ["move", claim, "--to", card("story"), "--yes"],
        ["split", card("story"), "--line", "A1", "--yes"],
        ["merge", card("story"), card("story"), "--yes"],
        ["discard", claim, "--reason", "out_of_scope", *WHO],
        ["compile", spec],
        ["draft", spec, "--again"],
        ["fix", "--yes"],
        ["undo", "--yes"],
    )
    return list(chance.choice(lines))


def test_what_is_typed_does_what_it_says_or_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    walk = Walk.start(tmp_path, 100)
    for _ in range(40):
        walk.step()
    monkeypatch.chdir(tmp_path)
    chance = Random(100)
    held = 0
    for _ in range(80):
        line = typed(walk.scene.snapshot, chance)
        before = fingerprint(tmp_path)
        shown = run([*line, "--dry-run", "--format", "json"])
        record = json.loads(capsys.readouterr().out)
        assert fingerprint(tmp_path) == before, line
        told = run([*line, "--format", "json"])
        capsys.readouterr()
        assert {shown, told} <= {int(Exit.HOLDS), int(Exit.DOES_NOT_HOLD), int(Exit.REFUSED), int(Exit.WAITS)}, (
            line,
            record,
        )
        assert told == shown, (line, record)
        held += told == Exit.HOLDS
        if told != Exit.HOLDS:
            assert fingerprint(tmp_path) == before, line
        if line[0] == "undo" and told == Exit.HOLDS:
            walk.forget()
        walk.look()
    assert held > 25
