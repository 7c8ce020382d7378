"""The spec of every anchors file is there.

**What** The file that an anchors file names as its spec exists. When it does not, and another file holds most of its
claims, that is a rename, and the command that records it is offered.

**Why** Without its spec no claim can be looked up, compared or read again. Whether a file exists is not in any file.

**Bad**

    cards/anchors/links.yaml:      spec: {key: links, path: specs/links.md}      # no such file

**Good** The file is there, or the anchors file names its new path.

**Way out** After a rename: `isopod spec mv OLD NEW` (key, ids and cards stay). Else bring the file back with git.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command, counted
from schemas.anchors import AnchorStore
from text.folding import fold

CODE = "C230"
NAME = "missing-spec"
TIER = "error"
STAGES = ("audit",)
WHY = "filesystem"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    for key, store in audited.stores.items():
        if audited.spec(key) is not None or audited.is_unreadable(key):
            continue
        old = store.spec.path
        new = _renamed_to(audited, store)
        if new:
            message = f"the spec {old} is gone and {new} holds its claims: record the rename"
            fix = command("isopod", "spec", "mv", old, new)
        else:
            message = f"the spec {old} of {counted(len(store.anchors), 'claim')} is gone: bring the file back"
            fix = command("git", "log", "--follow", "--", old)
        yield Found(
            key, message, audited.in_store(key, "spec", "path"), (new,) if new else (), fix, heuristic=store.heuristic
        )


def _renamed_to(audited: Audited, store: AnchorStore) -> str | None:
    """The spec file, of those that no anchors file names, that holds most of the claims' texts; None below one half."""
    texts = [fold(anchor.exact) for anchor in store.anchors if anchor.status == "live"]
    best: tuple[int, str] | None = None
    for path, spec in audited.specs_without_claims():
        whole = fold(spec.text)
        held = sum(text in whole for text in texts)
        if held * 2 > len(texts) and (best is None or held > best[0]):
            best = (held, path)
    return best[1] if best else None
