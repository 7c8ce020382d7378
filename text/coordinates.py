"""One coordinate system for a spec: bytes -> code points, lines, digest (DESIGN.md section 3).

A line ends at `\\n` (a `\\r` before it belongs to the line end) and nowhere else.
"""

from __future__ import annotations

import hashlib
import shlex
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal

from schemas.errors import Place, RefusedError

SpanT = tuple[int, int]
Media = Literal["markdown", "plain"]

_BOMS = ((b"\xff\xfe\x00\x00", "UTF-32LE"), (b"\x00\x00\xfe\xff", "UTF-32BE"), (b"\xff\xfe", "UTF-16LE"), (b"\xfe\xff", "UTF-16BE"))
_PLAIN_ENDINGS = (".txt", ".rst", ".text")


@dataclass(frozen=True, slots=True)
class SpecText:
    """The text of one spec: `text` without a BOM, newlines as they are; `digest` is the sha256 (hex) of the bytes."""

    path: str
    text: str
    digest: str
    bom: bool
    media: Media
    line_starts: tuple[int, ...] = field(repr=False)

    @property
    def line_count(self) -> int:
        return len(self.line_starts)

    def line_of(self, offset: int) -> int:
        """The 1-based line that holds the code point at `offset` (its end belongs to the last line)."""
        return bisect_right(self.line_starts, offset)

    def place(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column of `offset`, columns in code points."""
        line = self.line_of(offset)
        return line, offset - self.line_starts[line - 1] + 1

    def lines_of(self, span: SpanT) -> tuple[int, int]:
        """First and last line of a span; an empty span stands on one line."""
        start, end = span
        return self.line_of(start), self.line_of(max(start, end - 1))

    def line_span(self, line: int) -> SpanT:
        """The span of a 1-based line without its line end."""
        start = self.line_starts[line - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        if end > start and self.text[end - 1] == "\n":
            end -= 1
            if end > start and self.text[end - 1] == "\r":
                end -= 1
        return start, end

    def lines_span(self, lines: tuple[int, int]) -> SpanT:
        """The span from the start of the first to the end of the last line, without the last line end."""
        return self.line_span(lines[0])[0], self.line_span(lines[1])[1]

    def whole_lines(self, lines: tuple[int, int]) -> SpanT:
        """The span of these lines with the last line end."""
        following = lines[1]
        end = self.line_starts[following] if following < len(self.line_starts) else len(self.text)
        return self.line_starts[lines[0] - 1], end

    def has_lines(self, lines: tuple[int, int]) -> bool:
        return 1 <= lines[0] <= lines[1] <= len(self.line_starts)

    def quoted(self, span: SpanT) -> str:
        return self.text[span[0] : span[1]]


def decode(data: bytes, path: str) -> SpecText:
    """Read the bytes of a spec.

    Raises RefusedError naming the byte offset and a command that converts the file when it is not UTF-8.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            raise RefusedError(
                "not-utf-8",
                f"the file is {encoding} (byte order mark at byte 0), isopod reads UTF-8",
                where=Place(path),
                fix=_conversion(encoding, path),
            )
    bom8 = data.startswith(b"\xef\xbb\xbf")
    body = data[3:] if bom8 else data
    if b"\x00" in body[:4096] and body[:4096].count(b"\x00") * 4 > len(body[:4096]):
        raise RefusedError(
            "not-utf-8",
            f"the file looks like UTF-16 without a byte order mark (a zero byte at byte {data.index(0)})",
            where=Place(path),
            fix=_conversion("UTF-16LE", path),
        )
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        offset = error.start + (3 if bom8 else 0)
        line = data.count(b"\n", 0, offset) + 1
        raise RefusedError(
            "not-utf-8",
            f"invalid UTF-8 at byte {offset}: {error.reason}",
            where=Place(path, line),
            fix=f"{_conversion('WINDOWS-1252', path)} (with the encoding that the file really has)",
        ) from None
    return of_text(text, path, digest=hashlib.sha256(data).hexdigest(), bom=bom8)


def _conversion(encoding: str, path: str) -> str:
    """The command that makes the file UTF-8."""
    file, new = shlex.quote(path), shlex.quote(f"{path}.new")
    return f"iconv -f {encoding} -t UTF-8 {file} > {new} && mv {new} {file}"


def of_text(text: str, path: str, *, digest: str | None = None, bom: bool = False) -> SpecText:
    """A SpecText of a string that is already decoded; the digest is that of its UTF-8 bytes unless given."""
    starts = [0]
    position = text.find("\n")
    while position != -1:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    if len(starts) > 1 and starts[-1] == len(text):
        starts.pop()  # a final newline ends the last line, it opens no new one (as grep -n counts)
    media: Media = "plain" if path.lower().endswith(_PLAIN_ENDINGS) else "markdown"
    own = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return SpecText(path=path, text=text, digest=digest or own, bom=bom, media=media, line_starts=tuple(starts))
