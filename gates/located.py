"""The claims of an anchors file, found in the text of today."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from gates.claims import Claim, ClaimEdge, Claims
from schemas.anchors import Anchor, AnchorEdge, AnchorStore
from schemas.finding import FindingPlace
from text.coordinates import SpanT, SpecText, of_text
from text.cores import core
from text.folding import Folded, fold, folded
from text.sections import unchanged_sections
from text.selectors import Finder, Located
from text.structure import Structure, structure


def claims_today(
    store: AnchorStore,
    spec: SpecText | None,
    parsed: Structure | None,
    *,
    anchor_prefix: str,
    carried: frozenset[str],
    entry: Callable[[int, str], FindingPlace],
) -> Claims:
    """The claims of `store` where they stand in `spec`; None, a spec that is gone, is an empty text.

    `entry` gives the place of a key of the anchor with that index in its file.
    """
    text = spec or of_text("", store.spec.path)
    finder = Finder(text, parsed or structure(text))
    cues = _Cues(finder)
    live = [anchor for anchor in store.anchors if anchor.status == "live"]
    places = iter(finder.locate_all(live, _Unchanged(finder, store)))
    located = [next(places) if anchor.status == "live" else None for anchor in store.anchors]
    index_of = {anchor.id: index for index, anchor in enumerate(store.anchors)}
    return Claims(
        spec=text,
        structure=finder.structure,
        claims=tuple(_claim(text, anchor, place) for anchor, place in zip(store.anchors, located, strict=True)),
        edges=tuple(cues.edge(edge) for edge in store.edges),
        heuristic=store.heuristic,
        file=store.spec.path,
        key=store.spec.key,
        anchor_prefix=anchor_prefix,
        carried=carried,
        elsewhere=lambda anchor: entry(index_of[anchor], "id"),
    )


class _Unchanged:
    """The names of the sections that are as they were stored; folded only for words that stand in several places."""

    def __init__(self, finder: Finder, store: AnchorStore) -> None:
        self._finder = finder
        self._store = store

    def __contains__(self, name: object) -> bool:
        return name in self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        return unchanged_sections(self._finder.spec, self._finder.structure, self._store.sections)


class _Cues:
    """Looks for cues: folded, then without emphasis and code marks; their first hit stands (DESIGN.md section 3)."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder

    @cached_property
    def _stripped(self) -> Folded:
        return folded(self._finder.spec.text, markup=True)

    def edge(self, edge: AnchorEdge) -> ClaimEdge:
        return ClaimEdge(edge.kind, edge.from_, edge.to, edge.cue, self._find(edge.cue))

    def _find(self, cue: str) -> SpanT | None:
        found = _first(self._finder.folded, fold(cue))
        return found or _first(self._stripped, folded(cue, markup=True).text.strip())


def _first(text: Folded, wanted: str) -> SpanT | None:
    start = text.text.find(wanted) if wanted else -1
    return None if start == -1 else text.raw_span((start, start + len(wanted)))


def _claim(spec: SpecText, anchor: Anchor, located: Located | None) -> Claim:
    """An adopted claim where it stands today; one that the store gave up is not looked for."""
    span = located.span if located and located.span else (0, 0)
    return Claim(
        id=anchor.id,
        kind=anchor.kind,
        span=span,
        core=core(spec.text, span),
        exact=anchor.exact,
        labels=anchor.labels,
        home=anchor.home,
        status=anchor.status,
        section=anchor.section,
        found=located.status if located else "lost",
    )
