"""Two branches that changed the same cards: what is told before the merge, on real repositories."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from scenes import Scene

from isopod.cli import run
from pipeline.mergecheck import merge_check
from schemas.card import Card
from schemas.mergecheck import MergeCheckOutput
from store import ledger
from store.cards import to_text
from store.git import Repository
from store.instance import open_instance
from store.past import Version
from store.transaction import Transaction

ONE, TWO, DEC = "STY-AAAAAAA1", "STY-AAAAAAA2", "DEC-AAAAAAA1"


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    own = ("-c", "user.name=Kim", "-c", "user.email=kim@example.com", "-c", "init.defaultBranch=main")
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *own, *arguments],
        cwd=folder,
        check=check,
        capture_output=True,
        encoding="utf-8",
        env=os.environ | quiet,
    )
    return done.stdout.strip()


class Branches:
    """An instance with a branch each for A and B; cards are written as files, as people and commands leave them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        Scene.new(root)
        (root / "cards").mkdir()
        git(root, "init", "-q")
        self.put(ONE, title="Codes", acceptance=[line("A1", "A code has six characters.")])
        self.put(TWO, title="Expiry", acceptance=[line("A1", "A link lives for 30 days.")])
        self.put(DEC, kind="decision", title="Links are kept in Redis")
        self.commit("base")
        git(root, "branch", "a")
        git(root, "branch", "b")

    def put(self, card_id: str, **fields: Any) -> Card:
        """Write a card with these fields over what it was."""
        path = self.root / "cards" / f"{card_id}.yaml"
        instance = open_instance(self.root)
        view = Scene(self.root).cards.get(card_id)
        data = {"id": card_id, "kind": "story", "title": card_id, "team": "growth"}
        data |= view.to_data() if view is not None else {}
        card = Card.parse(data | fields, source=path.name)
        path.write_text(to_text(card, instance.config), encoding="utf-8")
        return card

    def on(self, branch: str) -> None:
        git(self.root, "checkout", "-q", branch)

    def commit(self, message: str) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", message)

    def seal(self, card: Card, at: str) -> None:
        instance = open_instance(self.root)
        tx = Transaction(instance.root, instance.state_dir, command="done")
        ledger.seal(tx, instance, card=card, by="Kim", at=at)
        tx.commit()

    def check(self) -> MergeCheckOutput:
        instance = open_instance(self.root)
        repository = Repository(self.root)
        names = ("main", "a", "b")
        versions = [Version(repository, instance, repository.commit(name)) for name in names]
        return merge_check(versions[0], versions[1], versions[2], names)


def line(name: str, text: str) -> dict[str, Any]:
    return {"id": name, "text": text}


def waits(*cards: str) -> list[dict[str, Any]]:
    return [
        {"card": card, "because": [{"person": "Kim", "text": "so", "at": "2026-11-30T09:00:00Z"}]} for card in cards
    ]


@pytest.fixture
def branches(tmp_path: Path) -> Branches:
    return Branches(tmp_path)


def test_two_branches_that_changed_other_cards_do_not_meet(branches: Branches) -> None:
    for branch, card in (("a", ONE), ("b", TWO)):
        branches.on(branch)
        branches.put(card, title="Another title")
        branches.commit(branch)
    found = branches.check()
    assert (found.cards, found.claims, found.edges, found.collisions) == ((), (), (), 0)


def test_two_fields_of_one_card_are_told_apart_from_one_field_in_two_ways(branches: Branches) -> None:
    branches.on("a")
    branches.put(ONE, notes="see the mail", due="2026-12-01", title="Short codes")
    branches.commit("a")
    branches.on("b")
    branches.put(ONE, due="2026-12-24", title="Short codes", subtasks=[line("S1", "Write it.")])
    branches.commit("b")
    (card,) = branches.check().cards
    assert [(field.path, field.a, field.b, field.same) for field in card.fields] == [
        ("title", "Short codes", "Short codes", True),
        ("due", "2026-12-01", "2026-12-24", False),
    ]
    assert card.collides


def test_two_people_who_added_lines_collide_only_when_the_lines_have_one_id(branches: Branches) -> None:
    first = line("A1", "A code has six characters.")
    branches.on("a")
    branches.put(ONE, acceptance=[first, line("A2", "It is easy to read aloud.")])
    branches.commit("a")
    branches.on("b")
    branches.put(ONE, acceptance=[first, line("A3", "It has no vowels.")])
    branches.commit("b, apart")
    (card,) = branches.check().cards
    assert (card.fields, card.collides) == ((), False)
    branches.put(ONE, acceptance=[first, line("A2", "It has no vowels.")])
    branches.commit("b, the same id")
    found = branches.check()
    assert [(field.path, field.base, field.a, field.b) for field in found.cards[0].fields] == [
        ("acceptance A2", None, "It is easy to read aloud.", "It has no vowels.")
    ]
    assert found.collisions == 1


def test_a_card_that_one_side_cut_and_the_other_changed_collides(branches: Branches) -> None:
    branches.on("a")
    branches.put(ONE, state="deleted")
    branches.commit("a")
    branches.on("b")
    branches.put(ONE, notes="still wanted")
    branches.commit("b")
    (card,) = branches.check().cards
    assert card.reasons == ("A cut the card, B changed it",)


def test_a_card_whose_file_one_side_took_away_collides(branches: Branches) -> None:
    branches.on("b")
    (branches.root / "cards" / f"{ONE}.yaml").unlink()
    branches.commit("b")
    branches.on("a")
    branches.put(ONE, notes="still wanted")
    branches.commit("a")
    (card,) = branches.check().cards
    assert card.reasons == ("B took the file away, A changed the card",)


def test_a_card_that_one_side_sealed_and_the_other_changed_collides_but_its_issue_may_change(
    branches: Branches,
) -> None:
    branches.on("a")
    branches.seal(branches.put(ONE, state="done"), "2026-11-30T09:00:00Z")
    branches.commit("a")
    branches.on("b")
    branches.put(ONE, tracker={"provider": "local", "site": "here", "id": "1", "key": "GROW-1"})
    branches.commit("b, the issue")
    found = branches.check()
    assert (found.collisions, found.ledger.only_a, found.ledger.only_b, len(found.ledger.heads)) == (0, 1, 0, 1)
    branches.put(ONE, notes="one more thing")
    branches.commit("b, the words")
    (card,) = branches.check().cards
    assert card.reasons == ("A sealed the card as done, B changed it: after the merge the seal would not hold",)


def test_edges_that_only_break_together_are_found(branches: Branches) -> None:
    branches.on("a")
    branches.put(ONE, depends_on=waits(TWO, DEC))
    branches.put("STY-AAAAAAA4", depends_on=waits("STY-AAAAAAA5"))
    branches.put("STY-AAAAAAA5")
    branches.commit("a")
    branches.on("b")
    branches.put(TWO, depends_on=waits(ONE))
    branches.put(DEC, decision={"superseded_by": "DEC-AAAAAAA2"})
    branches.put("DEC-AAAAAAA2", kind="decision", title="Links are kept in PostgreSQL", decision={"supersedes": [DEC]})
    branches.commit("b")
    found = branches.check()
    assert {(edge.kind, edge.cards) for edge in found.edges} == {
        ("cycle", (ONE, TWO)),
        ("replaced", (ONE, DEC)),
    }
    assert found.collisions == 2


def test_a_card_that_waits_for_one_that_the_other_side_cut_is_found(branches: Branches) -> None:
    branches.on("a")
    branches.put(ONE, depends_on=waits(TWO))
    branches.commit("a")
    branches.on("b")
    branches.put(TWO, state="deleted")
    branches.commit("b")
    (edge,) = branches.check().edges
    assert (edge.kind, edge.message) == ("dangling", f"{ONE} waits for {TWO}, which the other side cut")


def anchors(branches: Branches, *claims: tuple[str, str]) -> None:
    entries = "".join(
        f'  - {{id: {name}, kind: requirement, status: live, exact: "{text}", prefix: "", suffix: "", section: Links, '
        "step: exact, home: card}\n"
        for name, text in claims
    )
    text = (
        "schema: isopod.anchors/1\nspec: {key: links, path: specs/links.md}\nreadings: []\nheuristic: false\n"
        f"sections: []\nanchors:\n{entries}edges: []\n"
    )
    path = branches.root / "cards" / "anchors" / "links.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_one_id_that_both_sides_gave_to_two_claims_collides_and_one_claim_on_two_cards_too(branches: Branches) -> None:
    branches.on("a")
    anchors(branches, ("ANC-AAAAAAA1", "A code is short."), ("ANC-AAAAAAA2", "A link lives."))
    branches.put(ONE, anchors=["ANC-AAAAAAA2"])
    branches.commit("a")
    branches.on("b")
    anchors(branches, ("ANC-AAAAAAA1", "Owners are told."), ("ANC-AAAAAAA2", "A link lives."))
    branches.put(TWO, anchors=["ANC-AAAAAAA2"])
    branches.commit("b")
    found = branches.check()
    (claim,) = found.claims
    assert (claim.anchor, claim.a, claim.b, claim.collides) == (
        "ANC-AAAAAAA1", "A code is short.", "Owners are told.", True,
    )  # fmt: skip
    assert [(edge.kind, edge.cards) for edge in found.edges] == [("one-claim", (ONE, TWO, "ANC-AAAAAAA2"))]


def test_an_entry_of_the_ledger_that_a_side_lost_collides(branches: Branches) -> None:
    branches.seal(branches.put(ONE, state="done"), "2026-11-30T09:00:00Z")
    branches.commit("done")
    for branch in ("a", "b"):
        git(branches.root, "branch", "-qf", branch, "main")
    branches.on("b")
    for path in (branches.root / "cards" / "ledger").iterdir():
        path.unlink()
    branches.commit("b")
    found = branches.check()
    assert (len(found.ledger.lost), found.collisions) == (1, 1)


def test_the_command_tells_it_in_text_and_in_json_and_writes_nothing(
    branches: Branches, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for branch, title in (("a", "짧은 코드는 여섯 글자다"), ("b", "Codes of six characters\u202e")):
        branches.on(branch)
        branches.put(ONE, title=title)
        branches.commit(branch)
    monkeypatch.chdir(branches.root)
    monkeypatch.setenv("COLUMNS", "80")
    before = git(branches.root, "status", "--porcelain")
    assert run(["merge-check", "main", "a", "b"]) == 1
    told = capsys.readouterr().out
    assert "collides" in told and "짧은 코드는 여섯 글자다" in told and "\\u202e" in told and "1 collision." in told
    assert all(len(one) <= 80 for one in told.splitlines())
    assert run(["merge-check", "main", "a", "b", "--format", "json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["collisions"], data["cards"][0]["card"]) == ("isopod.merge-check/1", 1, ONE)
    assert run(["merge-check", "main", "a", "main"]) == 0
    assert "Nothing collides" in capsys.readouterr().out
    assert run(["merge-check", "main", "a", "nowhere"]) == 2
    assert "git knows no commit 'nowhere'" in capsys.readouterr().err
    assert git(branches.root, "status", "--porcelain") == before


def test_outside_of_git_it_says_why_it_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Scene.new(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert run(["merge-check", "main", "a", "b"]) == 4
    assert "not a git repository" in capsys.readouterr().err
