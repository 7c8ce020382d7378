"""Answers of people to what the readers dispute: each becomes one settlement, and applies through the table's own replay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from pipeline.bench import EdgeKey, Key, StandingClaim, in_text_order, ordered_key
from pipeline.said import Said as Said
from pipeline.table import Table, folded_digest
from schemas.errors import RefusedError
from schemas.ids import tail
from schemas.kinds import AnchorKind, Answer, DiscardReason
from schemas.reading import Dispute
from schemas.settlement import SettledAnchor, SettledEdge, SettledEnd, Settlement, Where
from text.coordinates import SpanT
from text.folding import fold
from text.intervals import holds, hull, overlap

BulkAnswer = Literal["a", "b", "union", "agreed"]
_CLAIM_ANSWERS = frozenset({"a", "b", "both", "none", "cut"})
_EDGE_ANSWERS = frozenset({"keep", "drop"})
_GATE_ANSWERS = frozenset({"keep", "none", "cut"})


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut of one's own: a kind and the exact words."""

    kind: AnchorKind
    words: str


def allowed_answers(dispute: Dispute) -> frozenset[str]:
    """What may be answered to a dispute of this type."""
    return _EDGE_ANSWERS if dispute.type == "edge" else _GATE_ANSWERS if dispute.type == "gate" else _CLAIM_ANSWERS


def answer(table: Table, dispute_id: str, given: Answer, said: Said, cuts: Sequence[Cut] = ()) -> Settlement:
    """The settlement of one dispute. Nothing on the table changes; apply it with `table.apply`.

    Raises RefusedError when there is no such dispute, the answer does not fit its type, a reason is missing, or what it takes
    would cross or coincide in class with what stands.
    """
    dispute = _dispute(table, dispute_id)
    if given not in allowed_answers(dispute):
        raise RefusedError(
            "answer-does-not-fit", f"{dispute.id} is a dispute of type {dispute.type}: answer one of {_listed(dispute)}"
        )
    if dispute.type == "edge":
        return _edge_answer(table, dispute, given, said)
    if dispute.type == "gate" and not said.because:
        raise RefusedError(
            "reason-missing", f"{dispute.id}: a gate is let through or closed with a reason", fix='--because "..."'
        )
    if dispute.type == "gate" and given == "keep":
        inside = [claim for claim in table.claims.near(dispute.span) if holds(dispute.span, claim.core)]
        return _settlement(table, dispute, given, said, dispute.span, inside, [])
    chosen = _chosen(table, dispute, given, cuts)
    region = hull([dispute.span, *(claim.span for claim in chosen)])
    staying = (
        [] if dispute.type == "gate" else [claim for claim in table.claims.near(region) if holds(region, claim.core)]
    )
    _refuse_clashes(table, dispute, chosen)
    edges = [] if given in ("none", "cut") else _edges_taken(table, dispute, given, chosen)
    return _settlement(table, dispute, given, said, region, sorted([*staying, *chosen], key=in_text_order), edges)


def bulk(table: Table, given: BulkAnswer, said: Said, reject: Iterable[Key] = ()) -> Settlement:
    """One answer to everything that is open: in text order, longer first, A before B.

    What would cross or coincide with what stands is left out and listed, as is the side that was not taken; `reject` names
    claims that may not stand (a gate said so). Raises RefusedError without a reason.
    """
    if not said.because:
        raise RefusedError("reason-missing", "an answer to everything at once needs a reason", fix='--because "..."')
    refused = set(reject)
    trial = Table.empty(table.bench)
    trial.put(claim for claim in table.claims if claim.key not in refused)
    taken: list[StandingClaim] = []
    left_out = [claim for claim in table.claims if claim.key in refused]
    for number, claim in _in_bulk_order(table):
        wanted = given == "union" or given == ("a", "b")[number]
        if wanted and claim.key not in refused and trial.claims.clash(claim) is None:
            trial.claims.put(claim)
            taken.append(claim)
        elif claim.key not in trial.claims:
            left_out.append(claim)
    edges = []
    for number in (0, 1):
        if given == "union" or given == ("a", "b")[number]:
            edges += _loose_edges(table, number, {claim.key for claim in taken}, trial)
            edges += [
                (table.disputed_edge(one), one.span)
                for one in table.open()
                if one.type == "edge" and (one.a if number == 0 else one.b)
            ]
    edges = [edge for edge in edges if edge[0][1] in trial.claims and edge[0][2] in trial.claims]
    left_out = list({claim.key: claim for claim in left_out}.values())
    digest = folded_digest(table.bench.spec)
    anchors = tuple(_settled(table, claim) for claim in sorted(taken, key=in_text_order))
    return Settlement(
        id="S-" + tail(["bulk", given, digest, [one.id for one in table.open()]]),
        type="bulk",
        where=Where(exact=digest, prefix="", suffix="", section=""),
        answer=given,
        anchors=anchors,
        edges=_settled_edges(table, edges, trial),
        left_out=tuple(_settled(table, claim) for claim in sorted(left_out, key=in_text_order)),
        by=said.by,
        at=said.at,
        because=said.because,
    )


def claim(table: Table, kind: AnchorKind, words: str, said: Said, lines: tuple[int, int] | None = None) -> Settlement:
    """A claim that both readers missed.

    Raises RefusedError when the words stand nowhere or several times, run across blocks, or would cross or coincide with what
    stands.
    """
    one = table.bench.claim(kind, find_words(table, words, lines))
    other = table.claims.clash(one)
    if other is not None:
        raise _clash(table, one, other, "claim")
    return _own(table, "claim", "C", one.span, [one], said)


def not_a_claim(table: Table, span: SpanT, said: Said) -> Settlement:
    """A unit that no reader claimed and that is none, or one that is not to be claimed."""
    return _own(table, "not-a-claim", "N", span, [], said)


def discard(table: Table, one: StandingClaim, reason: DiscardReason, said: Said) -> Settlement:
    """A claim that stands and that no card is to carry.

    Raises RefusedError without a reason in words.
    """
    if not said.because:
        raise RefusedError("reason-missing", "a claim is discarded with a reason", fix='--because "..."')
    return _own(table, "discard", "X", one.span, [one], said).model_copy(update={"reason": reason})


def in_turn(settlement: Settlement, given: Sequence[Settlement]) -> Settlement:
    """An answer that comes after those that were `given` (in the order of their times): with an id of its own, and later than they.

    Answers are replayed in the order of their times: one given in the same second as the last stands after it.
    """
    taken = {one.id for one in given}
    number, name = 1, settlement.id
    while name in taken:
        number += 1
        name = f"{settlement.id}-{number}"
    at = max([settlement.at, *(_second_after(one.at) for one in given[-1:])])
    return settlement.model_copy(update={"id": name, "at": at})


def _second_after(at: str) -> str:
    form = "%Y-%m-%dT%H:%M:%SZ"
    return (datetime.strptime(at, form) + timedelta(seconds=1)).strftime(form)


def find_words(table: Table, words: str, lines: tuple[int, int] | None = None) -> SpanT:
    """The one place of exact words, in the whole spec or in some lines.

    Raises RefusedError when they stand nowhere or in several places, naming the lines.
    """
    spec = table.bench.spec
    if lines is not None and not spec.has_lines(lines):
        raise RefusedError("lines-outside", f"{spec.path} has lines 1 to {spec.line_count}")
    window = spec.lines_span(lines) if lines is not None else (0, len(spec.text))
    _refuse_wordless(words)
    found = table.bench.grounder.find(words, window)
    if found is None:
        raise RefusedError("quote-not-found", f"{spec.path} does not hold these words: quote them exactly")
    hits = found[1]
    if len(hits) > 1:
        places = ", ".join(str(spec.line_of(hit[0])) for hit in hits[:8])
        raise RefusedError(
            "quote-ambiguous", f"these words stand {len(hits)} times (lines {places})", fix="say which with --line"
        )
    if table.bench.grounder.crosses_block(hits[0]):
        raise _crosses_block()
    return hits[0]


def _dispute(table: Table, dispute_id: str) -> Dispute:
    if dispute_id not in table.disputes:
        raise RefusedError(
            "unknown-dispute", f"no open dispute is called {dispute_id!r}", fix=f"isopod settle {table.bench.spec.path}"
        )
    return table.disputes[dispute_id]


def _listed(dispute: Dispute) -> str:
    order = ("a", "b", "both", "none", "cut", "keep", "drop")
    return ", ".join(one for one in order if one in allowed_answers(dispute))


def _chosen(table: Table, dispute: Dispute, given: Answer, cuts: Sequence[Cut]) -> list[StandingClaim]:
    if given == "cut":
        if not cuts:
            raise RefusedError(
                "cut-missing",
                f"{dispute.id}: a cut needs a kind and the exact words",
                fix=f"--cut '{dispute.id}=requirement:\"...\"'",
            )
        return [table.bench.claim(cut.kind, _cut_place(table, dispute, cut.words)) for cut in cuts]
    chosen = []
    if given in ("a", "both"):
        chosen += [table.claim_of(0, ref) for ref in dispute.a]
    if given in ("b", "both"):
        chosen += [table.claim_of(1, ref) for ref in dispute.b]
    return chosen


def _cut_place(table: Table, dispute: Dispute, words: str) -> SpanT:
    """The place of a cut's words that touches the dispute; one cut answers one dispute.

    Raises RefusedError when no letter or digit is in them, they stand nowhere, none of their places touches the dispute or several
    do, they run across blocks, or they reach over another open dispute.
    """
    spec = table.bench.spec
    _refuse_wordless(words)
    found = table.bench.grounder.find(words, (0, len(spec.text)))
    if found is None:
        raise RefusedError("quote-not-found", f"{spec.path} does not hold these words: quote them exactly")
    touching = [hit for hit in found[1] if overlap(hit, dispute.span)]
    if not touching:
        first, last = dispute.lines
        where = f"line {first}" if first == last else f"lines {first} to {last}"
        raise RefusedError(
            "cut-elsewhere",
            f"{dispute.id} is about {where}, and these words stand in line {spec.line_of(found[1][0][0])}",
            fix=f"isopod claim {spec.path} 'WORDS' --kind KIND",
        )
    if len(touching) > 1:
        raise RefusedError("quote-ambiguous", f"these words stand {len(touching)} times there: quote more of them")
    if table.bench.grounder.crosses_block(touching[0]):
        raise _crosses_block()
    region = hull([dispute.span, touching[0]])
    swallowed = [
        other.id
        for other in table.disputes.values()
        if other.id != dispute.id
        and other.type != "edge"
        and overlap(other.span, region)
        and not overlap(other.span, dispute.span)
    ]
    if swallowed:
        raise RefusedError(
            "cut-too-wide", f"these words reach over {', '.join(sorted(swallowed))} too: answer that first"
        )
    return touching[0]


def _refuse_wordless(words: str) -> None:
    if not any(char.isalnum() for char in words):
        raise RefusedError("blank-quote", "a claim quotes words, and here are none")


def _crosses_block() -> RefusedError:
    return RefusedError(
        "quote-crosses-block", "these words run across list items, table rows, a heading or a code fence"
    )


def _refuse_clashes(table: Table, dispute: Dispute, chosen: Sequence[StandingClaim]) -> None:
    trial = Table.empty(table.bench)
    trial.put(one for one in table.claims if dispute.type != "gate" or not holds(dispute.span, one.core))
    for one in chosen:
        other = trial.claims.clash(one)
        if other is not None:
            raise _clash(table, one, other, dispute.id)
        trial.claims.put(one)


def _clash(table: Table, one: StandingClaim, other: StandingClaim, subject: str) -> RefusedError:
    spec = table.bench.spec
    what = "says the same words as" if one.core == other.core else "would cross"
    ours, theirs = (shortened(fold(spec.quoted(claim_.span))) for claim_ in (one, other))
    return RefusedError(
        "answer-clashes",
        f'{subject}: "{ours}" {what} "{theirs}", which stands in line {spec.line_of(other.span[0])}',
        fix=f"isopod settle {spec.path} --cut '{subject}={one.kind}:\"other words\"'"
        if subject.startswith("D-")
        else None,
    )


def shortened(words: str, most: int = 80) -> str:
    """Words as a message shows them."""
    return words if len(words) <= most else words[: most - 1] + "…"


def _edge_answer(table: Table, dispute: Dispute, given: Answer, said: Said) -> Settlement:
    edge = (table.disputed_edge(dispute), dispute.span)
    return _settlement(table, dispute, given, said, dispute.span, [], [edge])


def _edges_taken(
    table: Table, dispute: Dispute, given: Answer, chosen: Sequence[StandingClaim]
) -> list[tuple[EdgeKey, SpanT]]:
    """Taking a side takes its edges whose ends stand then."""
    after = Table.empty(table.bench)
    after.put([*table.claims, *chosen])
    keys = {one.key for one in chosen}
    numbers = {"a": (0,), "b": (1,), "both": (0, 1)}[given]
    return [edge for number in numbers for edge in _loose_edges(table, number, keys, after)]


def _loose_edges(table: Table, number: int, chosen: set[Key], after: Table) -> list[tuple[EdgeKey, SpanT]]:
    side = table.sides[number]

    def home(ref: str) -> Key:
        return side.homes[ref] if ref in side.homes else table.claim_of(number, ref).key

    found = []
    for edge in side.edges.loose:
        from_, to = home(edge.from_), home(edge.to)
        if from_ != to and from_ in after.claims and to in after.claims and (from_ in chosen or to in chosen):
            found.append((ordered_key(edge.kind, from_, to), edge.cue_span))
    return found


def _in_bulk_order(table: Table) -> list[tuple[int, StandingClaim]]:
    disputed: dict[tuple[int, Key], StandingClaim] = {}
    for one in table.open():
        if one.type in ("edge", "gate"):
            continue
        for number, refs in enumerate((one.a, one.b)):
            for ref in refs:
                claim_ = table.claim_of(number, ref)
                disputed[number, claim_.key] = claim_
    return sorted(
        ((number, one) for (number, _), one in disputed.items()),
        key=lambda entry: (*in_text_order(entry[1])[:2], entry[0]),
    )


def _settlement(
    table: Table,
    dispute: Dispute,
    given: Answer,
    said: Said,
    region: SpanT,
    claims: Sequence[StandingClaim],
    edges: Sequence[tuple[EdgeKey, SpanT]],
) -> Settlement:
    after = Table.empty(table.bench)
    after.put([*table.claims, *claims])
    return Settlement(
        id=dispute.id,
        type=dispute.type,
        where=_where(table, region),
        answer=given,
        anchors=tuple(_settled(table, one) for one in claims),
        edges=_settled_edges(table, edges, after),
        by=said.by,
        at=said.at,
        because=said.because,
    )


def _own(
    table: Table,
    type_: Literal["claim", "not-a-claim", "discard"],
    letter: str,
    span: SpanT,
    claims: Sequence[StandingClaim],
    said: Said,
) -> Settlement:
    where = _where(table, span)
    return Settlement(
        id=f"{letter}-" + tail([type_, where.exact, where.prefix, [one.kind for one in claims]]),
        type=type_,
        where=where,
        anchors=tuple(_settled(table, one) for one in claims),
        by=said.by,
        at=said.at,
        because=said.because,
    )


def _where(table: Table, span: SpanT) -> Where:
    found = table.bench.finder.select(span)
    return Where(exact=fold(found.exact), prefix=found.prefix, suffix=found.suffix, section=found.section)


def _settled(table: Table, one: StandingClaim) -> SettledAnchor:
    found = table.bench.finder.select(one.span)
    return SettledAnchor(kind=one.kind, exact=fold(found.exact), prefix=found.prefix, suffix=found.suffix)


def _settled_edges(table: Table, edges: Iterable[tuple[EdgeKey, SpanT]], after: Table) -> tuple[SettledEdge, ...]:
    def end(key: Key) -> SettledEnd:
        one = _settled(table, after.claims[key])
        return SettledEnd(kind=one.kind, exact=one.exact, prefix=one.prefix)

    distinct: dict[EdgeKey, SpanT] = {}
    for key, cue in edges:
        distinct[key] = min(cue, distinct.get(key, cue))
    return tuple(
        SettledEdge(kind=key[0], from_=end(key[1]), to=end(key[2]), cue=fold(table.bench.spec.quoted(cue)))
        for key, cue in sorted(distinct.items(), key=lambda entry: (entry[0][1][1], entry[0][2][1], entry[0][0]))
    )
