"""Structures of specs are kept by the bytes of the spec and by the code that parsed them, and never wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import text.structure
from store import structures as module
from store.cache import CACHE_NAME, ParseCache
from store.structures import structures
from text.blocks import ParsedBlock
from text.coordinates import SpecText, of_text
from text.structure import Structure


@pytest.fixture(autouse=True)
def parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The specs that were really parsed."""
    parsed: list[str] = []
    real = text.structure._parsed

    def counted(spec: SpecText) -> list[ParsedBlock]:
        parsed.append(spec.path)
        return real(spec)

    monkeypatch.setattr(text.structure, "_parsed", counted)
    return parsed


def known(state: Path, **specs: str) -> dict[str, Structure]:
    with ParseCache(state) as kept:
        return structures({key: of_text(words, f"specs/{key}.md") for key, words in specs.items()}, kept)


def test_an_unchanged_spec_is_parsed_once(tmp_path: Path, parses: list[str]) -> None:
    first = known(tmp_path, a="# A\n\n- One. Two.\n", b="# B\n")
    again = known(tmp_path, a="# A\n\n- One. Two.\n", b="# B\n\nMore.\n")
    assert parses == ["specs/a.md", "specs/b.md", "specs/b.md"]
    assert again["a"].units == first["a"].units and again["a"].blocks == first["a"].blocks
    assert len(again["b"].units) == len(first["b"].units) + 1


def test_the_same_bytes_under_another_name_may_be_another_language(tmp_path: Path, parses: list[str]) -> None:
    with ParseCache(tmp_path) as kept:
        found = structures({"a": of_text("# A\n", "a.md"), "b": of_text("# A\n", "a.txt")}, kept)
    assert len(parses) == 2
    assert found["a"].blocks[0].kind == "heading" and found["b"].blocks[0].kind == "paragraph"


def test_another_parser_parses_again(tmp_path: Path, parses: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    known(tmp_path, a="# A\n")
    monkeypatch.setattr(module, "_parser_stamp", lambda: "another")
    known(tmp_path, a="# A\n")
    assert len(parses) == 2


def test_a_damaged_cache_and_none_are_passed_by(tmp_path: Path, parses: list[str]) -> None:
    (tmp_path / CACHE_NAME).write_bytes(b"no database")
    assert known(tmp_path, a="# A\n")["a"].sections
    assert structures({"a": of_text("# A\n", "a.md")}, None)["a"].sections
    assert len(parses) == 2
