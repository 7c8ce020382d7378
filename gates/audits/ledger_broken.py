"""The ledger holds together, and nothing that was ever in it is gone.

**What** Every entry has the bytes that its name says, every entry that another one was written on is there, and so are
the heads that `checkpoint.json` names. With git: every entry of the base is still there.

**Why** Seals, attestations and exemptions count only while nobody can take one away or change it without a trace. Each
entry is a valid file alone; only all of them together, and the history, show what is missing.

**Bad** `cards/ledger/` after somebody took an entry away:

    checkpoint.json                {"heads":["sha256:9f3c..."]}
    41d7....json                   9f3c....json is not there

**Good** Entries are only ever added. After a merge of two branches both sides' entries are there.

**Way out** Bring the entry back from git as it was; an override that is wrong is answered by a later entry.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command
from schemas.finding import FindingPlace
from store.ledger import CHECKPOINT, short

CODE = "C246"
NAME = "ledger-broken"
TIER = "error"
STAGES = ("audit",)
WHY = "git"
ON = "instance"
HISTORY = "more"


def check(audited: Audited) -> Iterator[Found]:
    folder = audited.snapshot.instance.relative(audited.snapshot.instance.ledger_dir)
    told: set[str] = set()
    for problem in audited.ledger.problems:
        if problem.name in told:  # an entry that is missing is missed by each that was written on it
            continue
        told.add(problem.name)
        yield _broken(problem.name, problem.message, FindingPlace(file=problem.path, line=1, column=1), folder)
    if audited.past is None:
        return
    here = {file.name for file in audited.ledger.entries}
    for name in sorted(set(audited.past.version.ledger_names) - here - told):
        message = f"the entry {short(name)} was there, and is gone since {audited.past.base.words}"
        yield _broken(name, message, FindingPlace(file=f"{folder}/{CHECKPOINT}", line=1, column=1), folder)


def _broken(name: str, message: str, where: FindingPlace, folder: str) -> Found:
    return Found(
        name, f"{message}; bring it back from git as it was", where, fix=command("git", "log", "--stat", "--", folder)
    )
