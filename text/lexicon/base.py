"""What a language file states, and how its phrases become patterns (DESIGN.md section 5, Coverage)."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

SectionClass = Literal[
    "requirements", "scenario", "goals", "overview", "terms", "decisions", "questions", "exclusions", "background"
]
"""What a heading says about the text under it; a heading that says nothing has no class."""


class Pattern:
    """A regular expression that is compiled when it is first searched: of some two hundred an audit needs a few."""

    __slots__ = ("_make", "_search")

    def __init__(self, make: Callable[[], re.Pattern[str]]) -> None:
        self._make = make
        self._search: Callable[[str, int, int], re.Match[str] | None] | None = None

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """As `re.Pattern.search`."""
        if self._search is None:
            self._search = self._make().search
        return self._search(text, start, end)


def pattern(expression: str, flags: int = 0) -> Pattern:
    """A pattern of this regular expression."""
    return Pattern(lambda: re.compile(expression, flags))


_END = ""  # the key of a trie node where a phrase ends


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The closed words of one language. Every pattern is searched in the raw text of one unit (line ends included).

    No pattern has nested or adjacent unbounded repeats, so that a line of any length costs linear time.
    """

    code: str
    name: str
    binding: Pattern
    """Words that oblige: must, shall, 해야 한다, しなければならない, 必须."""
    possible: Pattern
    """Words of ability or permission: can, may, 할 수 있다, できる, 可以."""
    shapes: tuple[tuple[str, Pattern], ...]
    """EARS shapes: the name that people see, and the pattern."""
    behaviour: Pattern
    """A system that does something, said plainly: answers, is refused, 보낸다, 返す, 返回."""
    plain_ending: Pattern | None
    """A sentence ending that alone shows a statement of behaviour (Korean: verb stem + ㄴ다 / 는다)."""
    noun_ending: Pattern | None
    """A list item or cell that ends in an action noun (Korean, Japanese, Chinese: 제공, 保存, 支持)."""
    imperative: Pattern | None
    """An action word that opens an item: Show, Include."""
    bound: Pattern
    """A number with a unit, or words of amount: at most, exactly, 이상, 以内."""
    user_action: Pattern
    """What a user does in a flow: the system's answer is the claim, not this."""
    no_claim: Pattern
    """Openings and words of sentences that claim nothing: examples, reasons, history, what a document is for."""
    hedge: Pattern
    """Words of supposition or of the past: what has them is a claim only when it also obliges."""
    undecided: Pattern
    excluded: Pattern
    chosen: Pattern
    names_term: Pattern
    """How an item of a glossary opens; the group `term` is the word. A label in bold elsewhere opens alike."""
    means: Pattern
    """A definition by its words, anywhere; its first group that matched is the word."""
    blocked: Pattern
    """Cue: this cannot happen before something that is open."""
    replaces: Pattern
    """Cue: this decision takes the place of another."""
    after: Pattern
    """Cue: this works or happens only after what was said just before."""
    headings: Mapping[SectionClass, Pattern]
    """Searched in a heading without its number."""


def words(block: str) -> list[str]:
    """The words or phrases of a block of text, parted by commas and line ends."""
    return [word for part in block.replace("\n", ",").split(",") if (word := part.strip())]


def phrases(listed: Collection[str], *, bounded: bool = True, before: str = "", after: str = "") -> Pattern:
    """One pattern that finds any of the phrases, case ignored; a space in a phrase matches any white space.

    `bounded` asks for ASCII word edges at both ends (for languages with spaces between words). `before` and `after` are
    regular expressions around the phrases.
    """

    def compiled() -> re.Pattern[str]:
        body = trie(listed)
        edged = rf"\b{body}\b" if bounded else body
        return re.compile(before + edged + after, re.IGNORECASE | re.ASCII if bounded else re.IGNORECASE)

    return Pattern(compiled)


def heading(listed: Collection[str], *, exact: Collection[str] = (), spaced: bool = True) -> Pattern:
    """One pattern for a heading whose last words are one of `listed`, or that is one of `exact`.

    The last words of a heading name the thing (`Product goals`), in every one of the four languages; with `spaced` the
    phrase begins a word, and may open the heading when a preposition follows (`Alternatives to polling`).
    """

    def compiled() -> re.Pattern[str]:
        whole = trie([*listed, *exact])
        ends = trie(listed)
        tail = rf"|(?:\A|[\s/-]){ends}\Z|\A{ends}\s+(?:for|of|on|to|about|and|in)\b" if spaced else rf"|{ends}\Z"
        return re.compile(rf"\A{whole}\Z{tail}", re.IGNORECASE)

    return Pattern(compiled)


def trie(listed: Iterable[str]) -> str:
    """The phrases as one regular expression that reads each character once (an alternation tries them all in turn)."""
    root: dict[str, dict] = {}  # type: ignore[type-arg]  # a tree of itself
    for word in sorted(set(listed)):
        node = root
        for character in word:
            node = node.setdefault(character, {})
        node[_END] = {}
    return _pattern(root)


def _pattern(node: dict[str, dict]) -> str:  # type: ignore[type-arg]
    branches = [_character(key) + _pattern(child) for key, child in node.items() if key != _END]
    if not branches:
        return ""
    inner = branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
    return f"(?:{inner})?" if _END in node else inner


def _character(character: str) -> str:
    return r"\s+" if character == " " else re.escape(character)
