"""English: modal words, EARS shapes, verbs of plain behaviour, headings."""

from __future__ import annotations

import re

from text.lexicon.base import Lexicon, heading, pattern, phrases, trie, words

# Verbs by which specs say what a system does. General words of software and of rules; no product's own.
_VERBS = words("""
    abort, accept, add, allow, answer, append, apply, archive, ask, assign, attach, authenticate, authorize, bind,
    block, build, cache, call, cancel, carry, cause, change, check, clear, close, collect, compare, compute,
    configure, confirm, connect, contain, convert, copy, create, decode, default, define, delete, deliver, deny,
    depend, deploy, detect, determine, disable, discard, display, drop, emit, enable, encode, encrypt, enforce,
    ensure, escape, evaluate, exclude, execute, exit, expand, expire, explain, expose, extend, extract, fail,
    fetch, filter, follow, format, forward, generate, grant, group, guarantee, handle, hide, hold, identify,
    ignore, implement, import, include, increase, indicate, inform, inherit, initialize, inject, insert, install,
    invoke, issue, keep, launch, limit, link, list, listen, live, load, lock, log, maintain, mark, match, measure,
    mention, merge, migrate, move, name, normalize, notify, obtain, offer, omit, open, optimize, order, output,
    override, overwrite, parse, pass, pause, perform, permit, persist, place, post, preserve, prevent, print,
    process, produce, prohibit, prompt, propagate, protect, provide, publish, push, queue, raise, read, receive,
    recognize, record, recover, redirect, reduce, refer, reference, refresh, refuse, register, reject, release,
    reload, remain, remind, remove, rename, render, renew, replace, reply, report, represent, request, require,
    reserve, reset, resolve, respond, restart, restore, restrict, resume, retain, retrieve, retry, return, reuse,
    revert, revoke, rotate, run, sanitize, save, scan, schedule, search, select, send, serialize, serve, set,
    share, show, sign, skip, sort, specify, start, stop, store, stream, strip, submit, succeed, suggest, supply,
    support, suppress, switch, sync, tell, terminate, throw, trace, track, transfer, transform, transition,
    translate, treat, trigger, truncate, update, upgrade, upload, use, validate, verify, wait, warn, wrap, write,
    yield
""")
_IRREGULAR = {
    "bind": "bound", "build": "built", "drop": "dropped", "emit": "emitted", "hide": "hidden", "hold": "held",
    "keep": "kept", "log": "logged", "omit": "omitted", "override": "overridden", "overwrite": "overwritten",
    "permit": "permitted", "read": "read", "reset": "reset", "run": "run", "send": "sent", "set": "set",
    "show": "shown", "skip": "skipped", "stop": "stopped", "strip": "stripped", "submit": "submitted",
    "tell": "told", "throw": "thrown",
    "transfer": "transferred", "wrap": "wrapped", "write": "written",
}  # fmt: skip


def _third(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _participle(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + "d" if verb.endswith("e") else verb + "ed"


_THIRD = trie(_third(verb) for verb in _VERBS)
_DONE = trie([*(_participle(verb) for verb in _VERBS), "given", "made", "taken", "found"])
_BASE = trie(_VERBS)
_FLAGS = re.IGNORECASE | re.ASCII
# What may stand before the first word of a unit: emphasis, quotes, brackets, a check box, an opening tag.
_OPEN = r"\A(?:<[^>]{1,80}>)?[\s*_`\"'(\[>x\]]{0,12}"
_OBLIGED = r"\b(?:shall|must|should|will)\b"
_UNIT = trie(
    words("""
    ms, millisecond, milliseconds, s, sec, secs, second, seconds, minute, minutes, min, mins, hour, hours, day, days,
    week, weeks, month, months, year, years, quarter, quarters, percent, percentile, byte, bytes, bit, bits, kb, mb, gb,
    tb, kib, mib, gib, tib, character, characters, chars, digit, digits, word, words, line, lines, times, request,
    requests, item, items, px, pixels, hz, rps, qps
    """)
)
_NUMBER = (
    rf"(?:\d[\d,.]{{0,20}}|{trie(['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'])})"
)
_AMOUNT = trie(
    words("""
    at most, at least, no more than, no less than, no fewer than, exactly, no two, up to, maximum, minimum, less than,
    greater than, longer than, shorter than, within, regardless of
    """)
)
_SOFTENERS = r"(?:(?:not|never|always|only|also|then|automatically|still|immediately)\s+)?"
_USERS = trie(
    words("user, users, customer, customers, visitor, visitors, operator, admin, administrator, member, person, people")
)
_USER_ACTS = trie(
    words("""
    click, clicks, press, presses, tap, taps, type, types, enter, enters, open, opens, select, selects, choose, chooses,
    fill, fills, navigate, navigates, visit, visits, go, goes, want, wants, log in, logs in, sign in, signs in, start,
    starts, run, runs, launch, launches, pick, picks, drag, drags, scroll, scrolls, paste, pastes, read, reads
    """)
)
_OPENINGS = trie(
    words("""
    for example, e.g., example:, examples:, for instance, because, historically, previously, in the past, originally,
    traditionally, as an example, imagine, suppose, consider, remember, see also, see the, see section, refer to the,
    todo, tbd, tbc, we propose, we believe, we think, we would, we could, i think, i believe, i want, the goal is,
    the purpose of, the motivation, the rationale, the following, this document, this section, this rfc, this pep,
    this kep, this proposal, this specification describes, as a user, as an, thanks, the reason, the problem,
    unfortunately, fortunately, people, this means, in other words, it would, the idea, another option, alternatively,
    one option, one alternative, one could, the key words
    """)
)

EN = Lexicon(
    code="en",
    name="English",
    binding=phrases(
        words("""
        must, must not, mustn't, shall, shall not, should, should not, shouldn't, may not, may only, cannot, can not,
        can't, can only, will, will not, won't, never, has to, have to, needs to, need to, needs, we need, ought to,
        is required, are required, required, requires, mandatory, is not allowed, are not allowed, not permitted,
        is forbidden, are forbidden, prohibited, is expected to, are expected to, is supposed to, are supposed to,
        is responsible for, are responsible for, not recommended, is only, are only, no longer
        """)
    ),
    possible=phrases(
        words("can, may, is able to, are able to, be able to, is allowed to, are allowed to, lets, allows")
    ),
    shapes=(
        (
            "When ..., the system shall ...",
            pattern(rf"{_OPEN}(?:when|whenever|once|upon|after)\b[^.]{{1,400}},[^.]{{1,200}}{_OBLIGED}", _FLAGS),
        ),
        ("While ..., the system shall ...", pattern(rf"{_OPEN}(?:while|during)\b[^.]{{1,400}}{_OBLIGED}", _FLAGS)),
        (
            "If ..., then the system shall ...",
            pattern(rf"{_OPEN}if\b[^.]{{1,400}}(?:,|\bthen\b)[^.]{{1,200}}{_OBLIGED}", _FLAGS),
        ),
        (
            "Where ..., the system shall ...",
            pattern(rf"{_OPEN}where\b[^.]{{1,400}},[^.]{{1,200}}{_OBLIGED}", _FLAGS),
        ),
        (
            "The system shall ...",
            pattern(rf"{_OPEN}(?:the|an?|each|every|all|any)\s[^.,;:]{{1,80}}\bshall\b", _FLAGS),
        ),
    ),
    behaviour=pattern(
        rf"\b{_THIRD}\b|\b(?:is|are|be|gets?)\s+{_SOFTENERS}{_DONE}\b|\b(?:do|does)\s+not\s+{_BASE}\b|"
        rf"\bthen\s+(?:<[^>]{{1,80}}>)?{_BASE}\b",
        _FLAGS,
    ),
    plain_ending=None,
    noun_ending=None,
    imperative=pattern(
        rf"(?:{_OPEN}|\|\s*|\A`[^`]{{1,60}}`:\s*)"
        r"(?:(?:then|also|and|or|optionally|automatically|always|never|only|do|not|don't|immediately)[\s*_,]{1,6}){0,3}"
        rf"{_BASE}\b",
        _FLAGS,
    ),
    bound=pattern(rf"\b{_NUMBER}[\s-]?{_UNIT}\b|\d\s?%|[<>≤≥]=?\s?\d|\b{_AMOUNT}\b", _FLAGS),
    user_action=pattern(rf"{_OPEN}(?:the\s+)?{_USERS}\s+{_USER_ACTS}\b", _FLAGS),
    no_claim=pattern(
        rf"{_OPEN}{_OPENINGS}(?![a-z])|\bi\s+want\s+to\b|\bso\s+that\s+i\b|\bas\s+an?\s+[\w-]{{1,30}},\s+i\b", _FLAGS
    ),
    hedge=phrases(
        words("""
        could, might, would, was, were, had, has been, have been, did, we, i, our, us, you, your, let's, it's, don't,
        seems, seem, perhaps, probably, maybe, likely, hopefully, today, currently, proposal, proposed, people
        """)
    ),
    undecided=phrases(
        words("""
        is not decided, not decided yet, not yet decided, undecided, to be decided, to be determined, is still open,
        is an open question, open question, remains open, not yet clear, is unclear, needs a decision,
        still to be agreed, has not been decided, have not decided, not been agreed, under discussion, unresolved,
        should we, do we want, do we need
        """)
    ),
    excluded=phrases(
        words("""
        out of scope, not in scope, outside the scope, beyond the scope, not part of this, non-goal, non-goals,
        not a goal, not included in this release, not in this release, not planned, is deferred, are deferred,
        left for later, left to a later, future work, not covered by this, will not be supported in this,
        does not attempt to, not going to
        """)
    ),
    chosen=phrases(
        words("""
        rather than, we chose, we choose, we decided, was decided, decided to, the decision, decision to, chosen over,
        was chosen, we picked, in favor of, in favour of, in preference to, earlier decision, replaces the earlier
        """)
    ),
    names_term=pattern(r"\A\s*(?:\*\*|__)(?P<term>[^*_\n:]{1,60}?)(?:(?:\*\*|__)\s*:|:\s*(?:\*\*|__))\s", _FLAGS),
    means=pattern(
        r"\A\s*[\"“`*_]{1,3}(?P<term>[^\"”`*_\n]{1,60})[\"”`*_]{1,3}\s+(?:means|refers\s+to|is\s+defined\s+as|denotes)\s"
        r"|\A\s*(?:an?|the)\s+(?P<plain>[\w-]{1,40}(?:\s[\w-]{1,40}){0,2})\s+(?:means|is\s+defined\s+as)\s",
        _FLAGS,
    ),
    blocked=phrases(
        words("""
        cannot ship before that, cannot ship before, cannot ship until, cannot start before, cannot start until,
        cannot begin before, cannot begin until, blocked by, blocked on, blocked until, waits for the decision,
        waits for that, waits for this, not before that, until that is decided, until this is decided, until then,
        before that is decided, depends on the answer, depends on that answer, pending that
        """)
    ),
    replaces=phrases(
        words("""
        this replaces, this supersedes, replaces the earlier, replaces the previous, supersedes the earlier,
        supersedes the previous, replacing the earlier, replacing the previous, instead of the earlier
        """)
    ),
    after=phrases(
        words("""
        only after that, only after this, only then, only once that, only once this, requires the above,
        depends on that, depends on this, depends on the above, based on that selection, based on the selection,
        based on selection, based on that, without it, without that
        """)
    ),
    headings={
        "exclusions": heading(
            words("""
            out of scope, out-of-scope, non-goals, non goals, nongoals, not in scope, exclusions, excluded,
            not in this release, not included, won't have, future work, future possibilities, not planned
            """)
        ),
        "questions": heading(
            words("""
            open questions, open question, open issues, open points, unresolved questions, unresolved issues,
            unresolved, undecided, to be decided, unsolved problems, not decided, not yet decided,
            to be determined
            """),
            exact=["questions", "tbd"],
        ),
        "decisions": heading(words("decisions, decision, decision log, decision outcome, decided, resolutions")),
        "terms": heading(
            words("terms, terminology, glossary, vocabulary, abbreviations, acronyms"),
            exact=["definitions", "terms and definitions", "definitions and abbreviations"],
        ),
        "scenario": heading(
            words("""
            user flow, user flows, walkthrough, user journey, user journeys, use case, use cases, usage scenarios
            """),
            exact=["flow", "flows", "journey"],
        ),
        "goals": heading(words("goals, objectives, value proposition"), exact=["goal", "objective"]),
        "overview": heading(
            words("overview, summary, introduction, abstract"), exact=["scope", "at a glance", "concept", "concepts"]
        ),
        "background": heading(
            words("""
            background, purpose, motivation, problem statement, history, changelog, rationale, references,
            reference documents, bibliography, acknowledgments, acknowledgements, alternatives,
            alternatives considered, prior art, drawbacks, risks, mitigations, example, examples, user stories,
            user story, personas, persona, audience, stakeholders, copyright, license, table of contents,
            contributors, success metrics, timeline, milestones, roadmap, related work, related proposals,
            rejected ideas, considered options, traceability, traceability matrix, how to teach this,
            how we teach this, signoff checklist, document information, test plan, graduation criteria
            """),
            # Only as the whole heading: as its last word these name things of every kind.
            exact=words("""
            why, context, problem, problems, status, stories, users, appendix, contents, authors, faq, tutorial, todo,
            todos, consequences, pros and cons, about, notes, metrics, owners, status of this document,
            change history, implementations
            """),
        ),
        "requirements": phrases(
            words("""
            requirement, requirements, functional, non-functional, nonfunctional, feature, features, behavior,
            behaviour, specification, acceptance criteria, acceptance, rules, constraint, constraints, api, cli,
            command, commands, interface, interfaces, endpoints, scenario, scenarios, must have, should have,
            validation, error handling, design details, detailed design, limits, guarantees, invariants,
            conventions, protocol
            """)
        ),
    },
)
