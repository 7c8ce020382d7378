"""What we expect of another team's card, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from isopod.render.columns import wrap

if TYPE_CHECKING:
    from isopod.face import Face
    from schemas.card import ContractVersion
    from schemas.contract import ContractDifference, ContractDiffOutput, ContractOutput


def contract_lines(found: ContractOutput, face: Face) -> Iterator[str]:
    """Every version, the first one first."""
    yield from wrap(f"{found.card}  {found.title}", face.width, indent="    ", first="")
    if found.requests:
        yield from wrap(f"took over {', '.join(found.requests)}", face.width, indent="    ", first="  ")
    for version in found.contract:
        yield from version_lines(version, face)
    if not found.contract:
        yield "Nobody wrote down what we expect of it: isopod contract pin"


def version_lines(version: ContractVersion, face: Face) -> Iterator[str]:
    """One version: who pinned it, what it says."""
    yield from wrap(f"version {version.version} ({version.by}, {version.at})", face.width, indent="    ", first="  ")
    yield from wrap(version.text, face.width, indent="    ")
    for line in version.lines:
        yield from wrap(f"- {line}", face.width, indent="      ", first="    ")


def difference_lines(found: ContractDiffOutput, face: Face) -> Iterator[str]:
    """What one version says otherwise than the one before, and what we ask for today otherwise than the last."""
    for one in found.diff:
        later = f"version {one.after}" if one.after is not None else f"what {', '.join(found.requests)} says today"
        same = "" if one.differs else ": the same"
        yield from wrap(f"{found.card}  version {one.before} -> {later}{same}", face.width, indent="    ", first="")
        if one.differs:
            yield from _changed(one, face)
    if not found.diff:
        yield f"{found.card} has one version of its contract, and took over no request to compare it with."


def _changed(one: ContractDifference, face: Face) -> Iterator[str]:
    gone, new = list(one.removed), list(one.added)
    if one.text_before != one.text_after and (one.after is not None or not (gone or new)):
        gone.insert(0, one.text_before)
        new.insert(0, one.text_after)
    for mark, lines, style in (("-", gone, "red"), ("+", new, "green")):
        for line in lines:
            for part in wrap(line, face.width, indent="    ", first=f"  {mark} "):
                yield face.paint(part, style)  # type: ignore[arg-type]
