"""What the join costs: CPU seconds for two readings of a made-up text, beside loading and grounding them.

    python benchmarks/join.py [ANCHORS ...]         (default: 1000 10000 100000, a side)

The readings agree on 95 of 100 claims. Of the others some have another end, another kind of their class or of another
class, some are nested in a larger claim of one reader only, some are missing.
"""

from __future__ import annotations

import gc
import json
import random
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pipeline.join import TwoJoins, join
from schemas.run import Run
from text.coordinates import SpecText, of_text
from text.grounding import Grounder, Reading, ground
from text.structure import Structure, structure

ASKED = {1_000: "0.03", 100_000: "1.5"}
T = TypeVar("T")

_KINDS = ("requirement", "requirement", "requirement", "constraint", "interface", "term", "decision", "question")
_OTHER_OF_CLASS = {"requirement": "constraint", "constraint": "interface", "interface": "requirement"}
_OTHER_CLASS = {"term": "decision", "decision": "requirement", "question": "exclusion"}


def main() -> int:
    if not all(argument.isdecimal() for argument in sys.argv[1:]):
        print("usage: python benchmarks/join.py [ANCHORS ...]", file=sys.stderr)
        return 2
    print("\n### The join of two readings\n")
    print("| anchors a side | loading the runs (floor) | parsing the text | grounding both | join | asked | result |")
    print("|---|---|---|---|---|---|---|")
    for size in [int(argument) for argument in sys.argv[1:]] or [1_000, 10_000, 100_000]:
        print(row(size), flush=True)
    unit = 1_000_000 if sys.platform == "darwin" else 1_000
    print(f"\nPeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit:.0f} MB.")
    return 0


def row(size: int) -> str:
    """One line of the table: CPU seconds of each step, and what came out."""
    spec, a, b = readings(size)
    texts = (json.dumps(a), json.dumps(b))
    loading, loaded = timed(lambda: [json.loads(text) for text in texts], 3)
    parsing, parsed = timed(lambda: structure(spec), 1)
    grounding, grounded = timed(lambda: [_grounded(spec, parsed, run) for run in loaded], 1)
    joining, joined = timed(lambda: join(spec, parsed, *grounded), 3)
    asked = f"< {ASKED[size]}" if size in ASKED else ""
    return f"| {size:,} | {loading:.3f} | {parsing:.2f} | {grounding:.2f} | {joining:.3f} | {asked} | {_said(joined)} |"


def timed(work: Callable[[], T], repeats: int) -> tuple[float, T]:
    """The least CPU seconds of some runs, and what the last one gave."""
    best = float("inf")
    for _ in range(repeats):
        gc.collect()
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return best, result


def readings(size: int) -> tuple[SpecText, dict[str, Any], dict[str, Any]]:
    """A text and two runs of it with about `size` anchors each."""
    chance = random.Random(size)
    lines = ["# A made-up text", ""]
    sides: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for number in range(size):
        kind = chance.choice(_KINDS)
        words = f"The part {number} must keep its {chance.randint(2, 999)} entries, and show them to whoever asks"
        lines.append(f"- {words}.")
        _claim(sides, f"r{number}", kind, words, len(lines), chance.random())
        if number % 10 == 9:
            lines += ["", f"## Section {number // 10}", ""]
    spec = of_text("\n".join(lines) + "\n", "made-up.md")
    a, b = (_run(spec, name, anchors, size) for name, anchors in zip("ab", sides, strict=True))
    return spec, a, b


def _claim(
    sides: tuple[list[dict[str, Any]], list[dict[str, Any]]], ref: str, kind: str, words: str, line: int, luck: float
) -> None:
    """Put one claim, as each reader cut and named it, on both sides; 95 of 100 are the same."""
    head, _, tail = words.partition(", and ")
    mine = [(ref, kind, words)]
    yours = [(ref, kind, f"{words}." if luck < 0.3 else words)]
    if luck >= 0.99:
        yours = [(ref, kind, head)]
    elif luck >= 0.98:
        yours = [(ref, _OTHER_OF_CLASS.get(kind, kind), words)]
    elif luck >= 0.97:
        yours = [(ref, _OTHER_CLASS.get(kind, "question"), words)]
    elif luck >= 0.96:
        yours = [(f"{ref}h", kind, head), (f"{ref}t", kind, tail)]
        mine.append((f"{ref}n", kind, tail))
    elif luck >= 0.95:
        yours = []
    for side, claims in zip(sides, (mine, yours), strict=True):
        side += [{"ref": name, "kind": k, "quote": q, "lines": [line, line], "nth": None} for name, k, q in claims]


def _run(spec: SpecText, name: str, anchors: list[dict[str, Any]], size: int) -> dict[str, Any]:
    """The run of one reader, with an edge for every third claim; both readers draw nearly the same."""
    edges = []
    known = {anchor["ref"]: anchor for anchor in anchors}
    chance = random.Random(size)
    for number in range(3, size, 3):
        from_, to = f"r{number}", f"r{number - chance.randint(1, 3)}"
        kind = chance.choice(("requires", "requires", "refines"))
        drawn = chance.random() < 0.98 or name == "a"
        if drawn and from_ in known and to in known:
            cue = {"quote": "must keep", "lines": known[from_]["lines"]}
            edges.append({"from": from_, "to": to, "kind": kind, "cue": cue})
    return {
        "schema": "isopod.run/1",
        "spec": {"path": spec.path, "sha256": spec.digest},
        "reader": {"name": name, "provider": "recorded", "model": "made-up", "round": 0},
        "anchors": anchors,
        "edges": edges,
    }


def _grounded(spec: SpecText, parsed: Structure, data: dict[str, Any]) -> Reading:
    run = Run.parse(data, source="made-up")
    return ground(Grounder(spec, parsed), enumerate(run.anchors), enumerate(run.edges))


def _said(joined: TwoJoins) -> str:
    one = joined.standard
    return f"{len(one.pairs):,} agreed, {one.anchors:,} and {one.edges:,} differ, {len(one.disputes):,} disputes"


if __name__ == "__main__":
    sys.exit(main())
