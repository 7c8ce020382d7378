"""Editing a YAML file in which a person left comments: they stay where they are (DESIGN.md section 10)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from yaml._yaml import CParser
from yaml.events import ScalarEvent, StreamEndEvent

from schemas.errors import RefusedError
from store.yamldump import dump, is_literal, is_plain, one_line
from store.yamlload import load

if TYPE_CHECKING:
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

_COMMENT = re.compile(r"(?:^|(?<=[ \t\n]))#[^\n]*")
_BLOCK_HEAD = re.compile(r"[|>][^\n]*")
_HEADER = "# yaml-language-server:"
_IDENTITY = (
    "id",
    "card",
    "prefix",
    "path",
    "rule",
    "version",
    "reader",
)  # what tells the maps of a list apart, first match


def has_comments(text: str) -> bool:
    """Whether a person left comments in a text (valid YAML): any but the line that names the schema for editors."""
    return any(not comment.startswith(_HEADER) for comment in comments_of(text))


def comments_of(text: str) -> list[str]:
    """The comments of a YAML text, each from its `#` to the end of its line, in text order."""
    return [comment for start, end in _gaps(text) for comment in _in_gap(text, start, end)]


def edit_keeping_comments(text: str, data: dict[str, Any]) -> str:
    """The new text of a file for `data`: the old text's comments and order of keys are kept.

    What the old text and `data` agree on stays where it is. A comment whose place is gone, or a text that the editor
    cannot change without changing what it means, falls back: the comments (the missing ones, or all of them) stand as
    a block at the head of the file. The result always loads equal to `data`, and no comment is lost.
    """
    old = comments_of(text)
    edited = _round_trip(text, data)
    if edited is None or not _loads_as(edited, data):
        return _under(old, dump(data))
    lost = list(old)
    for comment in comments_of(edited):
        if comment in lost:
            lost.remove(comment)
    return _under(lost, edited)


def _under(comments: list[str], body: str) -> str:
    """The comments as a block above the body; the line that names the schema stays first."""
    if body.startswith(_HEADER):
        first, _, rest = body.partition("\n")
        return "\n".join([first, *comments, rest])
    return (
        "".join(f"{comment}\n" for comment in sorted(comments, key=lambda comment: not comment.startswith(_HEADER)))
        + body
    )


def _gaps(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of a text outside its scalars: the only places where a `#` can open a comment."""
    parser = CParser(text)
    start = 0
    while not isinstance(event := parser.get_event(), StreamEndEvent):
        if not isinstance(event, ScalarEvent) or event.start_mark is None or event.end_mark is None:
            continue
        first, end = event.start_mark.index, event.end_mark.index
        if end > first:
            yield start, first
            start = end
            head = _BLOCK_HEAD.match(text, first) if event.style in ("|", ">") else None
            if head:
                yield head.start() + 1, head.end()
    yield start, len(text)


def _in_gap(text: str, start: int, end: int) -> Iterator[str]:
    position = start
    while found := _COMMENT.search(text, position, end):
        yield found.group().rstrip()
        position = found.end()


def _round_trip(text: str, data: dict[str, Any]) -> str | None:
    """The text with `data` merged in by ruamel, None when it cannot."""
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.representer import RoundTripRepresenter

    class Representer(RoundTripRepresenter):
        """Writes null as a word: ruamel would leave it out."""

    Representer.add_representer(type(None), lambda self, _: self.represent_scalar("tag:yaml.org,2002:null", "null"))

    editor = YAML(typ="rt")
    editor.Representer = Representer
    editor.preserve_quotes = True
    editor.allow_unicode = True
    editor.width = 1 << 30
    editor.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO(newline="")
    try:
        tree = editor.load(text)
        if not isinstance(tree, CommentedMap):
            return None
        _merge_map(tree, data)
        editor.dump(tree, out)
    except (
        YAMLError,
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
        KeyError,
        NotImplementedError,
        AssertionError,
    ):
        # ruamel raises all of these on texts that are valid but unusual; what it cannot edit is written
        # afresh by the caller.
        return None
    return out.getvalue()


def _loads_as(text: str, data: dict[str, Any]) -> bool:
    try:
        return _same(load(text, "edited"), data)
    except RefusedError:
        return False


def _same(one: Any, other: Any) -> bool:
    """Equal as files hold them: True is not 1, and 1 is not 1.0."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    for scalar in (bool, str, int, float):
        if isinstance(one, scalar) or isinstance(other, scalar):
            return isinstance(one, scalar) and isinstance(other, scalar) and bool(one == other)
    return one is None and other is None


def _merge_map(tree: CommentedMap, data: dict[str, Any], column: int = 0) -> None:
    for key in [key for key in tree if key not in data]:
        del tree[key]
    position = 0
    for key, value in data.items():
        if key in tree:
            position = list(tree).index(key) + 1
            tree[key] = _merged(tree[key], value, column + len(key) + 2)
        else:
            tree.insert(position, key, _fresh(value, column + len(key) + 2))
            position += 1


def _merged(old: Any, new: Any, column: int) -> Any:
    """`new`, in the old node wherever that is of the same kind, so that what hangs on the node stays."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    if isinstance(old, CommentedMap) and isinstance(new, dict) and new:
        _merge_map(old, new, column)
        return old
    if isinstance(old, CommentedSeq) and isinstance(new, list | tuple) and new:
        _merge_list(old, new, column)
        return old
    return old if _same(old, new) else _fresh(new, column)


def _merge_list(tree: CommentedSeq, items: Sequence[Any], column: int) -> None:
    matcher = SequenceMatcher(
        None, [_identity(item) for item in tree], [_identity(item) for item in items], autojunk=False
    )
    for tag, start, end, first, last in reversed(
        matcher.get_opcodes()
    ):  # from the end, so that earlier indexes stay right
        kept = end - start if tag == "equal" else 0
        for index in range(kept):
            tree[start + index] = _merged(tree[start + index], items[first + index], column + 2)
        for index in reversed(range(start + kept, end)):
            del tree[index]
        for index in range(first + kept, last):
            tree.insert(start + index - first, _fresh(items[index], column + 2))


def _identity(item: Any) -> tuple[str, str]:
    if isinstance(item, dict):
        key = next((key for key in _IDENTITY if key in item), "")
        return key, str(item.get(key))
    return type(item).__name__ if isinstance(item, list | tuple) else "", str(item)


def _fresh(value: Any, column: int) -> Any:
    """A new value in the style in which the canonical dumper would write it."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

    if isinstance(value, str):
        if is_literal(value):
            return LiteralScalarString(value)
        return value if is_plain(value) else DoubleQuotedScalarString(value)
    if not isinstance(value, dict | list | tuple):
        return value
    node: CommentedMap | CommentedSeq
    if isinstance(value, dict):
        node = CommentedMap((key, _fresh(item, column + 2)) for key, item in value.items())
    else:
        node = CommentedSeq(_fresh(item, column + 2) for item in value)
    if one_line(value, column) is not None:
        node.fa.set_flow_style()
    return node
