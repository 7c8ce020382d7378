"""The checks of `isopod doctor`, one a line, with what to do below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from isopod.face import Face, Style
from isopod.render.columns import pad, wrap
from isopod.words import number_of
from schemas.doctor import Check, CheckedCall, CheckState

_WORDS: Final[dict[CheckState, tuple[str, Style]]] = {
    "ok": ("ok", "green"),
    "missing": ("missing", "red"),
    "not-used": ("not used", "dim"),
    "failed": ("failed", "red"),
}
_INDENT: Final = "          "


def doctor_lines(checks: Sequence[Check], instance: str | None, face: Face, *, unread: bool = False) -> Iterator[str]:
    """Every check as a line, what to do below what is missing, and one line that sums them up; `unread`: the config is not valid."""
    for check in checks:
        word, style = _WORDS[check.state]
        head, *rest = wrap(f"{check.name}: {_said(check)}", face.width, indent=_INDENT)
        yield face.paint(pad(word, len(_INDENT)), style) + head.removeprefix(_INDENT)
        yield from rest
        if check.fix is not None:
            yield from wrap(f"try: {check.fix}", face.width, indent=_INDENT + "     ", first=_INDENT)
    yield ""
    yield from wrap(_summed(checks, instance, unread=unread), face.width)


def _said(check: Check) -> str:
    return check.message if check.call is None else f"{check.message}; {_call(check.call)}"


def _call(call: CheckedCall) -> str:
    usage = call.usage
    tokens = "tokens not counted" if usage is None else f"{usage.input:,} tokens in, {usage.output:,} out"
    stop = "" if call.stop is None else f", stop: {call.stop}"
    return f"{call.seconds:,.1f} s, {tokens}{stop}"


def _summed(checks: Sequence[Check], instance: str | None, *, unread: bool) -> str:
    missing = sum(check.state == "missing" for check in checks)
    failed = sum(check.state == "failed" for check in checks)
    parts = []
    if missing:
        parts.append(f"{number_of(missing, 'thing')} missing")
    if failed:
        parts.append(f"{number_of(failed, 'call')} failed")
    if not parts:
        parts.append("Nothing is missing" if instance is not None else "Nothing that can be checked here is missing")
    if unread:
        return ", ".join(parts) + ". config.yaml is not valid: the readers are checked when it is."
    outside = (
        "" if instance is not None else " There is no instance here: the readers are checked inside one (isopod init)."
    )
    return ", ".join(parts) + "." + outside
