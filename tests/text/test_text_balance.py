"""Balanced quotes: never half a code mark."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from text.balance import Balancer
from text.coordinates import of_text
from text.structure import structure

TEXT = """\
# Codes

`GET /{code}` answers `302 Found` with ``a ` tick`` in it. One lone ` stays.

- A code from `0-9`, `A-Z` and
  `a-z`.

| a | b |
|---|---|
| `x` | `y z` |

```
`not code`
```
"""
SPEC = of_text(TEXT, "spec.md")
BALANCER = Balancer(SPEC, structure(SPEC))


def balanced(words: str) -> str:
    start = TEXT.index(words)
    return SPEC.quoted(BALANCER.balanced((start, start + len(words))))


def test_a_cut_code_mark_brings_its_whole_code() -> None:
    assert balanced("`GET /{co") == "`GET /{code}`"
    assert balanced("Found` with") == "`302 Found` with"
    assert balanced("/{code}` answers `302") == "`GET /{code}` answers `302 Found`"
    assert balanced("A-Z` and\n  `a") == "`A-Z` and\n  `a-z`"
    assert balanced("`` in it") == "``a ` tick`` in it"


def test_what_is_whole_stays_as_it_is() -> None:
    for words in ("answers", "GET /{code}", "`302 Found`", "One lone ` stays", "`y z`", "`not"):
        assert balanced(words) == words


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_balancing_only_grows_and_once_is_enough(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(TEXT) - 1))
    end = data.draw(st.integers(start + 1, len(TEXT)))
    grown = BALANCER.balanced((start, end))
    assert grown[0] <= start and end <= grown[1]
    assert BALANCER.balanced(grown) == grown
