"""The pages of the rules in docs are those that the rules generate."""

from __future__ import annotations

from pathlib import Path

from gates.pages import FOLDER, render_all
from gates.registry import rules

ROOT = Path(__file__).parent.parent.parent


def test_the_pages_in_docs_are_those_that_the_rules_generate() -> None:
    written = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in (ROOT / FOLDER).glob("*.md")
    }
    assert written == render_all()


def test_every_rule_has_a_page_and_the_index_links_to_it() -> None:
    pages = render_all()
    index = pages[f"{FOLDER}/README.md"]
    for rule in rules():
        assert f"{FOLDER}/{rule.code}-{rule.name}.md" in pages
        assert f"]({rule.code}-{rule.name}.md)" in index
