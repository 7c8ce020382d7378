"""A brain that reads: it claims the obligations of the shown text, always the same, and can be told where it errs at first."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from servers.faces import Question
from servers.loopback import silent_brain
from servers.outcomes import Outcome, Reply

_LINE = re.compile(r"^ {0,5}(\d+) \| (.*)$", re.MULTILINE)
_MARK = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_KINDS = (
    ("question", re.compile(r"undecided|not decided|정하지 않았다")),
    ("exclusion", re.compile(r"not part of|제외한다")),
    ("decision", re.compile(r"instead of|rather than|대신")),
    ("interface", re.compile(r"`[^`]+`")),
    ("constraint", re.compile(r"at most|at least|within|only|안에|이하")),
    ("requirement", re.compile(r"\b(?:must|shall|will)\b|다\.$")),
)
_CUE = "once that is done"


@dataclass
class ReadsSentences:
    """Claims every sentence of the shown lines that looks like one, and draws `requires` to the claim before where a sentence says so.

    `errs` holds by model what it gets wrong when it is asked about a sentence for the first time: words of the sentence, and the kind
    that it gives instead (None: it claims nothing there). With `stubborn` it errs every time. `labels` holds by model how its refs begin.
    """

    errs: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    stubborn: bool = False

    def __post_init__(self) -> None:
        self._asked: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def __call__(self, question: Question) -> Outcome:
        """The answer to one question, with token counts that follow its size."""
        if question.tool != "ReadingAnswer":
            return silent_brain(question)
        shown = question.system + question.user
        return Reply(tools=(self.reading(question),), sent=len(shown.encode()) // 4, got=len(question.user) // 4)

    def reading(self, question: Question) -> dict[str, Any]:
        label = self.labels.get(question.model, "a")
        anchors: list[dict[str, Any]] = []
        edges: list[dict[str, Any]] = []
        for line, sentence in sentences(question.user):
            kind = self._kind(question.model, sentence)
            if kind is None:
                continue
            ref = f"{label}{len(anchors) + 1}"
            place = {"first_line": line, "last_line": line}
            anchors.append({"ref": ref, "kind": kind, "quote": sentence, **place, "nth": 0})
            if _CUE in sentence and len(anchors) > 1:
                cue = {"cue": _CUE, "cue_first_line": line, "cue_last_line": line}
                edges.append({"from": ref, "to": anchors[-2]["ref"], "kind": "requires", **cue})
        return {"anchors": anchors, "edges": edges}

    def _kind(self, model: str, sentence: str) -> str | None:
        with self._lock:
            first = (model, sentence) not in self._asked
            self._asked.add((model, sentence))
        if first or self.stubborn:
            for words, kind in self.errs.get(model, {}).items():
                if words in sentence:
                    return kind
        return next((kind for kind, pattern in _KINDS if pattern.search(sentence)), None)


def lines(user: str) -> list[tuple[int, str]]:
    """The numbered lines that a question shows."""
    return [(int(number), text) for number, text in _LINE.findall(user)]


def sentences(user: str) -> Iterator[tuple[int, str]]:
    """Line and words of every sentence that a question shows, without list marks; headings and blank lines are none."""
    for number, text in lines(user):
        bare = _MARK.sub("", text).strip()
        if bare and not bare.startswith("#"):
            for sentence in _SENTENCE_END.split(bare):
                yield number, sentence
