"""A term that the spec defines is used in a claim.

**What** The text of each term occurs in another claim of the spec, its own definition aside.

**Why** A word that is defined and never used in anything that must hold is a definition that nobody needs, or the
claims say it in another word and mean the same. Only all claims together show it.

**Bad**

    - **visitor**: whoever opens a short link.
    Every redirect is counted.

**Good**

    - **visitor**: whoever opens a short link.
    A visitor is counted once a day.

**Way out** Use the word where it is meant, or take the definition out of the spec; or leave it: this is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.claims import Claims
from gates.found import Found
from gates.words import shown
from text.folding import folded
from text.intervals import holds

CODE = "A141"
NAME = "unused-term"
TIER = "warn"
STAGES = ("join",)
WHY = "text"
ON = "claims"


def check(claims: Claims) -> Iterator[Found]:
    terms = [claim for claim in claims.placed if claim.kind == "term"]
    if not terms:
        return
    texts = [(claim, _compared(claim.exact)) for claim in claims.placed]
    for term in terms:
        word = _compared(claims.spec.quoted(term.core))
        if not any(word in text and not holds(other.span, term.core) for other, text in texts):
            yield claims.report(
                term,
                f"{shown(term.exact)} is defined but no other claim uses it: use the word where it is meant, "
                "or drop the definition",
                fix=claims.editing(term),
            )


def _compared(text: str) -> str:
    """Without marks and without case: a definition in bold and its use in plain text are one word."""
    return folded(text, markup=True).text.casefold()
