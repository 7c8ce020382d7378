"""A small instance, written by hand: one spec, five claims, a story that waits for a question, a Korean title."""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

ROOT = Path(__file__).parents[2]

SPEC = """\
# Links

## Renewal

- Owners can renew a link before it expires.
- 링크는 만든 날부터 30일 동안 산다.
- Whether a paid plan gets longer periods is not decided yet.

## Decisions

- Links are stored in PostgreSQL, which replaces Redis.
"""

_CLAIM = """\
  - id: {id}
    kind: {kind}
    status: live
    exact: {exact}
    prefix: ""
    suffix: ""
    section: Links > {section}
    step: exact
    home: card
"""
_CLAIMS = (
    ("ANC-00000001", "requirement", "Owners can renew a link before it expires.", "Renewal"),
    ("ANC-00000002", "constraint", "링크는 만든 날부터 30일 동안 산다.", "Renewal"),
    ("ANC-00000003", "question", "Whether a paid plan gets longer periods is not decided yet.", "Renewal"),
    ("ANC-00000004", "decision", "Links are stored in PostgreSQL", "Decisions"),
)
ANCHORS = f"""\
schema: isopod.anchors/1
spec: {{key: links, path: specs/links.md}}
readings:
  - {{reader: a, provider: recorded, model: one}}
  - {{reader: b, provider: recorded, model: two}}
heuristic: false
sections:
  - {{path: Links, digest: "sha256:{"0" * 64}"}}
anchors:
{"".join(_CLAIM.format(id=i, kind=k, exact=e, section=s) for i, k, e, s in _CLAIMS)}\
edges:
  - {{kind: blocked_by, from: ANC-00000001, to: ANC-00000003, cue: "is not decided yet"}}
"""

CARDS = {
    "STY-00000001": """\
kind: story
title: "Owners can renew a link before it expires"
state: planned
team: growth
spec: links
anchors: [ANC-00000001]
acceptance:
  - {id: A1, text: Owners can renew a link before it expires., anchors: [ANC-00000001]}
depends_on:
  - card: GAT-00000003
    because:
      - {edge: blocked_by, from: ANC-00000001, to: ANC-00000003, cue: is not decided yet}
  - card: STY-00000002
    because:
      - {rule: D13, text: renewal starts a new period}
      - {person: Kim, text: "agreed on Monday", at: 2026-11-30T09:00:00Z}
""",
    "STY-00000002": """\
kind: story
title: "링크는 만든 날부터 30일 동안 산다"
state: drafted
team: growth
spec: links
anchors: [ANC-00000002]
acceptance:
  - {id: A1, text: 링크는 만든 날부터 30일 동안 산다., anchors: [ANC-00000002]}
depends_on:
  - card: DEC-00000004
    because:
      - {rule: D13, text: stored there}
""",
    "GAT-00000003": """\
kind: gate
title: "Whether a paid plan gets longer periods is not decided yet"
state: drafted
team: growth
spec: links
anchors: [ANC-00000003]
gate: {waits_for: answer}
""",
    "DEC-00000004": """\
kind: decision
title: "Links are stored in PostgreSQL"
state: drafted
team: growth
spec: links
anchors: [ANC-00000004]
decision: {supersedes: [DEC-00000005]}
""",
    "DEC-00000005": """\
kind: decision
title: "Links are kept in Redis"
state: drafted
team: growth
spec: links
decision: {superseded_by: DEC-00000004}
""",
    "REQ-00000006": """\
kind: request
title: "Data team: an endpoint"
state: drafted
team: growth
spec: links
request: {team: data}
""",
}


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    """A fresh copy of the instance."""
    from isopod.newcomer import NewTeam, config_text

    teams = (NewTeam("growth", "Growth team", True), NewTeam("data", "Data team", False))
    (tmp_path / "config.yaml").write_text(config_text("links-demo", teams), encoding="utf-8")
    for folder in ("specs", "cards/anchors"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "specs/links.md").write_text(SPEC, encoding="utf-8")
    (tmp_path / "cards/anchors/links.yaml").write_text(ANCHORS, encoding="utf-8")
    for card_id, body in CARDS.items():
        text = f'schema: isopod.card/1\nid: {card_id}\n{body}heuristic: false\ndue: null\nnotes: ""\n'
        (tmp_path / f"cards/{card_id}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def isopod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line in the folder of the test, with streams of its own as a process has them.

    It runs in this process, because a start of Python for each of some hundred commands takes minutes; `test_isopod_frame` and the
    demo run real processes.
    """
    from isopod.cli import run

    def call(*arguments: str, stdin: str = "", **env: str) -> Done:
        streams = [
            io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="") for data in (stdin.encode(), b"", b"")
        ]
        with monkeypatch.context() as patch:
            patch.chdir(tmp_path)
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            for name, value in ({"COLUMNS": "80"} | env).items():
                patch.setenv(name, value)
            code = run(list(arguments))
        for stream in streams[1:]:
            stream.flush()
        shown = [cast(io.BytesIO, stream.buffer).getvalue().decode("utf-8") for stream in streams[1:]]
        return Done(code, *shown)

    return call


def fingerprint(folder: Path) -> dict[str, str]:
    """The digest of every file below a folder that is committed; state is not."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".isopod" not in path.parts
    }
