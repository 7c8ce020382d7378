"""A structure that a cache kept is the one that was parsed."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from text.coordinates import of_text
from text.kept import of_plain, to_plain
from text.structure import structure

PIECES = (
    "# One\n",
    "## 둘\n\n",
    "- a. B must c.\n",
    "  - inner\n",
    "> quoted\n> more\n",
    "| a | b |\n|---|---|\n| 1 | |\n",
    "```\ncode\n```\n",
    "<div><h2>T</h2> x. Y.</div>\n\n",
    "---\nk: v\n---\n",
    "Plain `co.de` text. It must hold.\r\n",
    "\n",
)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.sampled_from(("a.md", "a.txt")))
@example("".join(PIECES), "a.md")
@example("", "a.md")
def test_back_from_plain_data(text: str, path: str) -> None:
    spec = of_text(text, path)
    parsed = structure(spec)
    back = of_plain(spec, json.loads(json.dumps(to_plain(parsed))))
    assert (back.sections, back.blocks, back.units) == (parsed.sections, parsed.blocks, parsed.units)
    for offset in range(len(text)):
        assert back.block_at(offset) == parsed.block_at(offset)
        assert back.unit_at(offset) == parsed.unit_at(offset)
