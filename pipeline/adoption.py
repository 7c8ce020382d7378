"""What is adopted of a spec, on its text of today: where work goes on without a reading."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.adopt import Adopted, PlacedAnchor
from pipeline.bench import Bench
from pipeline.compile import sheet_of
from pipeline.draft.sheet import Sheet
from pipeline.rounds import located
from pipeline.workspace import Workspace
from schemas.anchors import AnchorStore
from schemas.errors import Place, RefusedError
from text.sections import changed_sections


@dataclass(frozen=True)
class Adoption:
    """The stored claims of one spec where they stand, and the sheet that the drafter sees of them."""

    bench: Bench
    store: AnchorStore
    adopted: Adopted
    sheet: Sheet


def adoption_of(workspace: Workspace, bench: Bench, *, keep_background: bool = True) -> Adoption:
    """Without `keep_background` what config once called background is judged anew.

    Raises RefusedError when nothing is adopted from the spec, or its text changed since.
    """
    key = workspace.key_of(bench.spec.path)
    store = workspace.store(key)
    compile_it = f"isopod compile {bench.spec.path}"
    if store is None:
        raise RefusedError(
            "nothing-adopted", "no claims of this spec are adopted yet", where=Place(bench.spec.path), fix=compile_it
        )
    if changed_sections(bench.spec, bench.structure, store.sections):
        raise RefusedError(
            "spec-changed", "the spec changed since it was compiled", where=Place(bench.spec.path), fix=compile_it
        )
    spans = located(bench, store.anchors, store.sections)
    placed = tuple(PlacedAnchor(anchor, spans.get(anchor.id)) for anchor in store.anchors)
    nothing: frozenset[str] = frozenset()
    adopted = Adopted(placed, store.edges, nothing, nothing, nothing)
    sheet = sheet_of(bench, workspace, key, adopted, keep_background=keep_background)
    return Adoption(bench, store, adopted, sheet)
