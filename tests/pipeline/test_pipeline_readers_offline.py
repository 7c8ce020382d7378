"""What both offline readers promise: exact quotes, one anchor a claim, the same answer again; and their worth."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.readers.lexicon import LexiconReader
from pipeline.readers.offline import Found, FoundEdge, run_of, tail_of
from pipeline.readers.protocol import Reader, ReadRequest
from pipeline.readers.registry import providers, reader_of
from pipeline.readers.structure import StructureReader
from schemas.run import Run
from text.coordinates import SpecText, decode, of_text
from text.grounding import Grounder, ground
from text.structure import structure

BOTH = ("lexicon", "structure")
LINES = st.sampled_from(
    """
# Title;## Requirements;## Terms;## Decisions;## Open questions;## Out of scope;## CLI;```;[a](b);must:;<li>must show
The code must stop.;It must stop. It must stop.;- The code must stop;  - must nest:;    - deeper must;1. first must
- **term**: the thing must be. At most 5 days.;| a | b |;|---|---|;| must | must |;- **WHEN** x;- **THEN** show x
prog a  Shows a;prog b  Shows b;알림을 보낸다. 알림을 보낸다.;- 저장해야 한다.;保存する。保存する。
- 保存;系统必须返回。;This replaces the earlier decision.;> quoted must
""".strip()
    .replace("\n", ";")
    .split(";")
)
QUESTION = "Whether x is not decided yet; it cannot ship before that."
TEXTS = st.lists(LINES | st.sampled_from(["", QUESTION]), max_size=16).map("\n".join)


def _read(provider: str, spec: SpecText) -> Run:
    return reader_of(provider).read(ReadRequest(spec, structure(spec), name="a", model="any"))


@pytest.mark.parametrize("provider", BOTH)
def test_the_registry_knows_them_as_heuristics_that_no_repair_helps(provider: str) -> None:
    reader: type[Reader] = providers()[provider]
    assert (reader.heuristic, reader.repairs, reader.calls_model) == (True, False, False)
    run = _read(provider, of_text("It must stop.", "spec.md"))
    assert (run.reader.name, run.reader.provider, run.reader.round) == ("a", provider, 0)
    assert run.reader.model.startswith(f"{provider}-")


def test_they_are_two_different_models() -> None:
    spec = of_text("It must stop.", "spec.md")
    assert _read("lexicon", spec).reader.model != _read("structure", spec).reader.model


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.sampled_from(["spec.md", "spec.txt", "spec.rst"]))
def test_every_claim_grounds_where_it_was_found(text: str, path: str) -> None:
    spec = of_text(text, path)
    parsed = structure(spec)
    for reader in (LexiconReader(), StructureReader()):
        run = reader.read(ReadRequest(spec, parsed, name="a", model="any"))
        _holds(spec, Grounder(spec, parsed), run)
        assert reader.read(ReadRequest(spec, parsed, name="a", model="any")) == run


def _holds(spec: SpecText, grounder: Grounder, run: Run) -> None:
    reading = ground(grounder, enumerate(run.anchors), enumerate(run.edges))
    assert reading.violations == ()
    assert len(reading.anchors) == len(run.anchors)
    assert len(reading.edges) == len(run.edges)
    by_ref = {anchor.ref: anchor for anchor in reading.anchors}
    for number, anchor in enumerate(run.anchors, 1):
        grounded = by_ref[anchor.ref]
        assert anchor.ref == f"a{number}"
        assert (grounded.step, grounded.relocated, grounded.lines) == ("exact", False, anchor.lines)
        assert spec.quoted(grounded.span) == anchor.quote
    starts = [by_ref[anchor.ref].span[0] for anchor in run.anchors]
    assert starts == sorted(starts)


def test_a_quote_that_stands_twice_in_its_lines_says_which_it_is() -> None:
    run = _read("lexicon", of_text("It must stop. It must stop.\n\nIt must stop.", "spec.md"))
    assert [(anchor.lines, anchor.nth) for anchor in run.anchors] == [((1, 1), 1), ((1, 1), 2), ((3, 3), None)]


def test_claims_of_one_class_with_one_core_are_one_anchor() -> None:
    spec = of_text("- It must stop.", "spec.md")
    request = ReadRequest(spec, structure(spec), name="a", model="any")
    longer, shorter = Found("requirement", (2, 15)), Found("constraint", (2, 14))
    run = run_of(
        request,
        "m",
        "p",
        [longer, shorter, Found("question", (2, 15))],
        [FoundEdge("refines", longer, shorter, (2, 4))],
    )
    assert [(anchor.kind, anchor.quote) for anchor in run.anchors] == [
        ("question", "It must stop."),
        ("constraint", "It must stop"),
    ]
    assert run.edges == ()


@pytest.mark.parametrize(
    ("lead_in", "cue"),
    [
        ("The report shall include:", "The report shall include:"),
        ("**THEN** show the error, with guidance:", "with guidance:"),
        ("It prints " + "very " * 20 + "much:", "very " * 10 + "much:"),
        ("a" * 80 + ":", "a" * 59 + ":"),
    ],
)
def test_the_cue_of_a_list_is_the_last_clause_of_its_lead_in(lead_in: str, cue: str) -> None:
    spec = of_text(lead_in, "spec.md")
    assert spec.quoted(tail_of(spec, (0, len(lead_in)))) in (cue, cue.removeprefix("very "))


def test_a_unit_too_long_to_be_a_sentence_is_no_claim() -> None:
    spec = of_text("must " * 100_000, "spec.md")
    assert _read("lexicon", spec).anchors == ()
    assert _read("structure", spec).anchors == ()


@pytest.fixture(scope="module")
def cases() -> Path:
    folder = os.environ.get("ISOPOD_CASES")
    if not folder:
        pytest.skip("ISOPOD_CASES names no folder with real specs")
    return Path(folder)


def test_every_claim_of_every_real_spec_grounds_where_it_was_found(cases: Path) -> None:
    paths = sorted([*cases.glob("cases/specs/*"), *cases.glob("demo/specs/*")])
    assert paths
    for path in paths:
        spec = decode(path.read_bytes(), path.name)
        parsed = structure(spec)
        grounder = Grounder(spec, parsed)
        for reader in (LexiconReader(), StructureReader()):
            run = reader.read(ReadRequest(spec, parsed, name="a", model="any"))
            assert run.anchors, path.name
            _holds(spec, grounder, run)


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "readers.py"
    spec = importlib.util.spec_from_file_location("isopod_benchmark_readers", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_score_counts_each_claim_once(benchmark: ModuleType) -> None:
    score = benchmark.compare([(0, 10), (20, 30), (40, 50)], [(0, 4), (5, 9), (29, 60), (70, 80)])
    assert (score.right, score.found, score.hit, score.wanted, score.matched) == (3, 3, 3, 4, 2)


@pytest.mark.parametrize("language", ["English", "Korean"])
def test_what_both_readers_agree_on_is_worth_what_the_docs_say(
    cases: Path, benchmark: ModuleType, language: str
) -> None:
    total = benchmark.Score()
    for path in sorted([*cases.glob("cases/specs/*"), *cases.glob("demo/specs/*")]):
        read = benchmark.read_spec(path)
        wanted = benchmark.recorded(cases, read) if read.language == language else None
        if wanted is not None:
            total += benchmark.compare(read.obligations("agreed"), wanted)
    assert total.wanted > 0
    assert total.right / total.found >= 0.80
    assert total.hit / total.wanted >= 0.65
