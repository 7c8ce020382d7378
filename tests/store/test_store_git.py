"""Git, read only, on real repositories: what is compared with, names and contents at a commit, what came and went."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from schemas.errors import NoHistoryError, RefusedError
from store.cache import ParseCache, Parsed, load_all
from store.git import Repository
from store.view import View

Git = Callable[..., str]


def git_in(folder: Path) -> Git:
    """Runs git in a folder as Kim, without the configuration of this machine."""

    def git(*arguments: str) -> str:
        own = ("-c", "user.name=Kim", "-c", "user.email=kim@example.com", "-c", "init.defaultBranch=main")
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *own, "-c", "protocol.file.allow=always", *arguments],
            cwd=folder,
            check=True,
            capture_output=True,
            encoding="utf-8",
            env=os.environ | quiet,
        )
        return done.stdout.strip()

    return git


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository of two commits; the cards of the instance are one.yaml and, from the second on, two.yaml."""
    folder = tmp_path / "top"
    folder.mkdir()
    git = git_in(folder)
    git("init", "-q")
    put(folder, "cards/one.yaml", "one\n")
    put(folder, "README.md", "read\n")
    commit(folder, "first")
    put(folder, "cards/two.yaml", "two\n")
    commit(folder, "second")
    return folder


def put(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(text.encode())


def commit(folder: Path, message: str) -> str:
    git = git_in(folder)
    git("add", "-A")
    git("commit", "-qm", message)
    return git("rev-parse", "HEAD")


def at(repository: Repository, commit_id: str, folder: str = "cards") -> dict[str, bytes]:
    blobs = repository.files(commit_id, folder)
    contents = repository.contents(blob.id for blob in blobs)
    return {blob.path: contents[blob.id] for blob in blobs}


# --- what is compared with -------------------------------------------------------------------------------------------


def test_on_the_default_branch_the_base_is_the_commit_before(top: Path) -> None:
    base = Repository(top).base()
    assert (base.commit, base.words) == (git_in(top)("rev-parse", "HEAD^"), "the commit before this one")


def test_the_first_commit_is_compared_with_itself(tmp_path: Path) -> None:
    git_in(tmp_path)("init", "-q")
    put(tmp_path, "cards/one.yaml", "one\n")
    first = commit(tmp_path, "first")
    assert Repository(tmp_path).base().commit == first


def test_on_a_branch_the_base_is_where_it_left_the_default_branch(top: Path) -> None:
    left = git_in(top)("rev-parse", "HEAD")
    git_in(top)("checkout", "-qb", "work")
    assert Repository(top).base().commit == left  # nothing committed yet: the working files are what is new
    put(top, "cards/three.yaml", "three\n")
    commit(top, "work")
    git_in(top)("checkout", "-q", "main")
    put(top, "cards/four.yaml", "four\n")
    commit(top, "main goes on")
    git_in(top)("checkout", "-q", "work")
    base = Repository(top).base()
    assert (base.commit, base.words) == (left, "this branch left main")


def test_in_a_clone_the_default_branch_is_that_of_the_remote(top: Path, tmp_path: Path) -> None:
    git_in(top)("branch", "-m", "main", "develop")
    left = git_in(top)("rev-parse", "HEAD")
    git_in(tmp_path)("clone", "-q", str(top), "clone")
    clone = tmp_path / "clone"
    before = Repository(clone).base()
    assert (before.commit, before.words) == (git_in(top)("rev-parse", "HEAD^"), "the commit before this one")
    git_in(clone)("checkout", "-qb", "work")
    put(clone, "cards/three.yaml", "three\n")
    commit(clone, "work")
    base = Repository(clone).base()
    assert (base.commit, base.words) == (left, "this branch left origin/develop")


def test_a_build_that_checks_out_a_commit_compares_as_its_branch_would(top: Path, tmp_path: Path) -> None:
    git_in(tmp_path)("clone", "-q", str(top), "clone")
    clone = tmp_path / "clone"
    git_in(clone)("checkout", "-q", "--detach")
    assert Repository(clone).base().commit == git_in(top)("rev-parse", "HEAD^")
    put(clone, "cards/three.yaml", "three\n")
    commit(clone, "work")
    assert Repository(clone).base().commit == git_in(top)("rev-parse", "HEAD")


def test_a_repository_with_one_branch_of_another_name_compares_with_the_commit_before(top: Path) -> None:
    git_in(top)("branch", "-m", "main", "wip")
    assert Repository(top).base().commit == git_in(top)("rev-parse", "HEAD^")


def test_a_base_is_any_name_that_git_knows(top: Path) -> None:
    git_in(top)("tag", "v1", "HEAD^")
    repository = Repository(top)
    base = repository.base("v1")
    assert (base.commit, base.words) == (git_in(top)("rev-parse", "v1"), "v1")
    assert repository.base("HEAD~1").commit == base.commit


@pytest.mark.parametrize("ref", ["nowhere", "", "-h", "--output=x", "v1 v2", "HEAD..HEAD^", "HEAD:README.md", "a\x00b"])
def test_a_name_that_is_no_commit_is_refused(top: Path, ref: str) -> None:
    with pytest.raises(RefusedError, match="git knows no commit"):
        Repository(top).base(ref)


def test_branches_without_a_common_commit_have_no_base(top: Path) -> None:
    git_in(top)("checkout", "-q", "--orphan", "other")
    commit(top, "another beginning")
    with pytest.raises(NoHistoryError, match="no commit in common"):
        Repository(top).base()


def test_the_last_commit_before_a_date_is_found(top: Path) -> None:
    repository = Repository(top)
    assert repository.last_before("2999-01-01") == git_in(top)("rev-parse", "HEAD")
    assert repository.last_before("1999-01-01T09:00:00Z") is None
    for nonsense in ("yesterday --all", "", "2026-99-99"):
        with pytest.raises(RefusedError, match="no date"):
            repository.last_before(nonsense)


# --- where there is no history ---------------------------------------------------------------------------------------


def test_outside_of_a_repository_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(NoHistoryError, match="not a git repository"):
        Repository(tmp_path)


def test_without_the_program_it_says_so(top: Path) -> None:
    with pytest.raises(NoHistoryError, match="the program git is not there"):
        Repository(top, program="no-such-git")


def test_a_git_that_hangs_is_given_up(top: Path, tmp_path: Path) -> None:
    slow = tmp_path / "slow-git"
    slow.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    slow.chmod(0o755)
    with pytest.raises(NoHistoryError, match="took longer than"):
        Repository(top, program=str(slow), time_limit=0.05)


def test_a_repository_without_a_commit_has_no_base(tmp_path: Path) -> None:
    git_in(tmp_path)("init", "-q")
    with pytest.raises(NoHistoryError, match="no commit yet"):
        Repository(tmp_path).base()


def test_the_folder_of_git_itself_and_a_bare_repository_are_no_working_tree(top: Path, tmp_path: Path) -> None:
    git_in(tmp_path)("clone", "-q", "--bare", str(top), "bare")
    for folder in (top / ".git", tmp_path / "bare"):
        with pytest.raises(NoHistoryError):
            Repository(folder)


def test_a_shallow_clone_says_that_it_lacks_the_history(top: Path, tmp_path: Path) -> None:
    git_in(tmp_path)("clone", "-q", "--depth", "1", f"file://{top}", "shallow")
    repository = Repository(tmp_path / "shallow")
    assert repository.is_shallow
    for ask in (repository.base, lambda: repository.base("HEAD"), lambda: list(repository.comings_and_goings("cards"))):
        with pytest.raises(NoHistoryError, match="shallow"):
            ask()
    assert at(repository, repository.commit("HEAD")) == {"cards/one.yaml": b"one\n", "cards/two.yaml": b"two\n"}


def test_an_object_that_is_not_there_is_told_and_not_fetched(top: Path) -> None:
    with pytest.raises(NoHistoryError, match="does not hold"):
        Repository(top).contents(["0" * 40])


# --- where a repository can be ---------------------------------------------------------------------------------------


def test_an_instance_may_lie_in_a_folder_below_the_top(top: Path) -> None:
    put(top, "apps/links/cards/three.yaml", "three\n")
    commit(top, "an app")
    repository = Repository(top / "apps" / "links")
    assert at(repository, repository.commit("HEAD")) == {"cards/three.yaml": b"three\n"}
    assert at(repository, repository.base().commit) == {}
    assert [change.blob.path for change in repository.comings_and_goings("cards")] == ["cards/three.yaml"]


def test_it_works_in_a_worktree_and_in_a_submodule(top: Path, tmp_path: Path) -> None:
    git_in(top)("worktree", "add", "-q", "-b", "work", str(tmp_path / "tree"))
    assert Repository(tmp_path / "tree").base().commit == git_in(top)("rev-parse", "main")
    around = tmp_path / "around"
    around.mkdir()
    git_in(around)("init", "-q")
    git_in(around)("submodule", "--quiet", "add", str(top), "inner")
    repository = Repository(around / "inner")
    assert set(at(repository, repository.commit("HEAD"))) == {"cards/one.yaml", "cards/two.yaml"}


def test_it_works_inside_a_hook_and_is_led_to_no_other_repository(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git_in(tmp_path)("init", "-q", "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index-1.lock")
    monkeypatch.setenv("GIT_PREFIX", "cards/")
    assert set(at(Repository(top), Repository(top).commit("HEAD"))) == {"cards/one.yaml", "cards/two.yaml"}


def test_it_works_as_a_pre_commit_hook(top: Path) -> None:
    hook = top / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    code = "from pathlib import Path; from store.git import Repository; print(Repository(Path.cwd()).base().words)"
    hook.write_text(f'#!/bin/sh\n"{sys.executable}" -c "{code}" > hook.txt 2>&1\n', encoding="utf-8")
    hook.chmod(0o755)
    put(top, "cards/one.yaml", "changed\n")
    house = Path(__file__).parents[2]
    subprocess.run(
        ["git", "-c", "user.name=Kim", "-c", "user.email=kim@example.com", "commit", "-qam", "third"],
        cwd=top,
        check=True,
        env=os.environ | {"PYTHONPATH": str(house)},
    )
    assert (top / "hook.txt").read_text(encoding="utf-8") == "the commit before this one\n"


def test_a_merge_that_waits_is_seen(top: Path) -> None:
    assert not Repository(top).is_merging
    git_in(top)("checkout", "-qb", "work")
    put(top, "cards/three.yaml", "three\n")
    commit(top, "work")
    git_in(top)("checkout", "-q", "main")
    put(top, "cards/four.yaml", "four\n")
    commit(top, "main")
    git_in(top)("merge", "-q", "--no-commit", "work")
    repository = Repository(top)
    assert repository.is_merging
    came = {change.blob.path for change in repository.comings_and_goings("cards")}
    assert came == {f"cards/{name}.yaml" for name in ("one", "two", "three", "four")}


# --- contents and history --------------------------------------------------------------------------------------------


def test_contents_are_the_bytes_whatever_they_hold(top: Path) -> None:
    texts = {
        "cards/크.yaml": "한\r\n글\n",
        "cards/a b.yaml": "",
        "cards/n\nl.yaml": "\x00\n\n",
        "cards/:x": "x missing\n",
    }
    for path, text in texts.items():
        put(top, path, text)
    commit(top, "names")
    repository = Repository(top)
    found = at(repository, repository.commit("HEAD"))
    assert {path: found[path].decode() for path in texts} == texts
    assert {change.blob.path for change in repository.comings_and_goings("cards")} >= set(texts)


def test_links_are_no_files(top: Path) -> None:
    (top / "cards" / "link.yaml").symlink_to("one.yaml")
    commit(top, "a link")
    assert "cards/link.yaml" not in at(Repository(top), Repository(top).commit("HEAD"))


def test_what_came_and_went_is_told_with_its_content_also_on_a_side_branch(top: Path) -> None:
    git_in(top)("checkout", "-qb", "side")
    put(top, "cards/side.yaml", "side\n")
    commit(top, "came")
    (top / "cards" / "side.yaml").unlink()
    commit(top, "went")
    git_in(top)("checkout", "-q", "main")
    put(top, "README.md", "read again\n")
    commit(top, "main")
    git_in(top)("merge", "-q", "--no-edit", "side")
    repository = Repository(top)
    told = [(change.kind, change.blob) for change in repository.comings_and_goings("cards")]
    side = [(kind, repository.contents([blob.id])[blob.id]) for kind, blob in told if blob.path == "cards/side.yaml"]
    assert side == [("removed", b"side\n"), ("added", b"side\n")]


def test_nothing_that_a_repository_configures_is_started(top: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f'#!/bin/sh\ntouch "{tmp_path}/sprung"\ncat\n', encoding="utf-8")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "diff.external", "gpg.program", "core.sshCommand", "diff.x.textconv"):
        git_in(top)("config", key, str(trap))
    git_in(top)("config", "log.showSignature", "true")
    git_in(top)("config", "diff.relative", "false")
    git_in(top)("config", "color.ui", "always")
    git_in(top)("config", "pager.log", "true")
    put(top, ".gitattributes", "*.yaml diff=x\n")
    repository = Repository(top)
    assert set(at(repository, repository.base().commit)) == {"cards/one.yaml"}
    assert len(list(repository.comings_and_goings("cards"))) == 2
    assert not (tmp_path / "sprung").exists()


def test_nothing_is_written(top: Path) -> None:
    def state() -> dict[str, tuple[int, bytes]]:
        return {
            str(path.relative_to(top)): (path.stat().st_mtime_ns, path.read_bytes())
            for path in top.rglob("*")
            if path.is_file()
        }

    before = state()
    repository = Repository(top)
    at(repository, repository.base().commit)
    list(repository.comings_and_goings("cards"))
    assert state() == before


def test_the_name_that_git_gives_to_a_file_is_known_without_git(tmp_path: Path) -> None:
    """What has this name in a commit is what lies here, and is not read out of the repository again."""
    content = "id: 가\n".encode()
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards/a.yaml").write_bytes(content)
    named = git_in(tmp_path)("hash-object", "--no-filters", "cards/a.yaml")
    for _ in range(2):
        with ParseCache(tmp_path / ".isopod", by_content=True) as cache:
            ((_, found),) = load_all(View(tmp_path, tmp_path / ".isopod"), tmp_path / "cards", cache=cache)
        assert isinstance(found, Parsed) and found.blob == named
