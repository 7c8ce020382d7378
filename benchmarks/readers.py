"""What the offline readers are worth: measured against recorded readings, printed as Markdown tables.

    ISOPOD_CASES=/path/to/shared python benchmarks/readers.py

The folder holds cases/specs, cases/runs, demo/specs and demo/runs.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pipeline.join import join
from pipeline.readers.lexicon import LexiconReader
from pipeline.readers.protocol import Reader, ReadRequest
from pipeline.readers.structure import StructureReader
from schemas.kinds import OBLIGATIONS
from schemas.run import Run
from text.coordinates import SpanT, SpecText, decode
from text.cores import core
from text.coverage import coverage
from text.grounding import Grounder, Reading, ground
from text.lexicon import lexicon_of_document
from text.structure import Structure, structure

# The rules were made while looking at these; the others with recorded readings show what the rules do unseen.
LOOKED_AT = {"link-shortener", "reminder-ko", "openspec-cli-validate", "deskmd-prd-ko", "runex-prd-ja"}
MATCH = (
    "A found claim is right when its core shares a character with the core of an obligation on which both recorded "
    "readings agreed (standard join, last round); such an obligation is found when the core of a found claim shares a "
    "character with its own. Each is counted once. In `1:1` a found claim stands for one obligation only (largest "
    "matching), so a sentence that the recorded readers cut in two is found once of twice. Terms, decisions, questions "
    "and exclusions are not counted. `every unit` claims each claim-bearing unit: the floor."
)
READERS = ("lexicon", "structure", "agreed", "every unit")


@dataclass(frozen=True)
class Score:
    """Counts of one comparison; they add up over specs."""

    right: int = 0
    found: int = 0
    hit: int = 0
    wanted: int = 0
    matched: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(
            self.right + other.right,
            self.found + other.found,
            self.hit + other.hit,
            self.wanted + other.wanted,
            self.matched + other.matched,
        )

    def cells(self) -> str:
        """Precision, recall, and both one to one."""
        return (
            f"{_share(self.right, self.found)} | {_share(self.hit, self.wanted)} | "
            f"{_share(self.matched, self.found)} / {_share(self.matched, self.wanted)}"
        )


@dataclass(frozen=True)
class Read:
    """One spec as the two offline readers read it."""

    name: str
    language: str
    spec: SpecText
    structure: Structure
    readings: dict[str, Reading]
    seconds: dict[str, float]
    agreed: list[SpanT]
    agreed_all: int
    differing: int

    def obligations(self, reader: str) -> list[SpanT]:
        """The cores of a reader's obligations; `agreed` is what both agreed on, `every unit` the floor."""
        if reader == "every unit":
            return [core(self.spec.text, unit.span) for unit in self.structure.units if unit.claim_bearing]
        if reader == "agreed":
            return self.agreed
        return [anchor.core for anchor in self.readings[reader].anchors if anchor.kind in OBLIGATIONS]


def main() -> int:
    folder = os.environ.get("ISOPOD_CASES")
    if not folder:
        print("set ISOPOD_CASES to the folder that holds cases/ and demo/", file=sys.stderr)
        return 2
    root = Path(folder)
    specs = [read_spec(path) for path in sorted([*root.glob("cases/specs/*"), *root.glob("demo/specs/*")])]
    print("## What each spec holds\n")
    _print_specs(specs)
    print("\n## Against recorded readings\n")
    print(f"{MATCH}\n")
    _print_scores(root, specs)
    return 0


def read_spec(path: Path) -> Read:
    spec = decode(path.read_bytes(), path.name)
    parsed = structure(spec)
    grounder = Grounder(spec, parsed)
    readings: dict[str, Reading] = {}
    seconds: dict[str, float] = {}
    readers: tuple[Reader, ...] = (LexiconReader(), StructureReader())
    for reader in readers:
        start = time.process_time()
        run = reader.read(ReadRequest(spec, parsed, name=reader.provider, model=reader.provider))
        seconds[reader.provider] = time.process_time() - start
        readings[reader.provider] = _grounded(grounder, run)
    joined = join(spec, parsed, readings["lexicon"], readings["structure"]).standard
    return Read(
        name=path.name,
        language=lexicon_of_document(spec.text).name,
        spec=spec,
        structure=parsed,
        readings=readings,
        seconds=seconds,
        agreed=[core(spec.text, pair.span) for pair in joined.pairs if pair.kind in OBLIGATIONS],
        agreed_all=len(joined.pairs),
        differing=joined.anchors,
    )


def _grounded(grounder: Grounder, run: Run) -> Reading:
    return ground(grounder, enumerate(run.anchors), enumerate(run.edges))


def _print_specs(specs: Sequence[Read]) -> None:
    print("| spec | units | look like claims | lexicon | structure | agreed | differing | CPU s |")
    print("|---|---|---|---|---|---|---|---|")
    for read in specs:
        looks = coverage(read.spec, read.structure, ())
        lexicon, by_structure = (len(read.readings[name].anchors) for name in ("lexicon", "structure"))
        print(
            f"| {read.name} | {looks.units} | {len(looks.unclaimed)} | {lexicon} | {by_structure} | "
            f"{read.agreed_all} | {read.differing} | {read.seconds['lexicon']:.2f} + {read.seconds['structure']:.2f} |"
        )


def _print_scores(root: Path, specs: Sequence[Read]) -> None:
    print("| spec | language | obligations | reader | precision | recall | 1:1 precision / recall |")
    print("|---|---|---|---|---|---|---|")
    scored: list[tuple[Read, str, Score]] = []
    for read in specs:
        wanted = recorded(root, read)
        if wanted is None:
            continue
        for reader in READERS:
            score = compare(read.obligations(reader), wanted)
            scored.append((read, reader, score))
            print(f"| {read.name} | {read.language} | {len(wanted)} | {reader} | {score.cells()} |")
    for title, chosen in _totals(scored):
        by_reader: dict[str, Score] = {}
        for _, reader, score in chosen:
            by_reader[reader] = by_reader.get(reader, Score()) + score
        for reader, score in by_reader.items():
            print(f"| **{title}** | | {score.wanted} | {reader} | {score.cells()} |")


def _totals(scored: list[tuple[Read, str, Score]]) -> Iterator[tuple[str, list[tuple[Read, str, Score]]]]:
    for language, group in groupby(
        sorted(scored, key=lambda entry: entry[0].language), lambda entry: entry[0].language
    ):
        yield f"all {language}", list(group)
    for title, looked_at in (("looked at while the rules were made", True), ("held out", False)):
        yield title, [entry for entry in scored if (Path(entry[0].name).stem in LOOKED_AT) == looked_at]


def recorded(root: Path, read: Read) -> list[SpanT] | None:
    """The cores of the obligations that the last recorded round of both readers agrees on; None without recordings."""
    stem = Path(read.name).stem
    for folder in (root / "demo" / "runs", root / "cases" / "runs"):
        for number in (2, 1, 0):
            paths = [folder / f"{stem}.{reader}.round{number}.json" for reader in "ab"]
            if all(path.is_file() for path in paths):
                grounder = Grounder(read.spec, read.structure)
                a, b = (
                    _grounded(grounder, Run.parse(json.loads(path.read_text()), source=path.name)) for path in paths
                )
                pairs = join(read.spec, read.structure, a, b).standard.pairs
                return [core(read.spec.text, pair.span) for pair in pairs if pair.kind in OBLIGATIONS]
    return None


def compare(found: Sequence[SpanT], wanted: Sequence[SpanT]) -> Score:
    """Count by the rule that the output states."""
    meets = [[index for index, other in enumerate(wanted) if _overlap(claim, other)] for claim in found]
    return Score(
        right=sum(1 for others in meets if others),
        found=len(found),
        hit=len({index for others in meets for index in others}),
        wanted=len(wanted),
        matched=_matching(meets),
    )


def _matching(meets: Sequence[Sequence[int]]) -> int:
    """The size of a largest matching (augmenting paths)."""
    taken: dict[int, int] = {}

    def place(claim: int, seen: set[int]) -> bool:
        for other in meets[claim]:
            if other not in seen:
                seen.add(other)
                if other not in taken or place(taken[other], seen):
                    taken[other] = claim
                    return True
        return False

    return sum(1 for claim in range(len(meets)) if place(claim, set()))


def _overlap(a: SpanT, b: SpanT) -> bool:
    return a[0] < b[1] and b[0] < a[1]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "-"


if __name__ == "__main__":
    sys.exit(main())
