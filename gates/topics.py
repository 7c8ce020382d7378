"""Topics and teams of claims: where a claim's headings put it (DRAFTING.md D2 and D14)."""

from __future__ import annotations

from gates.claims import Claim, Drafted
from text.folding import fold
from text.topics import Topic, Topics


class ClaimTopics:
    """Topic and team of each claim of one spec that stands in its text."""

    def __init__(self, drafted: Drafted) -> None:
        self._topics = Topics(drafted.claims.structure, drafted.config.draft.card_depth)
        spec = drafted.config.specs.get(drafted.claims.key)
        self._team = spec.team if spec and spec.team else drafted.config.default_team
        self._teams = {fold(name): section.team for name, section in spec.sections.items()} if spec else {}

    def topic_of(self, claim: Claim) -> Topic:
        return self._topics.of(claim.core[0])

    def team_of(self, claim: Claim) -> str:
        """The team of the nearest heading that config gives one, else the spec's, else the default team."""
        for heading in reversed(self._topics.headings(claim.core[0])):
            team = next((self._teams[name] for name in heading if self._teams.get(name)), None)
            if team:
                return team
        return self._team
