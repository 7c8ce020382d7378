"""Shared fixtures, and a guard: no test reaches the network."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scenes import Scene

_LOOPBACK = ("127.", "::1", "localhost", "::ffff:127.")


def _refuse_outside(address: Any) -> None:
    host = address[0] if isinstance(address, tuple) else None
    if isinstance(host, str) and not host.startswith(_LOOPBACK):
        pytest.fail(f"this test opens a connection to {host}: tests use no network", pytrace=True)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A connection to anything but this machine fails the test loudly, and is not made."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def guarded(self: socket.socket, address: Any) -> None:
        _refuse_outside(address)
        connect(self, address)

    def guarded_ex(self: socket.socket, address: Any) -> int:
        _refuse_outside(address)
        return connect_ex(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_ex)
    yield


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of real specs and readings, named by ISOPOD_CASES."""
    folder = os.environ.get("ISOPOD_CASES")
    if not folder:
        pytest.skip("ISOPOD_CASES is not set: the real specs and readings are not here")
    return Path(folder)


@pytest.fixture
def demo_instance(tmp_path: Path) -> Scene:
    """A fresh instance of the shipped demo, nothing compiled."""
    return Scene.demo(tmp_path)
