"""A card's claims are one topic, or tied to each other by edges.

**What** The claims of a story, gate, decision or migration card stand under one topic heading, or edges, a shared
block or a term that both use tie them into one.

**Why** A card of unrelated claims cannot be built, tested or put off as one thing. Each claim is valid and so is the
card: that they have nothing to do with each other is in the headings and the edges.

**Bad** The claims stand under "Expiry" and "Statistics", and no edge joins them:

    cards/STY-7Q4M2K9X.yaml:
    acceptance:
      - {id: A1, text: "A link lives for 30 days.", anchors: [ANC-7Q4M2K9X]}
      - {id: A2, text: "The owner page shows both figures.", anchors: [ANC-2F81ZD3A]}

**Good** Two stories; or the spec says why the one needs the other, and an edge does too.

**Way out** Draft again (`isopod draft SPEC`), or move the claim to the card of its topic.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.claims import Claim, Drafted
from gates.found import Found
from gates.topics import ClaimTopics
from gates.words import command, listed, shown
from schemas.card import Card

CODE = "A120"
NAME = "bundle-scattered"
TIER = "warn"
STAGES = ("draft",)
WHY = "graph"
ON = "drafted"


def check(drafted: Drafted) -> Iterator[Found]:
    topics = ClaimTopics(drafted)
    for card in drafted.live_cards:
        if is_a_collection(card):
            continue
        claims = drafted.placed_on(card)
        bundles = _bundles(drafted, topics, claims)
        if len(bundles) > 1:
            names = [shown(topics.topic_of(bundle[0]).heading or "no heading") for bundle in bundles]
            yield drafted.report(
                card,
                ("anchors",),
                f"holds claims of {len(bundles)} topics that no edge ties together ({listed(names)}): move "
                "them to cards of their own",
                related=[bundle[0].id for bundle in bundles],
                fix=command("isopod", "draft", drafted.claims.spec.path),
            )


def is_a_collection(card: Card) -> bool:
    """An epic holds what frames the whole spec, a request all that we need of one team (DRAFTING.md D6, D7)."""
    return card.kind in ("epic", "request")


def _bundles(drafted: Drafted, topics: ClaimTopics, claims: list[Claim]) -> list[list[Claim]]:
    """The claims in groups that topic, edges, blocks and terms tie together; in text order."""
    group: dict[str, str] = {}

    def root(node: str) -> str:
        while group.setdefault(node, node) != node:
            group[node] = group[group[node]]
            node = group[node]
        return node

    def tie(one: str, other: str) -> None:
        group[root(one)] = root(other)

    own = {claim.id for claim in claims}
    for claim in claims:
        tie(claim.id, f"topic {topics.topic_of(claim).section}")
        # An obligation in a definition joins the card that uses the term (D3): its block leads to the term.
        for other in drafted.claims.neighbours(claim):
            if other.kind == "term":
                tie(claim.id, other.id)
                for user in claims:
                    if other.exact.casefold() in user.exact.casefold():
                        tie(other.id, user.id)
        for edge in drafted.claims.edges_of.get(claim.id, ()):
            for end in (edge.from_id, edge.to_id):
                if end in own or (end in drafted.claims.by_id and drafted.claims.by_id[end].kind == "term"):
                    tie(claim.id, end)
    bundles: dict[str, list[Claim]] = {}
    for claim in claims:
        bundles.setdefault(root(claim.id), []).append(claim)
    return list(bundles.values())
