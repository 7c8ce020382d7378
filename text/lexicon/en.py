"""English: modal words, EARS shapes, plain behaviour, headings."""

from __future__ import annotations

import re

from text.lexicon.base import Lexicon, heading, phrases, trie

# Verbs by which specs say what a system does. General words of software and of rules; no product's own.
_VERBS = """
accept add allow answer append apply archive assign attach authenticate authorize block bind build cache call cancel carry change
check clear close collect compare compute configure confirm connect contain convert copy create default define delete deliver deny
depend deploy detect determine disable discard display drop emit enable encode encrypt enforce ensure exclude execute exit expand
expire explain expose extend extract fail fetch filter follow format forward generate grant group guarantee handle hide hold identify
ignore implement import include increase inherit initialize inject insert install invoke issue keep launch limit link list listen live
load lock log mark match measure merge migrate move name notify obtain offer omit open optimize order output overwrite parse pass pause
perform persist place post preserve prevent print process produce prohibit prompt propagate protect provide publish push queue raise
read receive recognize record recover redirect refer reference refresh refuse register reject release reload remain remind remove
rename render renew replace reply report represent request require reserve reset resolve respond restart restore restrict resume
retain retrieve retry return reuse revert revoke rotate run save scan schedule search select send serialize serve set share show sign
skip sort specify start stop store stream strip submit suggest supply support suppress switch sync terminate throw trace track
transfer transform transition translate treat trigger truncate update upgrade upload use validate verify wait warn wrap write yield
""".split()  # fmt: skip
_PARTICIPLES = {
    "bind": "bound", "build": "built", "carry": "carried", "deny": "denied", "copy": "copied", "hide": "hidden", "hold": "held",
    "keep": "kept", "read": "read", "send": "sent", "set": "set", "show": "shown", "throw": "thrown", "write": "written",
    "run": "run", "reset": "reset", "overwrite": "overwritten", "apply": "applied", "notify": "notified", "identify": "identified",
    "specify": "specified", "verify": "verified", "retry": "retried", "modify": "modified", "drop": "dropped", "wrap": "wrapped",
    "skip": "skipped", "strip": "stripped", "submit": "submitted", "emit": "emitted", "omit": "omitted", "permit": "permitted",
    "stop": "stopped", "transfer": "transferred", "log": "logged",
}  # fmt: skip


def _third(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _participle(verb: str) -> str:
    if verb in _PARTICIPLES:
        return _PARTICIPLES[verb]
    return verb + "d" if verb.endswith("e") else verb + "ed"


_THIRD = trie(_third(verb) for verb in _VERBS)
_DONE = trie([*(_participle(verb) for verb in _VERBS), "given", "made", "taken", "found"])
_BASE = trie(_VERBS)
_FLAGS = re.IGNORECASE | re.ASCII
_UNIT = (
    r"(?:ms|milliseconds?|s|secs?|seconds?|minutes?|mins?|hours?|days?|weeks?|months?|years?|quarters?|percent|percentile|bytes?|bits?|"
    r"[kmgt]i?b|characters?|chars?|digits?|words?|lines?|times|requests?|items?|px|pixels?|hz|rps|qps)"
)
_NUMBER = r"(?:\d[\d,.]{0,20}|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
# What may stand before the first word of a unit: emphasis, quotes, brackets, a check box.
_OPEN = r"\A[\s*_`\"'(\[>x\]]{0,12}"

_EXCLUSIONS = [
    "out of scope", "out-of-scope", "non-goals", "non goals", "nongoals", "not in scope", "exclusions", "excluded", "not in this release",
    "not included", "won't have", "future work", "future possibilities", "not planned",
]  # fmt: skip
_QUESTIONS = [
    "open questions", "open question", "open issues", "open points", "unresolved questions", "unresolved issues", "unresolved", "undecided",
    "to be decided", "unsolved problems", "not decided", "not yet decided", "to be determined",
]  # fmt: skip
_DECISIONS = ["decisions", "decision", "decision log", "decision outcome", "decided", "resolutions"]
_TERMS = ["terms", "terminology", "glossary", "definitions", "vocabulary", "abbreviations", "acronyms"]
_FLOWS = [
    "user flow",
    "user flows",
    "walkthrough",
    "user journey",
    "user journeys",
    "use case",
    "use cases",
    "usage scenarios",
]
_BACKGROUND = [
    "background", "purpose", "motivation", "problem statement", "history", "changelog", "rationale", "references", "reference documents",
    "bibliography", "acknowledgments", "acknowledgements", "alternatives", "alternatives considered", "prior art", "drawbacks", "risks",
    "mitigations", "example", "examples", "user stories", "user story", "personas", "persona", "audience", "stakeholders", "copyright",
    "license", "table of contents", "contributors", "success metrics", "timeline", "milestones", "roadmap", "related work", "related proposals",
    "rejected ideas", "considered options", "traceability", "how to teach this", "how we teach this", "signoff checklist",
    "document information", "test plan", "graduation criteria",
]  # fmt: skip
# Only as the whole heading: as its last word these name things of every kind.
_BACKGROUND_EXACT = [
    "why", "context", "problem", "problems", "status", "stories", "users", "appendix", "contents", "authors", "faq", "tutorial", "todo", "todos",
    "consequences", "pros and cons", "about", "notes", "metrics", "owners", "status of this document", "change history", "implementations",
]  # fmt: skip
_REQUIREMENTS = [
    "requirement", "requirements", "functional", "non-functional", "nonfunctional", "features", "feature", "behavior", "behaviour", "specification",
    "acceptance criteria", "acceptance", "rules", "constraints", "constraint", "api", "interface", "interfaces", "endpoints", "scenario", "scenarios",
    "must have", "should have", "validation", "error handling", "design details", "detailed design", "limits", "guarantees", "invariants",
    "conventions", "protocol",
]  # fmt: skip

EN = Lexicon(
    code="en",
    name="English",
    binding=phrases(
        """must|shall|should|must not|shall not|should not|may not|cannot|can not|can only|can't|mustn't|shouldn't|has to|have to|needs to|need to|
        is required|are required|required|requires|is mandatory|are mandatory|mandatory|never|is not allowed|are not allowed|not permitted|
        is forbidden|are forbidden|prohibited|is prohibited|is expected to|are expected to|is responsible for|are responsible for|will|will not|
        won't|not recommended|may only|is only|are only|no longer|is supposed to|are supposed to|ought to|needs|we need""".replace(
            "\n        ", ""
        ).split("|")
    ),
    possible=phrases(
        [
            "can",
            "may",
            "is able to",
            "are able to",
            "is allowed to",
            "are allowed to",
            "optionally",
            "be able to",
            "lets",
            "allows",
        ]
    ),
    shapes=(
        (
            "When ..., the system shall ...",
            re.compile(
                _OPEN + r"(?:when|whenever|once|upon|after)\b[^.]{1,400},[^.]{1,200}\b(?:shall|must|should|will)\b",
                _FLAGS,
            ),
        ),
        (
            "While ..., the system shall ...",
            re.compile(_OPEN + r"(?:while|during)\b[^.]{1,400}\b(?:shall|must|should|will)\b", _FLAGS),
        ),
        (
            "If ..., then the system shall ...",
            re.compile(_OPEN + r"if\b[^.]{1,400}(?:,|\bthen\b)[^.]{1,200}\b(?:shall|must|should|will)\b", _FLAGS),
        ),
        (
            "Where ..., the system shall ...",
            re.compile(_OPEN + r"where\b[^.]{1,400},[^.]{1,200}\b(?:shall|must|should|will)\b", _FLAGS),
        ),
        ("The system shall ...", re.compile(_OPEN + r"(?:the|an?|each|every|all|any)\s[^.,;:]{1,80}\bshall\b", _FLAGS)),
    ),
    behaviour=re.compile(
        rf"\b{_THIRD}\b|\b(?:is|are|be|gets?)\s+(?:(?:not|never|always|only|also|then|automatically|already|still|immediately)\s+)?{_DONE}\b|"
        rf"\b(?:do|does)\s+not\s+{_BASE}\b",
        _FLAGS,
    ),
    plain_ending=None,
    noun_ending=None,
    imperative=re.compile(
        _OPEN
        + rf"(?:(?:then|also|and|or|optionally|automatically|always|never|only|do|not|don't|immediately)[\s*_,]{{1,6}}){{0,3}}{_BASE}\b",
        _FLAGS,
    ),
    bound=re.compile(
        rf"\b{_NUMBER}[\s-]?{_UNIT}\b|\d\s?%|[<>≤≥]=?\s?\d|"
        + rf"\b{trie(['at most', 'at least', 'no more than', 'no less than', 'no fewer than', 'exactly', 'no two', 'up to', 'maximum', 'minimum', 'less than', 'greater than', 'longer than', 'shorter than', 'within', 'regardless of', 'at the same time as'])}\b",
        _FLAGS,
    ),
    user_action=re.compile(
        _OPEN
        + r"(?:the\s+)?(?:user|users|customer|customers|visitor|visitors|operator|admin|administrator|member|reviewer|person|people)\s+"
        + trie(
            [
                "clicks",
                "presses",
                "taps",
                "types",
                "enters",
                "opens",
                "selects",
                "chooses",
                "fills",
                "navigates",
                "visits",
                "goes",
                "wants",
                "logs in",
                "signs in",
                "starts",
                "runs",
                "launches",
                "picks",
                "drags",
                "scrolls",
                "click",
                "press",
                "want",
                "paste",
                "reads",
            ]
        )
        + r"\b",
        _FLAGS,
    ),
    no_claim=re.compile(
        _OPEN
        + trie(
            [
                "for example",
                "e.g.",
                "for instance",
                "because",
                "historically",
                "previously",
                "in the past",
                "originally",
                "traditionally",
                "as an example",
                "imagine",
                "suppose",
                "consider",
                "see also",
                "see the",
                "see section",
                "refer to the",
                "todo",
                "tbd",
                "tbc",
                "we propose",
                "we believe",
                "we think",
                "we would",
                "we could",
                "i think",
                "i believe",
                "i want",
                "the goal is",
                "the purpose of",
                "the motivation",
                "the rationale",
                "the following",
                "this document",
                "this section",
                "this rfc",
                "this pep",
                "this kep",
                "this proposal",
                "this specification describes",
                "as a user",
                "as an",
                "thanks",
                "note: this document",
                "the reason",
                "the problem",
                "unfortunately",
                "people",
                "this means",
                "in other words",
                "it would",
                "the idea",
                "another option",
                "alternatively",
                "one option",
                "one alternative",
                "one could",
            ]
        )
        + r"(?![a-z])|\bi\s+want\s+to\b|\bso\s+that\s+i\b|\bkey\s+words\b",
        _FLAGS,
    ),
    hedge=phrases(
        [
            "could",
            "might",
            "would",
            "was",
            "were",
            "had",
            "has been",
            "have been",
            "did",
            "we",
            "i",
            "our",
            "us",
            "seems",
            "seem",
            "perhaps",
            "probably",
            "maybe",
            "likely",
            "hopefully",
            "today",
            "currently",
            "proposal",
            "proposed",
            "you",
            "your",
            "don't",
            "let's",
            "it's",
            "people",
        ]
    ),
    undecided=phrases(
        [
            "is not decided",
            "not decided yet",
            "not yet decided",
            "undecided",
            "to be decided",
            "to be determined",
            "is still open",
            "is an open question",
            "open question",
            "remains open",
            "not yet clear",
            "is unclear",
            "needs a decision",
            "still to be agreed",
            "has not been decided",
            "have not decided",
            "not been agreed",
            "under discussion",
            "unresolved",
            "should we",
            "do we want",
            "do we need",
        ]
    ),
    excluded=phrases(
        [
            "out of scope",
            "not in scope",
            "outside the scope",
            "beyond the scope",
            "not part of this",
            "not part of the",
            "non-goal",
            "non-goals",
            "not a goal",
            "not included in this release",
            "not in this release",
            "not planned",
            "is deferred",
            "are deferred",
            "left for later",
            "left to a later",
            "future work",
            "not covered by this",
            "will not be supported in this",
            "does not attempt to",
            "not going to",
        ]
    ),
    chosen=phrases(
        [
            "rather than",
            "we chose",
            "we choose",
            "we decided",
            "was decided",
            "decided to",
            "the decision",
            "decision to",
            "chosen over",
            "was chosen",
            "we picked",
            "in favor of",
            "in favour of",
            "in preference to",
            "earlier decision",
            "replaces the earlier",
            "supersedes",
        ]
    ),
    defines=re.compile(
        r"\A\s*(?:\*\*|__)(?P<term>[^*_\n:]{1,60}?)(?:(?:\*\*|__)\s*:|:\s*(?:\*\*|__))\s+(?:an?|the|any|one|each)\s"
        r"|\A\s*[\"“`*_]{1,3}(?P<term2>[^\"”`*_\n]{1,60})[\"”`*_]{1,3}\s+(?:means|refers\s+to|is\s+defined\s+as|denotes)\s"
        r"|\A\s*(?:an?|the)\s+(?P<term3>[\w-]{1,40}(?:\s[\w-]{1,40}){0,2})\s+(?:means|is\s+defined\s+as)\s",
        _FLAGS,
    ),
    blocked=phrases(
        [
            "cannot ship before that",
            "cannot ship before",
            "cannot ship until",
            "cannot start before",
            "cannot start until",
            "cannot begin before",
            "cannot begin until",
            "blocked by",
            "blocked on",
            "blocked until",
            "waits for the decision",
            "waits for that",
            "waits for this",
            "not before that",
            "until that is decided",
            "until this is decided",
            "until then",
            "before that is decided",
            "depends on the answer",
            "depends on that answer",
            "pending that",
        ]
    ),
    replaces=phrases(
        [
            "this replaces",
            "this supersedes",
            "replaces the earlier",
            "replaces the previous",
            "supersedes the earlier",
            "supersedes the previous",
            "replacing the earlier",
            "replacing the previous",
            "instead of the earlier",
        ]
    ),
    after=phrases(
        [
            "only after that",
            "only after this",
            "only then",
            "only once that",
            "only once this",
            "requires that",
            "requires the above",
            "depends on that",
            "depends on this",
            "depends on the above",
            "based on that selection",
            "based on the selection",
            "based on selection",
            "based on that",
            "without it",
            "without that",
        ]
    ),
    headings={
        "exclusions": heading(_EXCLUSIONS),
        "questions": heading(_QUESTIONS, exact=["questions", "tbd"]),
        "decisions": heading(_DECISIONS),
        "terms": heading(_TERMS),
        "scenario": heading(_FLOWS, exact=["flow", "flows", "journey"]),
        "goals": heading(["goals", "objectives"], exact=["goal", "objective"]),
        "overview": heading(["overview", "summary", "introduction", "abstract"], exact=["scope", "at a glance"]),
        "background": heading(_BACKGROUND, exact=_BACKGROUND_EXACT),
        "requirements": phrases(_REQUIREMENTS),
    },
)
