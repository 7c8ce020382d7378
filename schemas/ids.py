"""Ids given by code: Crockford base32 of a sha256 over canonical JSON (DESIGN.md sections 5 to 7)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import count
from typing import Any, Final

import rfc8785

CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def canonical(data: Any) -> bytes:
    """RFC 8785 bytes of plain JSON values."""
    return rfc8785.dumps(data)


def digest(data: Any) -> str:
    """`sha256:` and the hex sha256 of the canonical JSON."""
    return "sha256:" + hashlib.sha256(canonical(data)).hexdigest()


def tail(data: Any) -> str:
    """Eight characters of Crockford base32: the first 40 bits of the sha256 of the canonical JSON."""
    bits = int.from_bytes(hashlib.sha256(canonical(data)).digest()[:5], "big")
    return "".join(CROCKFORD[(bits >> shift) & 31] for shift in range(35, -1, -5))


def conflict_name(ends: tuple[str, str]) -> str:
    """What names the gate of a contradiction: both anchor ids, sorted."""
    return " ".join(sorted(ends))


def conflict_series(ends: tuple[str, str]) -> Iterator[str]:
    """The tails that the gates of a contradiction get, one after the other, without an end (DRAFTING.md D5)."""
    yield tail(["conflict", *sorted(ends)])
    yield from (tail([conflict_name(ends), n]) for n in count(1))
