"""What an audit costs beside the checks of two older tools, over the same cards: doorstop and sphinx-needs.

    python benchmarks/peers.py [CARDS ...]          (default: 200 2000 20000)

Both are installed from PyPI into `benchmarks/.peers` at the first run. Every card of a generated instance becomes one
item of each tool: its id, title, text and the cards that it waits for. Claims, spec texts, reasons and states are
isopod's own and are left out, so the others have less to read. doorstop checks its tree without the checks that write
into every item at the first run (stamps of reviews), sphinx-needs builds `needs.json` without any page: the cheapest
thing that each of them does with every item.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent.parent))

from audit import SETTLING, Cost, audit_of, cold_audit, cost  # noqa: E402

HOME = HERE.parent / ".peers"
VERSIONS = ("doorstop==3.2", "sphinx-needs==9.1.0")
ONCE_FROM = 10_000  # cards from which the others are run once: they take minutes there


def main() -> int:
    if not all(argument.isdecimal() for argument in sys.argv[1:]):
        print("usage: python benchmarks/peers.py [CARDS ...]", file=sys.stderr)
        return 2
    sizes = [int(argument) for argument in sys.argv[1:]] or [200, 2_000, 20_000]
    tools = _installed()
    print(f"Python {sys.version.split()[0]}, {', '.join(VERSIONS)}\n")
    print("| cards | what | CPU s | peak MB | times a cold audit |\n|---|---|---|---|---|", flush=True)
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="isopod-peers-") as scratch:
            _compare(Path(scratch), size, tools)
    return 0


def _installed() -> Path:
    """The folder of the tools' commands.

    Raises SystemExit with what pip says when a version is not to be had.
    """
    tools = HOME / "bin"
    marker = HOME / ".installed"
    if not marker.exists() or marker.read_text() != "\n".join(VERSIONS):
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(HOME)], check=True)
        pip = [str(tools / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *VERSIONS]
        if subprocess.run(pip, check=False).returncode:
            raise SystemExit(f"could not install {', '.join(VERSIONS)}: see above; put versions that exist in {HERE.name}")
        (HOME / ".gitignore").write_text("*\n")
        marker.write_text("\n".join(VERSIONS))
    return tools


def _compare(scratch: Path, size: int, tools: Path) -> None:
    """The rows of one size."""
    instance = scratch / "isopod"
    generate = [sys.executable, str(HERE.parent / "generate.py"), str(instance), str(size)]
    subprocess.run(generate, check=True, capture_output=True)
    cards = list(_cards(instance))
    time.sleep(SETTLING)
    cold = cold_audit(instance)
    _row(size, "isopod audit, cold", cold, cold)
    _row(size, "isopod audit, nothing changed", cost(audit_of(instance)), cold)
    repeats = 1 if size >= ONCE_FROM else 2
    doorstop = _doorstop(scratch / "doorstop", cards)
    check = [str(tools / "doorstop"), "--no-reformat", "--no-suspect-check", "--no-review-check"]
    _row(size, "doorstop, its check of the tree", cost(check, where=doorstop, repeats=repeats), cold)
    needs = _sphinx_needs(scratch / "needs", cards)
    build = [str(tools / "sphinx-build"), "-q", "-E", "-b", "needs", str(needs), str(scratch / "built")]
    _row(size, "sphinx-needs, needs.json", cost(build, repeats=repeats), cold)


def _row(size: int, what: str, taken: Cost, cold: Cost) -> None:
    print(f"| {size:,} | {what} | {taken.cpu:.2f} | {taken.memory:.0f} | {taken.cpu / cold.cpu:.1f} |", flush=True)


def _cards(instance: Path) -> Iterator[dict[str, Any]]:
    from store.yamlio import load_bytes

    for path in sorted((instance / "cards").glob("*.yaml")):
        yield load_bytes(path.read_bytes(), path.name)


def _lines(card: dict[str, Any]) -> list[str]:
    return [line["text"] for line in card.get("acceptance", ())]


def _doorstop(folder: Path, cards: list[dict[str, Any]]) -> Path:
    """One document of all cards; its items are numbered, so a card's id goes into its header."""
    document = folder / "cards"
    document.mkdir(parents=True)
    (document / ".doorstop.yml").write_text("settings:\n  digits: 5\n  itemformat: yaml\n  prefix: CARD\n  sep: '-'\n")
    number = {card["id"]: f"CARD-{at:05d}" for at, card in enumerate(cards, 1)}
    for at, card in enumerate(cards, 1):
        waits = [number[entry["card"]] for entry in card.get("depends_on", ())]
        text = "\n".join(f"  {line}" for line in [card["title"], *_lines(card)])
        links = "\n".join(f"- {one}: null" for one in waits)
        (document / f"{number[card['id']]}.yml").write_text(
            f"active: true\nderived: false\nheader: |\n  {card['id']}\nlevel: {at}.0\n"
            f"links:{chr(10) + links if links else ' []'}\nnormative: true\nref: ''\nreviewed: null\ntext: |\n{text}\n"
        )
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def _sphinx_needs(folder: Path, cards: list[dict[str, Any]]) -> Path:
    """One page for the cards of each spec."""
    folder.mkdir()
    kinds = ("epic", "story", "gate", "decision", "request")
    types = [{"directive": kind, "title": kind.title(), "prefix": "", "color": "#fff", "style": "node"} for kind in kinds]
    (folder / "conf.py").write_text(f"extensions = ['sphinx_needs']\nneeds_types = {types!r}\n")
    pages: dict[str, list[str]] = {}
    for card in cards:
        links = ", ".join(_name(entry["card"]) for entry in card.get("depends_on", ()))
        words = "".join(f"\n   {line}\n" for line in _lines(card))
        pages.setdefault(card["spec"], []).append(
            f".. {card['kind']}:: {card['title']}\n   :id: {_name(card['id'])}\n   :status: {card['state']}\n"
            f"{f'   :links: {links}' if links else ''}\n{words}\n"
        )
    for name, items in pages.items():
        (folder / f"{name}.rst").write_text(f"{name}\n{'=' * len(name)}\n\n" + "\n".join(items))
    (folder / "index.rst").write_text("Cards\n=====\n\n.. toctree::\n\n" + "".join(f"   {name}\n" for name in pages))
    return folder


def _name(card: str) -> str:
    return card.replace("-", "_")


if __name__ == "__main__":
    sys.exit(main())
