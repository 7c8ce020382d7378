"""What a spec says now where its claims said something else, and who leans on them: `isopod diff` (DESIGN.md section 6)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, partial
from heapq import nlargest
from itertools import pairwise
from typing import Final, Literal

from gates.run import run
from pipeline.bench import Bench
from schemas.anchors import Anchor, AnchorStore
from schemas.card import Card
from schemas.difference import DiffCard, DiffClaim, DiffOutput, DiffSection, DiffWords
from schemas.errors import Place, RefusedError
from store.snapshot import Snapshot
from store.succession import offered_successors
from text.coordinates import SpanT
from text.folding import fold
from text.intervals import overlap
from text.sections import sections_of, unchanged_sections
from text.selectors import Located

NEAREST: Final = 0.4
"""How alike (0 to 1) a text of the section must be to be shown as what a claim may say now. It decides nothing."""

HELD: Final = 0.6
"""The share of a claim's letters, in runs of at least LEAST, that a longer text must hold to be shown."""
LEAST: Final = 3

TRIED: Final = 4
"""How many texts of a section are compared with a claim letter by letter."""

Changed = Literal["edited", "lost", "ambiguous"]

_PIECES: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|\w+|\s+|[^\w\s]")
"""Words, spaces and signs; of scripts without spaces each letter."""


def difference(snapshot: Snapshot, key: str) -> DiffOutput:
    """Compare the adopted claims of a spec with its text of today.

    Raises RefusedError when the spec is gone or cannot be read.
    """
    store = snapshot.anchor_stores[key]
    spec = snapshot.spec(key)
    if spec is None:
        fix = f"isopod spec mv {store.spec.path} NEW"
        raise RefusedError("missing-spec", "the spec cannot be read", where=Place(store.spec.path), fix=fix)
    comparing = _Comparing(snapshot, store, Bench.of(spec))
    return DiffOutput(
        spec=key, path=store.spec.path, diff=tuple(comparing.claims()), sections=tuple(comparing.sections())
    )


def words_between(old: str, new: str) -> tuple[DiffWords, ...]:
    """The two texts word by word; a space between two changed words is part of the change."""
    before, after = _PIECES.findall(old), _PIECES.findall(new)
    found: list[DiffWords] = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            same = "".join(before[a:b])
            if same.isspace() and found and a > 0 and b < len(before):
                found += [DiffWords(op="gone", text=same), DiffWords(op="new", text=same)]
            else:
                found.append(DiffWords(op="same", text=same))
            continue
        if a < b:
            found.append(DiffWords(op="gone", text="".join(before[a:b])))
        if c < d:
            found.append(DiffWords(op="new", text="".join(after[c:d])))
    return tuple(_joined(found))


def _joined(found: Sequence[DiffWords]) -> Iterator[DiffWords]:
    """Runs of changes with what is gone first and what is new after it."""
    gone = new = ""
    for one in found:
        if one.op == "gone":
            gone += one.text
        elif one.op == "new":
            new += one.text
        else:
            yield from _pair(gone, new)
            gone = new = ""
            yield one
    yield from _pair(gone, new)


def _pair(gone: str, new: str) -> Iterator[DiffWords]:
    if gone:
        yield DiffWords(op="gone", text=gone)
    if new:
        yield DiffWords(op="new", text=new)


def _pairs(text: str) -> Counter[str]:
    """How often which two letters stand in a row."""
    return Counter(first + second for first, second in pairwise(text))


def _nearness(own: Counter[str], pairs_of: Mapping[SpanT, Counter[str]], span: SpanT) -> float:
    """The share of pairs of letters that two texts have in common."""
    other = pairs_of[span]
    return (own & other).total() / max(1, own.total() + other.total())


def _alike(old: str, new: str) -> float:
    """How alike two texts are, from 0 to 1; a longer text that holds most of the old one is just alike enough."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.real_quick_ratio() >= NEAREST and matcher.quick_ratio() >= NEAREST and matcher.ratio() >= NEAREST:
        return matcher.ratio()
    held = sum(block.size for block in matcher.get_matching_blocks() if block.size >= LEAST)
    return NEAREST if held >= HELD * len(old) else 0.0


@dataclass(frozen=True)
class _Comparing:
    snapshot: Snapshot
    store: AnchorStore
    bench: Bench

    def claims(self) -> Iterator[DiffClaim]:
        """The claims that the text no longer holds as they were read, in the order of the file."""
        nearest = self._nearest
        for anchor in self.store.anchors:
            if anchor.id not in self._changed:
                continue
            new_id = self._stands_now(anchor)
            span = self._spans.get(new_id) if new_id is not None else nearest.get(anchor.id)
            new = fold(self.bench.spec.quoted(span)) if span is not None else None
            cards = tuple(self._card(card, anchor) for card in self._holders(anchor))
            old = fold(anchor.exact)
            yield DiffClaim(
                claim=anchor.id,
                kind=anchor.kind,
                standing=self._changed[anchor.id],
                section=anchor.section,
                old=old,
                new=new,
                new_claim=new_id if span is not None else None,
                lines=self.bench.spec.lines_of(span) if span is not None else None,
                words=words_between(old, new) if new is not None else (DiffWords(op="gone", text=old),),
                cards=cards,
                settled=all(card.do is None for card in cards) and anchor.status != "live",
            )

    def sections(self) -> Iterator[DiffSection]:
        """The sections that are not as they were read, in text order, then those that are gone."""
        unchanged = unchanged_sections(self.bench.spec, self.bench.structure, self.store.sections)
        stored = [section.path for section in self.store.sections]
        now = sections_of(self.bench.spec, self.bench.structure)
        for section, parsed in zip(now, self.bench.structure.sections, strict=True):
            if section.path not in unchanged and self.bench.spec.quoted(parsed.span).strip():
                lines = self.bench.spec.lines_of(parsed.span)
                yield DiffSection(path=section.path, change="changed" if section.path in stored else "new", lines=lines)
        there = {section.path for section in now}
        for path in stored:
            if path not in there:
                yield DiffSection(path=path, change="gone")

    # --- claims ---------------------------------------------------------------------------------------------------

    @cached_property
    def _located(self) -> Mapping[str, Located]:
        standing = [anchor for anchor in self.store.anchors if anchor.status != "retired"]
        names = unchanged_sections(self.bench.spec, self.bench.structure, self.store.sections)
        places = self.bench.finder.locate_all(standing, names)
        return {anchor.id: place for anchor, place in zip(standing, places, strict=True)}

    @cached_property
    def _spans(self) -> Mapping[str, SpanT]:
        return {anchor: place.span for anchor, place in self._located.items() if place.span is not None}

    @cached_property
    def _changed(self) -> Mapping[str, Changed]:
        """How each changed claim stands: as the last compile left it, else as the text shows it."""
        found: dict[str, Changed] = {}
        for anchor in self.store.anchors:
            now = self._located[anchor.id].status if anchor.status == "live" else anchor.status
            if now == "edited" or now == "lost" or now == "ambiguous":
                found[anchor.id] = now
        return found

    @cached_property
    def _offered(self) -> Mapping[str, str]:
        return offered_successors(self.store, self.snapshot.cards_of_anchor)

    def _stands_now(self, anchor: Anchor) -> str | None:
        """The claim that a person said took its place, or that is offered for it, over any number of changes."""
        by_id, seen = {one.id: one for one in self.store.anchors}, {anchor.id}
        while anchor.successor in by_id and anchor.successor not in seen:
            seen.add(anchor.successor)
            anchor = by_id[anchor.successor]
        return anchor.id if len(seen) > 1 and anchor.status == "live" else self._offered.get(anchor.id)

    @cached_property
    def _nearest(self) -> Mapping[str, SpanT]:
        """By changed claim: the text of its section that is most like it and that no claim stands on; each text once."""
        inside: dict[str, list[SpanT]] = {}
        for span in self._free:
            inside.setdefault(self.bench.structure.section_at(span[0]).name, []).append(span)
        text_of = {span: fold(self.bench.spec.quoted(span)) for span in self._free}
        pairs_of = {span: _pairs(text) for span, text in text_of.items()}
        pairs = []
        for anchor in self.store.anchors:
            if self._changed.get(anchor.id, "ambiguous") == "ambiguous":
                continue
            words = fold(anchor.exact)
            own = _pairs(words)
            # Two letters in a row are counted first: to compare every text letter by letter takes seconds in a large spec.
            near = nlargest(TRIED, inside.get(anchor.section, ()), key=partial(_nearness, own, pairs_of))
            pairs += [(_alike(words, text_of[span]), anchor.id, span) for span in near]
        found: dict[str, SpanT] = {}
        for alike, anchor_id, span in sorted(pairs, key=lambda pair: (-pair[0], pair[2], pair[1])):
            if alike >= NEAREST and anchor_id not in found and span not in found.values():
                found[anchor_id] = span
        return found

    @cached_property
    def _free(self) -> Sequence[SpanT]:
        """The pieces of units on which no claim stands."""
        taken = sorted(
            self._spans[one.id] for one in self.store.anchors if one.status == "live" and one.id in self._spans
        )
        pieces: list[SpanT] = []
        sections = {anchor.section for anchor in self.store.anchors if anchor.id in self._changed}
        for unit in self.bench.structure.units:
            if self.bench.structure.section_at(unit.span[0]).name not in sections:
                continue
            start = unit.span[0]
            for span in [one for one in taken if overlap(one, unit.span)]:
                pieces.append((start, span[0]))
                start = max(start, span[1])
            pieces.append((start, unit.span[1]))
        return [span for span in map(self._trimmed, pieces) if span[0] < span[1]]

    def _trimmed(self, span: SpanT) -> SpanT:
        """Without what is no word at both ends; nothing where no word is left."""
        text = self.bench.spec.text
        words = [place for place in range(*span) if text[place].isalnum()]
        if not words:
            return span[0], span[0]
        start = span[0] if span[0] == words[0] or not text[span[0]].isspace() else words[0]
        end = next((place for place in range(span[1], words[-1], -1) if not text[place - 1].isspace()), words[-1] + 1)
        return start, end

    # --- cards ----------------------------------------------------------------------------------------------------

    def _holders(self, anchor: Anchor) -> Iterator[Card]:
        return (card for card in self.snapshot.cards_of_anchor.get(anchor.id, ()) if card.state != "deleted")

    def _card(self, card: Card, anchor: Anchor) -> DiffCard:
        return DiffCard(
            card=card.id,
            kind=card.kind,
            title=card.title,
            state=card.state,
            lines=tuple(line.id for line in card.acceptance if anchor.id in line.anchors),
            do=self._ways_out.get((card.id, anchor.id)),
        )

    @cached_property
    def _ways_out(self) -> Mapping[tuple[str, str], str | None]:
        """By card and claim: what C231 says to do; nothing for what is covered, or let through by a person."""
        findings = run("audit", self.snapshot, select=["C231"]).findings
        return {(one.subject, one.related[0]): one.fix for one in findings if one.code == "C231" and one.related}
