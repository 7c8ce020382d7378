"""What people read of raw text (DRAFTING.md D1)."""

from __future__ import annotations

import pytest

from text.coordinates import of_text
from text.display import LineUnit, display, line_unit
from text.structure import structure


def shown(text: str, part: str | None = None, path: str = "spec.md") -> str:
    """The display text of `part`, or of the line unit in which the text's `@` stands (and which it is taken out of)."""
    offset = text.find("@") if part is None else 0
    text = text.replace("@", "", 1) if part is None else text
    spec = of_text(text, path)
    found = structure(spec)
    if part is not None:
        start = text.index(part)
        return display(spec, found, (start, start + len(part)))
    return display(spec, found, line_unit(found, offset).span)


_TABLE = """
| 이벤트 | 우리가 하는 일 | 허용 지연 |
|--------|--------|--------|
| `a.b`| **만든다** | 1분 |
| c | | 2 |
| | x | |
| p \\| q | y
"""


def test_a_row_reads_as_its_cells_under_their_heads() -> None:
    assert shown(_TABLE.replace("`a.b`", "@`a.b`")) == "`a.b` — 우리가 하는 일: 만든다; 허용 지연: 1분"
    assert shown(_TABLE.replace("| c", "| @c")) == "c — 허용 지연: 2"
    assert shown(_TABLE.replace("| x", "| @x")) == "x"
    assert shown(_TABLE.replace("| p", "| @p")) == "p / q — 우리가 하는 일: y"


def test_a_part_of_a_row_shows_the_cells_that_it_touches() -> None:
    assert shown(_TABLE, "만든다") == "만든다"
    assert shown(_TABLE, "만든다** | 1분") == "우리가 하는 일: 만든다; 허용 지연: 1분"
    assert shown(_TABLE, "`a.b`| **만든다** |") == "`a.b` — 우리가 하는 일: 만든다"


def test_a_row_under_empty_heads_joins_its_cells() -> None:
    assert shown("| | | |\n|-|-|-|\n| @a | b | c |\n") == "a — b; c"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "- **target**: the @absolute `http` URL\n  that wraps.\n  - nested\n",
            "target: the absolute `http` URL that wraps.",
        ),
        ("1. one @here\n\n   two\n\n   - nested\n\n   three\n", "one here two three"),
        ("- [x] do @it\n", "do it"),
        ("> It must @hold\n> __here__. Then not.\n", "It must hold here."),
        ("> - It must @hold\n>   here.\n", "It must hold here."),
        ("It must\r\n@hold.  \r\nNext\r\n", "It must hold."),
        ("```\nfirst\n  sec@ond | `x\n```\n", "second / 'x"),
        ("A *single* __init@__ and `**` stay\n", "A *single* init and `**` stay"),
        ("Use ``a ` b`` @or \\` and ` here\n", "Use ``a ` b`` or ' and ' here"),
        ("Line<br>break and <item-@name> and <a name='x'></a>end\n", "Line break and <item-name> and end"),
        ("a ** b @** c **open\n", "a ** b ** c **open"),
    ],
)
def test_the_line_of_a_unit(text: str, line: str) -> None:
    assert shown(text) == line


@pytest.mark.parametrize(
    ("part", "line"),
    [
        ("201 Created` with", "`201 Created` with"),
        ("answers `201 Cr", "answers `201 Cr`"),
        ("Created", "`Created`"),
        ("answers `", "answers"),
        ("` with", "with"),
        ("- It answers", "It answers"),
        ("**short** co", "short co"),
        ("rt** code", "rt code"),
        ("code.\n- Next", "code. Next"),
    ],
)
def test_a_quote_never_shows_half_a_mark(part: str, line: str) -> None:
    assert shown("- It answers `201 Created` with the **short** code.\n- Next\n", part) == line


def test_html_is_shown_as_its_text() -> None:
    text = (
        "<ul>\n<li><p>If |x y| &lt; <code>1</code>, the <a href='q'>agent</a>\n"
        " must@ return `<code>b</code>`. Else.\n</ul>\n"
    )
    assert shown(text, path="spec.bs") == "If x y < 1, the agent must return `b`."


def test_old_quotes_are_no_code() -> None:
    assert shown("Each is a `vari@ant'. The term `variant' is used.\n", path="rfc.txt") == "Each is a 'variant'."


def test_markup_alone_is_shown_as_it_is() -> None:
    assert shown("a\n\n***@\n\nb\n") == "***"
    assert shown("<!-- no@te -->\n") == "<!-- note -->"


def test_line_units_by_kind() -> None:
    text = "# T\n\nOne. Two.\n\n- i\n\n  - n\n\n  j\n\n```\nc d\n```\n\n| a |\n|---|\n| b |\n\n---\n"
    found = structure(of_text(text, "spec.md"))

    def at(part: str) -> LineUnit:
        return line_unit(found, text.index(part))

    assert at("Two") == LineUnit((10, 14), "sentence", 1)
    assert at("i\n") == at("j\n") == LineUnit((18, 31), "item", 2)
    assert at("n\n") == LineUnit((25, 26), "item", 3)
    assert at("d\n") == LineUnit((37, 40), "line", 4)
    assert at("b |") == LineUnit((60, 61), "row", 6)
    assert at("T") == LineUnit((2, 3), "sentence", 0)
    assert line_unit(found, len(text) - 2) == LineUnit((65, 68), "line", None)
    assert line_unit(found, 9) == at("Two")
