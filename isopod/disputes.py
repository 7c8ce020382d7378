"""Disputes for the command line: what is open as a record, answers as they are typed, what is left to say."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Final

from isopod.escape import escape
from isopod.words import number_of
from pipeline.answers import Docket
from pipeline.settle import Cut, allowed_answers
from schemas.errors import RefusedError
from schemas.kinds import ANCHOR_KINDS, AnchorKind, Answer
from schemas.line_outputs import DisputedClaim, OpenDispute, SettleOutput

_CUT = re.compile(r'^(?P<id>[^=]+)=(?P<kind>[a-z]+):(?P<words>"[\s\S]*"|[\s\S]+)$')
_TYPED: Final[dict[str, Answer]] = {
    "a": "a", "b": "b", "both": "both", "none": "none", "keep": "keep", "drop": "drop",
}  # fmt: skip
_KINDS: Final[dict[str, AnchorKind]] = {kind: kind for kind in ANCHOR_KINDS}


def given_answers(answers: tuple[str, ...], cuts: tuple[str, ...]) -> Iterator[tuple[str, Answer, list[Cut]]]:
    """The answers of the command line; cuts of one dispute are one answer.

    Raises RefusedError for what has not the form ID=ANSWER or ID=KIND:"WORDS".
    """
    for given in answers:
        dispute_id, equals, answer = given.partition("=")
        if not equals or answer not in _TYPED:
            raise RefusedError(
                "usage",
                f"--answer {given!r} is not ID=ANSWER with a, b, both, none, keep or drop",
                fix="isopod settle --help",
            )
        yield dispute_id, _TYPED[answer], []
    own: dict[str, list[Cut]] = {}
    for given in cuts:
        match = _CUT.match(given)
        if match is None or match["kind"] not in _KINDS:
            raise RefusedError(
                "usage",
                f'--cut {given!r} is not ID=KIND:"WORDS"; kinds are {", ".join(ANCHOR_KINDS)}',
                fix="isopod settle --help",
            )
        words = match["words"]
        if len(words) > 1 and words.startswith('"') and words.endswith('"'):
            words = words[1:-1]
        own.setdefault(match["id"], []).append(Cut(_KINDS[match["kind"]], words))
    for dispute_id, those in own.items():
        yield dispute_id, "cut", those


def left_lines(docket: Docket) -> Iterator[str]:
    """What is still open, and answers that say nothing any more."""
    path = escape(docket.table.bench.spec.path)
    for stale in docket.table.stale:
        yield f"{escape(stale)} says nothing any more: the words that it answered, or those beside them, changed in the spec"
    if docket.disputes:
        yield f"{number_of(len(docket.disputes), 'dispute')} open in {path}."
    else:
        yield f"Nothing is open in {path}: isopod compile {shlex.quote(path)}"


def settle_output(docket: Docket, changed: tuple[str, ...], *, dry_run: bool) -> SettleOutput:
    """isopod.settle/1."""
    table = docket.table

    def claims(number: int, refs: tuple[str, ...]) -> tuple[DisputedClaim, ...]:
        anchors = table.sides[number].anchors
        return tuple(
            DisputedClaim(
                ref=ref,
                kind=anchors[ref].kind,
                span=anchors[ref].span,
                exact=table.bench.spec.quoted(anchors[ref].span),
            )
            for ref in refs
            if ref in anchors
        )

    return SettleOutput(
        spec=table.bench.spec.path,
        dry_run=dry_run,
        changed=changed,
        stale=tuple(table.stale),
        disputes=tuple(
            OpenDispute(
                dispute=dispute,
                answers=tuple(sorted(allowed_answers(dispute))),
                exact=table.bench.spec.quoted(dispute.span),
                a=claims(0, dispute.a),
                b=claims(1, dispute.b),
                reason=table.reasons.get(dispute.id),
            )
            for dispute in docket.disputes
        ),
    )
