"""Two branches of a real git repository: what two people compile merges, and the merged instance holds together."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from scenes import AT, Scene, fingerprint

from isopod.newcomer import GIT_ATTRIBUTES
from pipeline.mergecheck import merge_check
from store import cards, ledger
from store.cards import Actor
from store.git import Repository
from store.instance import open_instance
from store.past import Version
from store.transaction import Transaction

SPEC = """\
# Links

Product spec of a link shortener.

## Creating

- The service must create a short link.
- A code must have six characters.
- Two live links must not share a code.

## Opening

- The service must answer `302` with the target.
- An unknown code must answer `404`.
- The redirect must be served within 50 ms.

## Expiry

- A link must live for 30 days.
- An expired code must not be given away for one year.
- The owner must be told before a link expires.
"""


def git(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    own = ("-c", "user.name=Kim", "-c", "user.email=kim@example.com", "-c", "init.defaultBranch=main")
    return subprocess.run(["git", *own, *arguments], cwd=folder, check=check, capture_output=True, encoding="utf-8")


def edit(scene: Scene, old: str, new: str) -> None:
    path = scene.spec("links")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def compile_and_commit(scene: Scene, message: str) -> None:
    assert scene.compile("links", offline=True, accept="union").exit_code == 0
    git(scene.root, "add", ".")
    git(scene.root, "commit", "-qm", message)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene.new(tmp_path)
    scene.spec("links").write_text(SPEC, encoding="utf-8")
    (tmp_path / ".gitattributes").write_text("".join(f"{line}\n" for line in GIT_ATTRIBUTES), encoding="utf-8")
    (tmp_path / ".gitignore").write_text(".isopod/\n", encoding="utf-8")
    git(tmp_path, "init", "-q")
    compile_and_commit(scene, "base")
    return scene


EDITS = {
    "words": ("A code must have six characters.", "A code must have seven characters."),
    "new": ("- Two live links", "- A code must be easy to read aloud.\n- Two live links"),
    "gone": ("- A code must have six characters.\n", ""),
}
OTHERS = {
    "words": ("must live for 30 days", "must live for 60 days"),
    "new": ("- A link must live", "- The owner must be able to renew a link.\n- A link must live"),
    "gone": ("- The owner must be told before a link expires.\n", ""),
}


@pytest.mark.parametrize("one", EDITS)
@pytest.mark.parametrize("other", OTHERS)
def test_two_branches_that_edit_two_sections_merge_without_conflict(scene: Scene, one: str, other: str) -> None:
    git(scene.root, "checkout", "-qb", "theirs")
    edit(scene, *OTHERS[other])
    compile_and_commit(scene, "theirs")
    theirs = scene.cards
    git(scene.root, "checkout", "-q", "main")
    edit(scene, *EDITS[one])
    compile_and_commit(scene, "ours")
    ours = scene.cards
    merged = git(scene.root, "merge", "-q", "--no-edit", "theirs", check=False)
    assert merged.returncode == 0, merged.stdout + merged.stderr
    assert scene.audit_errors() == []
    assert set(scene.cards) == set(ours) | set(theirs)
    before = fingerprint(scene.root)
    outcome = scene.compile("links", offline=True)
    assert outcome.exit_code == 0 and outcome.reached is None  # every section is known: nothing is read again
    assert fingerprint(scene.root) == before
    assert scene.audit_errors() == []


def test_two_branches_that_compile_the_same_new_spec_get_the_same_ids_and_bytes(scene: Scene) -> None:
    text = "# Pages\n\n## Showing\n\n- A page must show the link.\n- A page must load in 1 s.\n"
    found = []
    for branch in ("one", "two"):
        git(scene.root, "checkout", "-q", "main")
        git(scene.root, "checkout", "-qb", branch)
        scene.spec("pages").write_text(text, encoding="utf-8")
        assert scene.compile("pages", offline=True, accept="union").exit_code == 0
        found.append(fingerprint(scene.root / "cards"))
        git(scene.root, "add", ".")
        git(scene.root, "commit", "-qm", branch)
    assert found[0] == found[1]
    assert git(scene.root, "merge", "-q", "--no-edit", "one", check=False).returncode == 0
    assert scene.audit_errors() == []


def test_one_branch_compiles_another_spec_meanwhile(scene: Scene) -> None:
    git(scene.root, "checkout", "-qb", "theirs")
    scene.spec("pages").write_text("# Pages\n\n- A page must show the link.\n", encoding="utf-8")
    assert scene.compile("pages", offline=True, accept="union").exit_code == 0
    git(scene.root, "add", ".")
    git(scene.root, "commit", "-qm", "theirs")
    git(scene.root, "checkout", "-q", "main")
    edit(scene, *EDITS["new"])
    compile_and_commit(scene, "ours")
    assert git(scene.root, "merge", "-q", "--no-edit", "theirs", check=False).returncode == 0
    assert scene.audit_errors() == []
    for name in ("links", "pages"):
        assert scene.compile(name, offline=True).compiled.changed == ()


def test_two_branches_that_edit_two_sections_of_the_shipped_spec_merge(tmp_path: Path) -> None:
    scene = Scene.demo(tmp_path)
    (tmp_path / ".gitignore").write_text(".isopod/\n", encoding="utf-8")
    git(tmp_path, "init", "-q")

    def change(old: str, new: str, message: str) -> None:
        path = scene.spec("link-shortener")
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
        assert scene.compile("link-shortener", offline=True, accept="union").exit_code == 0
        assert scene.snapshot.settlements["link-shortener"]  # the offline readers differ here, so an answer is recorded
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-qm", message)

    change("# Link shortener", "# Link shortener", "base")
    git(tmp_path, "checkout", "-qb", "theirs")
    change("within\n50 ms", "within\n40 ms", "theirs")
    git(tmp_path, "checkout", "-q", "main")
    change("No two live links share a short code.", "No two live links may share a short code.", "ours")
    merged = git(tmp_path, "merge", "-q", "--no-edit", "theirs", check=False)
    assert merged.returncode == 0, merged.stdout + merged.stderr
    assert scene.audit_errors() == []
    before = fingerprint(tmp_path)
    outcome = scene.compile("link-shortener", offline=True)
    assert outcome.exit_code == 0
    assert fingerprint(tmp_path) == before


def seal_one_and_commit(scene: Scene, words: str, by: str) -> str:
    """One card becomes done through every state, is sealed and committed; its id."""
    card = scene.titled(words)
    instance = open_instance(scene.root)
    for state, writer in (("planned", "person"), ("published", "publish"), ("done", "person")):
        tx = Transaction(instance.root, instance.state_dir, command="done")
        file = cards.load(tx, instance, card.id)
        actor = Actor(by, writer)  # type: ignore[arg-type]
        after = cards.edit(tx, instance, file.card, {"state": state}, actor=actor, expected=file.sha256)
        if state == "done":
            ledger.seal(tx, instance, card=after, by=by, at=AT)
        tx.commit()
    git(scene.root, "add", ".")
    git(scene.root, "commit", "-qm", f"{by}: done")
    return card.id


def colliding(scene: Scene, one: str, other: str) -> int:
    """What merge-check counts for two branches."""
    repository, instance = Repository(scene.root), open_instance(scene.root)
    names = (git(scene.root, "merge-base", one, other).stdout.strip(), one, other)
    base, a, b = (Version(repository, instance, repository.commit(name)) for name in names)
    return merge_check(base, a, b, names).collisions


def test_two_branches_that_adopt_the_same_new_spec_and_both_seal_merge_without_conflict(scene: Scene) -> None:
    text = "# Pages\n\n## Showing\n\n- A page must show the link.\n- A page must load in 1 s.\n"
    sealed = {}
    for branch, words in (("one", "Creating"), ("two", "Expiry")):
        git(scene.root, "checkout", "-q", "main")
        git(scene.root, "checkout", "-qb", branch)
        scene.spec("pages").write_text(text, encoding="utf-8")
        compile_and_commit_spec(scene, "pages", branch)
        sealed[branch] = seal_one_and_commit(scene, words, branch)
    assert colliding(scene, "one", "two") == 0
    merged = git(scene.root, "merge", "-q", "--no-edit", "one", check=False)
    assert merged.returncode == 0, merged.stdout + merged.stderr
    found = scene.snapshot.ledger
    assert (found.problems, len(found.heads), set(ledger.seals(found))) == ((), 2, set(sealed.values()))
    assert scene.audit_errors() == []
    # The next entry is written on both heads, and a sealed card that changes is named from then on.
    seal_one_and_commit(scene, "Opening", "three")
    assert len(scene.snapshot.ledger.heads) == 1
    path = scene.root / "cards" / f"{sealed['one']}.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace('notes: ""', 'notes: "later"'), encoding="utf-8")
    assert [error.split(":")[0] for error in scene.audit_errors()] == [f"C240 {sealed['one']}"]


def compile_and_commit_spec(scene: Scene, name: str, message: str) -> None:
    assert scene.compile(name, offline=True, accept="union").exit_code == 0
    git(scene.root, "add", ".")
    git(scene.root, "commit", "-qm", message)


def test_merge_check_names_before_the_merge_what_git_would_stop_at(scene: Scene) -> None:
    card = scene.titled("Creating")
    for branch, title in (("one", "Making links"), ("two", "Links are made")):
        git(scene.root, "checkout", "-q", "main")
        git(scene.root, "checkout", "-qb", branch)
        scene.edit(card.id, {"title": title})
        git(scene.root, "commit", "-qam", branch)
    assert colliding(scene, "one", "two") == 1
    assert git(scene.root, "merge", "-q", "--no-edit", "one", check=False).returncode == 1
    (found,) = [finding for finding in scene.audit() if finding.name == "merge-conflict"]
    assert found.where.file == f"cards/{card.id}.yaml" and "conflict markers on the lines" in found.message
