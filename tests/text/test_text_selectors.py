"""Selectors: a claim is found again in a spec that changed, silently where nothing is in doubt."""

from __future__ import annotations

import pytest

from text.coordinates import of_text
from text.selectors import CONTEXT, Finder, Selector
from text.structure import structure

TEXT = """\
# Links

## Expiry

A link lives for 30 days. It can be renewed.

## Notes

A code is short. A code is short.

## Notes

A code is short.
"""


def finder_of(text: str) -> Finder:
    spec = of_text(text, "spec.md")
    return Finder(spec, structure(spec))


def select(words: str, nth: int = 0, text: str = TEXT) -> Selector:
    place = -1
    for _ in range(nth + 1):
        place = text.index(words, place + 1)
    return finder_of(text).select((place, place + len(words)))


def relocated(selector: Selector, text: str) -> tuple[str, int | None]:
    found = finder_of(text).locate(selector, selector.section)
    return found.status, None if found.span is None else found.span[0]


def test_a_selector_holds_the_words_their_context_and_their_section() -> None:
    found = select("A link lives for 30 days.")
    assert found.exact == "A link lives for 30 days."
    assert found.prefix == "# Links ## Expiry "
    assert found.suffix == " It can be renewed. ## Notes A code is short."[:CONTEXT]
    assert found.section == "Links > Expiry"
    assert select("A code is short.", 2).section == "Links > Notes #2"


@pytest.mark.parametrize(
    "changed",
    [
        TEXT.replace("\n", "\r\n"),
        "A new opening.\n\n" + TEXT,
        TEXT.replace("## Expiry\n\n", "## Expiry\n\n\n\n"),
        TEXT.replace("30 days. It", "30\ndays. It"),
        TEXT.replace("## Notes", "## Remarks"),
        TEXT.replace("## Expiry", "## How long a link lives"),
        TEXT.replace("# Links", "# Short links"),
    ],
)
def test_what_did_not_change_is_live_wherever_it_moved(changed: str) -> None:
    status, place = relocated(select("A link lives for 30 days."), changed)
    assert status == "live"
    assert place == changed.index("A link lives")


def test_of_equal_texts_the_one_with_the_context_is_taken() -> None:
    for nth in range(3):
        selector = select("A code is short.", nth)
        moved = "An opening of its own.\n\n" + TEXT
        status, place = relocated(selector, moved)
        assert status == "live"
        wanted = -1
        for _ in range(nth + 1):
            wanted = moved.index("A code is short.", wanted + 1)
        assert place == wanted


def test_several_places_and_no_context_is_ambiguous_unless_the_section_has_one() -> None:
    lost = Selector("A code is short.", "no such words", "no such words", "Links > Notes")
    assert relocated(lost, TEXT)[0] == "ambiguous"
    inside = Selector("A code is short.", "no such words", "no such words", "Links > Notes #2")
    assert relocated(inside, TEXT) == ("live", TEXT.rindex("A code is short."))


def test_changed_words_are_edited_while_the_section_stands_and_lost_when_it_is_gone() -> None:
    selector = select("A link lives for 30 days.")
    assert relocated(selector, TEXT.replace("30 days", "60 days"))[0] == "edited"
    assert relocated(selector, TEXT[: TEXT.index("## Expiry")] + TEXT[TEXT.index("## Notes") :])[0] == "lost"


def test_stands_wants_words_and_context_as_they_were() -> None:
    selector = select("A link lives for 30 days.")
    given = (selector.exact, selector.prefix, selector.suffix)
    assert finder_of(TEXT).stands(*given) is not None
    assert finder_of(TEXT.replace("\n", "\r\n")).stands(*given) is not None
    assert finder_of(TEXT.replace("It can be", "It may be")).stands(*given) is None
    assert finder_of(TEXT.replace("## Expiry", "## End")).stands(*given) is None
    assert finder_of(TEXT.replace("It can be", "It may be")).stands(selector.exact, selector.prefix) is not None
    assert finder_of(TEXT + "\nFar away, a change.\n").stands(*given) is not None
