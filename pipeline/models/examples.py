"""Worked examples for the readers: invented texts as they are shown, each with the whole answer to it.

Their bells and lamps stand in no real spec, so that none of their words can pass for a quote of one (a test tries). Tests hold each text
to what `pipeline.models.prompt` would make of it, and each answer to the same checks as any other.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pipeline.models.shapes import ClaimAnswer, EdgesAnswer, ReadingAnswer, RelationAnswer
from schemas.kinds import AnchorKind, EdgeKind

UNITS: Final = "Its units (line: what begins there):"


@dataclass(frozen=True, slots=True)
class Example:
    """A text of one section with its units, the right answer, and why it is so where that is not plain."""

    text: str
    units: str
    answer: ReadingAnswer
    why: str

    @property
    def shown(self) -> str:
        """The text as a reader is shown it."""
        lines = self.text.removesuffix("\n").split("\n")
        numbered = "\n".join(f"{number:>5} | {line}" for number, line in enumerate(lines, 1))
        return f"Section: {lines[0].removeprefix('# ')}\n{numbered}\n{UNITS}\n{self.units}"

    def told(self, number: int) -> str:
        """The example as it stands among the rules."""
        answer = _json(anchors=self.answer.anchors, edges=self.answer.edges)
        return f"# Example {number}\n{self.shown}\nThe answer:\n{answer}\n{self.why}"


@dataclass(frozen=True, slots=True)
class RelationsExample:
    """Claims of two parts as they are shown, and the right answer."""

    shown: str
    answer: EdgesAnswer

    def told(self) -> str:
        """The example as it stands among the rules."""
        return f"# Example\n{self.shown}\nThe answer:\n{_json(edges=self.answer.edges)}"


def _json(**lists: Iterable[ClaimAnswer | RelationAnswer]) -> str:
    """The JSON of an answer, one entry a line."""
    return "{" + ",".join(f'"{key}":[\n{_rows(entries)}\n]' for key, entries in lists.items()) + "}"


def _rows(entries: Iterable[ClaimAnswer | RelationAnswer]) -> str:
    return ",\n".join(
        json.dumps(one.model_dump(by_alias=True), ensure_ascii=False, separators=(",", ":")) for one in entries
    )


def _claim(ref: str, kind: AnchorKind, line: int, quote: str, nth: int = 0) -> ClaimAnswer:
    return ClaimAnswer(ref=ref, kind=kind, quote=quote, first_line=line, last_line=line, nth=nth)


def _relation(from_: str, kind: EdgeKind, to: str, line: int, cue: str) -> RelationAnswer:
    return RelationAnswer(from_=from_, to=to, kind=kind, cue=cue, cue_first_line=line, cue_last_line=line)


BELLHOUSE: Final = Example(
    text="""\
# Quillbell

The wardens of Orrinmoor froze on the bell stair last winter, so the bellhouse is to toll by itself.

- **Quillbell**: the smallest bell of the bellhouse.
- When the frostglass clouds over, the bellhouse opens a hushtide, a span in which only the quillbell may sound.
- A hushtide lasts at most nine candles.
- The warden wipes the frostglass; the bellhouse then closes the hushtide and dims its lamps.
- `POST /quillbell/toll` tolls the quillbell and is refused outside a hushtide.
- Tongues are carved from frostwood rather than cast in bronze, because bronze wakes the moor.

Whether pilgrims may toll the quillbell is undecided, and their rope is not hung before that is settled.
Retuning the quillbell is not part of this work.
""",
    units="""\
3: sentence
5: item
6: item
7: item
8: item
9: item
10: item
12: sentence
13: sentence""",
    answer=ReadingAnswer(
        anchors=[
            _claim("a1", "term", 5, "Quillbell"),
            _claim(
                "a2",
                "requirement",
                6,
                "When the frostglass clouds over, the bellhouse opens a hushtide, "
                "a span in which only the quillbell may sound.",
            ),
            _claim("a3", "term", 6, "hushtide"),
            _claim("a4", "constraint", 7, "A hushtide lasts at most nine candles."),
            _claim("a5", "requirement", 8, "the bellhouse then closes the hushtide and dims its lamps"),
            _claim(
                "a6", "interface", 9, "`POST /quillbell/toll` tolls the quillbell and is refused outside a hushtide."
            ),
            _claim("a7", "decision", 10, "Tongues are carved from frostwood rather than cast in bronze"),
            _claim("a8", "question", 12, "Whether pilgrims may toll the quillbell is undecided"),
            _claim("a9", "constraint", 12, "their rope is not hung before that is settled"),
            _claim("a10", "exclusion", 13, "Retuning the quillbell is not part of this work."),
        ],
        edges=[
            _relation("a6", "requires", "a2", 9, "is refused outside a hushtide"),
            _relation("a9", "blocked_by", "a8", 12, "is not hung before that is settled"),
        ],
    ),
    why=(
        "Line 3 is purpose and history, and in line 8 the warden's step is no claim. Line 5 only defines its word; line 6 defines one "
        "inside an obligation, so the term nests in it. The second verb in lines 8 and 9 shares its subject: no claim of its own. The "
        "because clause of line 10 is left out. Line 7 is a sibling of line 6 in one list: no relation."
    ),
)
"""A term beside one that nests in an obligation, a bound, an interface with a precondition, a choice, an open question, a non-goal."""

DEWLAMP: Final = Example(
    text="""\
# 이슬등

먹안개가 끼면 망루는 이슬등을 켠다. 고개지기에게 알린다. 먹안개가 걷히면 망루는 이슬등을 끈다. 고개지기에게 알린다.
이슬등은 서른 숨 안에 밝아져야 한다.

| 봉화 명령  | 망루가 하는 일 |
|------------|----------------|
| `iseul on` | 이슬등을 켠다  |

- 이슬등은 송진으로 밝힌다. 밀랍으로 밝히기로 한 봄 결정을 대체한다.
""",
    units="""\
3: sentence, sentence, sentence, sentence
4: sentence
8: row
10: item, item""",
    answer=ReadingAnswer(
        anchors=[
            _claim("a1", "requirement", 3, "먹안개가 끼면 망루는 이슬등을 켠다."),
            _claim("a2", "requirement", 3, "고개지기에게 알린다.", nth=1),
            _claim("a3", "requirement", 3, "먹안개가 걷히면 망루는 이슬등을 끈다."),
            _claim("a4", "requirement", 3, "고개지기에게 알린다.", nth=2),
            _claim("a5", "constraint", 4, "이슬등은 서른 숨 안에 밝아져야 한다."),
            _claim("a6", "interface", 8, "`iseul on` | 이슬등을 켠다"),
            _claim("a7", "decision", 10, "이슬등은 송진으로 밝힌다."),
            _claim("a8", "decision", 10, "밀랍으로 밝히기로 한 봄 결정"),
        ],
        edges=[
            _relation("a5", "refines", "a1", 4, "서른 숨 안에 밝아져야"),
            _relation("a7", "supersedes", "a8", 10, "봄 결정을 대체한다"),
        ],
    ),
    why="The same sentence stands twice in line 3: two claims, told apart by `nth`.",
)
"""The same words twice in one line, a bound that details a claim of its section, a table row, a choice that replaces an older one."""

ROPES: Final = RelationsExample(
    shown="""\
Part 1, section: Quillbell > Tolling
- 1.a2 requirement, lines 6-6: When the frostglass clouds over, the bellhouse opens a hushtide.
- 1.a8 question, lines 12-12: Whether pilgrims may toll the quillbell is undecided
Part 2, section: Quillbell > Ropes
- 2.a1 requirement, lines 31-31: The warden's rope moves only in a hushtide that the bellhouse has opened.
- 2.a2 constraint, lines 33-33: No pilgrim's rope is hung before it is settled whether they may toll.
- 2.a3 requirement, lines 34-34: The warden waxes every rope of the quillbell at moonset.""",
    answer=EdgesAnswer(
        edges=[
            _relation("2.a1", "requires", "1.a2", 31, "moves only in a hushtide that the bellhouse has opened"),
            _relation("2.a2", "blocked_by", "1.a8", 33, "is hung before it is settled whether they may toll"),
        ]
    ),
)
"""Two relations across parts; a claim that only speaks of the same things has none."""
