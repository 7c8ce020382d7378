"""What audits, single edits and the smallest commands cost: CPU seconds and peak memory of whole processes.

    python benchmarks/audit.py [CARDS ...]          (default: 200 2000 20000)
    ISOPOD_CASES=/path/to/shared python benchmarks/audit.py      (also reads two long specs offline)

Each figure stands beside its floor and beside what DESIGN.md section 10 asks. The floors are processes too: one that
reads the bytes, one that gives every YAML file to PyYAML's own C loader. Modules are compiled before anything is timed, as
they are where the program is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve()
REPOSITORY = HERE.parent.parent
REPEATS = 3
SETTLING = 2.5  # seconds: the cache keeps no file that its file system's clock could not tell from one written now
ASKED = {200: ("0.3", ""), 2_000: ("0.9", ""), 20_000: ("5", "250")}
ASKED_WARM = {20_000: "1.5"}
_COMPILED = tempfile.TemporaryDirectory(prefix="isopod-compiled-")
LONG_SPECS = ("whatwg-fetch-bs.bs", "rfc2616.txt")


@dataclass(frozen=True)
class Cost:
    """CPU seconds (of the process and its children) and peak resident memory in MB."""

    cpu: float
    memory: float

    def row(self, name: str, asked_cpu: str = "", asked_memory: str = "") -> str:
        wanted = " and ".join(f"< {value}{unit}" for value, unit in ((asked_cpu, " s"), (asked_memory, " MB")) if value)
        return f"| {name} | {self.cpu:.2f} | {self.memory:.0f} | {wanted} |"


def main() -> int:
    if sys.argv[1:2] == ["--do"]:
        _INSIDE[sys.argv[2]](Path(sys.argv[3]))
        return 0
    if not all(argument.isdecimal() for argument in sys.argv[1:]):
        print("usage: python benchmarks/audit.py [CARDS ...]", file=sys.stderr)
        return 2
    sizes = [int(argument) for argument in sys.argv[1:]] or [200, 2_000, 20_000]
    with tempfile.TemporaryDirectory(prefix="isopod-bench-") as scratch:
        cost(_isopod("audit", "--help"))  # compiles
        _heading("The smallest commands")
        print(cost([sys.executable, "-c", "pass"]).row("floor: `python -c pass`"))
        print(cost(_isopod("--version")).row("`isopod --version`", "0.08"))
        print(cost(_isopod("--help")).row("`isopod --help`", "0.15"))
        for size in sizes:
            _audits(Path(scratch) / str(size), size)
        _long_specs()
    return 0


def _audits(folder: Path, size: int) -> None:
    """The table of one size."""
    made = subprocess.run(
        [sys.executable, str(HERE.parent / "generate.py"), str(folder), str(size)],
        check=True,
        capture_output=True,
        text=True,
    )
    time.sleep(SETTLING)
    _heading(f"{size:,} cards", made.stdout.strip())
    print(_inside("bytes", folder).row("floor: reading the bytes"))
    print(_inside("yaml", folder).row("floor: PyYAML's C loader over every YAML file"))
    print(cold_audit(folder).row("audit, cold", *ASKED.get(size, ())))
    print(cost(audit_of(folder)).row("audit, nothing changed", ASKED_WARM.get(size, "")))
    print(_inside("edit", folder).row("one card edited", "0.3"))
    _commit_twice(folder)
    print(cost(audit_of(folder)).row("audit, nothing changed, in a git repository of two commits"))


def audit_of(folder: Path) -> list[str]:
    """The command that audits an instance."""
    return _isopod("-C", str(folder), "audit")


def cold_audit(folder: Path) -> Cost:
    """An audit without the cache of parsed files, which it makes."""
    return cost(audit_of(folder), before=lambda: shutil.rmtree(folder / ".isopod", ignore_errors=True))


def _commit_twice(folder: Path) -> None:
    """Make the instance a repository with a past, so that the rules on git have something to compare with."""

    def git(*words: str) -> None:
        person = ("-c", "user.name=Min-ji Han", "-c", "user.email=minji@example.com", "-c", "gc.auto=0")
        subprocess.run(["git", "-C", str(folder), *person, *words], check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    (folder / ".gitignore").write_text(".isopod/\n")
    git("add", ".")
    git("commit", "-q", "-m", "Everything")
    _once([sys.executable, str(HERE), "--do", "edit", str(folder)], (0,), HERE.parent)  # not here: see there
    git("commit", "-q", "-a", "-m", "One card")
    time.sleep(SETTLING)


def _long_specs() -> None:
    """Reading long specs offline, where the cases are at hand."""
    cases = os.environ.get("ISOPOD_CASES")
    if not cases:
        print("\nWithout ISOPOD_CASES no long spec is read.")
        return
    _heading("Reading a long spec offline, as a preview")
    for name in LONG_SPECS:
        spec = Path(cases) / "cases" / "specs" / name
        words = ("compile", str(spec), "--offline", "--preview", "--format", "json")
        print(cost(_isopod(*words), may_wait=True).row(f"{name}, {spec.stat().st_size // 1000} KB", "3"))


def cost(
    command: Sequence[str],
    *,
    before: Callable[[], object] = lambda: None,
    may_wait: bool = False,
    repeats: int = REPEATS,
    where: Path = HERE.parent,
) -> Cost:
    """The cheapest of some runs of a command, which must succeed (`may_wait`: or wait for a person, exit code 3)."""
    runs = []
    for _ in range(repeats):
        before()
        runs.append(_once(command, (0, 3) if may_wait else (0,), where))
    return min(runs, key=lambda run: run.cpu)


def _once(command: Sequence[str], good: tuple[int, ...], where: Path) -> Cost:
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "PYTHONPYCACHEPREFIX": _COMPILED.name}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryFile() as output:
        # This process stays small: on Linux a child's peak is never less than that of the process that made it.
        child = subprocess.Popen(command, stdout=output, stderr=output, cwd=where, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in good:
            output.seek(0)
            raise SystemExit(f"{' '.join(command)} gave {child.returncode}:\n{output.read().decode()[-2000:]}")
    unit = 1_000_000 if sys.platform == "darwin" else 1_000
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit)


def _isopod(*words: str) -> list[str]:
    return [sys.executable, "-m", "isopod", *words]


def _inside(task: str, folder: Path) -> Cost:
    """The cost of one of this module's own tasks, in a process of its own."""
    return cost([sys.executable, str(HERE), "--do", task, str(folder)])


def _read_bytes(folder: Path) -> None:
    for path in (*folder.rglob("*.yaml"), *folder.rglob("*.md")):
        path.read_bytes()


def _load_yaml(folder: Path) -> None:
    import yaml

    for path in folder.rglob("*.yaml"):
        yaml.load(path.read_bytes(), yaml.CSafeLoader)


def _edit(folder: Path) -> None:
    """Change the notes of one card, as a command does."""
    sys.path.insert(0, str(REPOSITORY))
    from store import cards
    from store.cards import Actor
    from store.instance import open_instance
    from store.transaction import Transaction

    instance = open_instance(folder)
    tx = Transaction(instance.root, instance.state_dir, command="benchmark")
    name = next(entry.name for entry in os.scandir(instance.cards_dir) if entry.name.startswith("STY-"))
    read = cards.load(tx, instance, name.removesuffix(".yaml"))
    notes = f"{read.card.notes}One more line.\n"
    actor = Actor(by="person", name="Min-ji Han")
    cards.edit(tx, instance, read.card, {"notes": notes}, actor=actor, expected=read.sha256)
    tx.commit()


_INSIDE: dict[str, Callable[[Path], None]] = {"bytes": _read_bytes, "yaml": _load_yaml, "edit": _edit}


def _heading(title: str, remark: str = "") -> None:
    print(f"\n### {title}\n")
    if remark:
        print(f"{remark}.\n")
    print("| what | CPU s | peak MB | asked |\n|---|---|---|---|", flush=True)


if __name__ == "__main__":
    sys.exit(main())
