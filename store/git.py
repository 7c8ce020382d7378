"""Git, read only: the history of the repository that an instance lies in, through the git program.

Every question is one process, never one a file: names by one `ls-tree`, contents by one `cat-file --batch`, what came
and went by one `log`. Nothing here writes, takes a lock or reads the index.

Safe in any folder: git is started in the instance's root with every variable taken away that points it at another
repository, index or object store. So it works inside a hook, where git sets them for its own use, and no variable can
lead the audit to another history. What the configuration of a repository could start (a file system monitor, an external
diff, a text conversion, gpg, a pager, hooks) is turned off; nothing is fetched, nobody is asked.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import IO, Final, Literal

from schemas.errors import NoHistoryError, RefusedError

PROGRAM: Final = "git"
_TIME_LIMIT: Final = 60.0
"""Seconds for one question; the longest is the walk of the whole history of a folder."""

# What `git rev-parse --local-env-vars` lists and what else changes what a path or a diff is. The user's own configuration
# in GIT_CONFIG_* stays: that is how a build says `safe.directory`.
_CLEARED: Final = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE",
    "GIT_NO_REPLACE_OBJECTS", "GIT_IMPLICIT_WORK_TREE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_QUARANTINE_PATH",
    "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS", "GIT_TRACE", "GIT_FLUSH", "LANGUAGE",
)  # fmt: skip
_SET: Final = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
}
_OPTIONS: Final = (
    "--no-pager", "--no-optional-locks", "--no-replace-objects",
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false",
    "-c", "safe.bareRepository=explicit", "-c", "protocol.allow=never",
)  # fmt: skip
_LOG: Final = (
    "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--no-follow",
    "--no-show-signature", "--relative", "--full-history", "--diff-filter=AD", "--format=tformat:%H",
)  # fmt: skip
_DEFAULT_BRANCHES: Final = ("main", "master", "trunk")
_MERGING: Final = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
_REF: Final = re.compile(r"[^-\x00-\x20\x7f][^\x00-\x20\x7f]*")
_BLOBS: Final = ("100644", "100755")


@dataclass(frozen=True, slots=True)
class Base:
    """What is compared with: a commit, and the words of a sentence for it, "since {words}"."""

    commit: str
    words: str


@dataclass(frozen=True, slots=True)
class Blob:
    """A file of a commit: its path relative to the instance, and the id of its content."""

    path: str
    id: str


@dataclass(frozen=True, slots=True)
class Change:
    """A file that some commit added or took away: the content it came with, or the one it had last."""

    kind: Literal["added", "removed"]
    blob: Blob


class Repository:
    """The repository that a folder lies in. Paths in and out are relative to that folder, which may be any below its top."""

    def __init__(self, root: Path, *, program: str = PROGRAM, time_limit: float = _TIME_LIMIT) -> None:
        """Raises NoHistoryError without git, and where there is no working tree of a repository."""
        self.root = root
        self._program = program
        self._time_limit = time_limit
        said = self._ask("rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--absolute-git-dir")
        inside, shallow, git_dir = said.removesuffix("\n").split("\n", 2)
        if inside != "true":
            raise NoHistoryError("this folder is no working tree of a git repository")
        self.is_shallow = shallow == "true"
        self._git_dir = Path(git_dir)

    @property
    def is_merging(self) -> bool:
        """Whether a merge, a rebase, a cherry-pick or a revert waits to be finished."""
        return any((self._git_dir / name).exists() for name in _MERGING)

    # --- commits --------------------------------------------------------------------------------------------------

    def commit(self, ref: str) -> str:
        """The id of the commit that a name stands for.

        Raises RefusedError `unknown-commit`.
        """
        found = None
        if _REF.fullmatch(ref):
            found = self._try("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        if found is None:
            raise RefusedError(
                "unknown-commit", f"git knows no commit {ref!r} here", fix="git branch --all; git tag; git fetch"
            )
        return found.strip()

    def last_before(self, moment: str) -> str | None:
        """The last commit of HEAD's history that is not younger than `moment`; None without one.

        `moment` is an ISO date (its first second) or time, in UTC unless it says otherwise.

        Raises NoHistoryError in a shallow clone, RefusedError for what is no date.
        """
        self._refuse_shallow()
        try:
            when = datetime.fromisoformat(moment)
            seconds = int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())
        except (ValueError, OverflowError):
            raise RefusedError(
                "unknown-date", f"{moment!r} is no date such as 2026-11-30 or 2026-11-30T09:00:00Z"
            ) from None
        return self._ask("rev-list", "-1", f"--before={seconds}", self._head[0]).strip() or None

    def base(self, ref: str | None = None) -> Base:
        """What to compare with: `ref`; else where this branch left the default branch; on that one the commit before.

        The very first commit has none before it and is compared with itself. The default branch is that of the remote
        `origin` (else of another remote), else the first of main, master and trunk that there is.

        Raises NoHistoryError in a shallow clone and without a commit, RefusedError for an unknown `ref`.
        """
        self._refuse_shallow()
        if ref is not None:
            return Base(self.commit(ref), ref)
        head, parents = self._head
        default = self._default_branch
        if default is not None:
            name, tip = default
            left = self._try("merge-base", head, tip)
            if left is None:
                raise NoHistoryError(f"this branch and {name} have no commit in common", fix="isopod audit --base REF")
            left = left.split("\n")[0]
            here = self._branch
            if (left != head) if here is None else (here not in (name, name.partition("/")[2])):
                return Base(left, f"this branch left {name}")
        return Base(parents[0], "the commit before this one") if parents else Base(head, "the first commit")

    @cached_property
    def _head(self) -> tuple[str, tuple[str, ...]]:
        """The commit that is checked out, and its parents."""
        said = self._try("rev-list", "--parents", "-1", "HEAD", "--")
        if said is None:
            raise NoHistoryError("this repository has no commit yet", fix="git commit")
        head, *parents = said.split()
        return head, tuple(parents)

    @cached_property
    def _branch(self) -> str | None:
        """The branch that is checked out, None for a commit without one, as builds check it out."""
        said = self._try("symbolic-ref", "--quiet", "--short", "HEAD")
        return None if said is None else said.strip()

    @cached_property
    def _default_branch(self) -> tuple[str, str] | None:
        """The name and the tip of the default branch."""
        own = [place + name for name in _DEFAULT_BRANCHES for place in ("refs/heads/", "refs/remotes/origin/")]
        said = self._ask("for-each-ref", "--format=%(refname)%00%(objectname)%00%(symref)", "refs/remotes/*/HEAD", *own)
        tips = {}
        for line in said.splitlines():
            name, tip, target = line.split("\0")
            tips[name] = (target or name, tip)
        of_remotes = sorted(name for name in tips if name.endswith("/HEAD"))
        wanted = ["refs/remotes/origin/HEAD", *of_remotes, *own]
        found = next((tips[name] for name in wanted if name in tips), None)
        return None if found is None else (re.sub("^refs/(heads|remotes)/", "", found[0]), found[1])

    def _refuse_shallow(self) -> None:
        if self.is_shallow:
            raise NoHistoryError("this is a shallow clone, it lacks the history", fix="git fetch --unshallow")

    # --- files ----------------------------------------------------------------------------------------------------

    def files(self, commit: str, folder: str) -> tuple[Blob, ...]:
        """Every file in and below a folder as a commit holds it, sorted by path; links and submodules are passed by."""
        listed = self._ask("ls-tree", "-r", "-z", commit, f"{folder}/")
        found = []
        for entry in listed.split("\0")[:-1]:
            about, _, path = entry.partition("\t")
            mode, _, blob = about.split(" ")
            if mode in _BLOBS:
                found.append(Blob(path, blob))
        return tuple(sorted(found, key=lambda one: one.path))

    def contents(self, ids: Iterable[str]) -> dict[str, bytes]:
        """The content of blobs by id. Raises as `stream`."""
        return dict(self.stream(ids))

    def stream(self, ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Blobs by id, each once, in the order in which they are first named: one process, one content in memory at a time.

        Raises NoHistoryError when the repository does not hold one, as a partial clone may not.
        """
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            return
        with tempfile.TemporaryFile() as questions:  # a pipe could fill up while nobody reads the other one
            questions.write("\n".join(wanted).encode() + b"\n")
            questions.seek(0)
            with self._started("cat-file", "--batch", stdin=questions) as process:
                assert process.stdout is not None  # it was asked for
                for blob in wanted:
                    yield blob, self._next_content(process.stdout, blob)

    def _next_content(self, answers: IO[bytes], blob: str) -> bytes:
        about = answers.readline().split()
        if about[1:] == [b"missing"]:
            raise NoHistoryError(f"the repository does not hold the object {blob}", fix="git fetch --refetch")
        size = int(about[2]) if len(about) == 3 else -1
        data = answers.read(size + 1) if size >= 0 else b""
        if len(data) != size + 1:
            raise NoHistoryError(
                f"git cat-file stopped before its end, or took longer than {self._time_limit:.0f} seconds"
            )
        return data[:-1]

    def comings_and_goings(self, folder: str) -> Iterator[Change]:
        """Every file that a commit of HEAD's history (in a merge: of both sides) added to a folder or took from it.

        The latest first. A merge adds nothing itself: what came with it was added by a commit of one of its sides.

        Raises NoHistoryError in a shallow clone.
        """
        self._refuse_shallow()
        tips = ["HEAD", "MERGE_HEAD"] if (self._git_dir / "MERGE_HEAD").exists() else ["HEAD"]
        tokens = iter(self._ask("log", *_LOG, *tips, "--", folder).split("\0"))
        for token in tokens:
            about = token.lstrip("\n")
            if not about.startswith(":"):
                continue
            before, after, old, new, _ = about[1:].split(" ")
            path = next(tokens)
            if after in _BLOBS and before == "000000":
                yield Change("added", Blob(path, new))
            elif before in _BLOBS and after == "000000":
                yield Change("removed", Blob(path, old))

    # --- the program ----------------------------------------------------------------------------------------------

    def _ask(self, *arguments: str) -> str:
        return os.fsdecode(self._run(arguments).stdout)

    def _try(self, *arguments: str) -> str | None:
        """The answer, None when git says no."""
        done = self._run(arguments, allowed=(0, 1, 128))
        return os.fsdecode(done.stdout) if done.returncode == 0 else None

    def _run(self, arguments: Sequence[str], *, allowed: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess[bytes]:
        with self._failures(arguments[0]):
            done = subprocess.run(
                self._line(arguments),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=_environment(),
                timeout=self._time_limit,
                check=False,
            )
        if done.returncode not in allowed:
            raise _said(done)
        return done

    @contextmanager
    def _started(self, *arguments: str, stdin: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
        """A process whose answer is read while it runs; it is ended with the block, and when the time is up."""
        with self._failures(arguments[0]):
            process = subprocess.Popen(
                self._line(arguments),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        watch = threading.Timer(self._time_limit, process.kill)
        watch.daemon = True
        watch.start()
        try:
            yield process
        finally:
            watch.cancel()
            process.kill()
            process.communicate()

    def _line(self, arguments: Sequence[str]) -> list[str]:
        return [self._program, "-C", str(self.root), *_OPTIONS, *arguments]

    @contextmanager
    def _failures(self, question: str) -> Iterator[None]:
        """Why git could not be started, or did not come to an end."""
        try:
            yield
        except FileNotFoundError:
            raise NoHistoryError("the program git is not there", fix="install git") from None
        except OSError as error:
            raise NoHistoryError(f"git cannot be started: {error.strerror}") from None
        except subprocess.TimeoutExpired:
            raise NoHistoryError(f"git {question} took longer than {self._time_limit:.0f} seconds") from None


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _CLEARED} | _SET


def _said(done: subprocess.CompletedProcess[bytes]) -> NoHistoryError:
    """Why git would not answer, in its own words where they are not the usual ones."""
    words = done.stderr.decode("utf-8", "backslashreplace").strip()
    if "not a git repository" in words:
        return NoHistoryError("not a git repository", fix="git init")
    if "dubious ownership" in words:
        return NoHistoryError(
            "git does not trust this repository, its files belong to another user",
            fix="git config --global --add safe.directory FOLDER",
        )
    first = words.split("\n")[0][:300] or f"exit code {done.returncode}"
    return NoHistoryError(f"git refused: {first}")
