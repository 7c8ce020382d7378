"""No two claims share an id, in one anchors file or in two.

**What** Every id in `cards/anchors/` is there once, retired claims included.

**Why** Two branches that compile different sentences can each give one id to another claim; git merges both entries
without a conflict. From then on a card that names the id means both. Each file is valid alone.

**Bad**

    - {id: ANC-7Q4M2K9X, kind: requirement, exact: "A link lives for 30 days."}
    - {id: ANC-7Q4M2K9X, kind: requirement, exact: "Owners can renew a link."}

**Good**

    - {id: ANC-7Q4M2K9X, kind: requirement, exact: "A link lives for 30 days."}
    - {id: ANC-2F81ZD3A, kind: requirement, exact: "Owners can renew a link."}

**Way out** `isopod fix` gives the later one in text the next id and rewrites what names it.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.audited import Audited
from gates.found import Found
from gates.words import command, shown
from schemas.anchors import Anchor

CODE = "A104"
NAME = "duplicate-anchor-id"
TIER = "error"
STAGES = ("audit",)
WHY = "cross-file"
ON = "instance"


def check(audited: Audited) -> Iterator[Found]:
    first: dict[str, tuple[str, int, Anchor]] = {}
    for key, store in audited.stores.items():
        for index, anchor in enumerate(store.anchors):
            if anchor.id not in first:
                first[anchor.id] = (key, index, anchor)
                continue
            earlier_key, earlier_index, earlier = first[anchor.id]
            there = audited.in_store(earlier_key, "anchors", earlier_index, "id")
            yield Found(
                anchor.id,
                f"{anchor.id} is the id of {shown(anchor.exact)} and of {shown(earlier.exact)} "
                f"({there.file}:{there.line})",
                audited.in_store(key, "anchors", index, "id"),
                fix=command("isopod", "fix"),
                heuristic=store.heuristic,
            )
