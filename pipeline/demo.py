"""The demo instance: the shipped specs with real recorded runs of two readers, and the teams that they speak of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pipeline
from schemas.errors import OutsideError, Place, RefusedError

SPECS: Final = ("link-shortener", "reminder-ko")

CONFIG: Final = """\
# The demo: two specs, two recorded readings of each by one large language model, four teams.
schema: isopod.config/1
project: link-shortener-demo
paths: {specs: specs, cards: cards, recorded: specs/recorded, state: .isopod}
prefixes:
  - {prefix: ANC, kind: anchor}
  - {prefix: EPC, kind: epic}
  - {prefix: STY, kind: story}
  - {prefix: GAT, kind: gate}
  - {prefix: DEC, kind: decision}
  - {prefix: REQ, kind: request}
  - {prefix: MIG, kind: migration}
  - {prefix: EXT, kind: external}
teams:
  - {id: growth, name: Growth team, aliases: [], capabilities: {manages_tracker: true, writes_cards: true, renders: true, schema: own}}
  # The Data team and 원무팀 write their own cards: what we need of them becomes a request.
  - id: data
    name: Data team
    aliases: ["the Data team"]
    capabilities: {manages_tracker: false, writes_cards: false, renders: false, schema: mirror}
  - {id: 예약팀, name: 예약팀, aliases: [], capabilities: {manages_tracker: true, writes_cards: true, renders: true, schema: own}}
  - {id: 원무팀, name: 원무팀, aliases: [], capabilities: {manages_tracker: false, writes_cards: false, renders: false, schema: mirror}}
default_team: growth
milestones: []
readers:
  a: {provider: recorded, model: one-large-language-model}
  b: {provider: recorded, model: one-large-language-model}
allow_same_model: true          # both readings are by one model, made apart; every report says so
specs:
  reminder-ko: {path: specs/reminder-ko.md, team: 예약팀}
"""

GIT_ATTRIBUTES: Final = "specs/** -text\ncards/** text eol=lf\ncards/ledger/checkpoint.json merge=union\n"
GIT_IGNORE: Final = ".isopod/\n"


@dataclass(frozen=True, slots=True)
class DemoFiles:
    """The files of the demo instance by relative path; `paths` of the specs in the order in which they are compiled."""

    files: dict[str, bytes]
    specs: tuple[str, ...]


def shipped() -> Path:
    """Where the shipped specs lie: in the installed package, else in the checkout.

    Raises OutsideError when neither is there.
    """
    parent = Path(pipeline.__file__).resolve().parent.parent
    for folder in (parent / "isopod" / "shipped", parent / "specs"):
        if (folder / f"{SPECS[0]}.md").is_file():
            return folder
    raise OutsideError(
        "demo-missing",
        "this installation holds no demo specs",
        where=Place(str(parent)),
        fix="install isopod-cards again",
    )


def demo_files() -> DemoFiles:
    """What the demo puts into its folder before it compiles anything."""
    source = shipped()
    files = {
        "config.yaml": CONFIG.encode(),
        ".gitattributes": GIT_ATTRIBUTES.encode(),
        ".gitignore": GIT_IGNORE.encode(),
    }
    for name in SPECS:
        files[f"specs/{name}.md"] = (source / f"{name}.md").read_bytes()
        for run in sorted((source / "recorded").glob(f"{name}.*.json")):
            files[f"specs/recorded/{run.name}"] = run.read_bytes()
    return DemoFiles(files, tuple(f"specs/{name}.md" for name in SPECS))


def prepare(root: Path) -> DemoFiles:
    """Put the demo's files into `root`, which may be new, empty or a demo of before; a changed file is left as it is.

    Raises RefusedError when `root` is something else, OutsideError when the disk refuses.
    """
    demo = demo_files()
    config = root / "config.yaml"
    try:
        if root.exists() and any(root.iterdir()) and not _is_demo(config):
            raise RefusedError(
                "folder-in-use",
                "the folder is not empty and is no demo of isopod",
                where=Place(str(root)),
                fix="isopod demo OTHER-FOLDER",
            )
        for name, content in demo.files.items():
            path = root / name
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
    except OSError as error:
        raise OutsideError(
            "unwritable-file", f"cannot be written: {error.strerror}", where=Place(str(error.filename or root))
        ) from None
    return demo


def _is_demo(config: Path) -> bool:
    return config.is_file() and b"project: link-shortener-demo" in config.read_bytes()
