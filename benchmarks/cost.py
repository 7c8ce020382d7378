"""What two models that read a spec are sent and send back: measured on recorded readings, and reckoned for ten pages.

    [ISOPOD_CASES=/path/to/shared] python benchmarks/cost.py [--price IN/OUT ...] [--bytes-per-token N]

Prints Markdown tables. The recorded readings are those in specs/recorded, by a large language model, and those in the folder that
ISOPOD_CASES names. Prices are for a million tokens, in any currency: what is printed is an example, look up the day's own.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pipeline.compile import CompileOptions
from pipeline.estimate import estimate
from pipeline.join import join
from pipeline.models.chunks import chunks_of
from pipeline.models.prompt import SYSTEM, ShownClaim, edges_task, reading_task
from pipeline.models.shapes import schema_of
from pipeline.workspace import Workspace
from schemas.run import Run
from store.instance import open_instance
from store.runs import load_run
from store.snapshot import load
from text.coordinates import SpecText, decode
from text.grounding import Grounder, ground
from text.structure import structure

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = {"link-shortener.md": ("English", 3_000), "reminder-ko.md": ("Korean", 1_700)}
"""The spec that ten pages are made of, and the characters of a page: about 500 words."""

_MEASURED: Final = 3.2
_PRICES: Final = ("0.5/2", "1.25/10", "3/15")
_CONFIG: Final = """\
schema: isopod.config/1
project: cost
teams:
  - {id: team, name: Team, capabilities: {manages_tracker: true, writes_cards: true, renders: true, schema: own}}
default_team: team
readers:
  a: {provider: anthropic, model: one}
  b: {provider: openai, model: two}
"""


@dataclass(frozen=True)
class Measured:
    """Bytes of one spec, of what is sent for its first reading, and of what one recorded reader answers (mean of two)."""

    name: str
    text: int
    task: int
    answer: int
    listed: int
    disputed: int


def size(text: str) -> int:
    """The bytes of a text on the wire, before JSON escapes it."""
    return len(text.encode("utf-8"))


def answer_of(run: Run) -> str:
    """A run in the form in which a model answers."""
    anchors = [
        {
            "ref": one.ref,
            "kind": one.kind,
            "quote": one.quote,
            "first_line": one.lines[0],
            "last_line": one.lines[1],
            "nth": one.nth or 0,
        }
        for one in run.anchors
    ]
    edges = [
        {
            "from": one.from_,
            "to": one.to,
            "kind": one.kind,
            "cue": one.cue.quote,
            "cue_first_line": one.cue.lines[0],
            "cue_last_line": one.cue.lines[1],
        }
        for one in run.edges
    ]
    return json.dumps({"anchors": anchors, "edges": edges}, ensure_ascii=False)


def measure(spec: SpecText, runs: Sequence[Run]) -> Measured:
    """The sizes of one spec with two recorded first readings."""
    parsed = structure(spec)
    grounder = Grounder(spec, parsed)
    a, b = (ground(grounder, enumerate(run.anchors), enumerate(run.edges)) for run in runs)
    chunks = chunks_of(spec, parsed, range(len(parsed.sections)), 1_000_000)
    claims = [ShownClaim(one.ref, one.kind, one.lines, one.quote) for one in runs[0].anchors]
    listed = edges_task(claims, [0] * len(claims), [""] * len(claims))
    disputes = join(spec, parsed, a, b).standard.disputes
    units = {unit.span for dispute in disputes for unit in parsed.units_in(dispute.span)}
    return Measured(
        name=Path(spec.path).name,
        text=size(spec.text),
        task=sum(size(reading_task(spec, parsed, chunk, ())) for chunk in chunks),
        answer=sum(size(answer_of(run)) for run in runs) // 2,
        listed=size(listed),
        disputed=sum(size(spec.text[start:end]) for start, end in units),
    )


def recorded(folders: Sequence[tuple[Path, Path]]) -> Iterator[Measured]:
    """Every spec with a recorded first reading of both readers; each is a folder of specs and one of runs."""
    for specs, runs in folders:
        for path in sorted(specs.glob("*.md")):
            files = [runs / f"{path.stem}.{reader}.round0.json" for reader in "ab"]
            if all(file.is_file() for file in files):
                yield measure(
                    decode(path.read_bytes(), path.name), [load_run(file.read_bytes(), file.name) for file in files]
                )


def print_measured(rows: Sequence[Measured]) -> None:
    """Sizes in bytes, and how they relate to the text."""
    print("| spec | text | task | answer | answer / task | listed claims / text | disputed units / text |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        print(
            f"| {row.name} | {row.text:,} | {row.task:,} | {row.answer:,} | {row.answer / row.task:.2f} "
            f"| {row.listed / row.text:.2f} | {row.disputed / row.text:.2f} |"
        )


def ten_pages(path: Path, page: int) -> str:
    """The spec again and again, until it is ten pages."""
    text = path.read_text(encoding="utf-8")
    return (text * (10 * page // len(text) + 1))[: 10 * page]


def print_ten_pages(prices: Sequence[str], bytes_per_token: float) -> None:
    """What a compile of ten pages takes, as `isopod compile --estimate` counts it, both readers together."""
    print(f"| ten pages | bytes | calls | tokens in | tokens out | {' | '.join(prices)} |")
    print(f"|---|---|---|---|---|{'---|' * len(prices)}")
    for name, (language, page) in PAGE.items():
        text = ten_pages(ROOT / "specs" / name, page)
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "config.yaml").write_text(_CONFIG, encoding="utf-8")
            (root / "specs").mkdir()
            (root / "specs" / name).write_text(text, encoding="utf-8")
            place = Workspace.of(load(open_instance(root), cache=False))
            rows = estimate(place, root / "specs" / name, CompileOptions()).estimate
        scale = _MEASURED / bytes_per_token
        calls = sum(row.calls for row in rows)
        sent = round(sum(row.input for row in rows) * scale)
        back = round(sum(row.output for row in rows) * scale)
        money = " | ".join(f"{_money(sent, back, price):.2f}" for price in prices)
        print(f"| {language} | {size(text):,} | {calls} | {sent:,} | {back:,} | {money} |")


def _money(sent: int, back: int, price: str) -> float:
    one, other = (float(number) for number in price.split("/"))
    return (sent * one + back * other) / 1_000_000


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="What two models that read a spec are sent and send back.")
    parser.add_argument("--price", action="append", metavar="IN/OUT", help="for a million tokens; may be repeated")
    parser.add_argument("--bytes-per-token", type=float, default=_MEASURED, metavar="N")
    chosen = parser.parse_args()
    folders = [(ROOT / "specs", ROOT / "specs/recorded")]
    if os.environ.get("ISOPOD_CASES"):
        cases = Path(os.environ["ISOPOD_CASES"]) / "cases"
        folders.append((cases / "specs", cases / "runs"))
    words, schema = size(SYSTEM["read"]), size(json.dumps(schema_of("reading")))
    print(f"Our own words, sent with every part: {words:,} bytes, and the schema of the answer: {schema:,} bytes.\n")
    print_measured(list(recorded(folders)))
    print()
    print_ten_pages(chosen.price or _PRICES, chosen.bytes_per_token)


if __name__ == "__main__":
    main()
