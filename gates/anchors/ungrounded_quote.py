"""Every claim and every cue quotes words that stand in the spec.

**What** The text of each claim is found where its selector says, and so is the cue of each edge: the words that show
the relation.

**Why** A quote is the only thing that ties a card to the spec. A schema sees a string; only the spec itself says
whether anyone wrote it. Claims that cards carry are followed by C231 when the spec changes; this rule holds the rest:
terms in the glossary, and cues whose claims still stand.

**Bad** The spec says "An unknown code answers `404`."

    - {id: ANC-7Q4M2K9X, kind: interface, exact: "An unknown code answers `410`."}

**Good**

    - {id: ANC-7Q4M2K9X, kind: interface, exact: "An unknown code answers `404`."}

**Way out** Compile the spec again: the section is read afresh and what it no longer says is retired. A quote that a
person typed into the anchors file is put back with git.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.claims import Claim, ClaimEdge, Claims
from gates.found import Found
from gates.words import command, shown
from text.folding import fold

CODE = "A101"
NAME = "ungrounded-quote"
TIER = "error"
STAGES = ("join", "audit")
WHY = "text"
ON = "claims"


def check(claims: Claims) -> Iterator[Found]:
    fix = command("isopod", "compile", claims.spec.path)
    for claim in claims.claims:
        if claim.status == "live" and not _stands(claims, claim):
            yield claims.report(
                claim,
                f"{_said(claim)}: quote words that stand in it, or compile again",
                fix=fix,
            )
    for edge in claims.edges:
        ends = [claims.by_id[end] for end in (edge.from_id, edge.to_id) if end in claims.by_id]
        if len(ends) == 2 and all(end.found == "live" for end in ends) and not _shown_by_its_cue(claims, edge):
            yield claims.report(
                ends[0],
                f"the words {shown(edge.cue)}, which show that {edge.from_id} {edge.kind} {edge.to_id}, are "
                "not in the spec: compile again",
                related=[ends[1]],
                fix=fix,
            )


def _stands(claims: Claims, claim: Claim) -> bool:
    if claim.found != "live":
        # What a card carries is reported once, with the ways out that the card's state allows (C231).
        return claim.id in claims.carried or claim.discarded is not None
    said = claims.spec.quoted(claim.span)
    return bool(said) and (said == claim.exact or fold(said) == fold(claim.exact))


def _said(claim: Claim) -> str:
    if claim.found == "ambiguous":
        return f"the spec says {shown(claim.exact)} in several places, and no longer where it was quoted"
    return f"the spec does not say {shown(claim.exact)}"


def _shown_by_its_cue(claims: Claims, edge: ClaimEdge) -> bool:
    return edge.cue_span is not None and edge.cue_span[0] < edge.cue_span[1]
