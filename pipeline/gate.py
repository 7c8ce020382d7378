"""The anchor gates: between the join and the draft an error opens a dispute on its claims, later ones stop the compile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gates.claims import Claim, ClaimEdge, Claims, Drafted, ReadSpan
from gates.run import run
from pipeline.adopt import Adopted, PlacedAnchor
from pipeline.bench import Bench, Key
from pipeline.table import Side, Table
from schemas.anchors import AnchorStore
from schemas.card import Card
from schemas.config import Config
from schemas.finding import Finding
from schemas.ids import tail
from schemas.reading import Dispute
from text.cores import core
from text.folding import fold
from text.grounding import Reading
from text.intervals import holds, hull


def claims_on(table: Table, readings: Sequence[Reading], *, heuristic: bool) -> tuple[Claims, dict[str, Key]]:
    """The claims that stand as the gates see them, and their keys by the names that the gates use (`c1`, `c2`, ...)."""
    bench = table.bench
    standing = list(table.claims)
    name_of = {one.key: f"c{number}" for number, one in enumerate(standing, start=1)}
    read = [tuple(ReadSpan(one.kind, one.span, one.core) for one in reading.anchors) for reading in readings]
    subject = Claims(
        spec=bench.spec,
        structure=bench.structure,
        claims=tuple(
            Claim(
                id=name_of[one.key],
                kind=one.kind,
                span=one.span,
                core=one.core,
                exact=bench.spec.quoted(one.span),
                labels=one.labels,
                section=bench.structure.section_at(one.span[0]).name,
            )
            for one in standing
        ),
        edges=tuple(
            ClaimEdge(key[0], name_of[key[1]], name_of[key[2]], fold(bench.spec.quoted(cue)), cue)
            for key, cue in table.standing_edges()
        ),
        readings=(read[0], read[1]) if len(read) == 2 else None,
        heuristic=heuristic,
        file=bench.spec.path,
    )
    return subject, {name: key for key, name in name_of.items()}


def judge_claims(table: Table, readings: Sequence[Reading], *, heuristic: bool) -> tuple[Finding, ...]:
    """Run the gates of stage join over what stands, and open a dispute `gate` for each error that no person let through.

    Returns all findings, warnings too.
    """
    subject, keys = claims_on(table, readings, heuristic=heuristic)
    findings = run("join", subject).findings
    for finding in findings:
        named = [keys[name] for name in (finding.subject, *finding.related) if name in keys]
        if finding.severity == "error" and named and not _is_kept(table, named):
            dispute = _dispute(table, finding, named)
            table.disputes[dispute.id] = dispute
            table.reasons[dispute.id] = f"{finding.message} ({finding.name} {finding.code})"
    return findings


def rejected(table: Table, readings: Sequence[Reading]) -> frozenset[Key]:
    """The claims that a gate names first in an error: what a bulk answer may not let stand."""
    subject, keys = claims_on(table, readings, heuristic=False)
    return frozenset(
        keys[finding.subject]
        for finding in run("join", subject).findings
        if finding.severity == "error" and finding.subject in keys
    )


def involved(table: Table) -> frozenset[Key]:
    """Every claim that an error of the join's gates names: what may not stand beside what the new reading claims."""
    subject, keys = claims_on(table, [], heuristic=False)
    errors = [finding for finding in run("join", subject).findings if finding.severity == "error"]
    return frozenset(keys[name] for finding in errors for name in (finding.subject, *finding.related) if name in keys)


def late_gates(
    bench: Bench, config: Config, store: AnchorStore, adopted: Adopted, cards: Sequence[Card]
) -> tuple[Finding, ...]:
    """The gates of the stages adopt and draft."""
    spans: Mapping[str, PlacedAnchor] = {one.anchor.id: one for one in adopted.placed if one.span is not None}
    claims = Claims(
        spec=bench.spec,
        structure=bench.structure,
        claims=tuple(
            Claim(
                id=anchor.id,
                kind=anchor.kind,
                span=span,
                core=core(bench.spec.text, span),
                exact=anchor.exact,
                labels=anchor.labels,
                home=anchor.home,
                status=anchor.status,
                section=anchor.section,
            )
            for anchor in store.anchors
            if anchor.id in spans and (span := spans[anchor.id].span) is not None
        ),
        edges=tuple(ClaimEdge(edge.kind, edge.from_, edge.to, edge.cue) for edge in store.edges),
        heuristic=store.heuristic,
        file=bench.spec.path,
        key=store.spec.key,
        anchor_prefix=config.anchor_prefix,
    )
    drafted = Drafted(claims=claims, cards=tuple(cards), config=config)
    return (*run("adopt", claims).findings, *run("draft", drafted).findings)


def _is_kept(table: Table, involved: Iterable[Key]) -> bool:
    return all(any(holds(place, table.claims[key].core) for place in table.kept) for key in involved)


def _dispute(table: Table, finding: Finding, involved: Sequence[Key]) -> Dispute:
    bench = table.bench
    spans = [table.claims[key].span for key in involved]
    span = hull(spans)
    words = sorted(fold(bench.spec.quoted(one)) for one in spans)
    return Dispute(
        id="D-" + tail(["gate", finding.code, words, bench.spec.text.count(bench.spec.quoted(span), 0, span[0])]),
        type="gate",
        a=_refs(table.sides[0], involved),
        b=_refs(table.sides[1], involved),
        span=span,
        lines=bench.spec.lines_of(span),
    )


def _refs(side: Side, involved: Sequence[Key]) -> tuple[str, ...]:
    """How a reader calls these claims; one that only a person made has no name there."""
    return tuple(sorted(ref for ref, key in side.homes.items() if key in involved))
