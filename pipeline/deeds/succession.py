"""A claim that the spec says instead of another one: only a person knows that (DESIGN.md section 6)."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.anchors import AnchorStore
from schemas.errors import Place, RefusedError
from schemas.kinds import kind_class


def succeeded(store: AnchorStore, old: str, new: Sequence[str]) -> AnchorStore:
    """The store in which the one claim `new` is the successor of `old`.

    Raises RefusedError when it is not one claim of the same class that the spec says, or when the spec still says the old one.
    """
    where = Place(store.spec.path)
    if len(new) != 1:
        raise RefusedError("usage", f"one claim takes the place of {old}, and here are {len(new)}", where=where)
    by_id = {anchor.id: anchor for anchor in store.anchors}
    for name in (old, *new):
        if name not in by_id:
            raise RefusedError(
                "unknown-claim", f"{name} is no claim of this spec", where=where, fix=f"isopod show {name}"
            )
    before, after = by_id[old], by_id[new[0]]
    if before.status not in ("edited", "lost"):
        said = "says it still" if before.status == "live" else "gave it up, and no card carries it"
        raise RefusedError(
            "claim-stands", f"{old} is {before.status}: the spec {said}", where=where, fix=f"isopod show {old}"
        )
    if after.status != "live":
        message = f"{after.id} is {after.status}: it is not in the spec as it was read"
        raise RefusedError("claim-gone", message, where=where, fix=f"isopod show {after.id}")
    if kind_class(before.kind) != kind_class(after.kind):
        message = f"{old} is a {before.kind} and {after.id} is a {after.kind}: one does not take the place of the other"
        raise RefusedError("kind-of-claim", message, where=where)
    replaced = before.model_copy(update={"status": "edited", "successor": after.id})
    return store.model_copy(update={"anchors": tuple(replaced if one is before else one for one in store.anchors)})
